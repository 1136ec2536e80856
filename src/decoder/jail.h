/*
 * What a child that decodes may still do: nearly nothing.
 */
#ifndef RT_DECODER_JAIL_H
#define RT_DECODER_JAIL_H

#include <stdbool.h>
#include <stdint.h>

/* Put all signals as a fresh process has them. */
void rt_jail_signals(void);

/*
 * Bound this process: no core file, no new descriptor, files up to file_bytes, and memory_bytes of
 * address space more than it has now. False where the system does not bound it.
 */
bool rt_jail_limit(uint64_t memory_bytes, uint64_t file_bytes);

#endif
