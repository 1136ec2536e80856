/*
 * One request and its answer.
 */
#ifndef RT_HTTP_EXCHANGE_H
#define RT_HTTP_EXCHANGE_H

#include "http/head.h"
#include "http/route.h"
#include "http/server.h"
#include "http/target.h"

#define RT_METHOD_MAX 16u

struct rt_exchange {
	struct rt_server *server;
	struct MHD_Connection *connection;
	struct rt_connection *deadline; /* NULL: it was given up before it was served */
	char *text;                     /* the target as it came */
	struct rt_head_line line;
	struct rt_target target; /* borrows from text */
	struct rt_head head;     /* holds until the request is over */
	char method[RT_METHOD_MAX + 1];
	bool late;     /* it began when the service was stopping */
	bool admitted; /* its head was checked, and all is well */
	enum {
		RT_STAGE_NEW,     /* nothing was looked at */
		RT_STAGE_BODY,    /* its body comes in: is kept, or dropped where it was refused */
		RT_STAGE_WAITING, /* an update that the committer has */
		RT_STAGE_ANSWERED,
	} stage;
	const struct rt_route *route;
	char name[RT_KEY_NAME_MAX + 1]; /* of its key; "": none */
	struct rt_job *job;             /* of an update */
	uint64_t body_bytes;            /* that came in */
	struct MHD_Response *answer;    /* what was decided while the body still comes in */
	bool close;                     /* the connection ends with the answer */
	unsigned status;                /* of the answer */
	uint64_t answer_bytes;
	uint64_t held;  /* of them that count as held until it is sent */
	int64_t at;     /* when it began: seconds since 1970 */
	uint64_t clock; /* likewise, of rt_clock() */
};

/* Decide to answer with a problem document. detail: as rt_answer_problem(). */
void rt_exchange_refuse(struct rt_exchange *exchange, unsigned status, const char *detail);

/* Likewise with the member "errors". */
void rt_exchange_refuse_rules(struct rt_exchange *exchange, const char *detail,
			      struct rt_slice errors);

/* Likewise with 413: the document is beyond the limit "request". */
void rt_exchange_refuse_large(struct rt_exchange *exchange);

/*
 * Likewise, where the export could not be looked at or read: 500, or 503 without memory; where it
 * has changed 503, and the service ends.
 */
void rt_exchange_refuse_export(struct rt_exchange *exchange, const struct rt_error *err);

/*
 * Send what was decided. Returns what MHD_queue_response() does; MHD_NO also where there was no
 * memory for an answer: the connection ends.
 */
enum MHD_Result rt_exchange_send(struct rt_exchange *exchange);

/* Send an answer that others are sent as well, with status 200. bytes: of its body. */
enum MHD_Result rt_exchange_share(struct rt_exchange *exchange, struct MHD_Response *answer,
				  uint64_t bytes);

/*
 * Check all of a request but its body, in this order: framing, host, origin, path, method, key,
 * type, size. Returns whether all is well; else an answer is decided.
 */
bool rt_exchange_check_head(struct rt_exchange *exchange);

/*
 * Check an update's body: JSON, then the rules of a request; job->request is set.
 * Returns whether all is well; else an answer is decided.
 */
bool rt_exchange_check_update(struct rt_exchange *exchange);

#endif
