/*
 * What the writer's files share: the writer itself, the operations of one format, the escapes.
 * Included by writer*.c only.
 */
#ifndef RT_OUTPUT_WRITER_OPS_H
#define RT_OUTPUT_WRITER_OPS_H

#include <yaml.h>

#include "base/buf.h"
#include "output/writer.h"

/* Bytes gathered before the sink is called. */
#define WRITER_OUT_BYTES ((size_t)64 * 1024)

/*
 * One output format. None of these is called once the writer has failed, except release.
 * All report through rt_writer_fail() and rt_writer_bytes() alone.
 */
struct rt_writer_ops {
	void (*start)(struct rt_writer *w);
	void (*begin)(struct rt_writer *w, bool object);
	void (*end)(struct rt_writer *w, bool object);
	void (*key)(struct rt_writer *w, struct rt_slice name);
	void (*string)(struct rt_writer *w, struct rt_slice text);
	void (*number)(struct rt_writer *w, struct rt_slice text);
	void (*word)(struct rt_writer *w, struct rt_slice text); /* true, false or null; in
								  * JSON any text as it is */
	void (*finish)(struct rt_writer *w);
	void (*release)(struct rt_writer *w);
};

struct rt_writer {
	const struct rt_writer_ops *ops;
	struct rt_sink sink;
	struct rt_error err;     /* the first error; counts with failed only */
	struct rt_buf decoded;   /* the string rt_writer_value() is at, without its escapes */
	yaml_emitter_t *emitter; /* YAML only */
	unsigned depth;          /* JSON: containers that are open */
	bool pretty;             /* JSON: a line for each element */
	bool comma;              /* JSON: an element stands before this one */
	bool after_key;          /* JSON: the next value is a member's */
	bool failed;
	size_t len; /* bytes in out */
	char out[WRITER_OUT_BYTES];
};

extern const struct rt_writer_ops rt_writer_json;
extern const struct rt_writer_ops rt_writer_yaml;

/* Queue bytes for the sink; an error of the sink is kept. */
void rt_writer_bytes(struct rt_writer *w, const char *ptr, size_t len);

/* Pass all queued bytes to the sink. */
void rt_writer_flush(struct rt_writer *w);

/* Keep err as the first error unless there is one already. */
void rt_writer_fail(struct rt_writer *w, const struct rt_error *err);

/*
 * Whether a plain YAML scalar with these bytes is a string for readers of YAML 1.1 and of the
 * 1.2 core schema alike. Says nothing about whether its characters may stand in a plain scalar.
 */
bool rt_yaml_plain_is_string(struct rt_slice text);

/* Whether a plain YAML scalar with this JSON number's text is a number for YAML 1.1 readers. */
bool rt_yaml_plain_is_number(struct rt_slice text);

#endif
