/*
 * Answers: a status, a body that several may share, and the fields that go with it (contract 4,
 * SPEC D21).
 */
#ifndef RT_HTTP_REPLY_H
#define RT_HTTP_REPLY_H

#include <stdatomic.h>

#include "base/buf.h"
#include "base/error.h"

/* Bytes of bodies that wait to be taken by clients, of all connections together. */
typedef atomic_uint_fast64_t rt_held;

/* A body. It lives until the last of its users has released it. */
struct rt_document {
	atomic_uint users;
	rt_held *held; /* where its bytes count until it is freed; NULL: nowhere */
	struct rt_buf text;
};

/*
 * Make a document with one user. text: moves into it on success, and is empty then.
 * held: where its bytes count, or NULL. Returns NULL where memory ran out.
 */
struct rt_document *rt_document_new(struct rt_buf *text, rt_held *held);

struct rt_document *rt_document_share(struct rt_document *document);

/* NULL is allowed. */
void rt_document_release(struct rt_document *document);

/* {0} is none yet. */
struct rt_reply {
	unsigned status;
	bool is_problem;              /* its body is a problem document */
	struct rt_slice body;         /* ptr NULL: none */
	struct rt_document *document; /* what the body is borrowed from; NULL: static storage */
	const char *allow;            /* the Allow field; NULL: none. Static storage */
};

/* Answer with a document of JSON; takes over the caller's use of it. */
void rt_reply_json(struct rt_reply *reply, struct rt_document *document);

/* Answer with JSON of static storage. */
void rt_reply_text(struct rt_reply *reply, struct rt_slice text);

/*
 * Answer with a problem document (RFC 9457). detail: our own words, or a message of
 * rt_error_format(). errors: the elements of the member "errors" with commas between them; ptr
 * NULL: no such member. Without memory it becomes a 503 that says so.
 */
void rt_reply_problem(struct rt_reply *reply, unsigned status, const char *detail,
		      struct rt_slice errors);

/* How a connection goes on after an answer. */
enum rt_reply_end {
	RT_REPLY_STAYS,
	RT_REPLY_STAYS_OLD, /* likewise, for HTTP/1.0, which has to be told */
	RT_REPLY_CLOSES,
};

#define RT_REPLY_HEAD_BYTES 512u

/* Write the head of an answer. Returns its bytes. at: seconds since 1970. */
size_t rt_reply_head(const struct rt_reply *reply, enum rt_reply_end end, int64_t at,
		     char head[RT_REPLY_HEAD_BYTES]);

/* Release the body; the answer is {0} again. */
void rt_reply_release(struct rt_reply *reply);

/*
 * Append {"pointer","detail"} of a fault to the elements in out. fault: its field is the JSON
 * pointer, its record and message the detail. Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_problem_fault(const struct rt_error *fault, struct rt_buf *out,
				struct rt_error *err);

#endif
