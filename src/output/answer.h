/*
 * Answers under way: documents, tables or text, kept back and passed on only when all is known to
 * be well (SPEC D20).
 */
#ifndef RT_OUTPUT_ANSWER_H
#define RT_OUTPUT_ANSWER_H

#include "base/spool.h"
#include "output/emit.h"
#include "output/table.h"
#include "output/writer.h"

/* {.spool.fd = -1} before rt_answer_init(). */
struct rt_answer {
	struct rt_spool spool;
	struct rt_sink into;
	struct rt_writer *writer; /* of the current document */
	struct rt_table *table;   /* or what is written instead of one */
	struct rt_emit text;      /* or that */
};

/* Begin the one document of an answer. Returns RT_OK or RT_FATAL; release it in both cases. */
enum rt_status rt_answer_init(struct rt_answer *answer, struct rt_style style,
			      struct rt_error *err);

/* The same, but where the style asks for it a table is begun: then there is no writer. */
enum rt_status rt_answer_begin(struct rt_answer *answer, struct rt_style style,
			       struct rt_error *err);

/* Begin a text, that of the lines of a file. The answer stays where it is from then on. */
void rt_answer_text(struct rt_answer *answer);

/* The document, the table or the text is whole: pass it on. Returns RT_OK or RT_FATAL. */
enum rt_status rt_answer_send(struct rt_answer *answer, const struct rt_sink *sink,
			      struct rt_error *err);

void rt_answer_release(struct rt_answer *answer);

#endif
