/*
 * Writes problem documents.
 */
#include "output/problem.h"

#include "output/writer.h"

static void put_fault(struct rt_writer *w, const struct rt_error *fault)
{
	struct rt_error message = *fault;
	char line[RT_ERROR_LINE_MAX];

	message.path[0] = message.member[0] = message.field[0] = '\0';
	message.line = 0;
	RT_WRITE(w, "{pointer: %s, detail: %s}", fault->field,
		 rt_error_format(&message, line, sizeof(line)));
}

enum rt_status rt_problem_write(unsigned status, const char *title, const char *detail,
				const struct rt_error *fault, struct rt_request_walk *walk,
				struct rt_buf *out, struct rt_error *err)
{
	const struct rt_sink sink = rt_buf_sink(out);
	struct rt_writer *w = NULL;
	enum rt_status done =
	    rt_writer_open((struct rt_style){.format = RT_FORMAT_JSON}, &sink, &w, err);

	if (done != RT_OK)
		return done;
	RT_WRITE(w, "{type: %s, title: %s, status: %u, detail: %s", "about:blank", title, status,
		 detail);
	if (status == 422) {
		RT_WRITE(w, "errors: [");
		put_fault(w, fault);
		for (unsigned i = 1; walk && i < RT_HTTP_FAULTS_LISTED_MAX &&
				     rt_request_walk_next(walk, err) == RT_REJECT;
		     i++)
			put_fault(w, err);
		RT_WRITE(w, "]");
	}
	RT_WRITE(w, "}");
	done = rt_writer_finish(w, err);
	rt_writer_free(w);
	return done;
}
