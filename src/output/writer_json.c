/*
 * JSON out (RFC 8259): compact on one line, or indented by two blanks a level.
 * Input: events of struct rt_writer_ops. Output: bytes to rt_writer_bytes(). Runs of a string
 * that need no escape are copied whole. The callers' texts are checked.
 */
#include "base/json_string.h"
#include "output/writer_ops.h"

static void json_indent(struct rt_writer *w)
{
	static const char blanks[] = "\n                                ";
	size_t left = (size_t)w->depth * 2;
	size_t len = left < sizeof(blanks) - 2 ? left : sizeof(blanks) - 2;

	rt_writer_bytes(w, blanks, len + 1);
	for (left -= len; left > 0; left -= len) {
		len = left < sizeof(blanks) - 2 ? left : sizeof(blanks) - 2;
		rt_writer_bytes(w, blanks + 1, len);
	}
}

/* What stands before an element or a member: a comma and, when pretty, a line of its own. */
static void json_element(struct rt_writer *w)
{
	if (w->after_key) {
		w->after_key = false;
		return;
	}
	if (w->comma)
		rt_writer_bytes(w, ",", 1);
	if (w->pretty && w->depth > 0)
		json_indent(w);
}

/* A whole value that is already text. */
static void json_text(struct rt_writer *w, struct rt_slice text)
{
	json_element(w);
	rt_writer_bytes(w, text.ptr, text.len);
	w->comma = true;
}

static void json_begin(struct rt_writer *w, bool object)
{
	json_element(w);
	rt_writer_bytes(w, object ? "{" : "[", 1);
	w->depth++;
	w->comma = false;
}

static void json_end(struct rt_writer *w, bool object)
{
	w->depth--;
	/* Without a comma due the container is empty and stays on its line. */
	if (w->pretty && w->comma)
		json_indent(w);
	rt_writer_bytes(w, object ? "}" : "]", 1);
	w->comma = true;
}

static void json_quoted(struct rt_writer *w, struct rt_slice text)
{
	size_t at = 0;

	rt_writer_bytes(w, "\"", 1);
	for (;;) {
		size_t run = rt_json_string_plain(text.ptr + at, text.len - at);
		char escape[8];
		size_t used;

		rt_writer_bytes(w, text.ptr + at, run);
		at += run;
		if (at == text.len)
			break;
		rt_writer_bytes(
		    w, escape,
		    rt_json_string_escape(rt_json_string_point(text.ptr + at, &used), escape));
		at += used;
	}
	rt_writer_bytes(w, "\"", 1);
}

/*
 * The usual member name of compact text, with what stands around it, in one step: it is what an
 * answer has most of. Returns false where it has to be done piece by piece.
 */
static bool json_key_at_once(struct rt_writer *w, struct rt_slice name)
{
	char *to = w->out + w->len;

	if (w->pretty || WRITER_OUT_BYTES - w->len < name.len + 4 ||
	    rt_json_string_plain(name.ptr, name.len) < name.len)
		return false;
	if (w->comma)
		*to++ = ',';
	*to++ = '"';
	memcpy(to, name.ptr, name.len);
	to += name.len;
	*to++ = '"';
	*to++ = ':';
	w->len = (size_t)(to - w->out);
	w->after_key = true;
	return true;
}

static void json_key(struct rt_writer *w, struct rt_slice name)
{
	if (json_key_at_once(w, name))
		return;
	json_element(w);
	json_quoted(w, name);
	rt_writer_bytes(w, ": ", w->pretty ? 2 : 1);
	w->after_key = true;
}

static void json_string(struct rt_writer *w, struct rt_slice text)
{
	json_element(w);
	json_quoted(w, text);
	w->comma = true;
}

static void json_finish(struct rt_writer *w)
{
	rt_writer_bytes(w, "\n", 1);
	w->comma = false;
}

static void json_nothing(struct rt_writer *w)
{
	(void)w;
}

const struct rt_writer_ops rt_writer_json = {
    .start = json_nothing,
    .begin = json_begin,
    .end = json_end,
    .key = json_key,
    .string = json_string,
    .number = json_text,
    .word = json_text,
    .finish = json_finish,
    .release = json_nothing,
};
