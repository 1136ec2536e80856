/*
 * A record of YAML source that is written anew by libyaml, event by event, and read again.
 * Included by yaml_edit*.c only.
 */
#ifndef RT_FORMATS_YAML_AGAIN_H
#define RT_FORMATS_YAML_AGAIN_H

#include "formats/yaml_source.h"

struct rt_yaml_again {
	yaml_emitter_t emitter;
	bool made;             /* emitter is initialised */
	bool quoted;           /* names and new strings are in double quotes */
	struct rt_buf text;    /* what has been written */
	struct rt_buf said;    /* what that has to say when it is read */
	enum rt_status status; /* the first failure */
	struct rt_error *err;
};

/* Begin a record. err: for all calls; borrowed. */
void rt_yaml_again_begin(struct rt_yaml_again *again, struct rt_error *err);

/* Write a node's beginning or end. event: moved; empty afterwards. */
void rt_yaml_again_put(struct rt_yaml_again *again, yaml_event_t *event);

/* Write a member's name, which has ASCII letters and '_' only. */
void rt_yaml_again_name(struct rt_yaml_again *again, struct rt_slice name);

/* Write a value. json: a string, a number or a literal. old: the scalar in whose place it is, for
 * its style; NULL: none. */
void rt_yaml_again_value(struct rt_yaml_again *again, struct rt_slice json,
			 const yaml_event_t *old);

/* Write objects of such members, one after the other. json: as struct rt_edit has notes. */
void rt_yaml_again_objects(struct rt_yaml_again *again, struct rt_slice json);

/* Write a sequence's or mapping's beginning, or an end. */
void rt_yaml_again_open(struct rt_yaml_again *again, bool mapping);
void rt_yaml_again_close(struct rt_yaml_again *again, bool mapping);

/*
 * The record is complete: lay it out from a column on and read it. crlf: its lines end with CR LF.
 * rest: the blanks and comments that follow it in the source.
 * *ret_text: its text, without a line break at its end; borrowed until the next
 * rt_yaml_again_begin(). Returns RT_OK; RT_REJECT without err where it does not read as it should;
 * RT_FATAL.
 */
enum rt_status rt_yaml_again_finish(struct rt_yaml_again *again, size_t column, bool crlf,
				    struct rt_slice rest, const struct rt_limits *limits,
				    struct rt_slice *ret_text);

void rt_yaml_again_release(struct rt_yaml_again *again);

#endif
