/*
 * One part as JSON text: looks at the first bytes, refuses UTF-16, UTF-32, binary data and empty
 * parts, then passes JSON through or has YAML or a SARIF log converted. Whether the text is right
 * is for the scanner and the YAML files to say.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "formats/look.h"
#include "formats/yaml_child.h"
#include "sarif/sarif.h"
#include "scan/scan.h"

/* Bytes that are looked at before a choice. */
#define HEAD_BYTES 4096u

#define BOM "\xef\xbb\xbf"

/* Set err's place to the first byte after the lead. Returns RT_REJECT. */
static enum rt_status text_reject(const struct rt_text *text, struct rt_error *err)
{
	err->line = text->lead.line + 1;
	err->column = text->lead.indent + 1;
	err->offset = text->skipped + text->lead.bytes;
	return RT_REJECT;
}

/* Have len bytes in head, or all there are; what else the pull says waits until they are read. */
static enum rt_status head_fill(struct rt_text *text, size_t len, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (text->head.len < len)
		status = rt_buf_reserve(&text->head, len - text->head.len, err);
	while (status == RT_OK && text->held == RT_OK && text->head.len < len) {
		size_t got;

		text->held = text->pull.read(text->pull.ctx, text->head.data + text->head.len,
					     len - text->head.len, &got, &text->held_err);
		if (text->held == RT_OK)
			text->head.len += got;
	}
	return status;
}

/* Have twice as much, within the limit of a record. */
static enum rt_status head_more(struct rt_text *text, const struct rt_limits *limits,
				struct rt_error *err)
{
	uint64_t len = (uint64_t)text->head.len * 2;

	return head_fill(text, (size_t)(len < limits->record_bytes ? len : limits->record_bytes),
			 err);
}

/* What there is of the first node. */
static struct rt_slice text_node(const struct rt_text *text)
{
	return rt_slice_make(text->head.data + text->lead.bytes, text->head.len - text->lead.bytes);
}

/* Nothing is in head where something has to be: what the pull said counts. */
static enum rt_status text_held(const struct rt_text *text, struct rt_error *err)
{
	if (text->held < 0)
		*err = text->held_err;
	return text->held;
}

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

const char *rt_text_encoding(struct rt_slice *text)
{
	const char *wide = wide_encoding(text->ptr, text->len);

	if (!wide && text->len >= 3 && memcmp(text->ptr, BOM, 3) == 0)
		*text = rt_slice_make(text->ptr + 3, text->len - 3);
	return wide;
}

static enum rt_status refuse_empty(const struct rt_text *text, struct rt_error *err)
{
	if (text->lead.comment)
		rt_error_set(err, RT_E_INPUT, "the document has only blanks and comments");
	else
		rt_error_set(err, RT_E_INPUT, "want JSON or YAML, have nothing%s",
			     text->lead.bytes ? " but blanks" : "");
	return text_reject(text, err);
}

static enum rt_status refuse_blanks(const struct rt_text *text, struct rt_error *err)
{
	/* Told at its first byte: how far reading has come matters to nobody. */
	rt_error_set(err, RT_E_LIMIT, "a run of white space exceeds --limit record");
	err->line = 1;
	err->column = 1;
	err->offset = text->skipped;
	return RT_REJECT;
}

/* Find the first node and have as much as possible from there on in head. */
static enum rt_status find_node(struct rt_text *text, const struct rt_limits *limits,
				struct rt_error *err)
{
	struct rt_buf *head = &text->head;
	enum rt_status status = RT_OK;

	while (status == RT_OK &&
	       !rt_lead_find(&text->lead, head->data, head->len, text->held != RT_OK)) {
		if (text->lead.bytes > limits->record_bytes)
			return refuse_blanks(text, err);
		status = head_fill(text, head->len * 2 + HEAD_BYTES, err);
	}
	if (status == RT_OK && text->lead.bytes > limits->record_bytes)
		return refuse_blanks(text, err);
	if (status == RT_OK)
		status = head_fill(text, text->lead.bytes + HEAD_BYTES, err);
	if (status != RT_OK || text->lead.bytes < head->len)
		return status;
	if (text->held < 0)
		return text_held(text, err);
	return text->lead.marked ? RT_OK : refuse_empty(text, err);
}

/* Whether what is in head is JSON, or JSON Lines, as far as it goes. Returns RT_OK or RT_FATAL. */
static enum rt_status head_is_json(struct rt_text *text, const struct rt_limits *limits,
				   bool *ret_json, struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(&text->head, RT_PADDING, err);
	struct rt_scan *scan = status == RT_OK ? rt_scan_alloc(sizeof(*scan)) : NULL;
	const char *at;

	if (!scan)
		return status == RT_OK ? rt_error_nomem(err) : status;
	memset(text->head.data + text->head.len, 0, RT_PADDING);
	rt_scan_init(scan, limits->depth);
	scan->end = text->head.data + text->head.len;
	scan->final = text->held == RT_END;
	at = rt_scan_blanks(scan, text->head.data);
	*ret_json = true;
	while (*ret_json && at < scan->end) {
		uint64_t line;

		at = rt_scan_ops()->value(scan, at, NULL);
		/* What is too deep is so in either format. */
		*ret_json = at || !scan->fault.at || scan->fault.code == RT_E_LIMIT;
		if (!at)
			break;
		line = scan->line;
		at = rt_scan_blanks(scan, at);
		*ret_json = at == scan->end || scan->line > line;
	}
	free(scan);
	return RT_OK;
}

/*
 * Whether the head, whose first node starts with a bracket, is JSON. Where the name says YAML, all
 * of it has to be, or as much as one record may have (see text.h).
 */
static enum rt_status text_look(struct rt_text *text, const struct rt_limits *limits,
				bool *ret_json, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	if (!text->hints.named_yaml) {
		*ret_json = !rt_flow_is_yaml(text_node(text));
		return RT_OK;
	}
	for (;;) {
		status = head_is_json(text, limits, ret_json, err);
		if (status != RT_OK || !*ret_json || text->held != RT_OK ||
		    text->head.len >= limits->record_bytes)
			return status;
		status = head_more(text, limits, err);
		if (status != RT_OK)
			return status;
	}
}

/* Choose by the bytes from the first one that is not blank. */
static enum rt_status text_choose(struct rt_text *text, const struct rt_limits *limits,
				  bool *ret_json, struct rt_error *err)
{
	/* A log is never YAML: what is wrong with it is to be told as what is wrong with JSON. */
	*ret_json = text->hints.named_sarif;
	if (*ret_json || !rt_text_is_flow(text_node(text)) || text->lead.marked ||
	    text->lead.comment)
		return RT_OK;
	return text_look(text, limits, ret_json, err);
}

/* Refuse what starts like no text at all. */
static enum rt_status check_binary(const struct rt_text *text, struct rt_error *err)
{
	struct rt_slice node = text_node(text);
	unsigned char first = node.len > 0 ? (unsigned char)node.ptr[0] : ' ';

	if (first >= 0x20 && first != 0x7f &&
	    (node.len == 0 || rt_utf8_length(node.ptr, node.len) > 0))
		return RT_OK;
	rt_error_set(err, RT_E_INPUT, "want JSON, YAML or an archive, have binary data");
	return text_reject(text, err);
}

/* The whole part from after its BOM, as struct rt_pull has it: head, the pull's rest. */
static enum rt_status text_pull(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err)
{
	struct rt_text *text = ctx;
	size_t len = text->head.len - text->at;

	if (len > 0) {
		*ret_len = len < cap ? len : cap;
		memcpy(buf, text->head.data + text->at, *ret_len);
		text->at += *ret_len;
		return RT_OK;
	}
	if (text->held != RT_OK)
		return text_held(text, err);
	return text->pull.read(text->pull.ctx, buf, cap, ret_len, err);
}

struct rt_slice rt_text_first(const struct rt_text *text)
{
	struct rt_slice node = text->has_lead ? text_node(text) : RT_SLICE("");

	return rt_slice_make(node.ptr, node.len < HEAD_BYTES ? node.len : HEAD_BYTES);
}

/* Whether JSON text is a SARIF log: as much of it is looked at as one record may have. */
static enum rt_status look_sarif(struct rt_text *text, const struct rt_limits *limits, bool *ret_is,
				 struct rt_error *err)
{
	enum rt_status status = RT_OK;
	enum rt_sarif_verdict verdict = RT_SARIF_NO;

	if (text->hints.sarif && rt_text_is_flow(text_node(text)) && *text_node(text).ptr == '{')
		verdict = rt_sarif_look(text_node(text), text->held != RT_OK);
	while ((verdict == RT_SARIF_OPEN || verdict == RT_SARIF_LIKE) && status == RT_OK &&
	       text->head.len < limits->record_bytes) {
		status = head_more(text, limits, err);
		if (status == RT_OK)
			verdict = rt_sarif_look(text_node(text), text->held != RT_OK);
	}
	*ret_is = verdict >= RT_SARIF_LIKE;
	return status;
}

/* JSON text: find out whether it is a SARIF log. */
static enum rt_status begin_json(struct rt_text *text, const struct rt_limits *limits,
				 struct rt_error *err)
{
	struct rt_sarif_hints hints = text->hints.log;
	bool is_log;
	enum rt_status status = look_sarif(text, limits, &is_log, err);

	if (status != RT_OK || !is_log)
		return status;
	hints.skipped = text->skipped;
	text->form = RT_TEXT_SARIF;
	return rt_sarif_open((struct rt_pull){text_pull, text}, &hints, limits, &text->log, err);
}

static enum rt_status begin_yaml(struct rt_text *text, const struct rt_limits *limits,
				 struct rt_error *err)
{
	struct rt_pull pull = {text_pull, text};

	text->form = RT_TEXT_YAML;
	return rt_yaml_child_open(pull, text->skipped, &text->hints, limits, &text->yaml,
				  &text->marks, err);
}

/* All of rt_text_open() that can fail once there is a text. */
static enum rt_status text_begin(struct rt_text *text, const struct rt_limits *limits,
				 struct rt_error *err)
{
	enum rt_status status = head_fill(text, HEAD_BYTES, err);
	struct rt_slice begun;
	const char *wide;
	bool json = true;

	if (status != RT_OK)
		return status;
	begun = rt_buf_slice(&text->head);
	wide = rt_text_encoding(&begun);
	if (wide) {
		rt_error_set(err, RT_E_INPUT, "want UTF-8, have %s", wide);
		return text_reject(text, err);
	}
	text->skipped = text->head.len - begun.len;
	text->head.len = begun.len;
	if (text->skipped)
		memmove(text->head.data, begun.ptr, begun.len);
	status = find_node(text, limits, err);
	text->has_lead = true;
	if (status == RT_OK)
		status = check_binary(text, err);
	if (status == RT_OK)
		status = text_choose(text, limits, &json, err);
	if (status != RT_OK)
		return status;
	if (json)
		return begin_json(text, limits, err);
	rt_lead_mend(&text->lead, text->head.data, text->head.len);
	return begin_yaml(text, limits, err);
}

enum rt_status rt_text_open(struct rt_text *text, struct rt_pull pull,
			    const struct rt_text_hints *hints, const struct rt_limits *limits,
			    struct rt_error *err)
{
	enum rt_status status;

	text->pull = pull;
	if (hints)
		text->hints = *hints;
	status = text_begin(text, limits, err);
	text->open = status == RT_OK;
	return status;
}

enum rt_status rt_text_read(struct rt_text *text, void *buf, size_t cap, size_t *ret_len,
			    struct rt_error *err)
{
	if (text->yaml)
		return rt_yaml_child_read(text->yaml, buf, cap, ret_len, err);
	return text_pull(text, buf, cap, ret_len, err);
}

void rt_text_drop(struct rt_text *text)
{
	text->at = text->head.len;
	text->held = RT_OK;
}

void rt_text_close(struct rt_text *text)
{
	rt_yaml_child_free(text->yaml);
	rt_sarif_free(text->log);
	rt_buf_release(&text->head);
	memset(text, 0, sizeof(*text));
}
