/*
 * One part as JSON text: looks at the first bytes, then passes JSON through or has YAML converted.
 * Input: a pull of bytes. Output: JSON text, and places in YAML. Refuses UTF-16, UTF-32, binary
 * data and empty parts; whether the text is right is for the scanner and the YAML files to say.
 */
#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "decode/yaml.h"

/* Bytes that may be looked at before a choice: opening brackets and blanks beyond are JSON. */
#define HEAD_BYTES ((size_t)4096)

#define BOM "\xef\xbb\xbf"

struct rt_text {
	struct rt_pull pull;
	struct rt_text_hints hints;
	struct rt_yaml *yaml; /* NULL: JSON */
	size_t skipped;       /* bytes of a BOM */
	/* The blanks before the first other byte are counted and made again, not kept: spaces,
	 * then line feeds, then the blanks of the last line. Offset, line and column of all that
	 * follows are the same, and a run without end takes no memory. */
	uint64_t spaces;
	uint64_t feeds;
	uint64_t indent;
	char indent_blank; /* a tab if the last line has one: YAML refuses it there */
	bool ended;        /* the pull has said RT_END */
	size_t at;         /* bytes of head that have been passed on */
	size_t len;        /* bytes in head */
	char head[HEAD_BYTES];
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Set err's place to the byte at offset text->at behind the blanks. Returns RT_REJECT. */
static enum rt_status text_reject(const struct rt_text *text, struct rt_error *err)
{
	err->line = text->feeds + 1;
	err->column = text->indent + 1;
	err->offset = text->skipped + text->spaces + text->feeds + text->indent;
	return RT_REJECT;
}

/* Read more into head. Returns RT_OK (text->ended may have become true) or the pull's failure. */
static enum rt_status head_read(struct rt_text *text, struct rt_error *err)
{
	enum rt_status status;
	size_t len;

	status = text->pull.read(text->pull.ctx, text->head + text->len, HEAD_BYTES - text->len,
				 &len, err);
	if (status == RT_OK)
		text->len += len;
	text->ended = status == RT_END;
	return status == RT_END ? RT_OK : status;
}

/* Have the first four bytes in head, or all there are. */
static enum rt_status head_begin(struct rt_text *text, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && text->len < 4 && !text->ended)
		status = head_read(text, err);
	return status;
}

/*
 * The encoding of text by its byte order mark, or by the zero bytes of the first characters,
 * which are ASCII (RFC 4627 §3). NULL: none of UTF-16 and UTF-32.
 */
static const char *wide_encoding(const char *head, size_t len)
{
	bool pair = len >= 2 && !head[0] != !head[1];

	if (len >= 4) {
		if (!memcmp(head, "\xff\xfe\0\0", 4) || !memcmp(head, "\0\0\xfe\xff", 4))
			return "UTF-32";
		if (!memcmp(head, "\0\0\0", 3) != !memcmp(head + 1, "\0\0\0", 3))
			return "UTF-32";
	}
	if (len >= 2 && (!memcmp(head, "\xff\xfe", 2) || !memcmp(head, "\xfe\xff", 2)))
		return "UTF-16";
	if (len == 2 && pair)
		return "UTF-16";
	if (len >= 4 && pair && !head[0] == !head[2] && !head[1] == !head[3])
		return "UTF-16";
	return NULL;
}

/* Count the blanks at text->at. Returns whether all of head was blank. */
static bool count_blanks(struct rt_text *text)
{
	while (text->at < text->len && is_blank(text->head[text->at])) {
		char c = text->head[text->at++];

		if (c == '\n') {
			text->spaces += text->indent;
			text->feeds++;
			text->indent = 0;
			text->indent_blank = ' ';
			continue;
		}
		text->indent++;
		if (c == '\t')
			text->indent_blank = '\t';
	}
	return text->at == text->len;
}

/* Go to the first byte that is not blank and have as much as possible behind it in head. */
static enum rt_status skip_blanks(struct rt_text *text, const struct rt_limits *limits,
				  struct rt_error *err)
{
	enum rt_status status;

	while (count_blanks(text)) {
		text->at = 0;
		text->len = 0;
		if (text->ended) {
			rt_error_set(err, RT_E_INPUT, "want JSON or YAML, have nothing%s",
				     text->spaces + text->feeds + text->indent ? " but blanks"
									       : "");
			return text_reject(text, err);
		}
		if (text->spaces + text->feeds + text->indent > limits->record_bytes) {
			/* Told at its first byte: how far reading has come is nobody's matter. */
			rt_error_set(err, RT_E_LIMIT,
				     "want fewer blanks in a row, have more bytes of them than the "
				     "limit \"record\"");
			err->line = 1;
			err->column = 1;
			err->offset = text->skipped;
			return RT_REJECT;
		}
		status = head_read(text, err);
		if (status != RT_OK)
			return status;
	}
	text->len -= text->at;
	memmove(text->head, text->head + text->at, text->len);
	text->at = 0;
	return RT_OK;
}

/* Whether a JSON literal stands at p, and not a longer word. */
static bool is_literal(const char *p, size_t len)
{
	static const char *const words[] = {"true", "false", "null"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t word = strlen(words[i]);
		char next;

		if (len < word || memcmp(p, words[i], word) != 0)
			continue;
		next = len > word ? p[word] : ' ';
		return is_blank(next) || next == ',' || next == ']' || next == '}';
	}
	return false;
}

/*
 * Whether head, which starts with an opening bracket, is JSON rather than a YAML flow collection.
 * *ret_known: false when more bytes could change the answer.
 */
static bool is_json(const char *head, size_t len, bool *ret_known)
{
	char bracket = 0;
	size_t at = 0;
	char c;

	for (; at < len && (is_blank(head[at]) || head[at] == '[' || head[at] == '{'); at++)
		if (!is_blank(head[at]))
			bracket = head[at];
	*ret_known = at < len;
	if (at == len)
		return true;
	c = head[at];
	/* A control byte is wrong in both; the scanner has the better message. */
	if (strchr("\"]},:", c) || (unsigned char)c < 0x20)
		return true;
	if (bracket == '{')
		return false;
	if (c == '-' || (c >= '0' && c <= '9'))
		return true;
	/* The longest literal and the byte behind it. */
	*ret_known = len - at >= sizeof("false");
	return is_literal(head + at, len - at);
}

/* Choose by the bytes from the first one that is not blank. */
static enum rt_status text_choose(struct rt_text *text, bool *ret_json, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	bool known = false;

	*ret_json = false;
	if (text->head[0] != '{' && text->head[0] != '[')
		return RT_OK;
	while (!known && status == RT_OK) {
		*ret_json = is_json(text->head, text->len, &known);
		if (text->ended || text->len == HEAD_BYTES)
			break;
		if (!known)
			status = head_read(text, err);
	}
	return status;
}

/* Refuse what starts like no text at all. At most three bytes are waited for. */
static enum rt_status check_binary(struct rt_text *text, struct rt_error *err)
{
	unsigned char first = (unsigned char)text->head[0];
	enum rt_status status = RT_OK;

	while (first >= 0x80 && text->len < 4 && !text->ended && status == RT_OK)
		status = head_read(text, err);
	if (status != RT_OK)
		return status;
	if (first >= 0x20 && first != 0x7f && rt_utf8_length(text->head, text->len) > 0)
		return RT_OK;
	rt_error_set(err, RT_E_INPUT, "want JSON, YAML or an archive, have binary data");
	return text_reject(text, err);
}

static size_t give_blanks(uint64_t *count, char blank, char *to, size_t cap)
{
	size_t len = *count < cap ? (size_t)*count : cap;

	memset(to, blank, len);
	*count -= len;
	return len;
}

/* The whole part from behind its BOM, as struct rt_pull has it: blanks, head, the pull's rest. */
static enum rt_status text_pull(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	struct rt_text *text = ctx;
	char *to = buf;
	size_t len;

	len = give_blanks(&text->spaces, ' ', to, cap);
	len += give_blanks(&text->feeds, '\n', to + len, cap - len);
	len += give_blanks(&text->indent, text->indent_blank, to + len, cap - len);
	if (len == 0 && text->at < text->len) {
		len = text->len - text->at;
		if (len > cap)
			len = cap;
		memcpy(to, text->head + text->at, len);
		text->at += len;
	}
	if (len > 0) {
		*ret_len = len;
		return RT_OK;
	}
	return text->ended ? RT_END : text->pull.read(text->pull.ctx, buf, cap, ret_len, err);
}

/* All of rt_text_open() that can fail once there is a text. */
static enum rt_status text_begin(struct rt_text *text, const struct rt_limits *limits,
				 struct rt_error *err)
{
	enum rt_status status = head_begin(text, err);
	const char *wide;
	bool json = true;

	if (status != RT_OK)
		return status;
	wide = wide_encoding(text->head, text->len);
	if (wide) {
		rt_error_set(err, RT_E_INPUT, "want UTF-8, have %s", wide);
		return text_reject(text, err);
	}
	if (text->len >= 3 && memcmp(text->head, BOM, 3) == 0) {
		text->skipped = 3;
		text->at = 3;
	}
	status = skip_blanks(text, limits, err);
	if (status == RT_OK)
		status = check_binary(text, err);
	if (status == RT_OK)
		status = text_choose(text, &json, err);
	if (status != RT_OK || json)
		return status;
	return rt_yaml_open((struct rt_pull){text_pull, text}, text->skipped, &text->hints, limits,
			    &text->yaml, err);
}

enum rt_status rt_text_open(struct rt_pull pull, const struct rt_text_hints *hints,
			    const struct rt_limits *limits, struct rt_text **ret_text,
			    struct rt_error *err)
{
	struct rt_text *text = calloc(1, sizeof(*text));
	enum rt_status status;

	if (!text)
		return rt_error_nomem(err);
	text->pull = pull;
	if (hints)
		text->hints = *hints;
	text->indent_blank = ' ';
	status = text_begin(text, limits, err);
	if (status != RT_OK) {
		rt_text_free(text);
		return status;
	}
	*ret_text = text;
	return RT_OK;
}

bool rt_text_is_yaml(const struct rt_text *text)
{
	return text->yaml != NULL;
}

size_t rt_text_skipped(const struct rt_text *text)
{
	return text->skipped;
}

enum rt_status rt_text_read(struct rt_text *text, void *buf, size_t cap, size_t *ret_len,
			    struct rt_error *err)
{
	if (text->yaml)
		return rt_yaml_read(text->yaml, buf, cap, ret_len, err);
	return text_pull(text, buf, cap, ret_len, err);
}

struct rt_place rt_text_place(const struct rt_text *text, uint64_t at)
{
	return rt_yaml_place(text->yaml, at);
}

void rt_text_forget(struct rt_text *text, uint64_t at)
{
	if (text->yaml)
		rt_yaml_forget(text->yaml, at);
}

void rt_text_free(struct rt_text *text)
{
	if (!text)
		return;
	rt_yaml_free(text->yaml);
	free(text);
}
