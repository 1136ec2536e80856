/*
 * Holds an answer back until it is whole, then gives it to a sink as one document.
 */
#include "output/answer.h"

enum rt_status rt_answer_init(struct rt_answer *a, struct rt_style style, struct rt_error *err)
{
	rt_spool_init(&a->spool);
	a->into = rt_spool_sink(&a->spool);
	a->writer = NULL;
	a->table = NULL;
	return rt_writer_open(style, &a->into, &a->writer, err);
}

enum rt_status rt_answer_begin(struct rt_answer *a, struct rt_style style, struct rt_error *err)
{
	return style.format >= RT_FORMAT_TABLE ? rt_table_new(style, &a->table, err)
					       : rt_answer_init(a, style, err);
}

void rt_answer_text(struct rt_answer *a)
{
	rt_spool_init(&a->spool);
	a->into = rt_spool_sink(&a->spool);
	rt_emit_init(&a->text, &a->into);
}

enum rt_status rt_answer_send(struct rt_answer *a, const struct rt_sink *sink, struct rt_error *err)
{
	enum rt_status status;

	if (a->table)
		return rt_table_send(a->table, sink, err);
	status = a->writer ? rt_writer_finish(a->writer, err) : rt_emit_finish(&a->text, err);
	return status == RT_OK ? rt_spool_copy(&a->spool, sink, err) : status;
}

void rt_answer_release(struct rt_answer *a)
{
	rt_writer_free(a->writer);
	rt_table_free(a->table);
	rt_emit_release(&a->text);
	rt_spool_release(&a->spool);
}
