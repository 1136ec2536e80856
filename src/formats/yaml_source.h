/*
 * libyaml's parser over a pull, with the places of its events in bytes and the limits that it
 * lacks. Included by yaml*.c only.
 */
#ifndef RT_FORMATS_YAML_SOURCE_H
#define RT_FORMATS_YAML_SOURCE_H

#include <yaml.h>

#include "base/buf.h"
#include "formats/text.h"

/* Bytes asked of the pull at a time. */
#define YAML_READ_BYTES ((size_t)64 * 1024)

/* libyaml compares each %TAG line with all before it. */
#define YAML_DIRECTIVES_MAX 1000u

struct rt_yaml_source {
	yaml_parser_t parser;
	bool made; /* parser is initialised */
	struct rt_pull pull;
	struct rt_buf raw;     /* source bytes; those before the place may be gone */
	size_t at;             /* index in raw of the byte at the place */
	size_t fed;            /* bytes of raw that libyaml has taken */
	size_t quoted;         /* the character that the last event ended before, if in quotes */
	size_t chars;          /* characters before the place; libyaml counts those */
	uint64_t line_start;   /* offset of the first byte of the place's line */
	struct rt_place place; /* where the last event starts */
	bool crlf;             /* the last line break was CR LF */
	bool bare;             /* the last event had no bytes of its own */
	bool last_is_block;    /* the last one that had some was a literal or folded scalar */
	size_t last;           /* the character that that ended before */
	uint64_t end;          /* the offset after the content that a collection ends with; of the
				* last event, where that is a collection's end */
	uint64_t start;        /* offset of the first byte fed */
	uint64_t since;        /* bytes fed since the last event */
	uint64_t since_max;
	unsigned directives;   /* lines that start with '%' fed since the last document */
	bool between;          /* no document is open */
	bool line_begins;      /* the next byte fed starts a line */
	bool ended;            /* the pull has said RT_END */
	enum rt_status status; /* why the last read failed, else RT_OK */
	struct rt_error err;
};

/*
 * Start on a pull (copied) whose first byte has offset start and is on line 1.
 * Returns RT_OK, or RT_FATAL (RT_E_NOMEM). source must not move afterwards, and is released either
 * way.
 */
enum rt_status rt_yaml_source_init(struct rt_yaml_source *source, struct rt_pull pull,
				   uint64_t start, const struct rt_limits *limits,
				   struct rt_error *err);

/*
 * The next event. event: on RT_OK to be freed with yaml_event_delete(); source->place is where it
 * starts. Its marks are libyaml's, in characters.
 * Returns RT_OK; RT_REJECT or RT_FATAL with err set, place included.
 */
enum rt_status rt_yaml_source_next(struct rt_yaml_source *source, yaml_event_t *event,
				   struct rt_error *err);

/* Set the place of err. Returns RT_REJECT. */
enum rt_status rt_yaml_source_reject(const struct rt_yaml_source *source, struct rt_error *err);

void rt_yaml_source_release(struct rt_yaml_source *source);

#endif
