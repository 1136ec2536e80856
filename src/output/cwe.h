/*
 * Weaknesses by name.
 */
#ifndef RT_OUTPUT_CWE_H
#define RT_OUTPUT_CWE_H

#include <stdint.h>

/* "SQL injection" of 89; NULL: it is not among those that have a name here. */
const char *rt_cwe_name(uint64_t number);

#endif
