/*
 * The verdict of a gate: a document (schema gate-verdict), or a line for people.
 */
#ifndef RT_OUTPUT_VERDICT_H
#define RT_OUTPUT_VERDICT_H

#include "engine/gate.h"
#include "output/writer.h"

void rt_verdict_write(struct rt_writer *w, const struct rt_verdict *verdict);

/* The verdict as one line without a newline: "pass: 11 open, 1 false positive". */
void rt_verdict_line(const struct rt_verdict *verdict, char *text, size_t cap);

#endif
