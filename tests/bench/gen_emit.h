/*
 * Generated records as text: JSON with any indentation, or YAML.
 */
#ifndef RT_TESTS_BENCH_GEN_EMIT_H
#define RT_TESTS_BENCH_GEN_EMIT_H

#include <stdio.h>

#include "gen_record.h"

/*
 * Write one record as a JSON object, without anything after it.
 * indent: blanks per level, or -1 for one compact line. level: how deep the object stands.
 */
void gen_emit_json(FILE *out, const struct gen_record *record, int indent, int level);

/* Write one record as an element of a YAML block sequence whose dash stands in column `at`. */
void gen_emit_yaml(FILE *out, const struct gen_record *record, int at);

/* Write a string as JSON, quotes included; text: UTF-8, ended by NUL. */
void gen_emit_string(FILE *out, const char *text);

#endif
