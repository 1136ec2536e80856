/*
 * Random YAML exports for the test of the editor: issues in block and flow style, between and
 * around whatever else YAML has.
 */
#ifndef RT_TESTS_YAML_EDIT_MAKE_H
#define RT_TESTS_YAML_EDIT_MAKE_H

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "unit.h"

struct make {
	struct rt_buf out;
	uint64_t state;
	unsigned ids;
	unsigned anchors;
	unsigned margin; /* lines inside a value have more blanks than this */
	bool foreign;    /* things that make the editor refuse a record are allowed */
};

/* A number below limit (xorshift). */
static inline unsigned make_any(struct make *make, unsigned limit)
{
	make->state ^= make->state << 13;
	make->state ^= make->state >> 7;
	make->state ^= make->state << 17;
	return (unsigned)(make->state >> 20) % limit;
}

static inline bool make_one_in(struct make *make, unsigned count)
{
	return make_any(make, count) == 0;
}

static inline void make_put(struct make *make, const char *text)
{
	struct rt_error err;

	ck_assert_int_eq(rt_buf_append(&make->out, text, strlen(text), &err), RT_OK);
}

static inline void make_spaces(struct make *make, unsigned count)
{
	while (count-- > 0)
		make_put(make, " ");
}

/* Text with a line's blanks for each '_' in it. */
static inline void make_wrapped(struct make *make, const char *text)
{
	char one[2] = "";

	for (; *text; text++) {
		one[0] = *text;
		if (*text == '_')
			make_spaces(make, make->margin + 1 + make_any(make, 3));
		else
			make_put(make, one);
	}
}

#define MAKE_PICK(make, list) (list)[make_any(make, sizeof(list) / sizeof((list)[0]))]

/* The end of a line, and maybe lines of comments and blanks after it. */
static inline void make_line_end(struct make *make)
{
	static const char *const ends[] = {"\n",   "\n",         "\n",
					   "  \n", " # c: 'x\n", "  # {\xc3\xa9\n"};
	static const char *const between[] = {"\n", "# x: |\n", "   # - \xe2\x82\xac\n", "   \n"};

	make_put(make, MAKE_PICK(make, ends));
	while (make_one_in(make, 8))
		make_put(make, MAKE_PICK(make, between));
}

/* A scalar without a line break of its own. */
static inline void make_flow_scalar(struct make *make)
{
	static const char *const list[] = {
	    "a",          "a b",
	    "12",         "1.50",
	    "true",       "null",
	    "~",          "'x'",
	    "'it''s # '", "\"d\"",
	    "''",         "\"\\n\\u00e9 \"",
	    "http://x/y", "\xe2\x82\xac a#b",
	    "-1e3",       "2024-01-01T00:00:00Z",
	    "no",         "!!str 5",
	    "!!int '7'",  "! low",
	    "\"a: [b\"",  "x\xf0\x9f\x98\x80y",
	    "low",        "\xc2\xa0",
	};

	make_put(make, MAKE_PICK(make, list));
}

/* The same over several lines, each further in than indent. */
static inline void make_long_scalar(struct make *make, unsigned indent)
{
	static const char *const list[] = {"", "'", "\""};
	const char *quote = MAKE_PICK(make, list);
	unsigned lines = 1 + make_any(make, 3);

	make_put(make, quote);
	make_put(make, "word");
	while (lines-- > 0) {
		make_put(make, make_one_in(make, 4) ? " \n\n" : "\n");
		make_spaces(make, indent + 1 + make_any(make, 4));
		make_put(make, "more \xc3\xa9");
	}
	make_put(make, quote);
}

static inline void make_block_scalar(struct make *make, unsigned indent)
{
	static const char *const heads[] = {"|", ">", "|-", ">-", "|+", ">+", "|2", "|-2", "|+2"};
	static const char *const lines[] = {"text", "# no",          "a: b", "  in",
					    "- x",  "\xe2\x80\xaay", "'",    "a\tb "};
	const char *head = MAKE_PICK(make, heads);
	bool wide = !strchr(head, '2') && make_one_in(make, 3);
	unsigned count = make_any(make, 4);

	make_put(make, head);
	make_put(make, make_one_in(make, 5) ? " # c\n" : "\n");
	for (unsigned i = 0; i < count; i++) {
		make_spaces(make, indent + (wide ? 5 : 2));
		make_put(make, i == 0 && !strchr(head, '2') ? "first" : MAKE_PICK(make, lines));
		make_put(make, "\n");
		if (make_one_in(make, 5))
			make_put(make, make_one_in(make, 2) ? "\n" : "  \n");
	}
}

static inline void make_gap(struct make *make)
{
	static const char *const list[] = {"", "", "", "", " ", "\n_", " # , }\n_", "\t"};

	make_wrapped(make, MAKE_PICK(make, list));
}

/* A value in flow style after its colon, blank included. */
static inline void make_flow_value(struct make *make, unsigned depth)
{
	unsigned kind = make_any(make, depth > 2 ? 6 : 8);
	bool map = kind == 6;
	unsigned count = make_any(make, 3);

	if (kind == 0 && depth > 0)
		return;
	make_wrapped(make, make_one_in(make, 8) ? "\n_" : " ");
	if (kind == 1) {
		make_long_scalar(make, make->margin);
	} else if (kind < 6) {
		make_flow_scalar(make);
	} else {
		make_put(make, map ? "{" : "[");
		make_gap(make);
		for (unsigned i = 0; i < count; i++) {
			char key[8];

			snprintf(key, sizeof(key), i & 1 ? "\"k%u\"" : "k%u", i);
			if (map || make_one_in(make, 6)) {
				make_put(make, key);
				make_put(make, ":");
				make_flow_value(make, depth + 1);
				make_put(make, " ");
			} else {
				make_flow_scalar(make);
			}
			make_gap(make);
			make_put(make, i + 1 < count || make_one_in(make, 4) ? "," : "");
			make_gap(make);
		}
		make_put(make, map ? "}" : "]");
	}
}

static inline void make_anchor(struct make *make)
{
	char name[16];

	snprintf(name, sizeof(name), " &a%u", make->anchors++);
	make_put(make, name);
}

/* A value after a colon or dash, and the end of its line. indent: of the key or dash. */
static inline void make_block_value(struct make *make, unsigned indent, unsigned depth)
{
	unsigned kind = make_any(make, depth > 2 ? 9 : 12);
	unsigned count = 1 + make_any(make, 3), in = indent + 1 + make_any(make, 3);
	char text[16];

	make->margin = indent;
	if (depth > 0 && make_one_in(make, 10))
		make_anchor(make);
	switch (kind) {
	case 0:
		break;
	case 1:
	case 2:
		make_put(make, " ");
		make_long_scalar(make, indent);
		break;
	case 3:
		make_put(make, " ");
		make_block_scalar(make, indent);
		return;
	case 4:
	case 5:
		make_flow_value(make, 1);
		break;
	case 6:
		make_put(make, "\n");
		make_spaces(make, in);
		make_flow_scalar(make);
		break;
	case 7:
	case 8:
		make_put(make, " ");
		make_flow_scalar(make);
		break;
	default:
		make_put(make, kind == 9 ? "\n" : " # c\n");
		for (unsigned i = 0; i < count; i++) {
			make_spaces(make, in);
			snprintf(text, sizeof(text), "k%u:", i);
			make_put(make, kind == 9 ? text : "-");
			make_block_value(make, in, depth + 1);
		}
		return;
	}
	make_line_end(make);
}

/* The value of a member that may be edited, after its colon. */
static inline void make_flow_known(struct make *make, bool notes)
{
	static const char *const list[] = {"",     " low",       " 'low'",   " \"lo\\tw\"",
					   " ~",   " null",      " !!str x", " a b",
					   "\n_x", " 2025-01-01"};
	static const char *const seqs[] = {" []",    " [ ]",       " [{added_at: T, text: x}]",
					   " [a, ]", " [ # c\n_]", " [\n_{text: x, } # c\n_]"};

	make_wrapped(make,
		     notes && make_one_in(make, 2) ? MAKE_PICK(make, seqs) : MAKE_PICK(make, list));
}

static inline void make_block_known(struct make *make, unsigned indent, bool notes)
{
	unsigned kind = make_any(make, 8), in = indent + make_any(make, 4);

	make->margin = indent;
	if (make->foreign && make_one_in(make, 8))
		make_anchor(make);
	if (kind == 0) {
		make_put(make, " ");
		make_block_scalar(make, indent);
		return;
	}
	if (!notes || kind < 4) {
		make_flow_known(make, notes);
		make_line_end(make);
		return;
	}
	make_line_end(make);
	for (unsigned i = 1 + make_any(make, 3); i > 0; i--) {
		make_spaces(make, in);
		if (kind < 6) {
			make_put(make, "- added_at: T\n");
			make_spaces(make, in + 2);
			make_put(make, "text:");
			make_block_value(make, in + 2, 2);
		} else {
			make_put(make, "-");
			make_block_value(make, in, 2);
		}
	}
}

static const char *const make_known[] = {"severity", "false_positive", "exploitable", "updated_at",
					 "notes"};
#define MAKE_KNOWN (sizeof(make_known) / sizeof(make_known[0]))

/* The key of the next member: known ones in a random order, others between. NULL: at the end. */
static inline const char *make_key(struct make *make, unsigned *known, unsigned *others,
				   char text[static 16], bool *ret_known)
{
	unsigned which = make_any(make, 8);

	*ret_known = which < MAKE_KNOWN && !(*known & 1u << which);
	if (*ret_known) {
		*known |= 1u << which;
		return make_known[which];
	}
	if (which >= 6 || ++*others > 5)
		return NULL;
	snprintf(text, 16, "x%u", *others);
	return text;
}

static inline void make_flow_record(struct make *make)
{
	static const char *const before[] = {", ", ",", " , ", ",\n_", ", # c\n_"};
	unsigned known = 0, others = 0;
	bool quoted = make_one_in(make, 2), is_known;
	char id[32], text[16];
	const char *key;

	snprintf(id, sizeof(id), quoted ? "{\"id\":\"e%u\"" : "{id: e%u", make->ids++);
	make_put(make, id);
	while ((key = make_key(make, &known, &others, text, &is_known)) != NULL) {
		make_wrapped(make, MAKE_PICK(make, before));
		make_put(make, quoted ? "\"" : "");
		make_put(make, key);
		make_put(make, quoted ? "\":" : ":");
		if (is_known)
			make_flow_known(make, strcmp(key, "notes") == 0);
		else
			make_flow_value(make, 1);
		make_put(make, " ");
	}
	make_gap(make);
	make_put(make, make_one_in(make, 8) ? ",}" : "}");
}

/* In place after indent characters of a line; ends with a line. */
static inline void make_block_record(struct make *make, unsigned indent)
{
	unsigned known = 0, others = 0;
	const char *quote = make_one_in(make, 4) ? "\"" : "";
	char id[32], text[16];
	const char *key;
	bool is_known;

	snprintf(id, sizeof(id), "%sid%s: e%u", quote, quote, make->ids++);
	make_put(make, id);
	make_line_end(make);
	while ((key = make_key(make, &known, &others, text, &is_known)) != NULL) {
		bool explicit_key = make_one_in(make, 12);

		make_spaces(make, indent);
		make_put(make, explicit_key ? "? " : "");
		make_put(make, make_one_in(make, 16) ? "&k " : "");
		make_put(make, quote);
		make_put(make, key);
		make_put(make, quote);
		if (explicit_key) {
			make_line_end(make);
			make_spaces(make, indent);
		}
		make_put(make, make_one_in(make, 12) && !explicit_key ? " :" : ":");
		if (is_known)
			make_block_known(make, indent, strcmp(key, "notes") == 0);
		else
			make_block_value(make, indent, 1);
	}
}

/* Records as items of a sequence. */
static inline void make_records(struct make *make, unsigned indent)
{
	unsigned count = 1 + make_any(make, 3), gap = 1 + make_any(make, 2);

	while (count-- > 0) {
		make_spaces(make, indent);
		make_put(make, "-");
		make_spaces(make, gap);
		if (make_one_in(make, 4)) {
			make->margin = indent;
			make_flow_record(make);
			make_line_end(make);
			continue;
		}
		if (make->foreign && make_one_in(make, 8))
			make_put(make, "&r ");
		if (make_one_in(make, 8)) {
			make_put(make, "!!map\n");
			make_spaces(make, indent + gap + 1);
		}
		make_block_record(make, indent + gap + 1);
	}
}

static inline void make_document(struct make *make)
{
	switch (make_any(make, 4)) {
	case 0:
		make_block_record(make, 0);
		break;
	case 1:
		make_records(make, make_any(make, 3));
		break;
	case 2:
		make_put(make, "# not JSON\n");
		make_flow_record(make);
		make_put(make, "\n");
		break;
	default:
		make_put(make, "first: &f\n  - {a: b}\n  - c\nissues:\n");
		make_records(make, make_any(make, 3));
		make_put(make, make_one_in(make, 2) ? "last: *f\n" : "");
		break;
	}
}

/* CR LF for each LF. */
static inline void make_wide_breaks(struct make *make)
{
	struct rt_buf from = make->out;
	struct rt_error err;

	make->out = (struct rt_buf){0};
	for (size_t i = 0; i < from.len; i++) {
		if (from.data[i] == '\n')
			ck_assert_int_eq(rt_buf_append(&make->out, "\r", 1, &err), RT_OK);
		ck_assert_int_eq(rt_buf_append(&make->out, from.data + i, 1, &err), RT_OK);
	}
	rt_buf_release(&from);
}

/* An export; make->out is to be released. */
static inline void make_export(struct make *make)
{
	unsigned more = make_one_in(make, 4) ? make_any(make, 3) : 0;

	make_put(make, make_one_in(make, 10) ? "\xef\xbb\xbf" : "");
	make_put(make, make_one_in(make, 10) ? "  \n\n" : "");
	make_put(make, make_one_in(make, 4) ? "# \xc3\xa9\n--- # c\n" : "");
	make_document(make);
	while (more-- > 0) {
		make_put(make, make_one_in(make, 2) ? "---\n" : "...\n# c\n--- # d\n");
		make_document(make);
	}
	make_put(make, make_one_in(make, 8) ? "...\n" : "");
	/* Without the last line break, and maybe a blank before it. */
	if (make_one_in(make, 3))
		make->out.len--;
	if (make_one_in(make, 4))
		make_wide_breaks(make);
}

#endif
