/*
 * One part as JSON text for the record scanner, whatever its format (SPEC D2, D18).
 *
 * The first bytes decide: a UTF-8 BOM is skipped, UTF-16 and UTF-32 are refused, JSON passes
 * through as it is, anything else is YAML and is converted on the way, one JSON text for each
 * YAML document, each followed by a line break. A JSON object that is a SARIF log has no text: its
 * records are made by sarif/sarif.h.
 *
 * An opening bracket does not make JSON: {id: a}, ['x'] and {"id": a} are YAML. After a first
 * value that is JSON, the name counts: one that says YAML makes YAML of all that is not JSON to its
 * end, or for as many bytes as one record may have. So much is looked at and held, so that a pipe
 * or a member of an archive need not be read twice, and nothing has been delivered when the choice
 * is made. Under any other name the rest has to be JSON too: a slip in it is told, and does not
 * make another format of it.
 *
 * Tabs before the first node of YAML may come out as blanks.
 */
#ifndef RT_FORMATS_TEXT_H
#define RT_FORMATS_TEXT_H

#include "base/error.h"
#include "base/faults.h"
#include "base/marks.h"
#include "formats/look.h"
#include "sarif/sarif.h"

/* What the value of a member has to be, as far as YAML must know. */
enum rt_text_want {
	RT_WANT_ANY,     /* whatever it is */
	RT_WANT_STRING,  /* a string */
	RT_WANT_STRINGS, /* an array of strings */
};

/* What is known of a part besides its bytes. */
struct rt_text_hints {
	/*
	 * What a member has to be: where that is a string, a plain YAML scalar that would be a
	 * number is that text (SPEC D18). Asked for members of an object at the top, in an array
	 * at the top, and in an array that is a member of the object at the top. NULL: any.
	 * list: the name of that array, or {NULL, 0}. name: of the member. Both decoded, and cut
	 * off to nothing where they are longer than RT_WANT_NAME_MAX.
	 */
	enum rt_text_want (*want)(struct rt_slice list, struct rt_slice name);
	bool named_yaml;  /* its name ends in .yaml or .yml, maybe with a compression's ending after
			   */
	bool named_sarif; /* likewise in .sarif: it is never YAML */
	/* SARIF logs are read as such, with these; else they are JSON like any other. Offsets
	 * count a byte order mark; skipped is set here. */
	bool sarif;
	struct rt_sarif_hints log;
};

#define RT_WANT_NAME_MAX 23u

/* What the part is. */
enum rt_text_form {
	RT_TEXT_JSON,  /* its text is passed on as it is */
	RT_TEXT_YAML,  /* documents may follow each other */
	RT_TEXT_SARIF, /* a log */
};

struct rt_yaml_child;

/* {0} before it is opened. Not to be moved. */
struct rt_text {
	bool open;
	enum rt_text_form form;
	size_t
	    skipped; /* bytes before the first one of JSON text: 3 for a byte order mark, else 0 */
	/*
	 * Where in the source of YAML its text comes from; NULL for other text. Offsets count all
	 * bytes that rt_text_read() has delivered. The start of a key or value gives its own place,
	 * any other byte that of the last one that starts before it. The '}' of what may be a
	 * record gives its extent.
	 */
	struct rt_marks *marks;
	/* The log that a part is; NULL: it is none. Its records come from there: there is no text.
	 */
	struct rt_sarif *log;

	/* For text.c alone. */
	struct rt_pull pull;
	struct rt_text_hints hints;
	struct rt_yaml_child *yaml; /* what makes text of YAML, a process of its own */
	struct rt_lead lead;        /* what the head begins with */
	bool has_lead;              /* that is known */
	enum rt_status held; /* what the pull said after the head: RT_OK, RT_END or a failure */
	struct rt_error held_err;
	size_t at;          /* bytes of head that have been passed on */
	struct rt_buf head; /* from after the byte order mark */
};

/*
 * Start on one part: reads its first bytes and decides.
 *
 * text: closed. pull: copied; its ctx is borrowed until rt_text_close().
 * hints: copied; NULL: nothing is known.
 * limits: borrowed likewise; record_bytes, depth, alias_bytes and expanded_bytes are used.
 * An empty part, or one of blanks and comments only, is an error (SPEC D2).
 * Returns RT_OK; RT_REJECT or RT_FATAL with err set (place, code and message; not the path), and
 * text is not open, but rt_text_first() can be asked for.
 */
enum rt_status rt_text_open(struct rt_text *text, struct rt_pull pull,
			    const struct rt_text_hints *hints, const struct rt_limits *limits,
			    struct rt_error *err);

/* Some thousands of bytes from the first node on; none where there is no node. */
struct rt_slice rt_text_first(const struct rt_text *text);

/*
 * The encoding of text that is not UTF-8, by its byte order mark, or by the zero bytes of the first
 * characters, which are ASCII (RFC 4627 §3); NULL: it is neither UTF-16 nor UTF-32, and *text goes
 * on after a UTF-8 byte order mark.
 */
const char *rt_text_encoding(struct rt_slice *text);

/*
 * Read the next bytes of JSON text into buf, at most cap (> 0). *ret_len: at least 1 on RT_OK.
 * Returns RT_OK; RT_END; RT_REJECT or RT_FATAL with err set.
 *
 * An error in YAML is delivered only after all JSON text before it has been read.
 */
enum rt_status rt_text_read(struct rt_text *text, void *buf, size_t cap, size_t *ret_len,
			    struct rt_error *err);

/* What was read ahead of the part is not delivered any more: the pull goes on somewhere else. Only
 * where the text is not made. */
void rt_text_drop(struct rt_text *text);

/* Also after rt_text_open() has failed, and of {0}. */
void rt_text_close(struct rt_text *text);

#endif
