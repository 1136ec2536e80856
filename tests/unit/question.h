/*
 * A summary, a list or a gate of a data set, and all that is said: for tests that hold ways to read
 * one against each other.
 */
#ifndef RT_TESTS_QUESTION_H
#define RT_TESTS_QUESTION_H

#include "base/buf.h"
#include "base/error.h"
#include "retriage.h"
#include "unit.h"

/* What is asked: a list; conditions; neither: a summary. */
struct question {
	const struct rt_list *list;
	const struct rt_gate_options *conditions;
	const struct rt_term *term; /* of conditions; NULL: none */
	struct rt_style style;
	unsigned recent; /* of a summary */
};

static inline void question_notice(void *ctx, const char *text)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(ctx, text, strlen(text), &err), RT_OK);
	ck_assert_int_eq(rt_buf_append(ctx, "\n", 1, &err), RT_OK);
}

/* The answer or the error, whether conditions pass, and notices; to be released. */
static inline struct rt_buf question_said(const struct question *asked, struct rt_options options)
{
	struct rt_buf text = {0};
	struct rt_sink sink = rt_buf_sink(&text);
	char line[RT_ERROR_LINE_MAX];
	struct rt_list_counts counts;
	enum rt_status status;
	struct rt_error err;
	bool pass = false;

	options.notice = question_notice;
	options.notice_ctx = &text;
	if (asked->conditions)
		status = rt_gate(&options, asked->conditions, asked->term, !!asked->term,
				 asked->style, &sink, &pass, &err);
	else if (asked->list)
		status = rt_list(&options, asked->list, asked->style, &sink, &counts, &err);
	else
		status = rt_summary(&options, asked->recent, 0, asked->style, &sink, &err);
	if (asked->conditions)
		question_notice(&text, pass ? "pass" : "no pass");
	if (status != RT_OK) {
		rt_error_format(&err, line, sizeof(line));
		question_notice(&text, line);
	}
	ck_assert_int_eq(rt_buf_append(&text, "", 1, &err), RT_OK);
	return text;
}

/* What is said with one number of threads is said with another. what: in messages. */
static inline void question_same(const struct question *asked, struct rt_options options,
				 unsigned one, const unsigned *others, size_t count,
				 const char *what)
{
	struct rt_buf want;

	options.threads = one;
	want = question_said(asked, options);
	for (size_t i = 0; i < count; i++) {
		struct rt_buf have;

		options.threads = others[i];
		have = question_said(asked, options);
		ck_assert_msg(strcmp(want.data, have.data) == 0,
			      "%.200s: %u threads:\n%.900s%u:\n%.900s", what, others[i], have.data,
			      one, want.data);
		rt_buf_release(&have);
	}
	rt_buf_release(&want);
}

#endif
