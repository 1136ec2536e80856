/*
 * How wide a character is on a terminal.
 */
#ifndef RT_BASE_WIDTH_H
#define RT_BASE_WIDTH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Columns that a code point takes: 2 for the wide and full-width ones of East Asia and most emoji,
 * 0 for marks that are drawn over the character before and for what has no form at all, else 1.
 * Those that may not be shown to a terminal (rt_utf8_is_unsafe()) have no width worth knowing.
 */
unsigned rt_width(uint32_t point);

#endif
