/*
 * The verdict of a gate: a document (schema gate-verdict), or lines for people.
 */
#ifndef RT_OUTPUT_VERDICT_H
#define RT_OUTPUT_VERDICT_H

#include "engine/gate.h"
#include "output/writer.h"

void rt_verdict_write(struct rt_writer *w, const struct rt_verdict *verdict);

/*
 * As lines for people, each put without a newline and masked: a line a condition, after each that
 * failed its worst findings, and the sum. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_verdict_lines(const struct rt_verdict *verdict,
				void (*put)(void *ctx, struct rt_slice line), void *ctx,
				struct rt_error *err);

#endif
