/* Makes the line that a finding is shown by. */
#include "engine/headline.h"

#include <strings.h>

#include "base/error.h"
#include "base/utf8.h"

/* Bytes of a sentence that are looked at: more code points than are shown. */
#define SENTENCE_BYTES (4u * RT_HEADLINE_POINTS + 4u)

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* Step over blanks. Returns whether a line without text is among them. */
static bool skip_blanks(const char **at, const char *end)
{
	unsigned lines = 0;

	for (; *at < end && is_blank(**at); (*at)++)
		lines += **at == '\n';
	return lines > 1;
}

/* Whether the full stop after a word is that of an abbreviation, as in "e.g." and "J. Doe". */
static bool is_abbreviated(const char *word, const char *stop)
{
	return stop - word < 2 || memchr(word, '.', (size_t)(stop - word));
}

/* Append the first sentence of a text, with single blanks between its words: up to a full stop that
 * no small letter follows, or to a line without text. */
static void put_sentence(struct rt_put *put, struct rt_slice text)
{
	const char *at = text.ptr, *end = rt_slice_end(text), *word;
	size_t from = put->out->len;
	bool over = false;

	(void)skip_blanks(&at, end);
	if (end - at > SENTENCE_BYTES)
		end = at + SENTENCE_BYTES;
	while (!over && at < end) {
		for (word = at; at < end && !is_blank(*at); at++)
			;
		if (put->out->len > from)
			RT_PUT(put, " ");
		rt_put(put, rt_slice_make(word, (size_t)(at - word)));
		over = at[-1] == '!' || at[-1] == '?' ||
		       (at[-1] == '.' && !is_abbreviated(word, at - 1));
		if (skip_blanks(&at, end))
			return;
		over = over && at < end && !is_lower(*at);
	}
}

/* Cut what is behind a place of the text to so many code points, the last of which says so. */
static void cut(struct rt_put *put, size_t from)
{
	struct rt_buf *out = put->out;
	size_t points = 0, last = from;

	if (out->len - from <= RT_HEADLINE_POINTS)
		return; /* each has a byte or more */
	for (size_t at = from; at < out->len; at++) {
		if ((out->data[at] & 0xC0) == 0x80)
			continue;
		if (++points == RT_HEADLINE_POINTS)
			last = at;
	}
	if (points <= RT_HEADLINE_POINTS)
		return;
	while (last > from && is_blank(out->data[last - 1]))
		last--;
	out->len = last;
	RT_PUT(put, "\xE2\x80\xA6");
}

/* Whether a text is only an id, such as SC2206 or core.NullDereference: one word of ASCII. */
static bool is_id(struct rt_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (is_blank(text.ptr[i]) || (unsigned char)text.ptr[i] >= 0x80)
			return false;
	}
	return true;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static struct rt_slice without_stop(struct rt_slice text)
{
	while (text.len && strchr(".: ", text.ptr[text.len - 1]) && text.ptr[text.len - 1])
		text.len--;
	return text;
}

/* Whether a text has another one in it, in any case. */
static bool contains(struct rt_slice text, struct rt_slice part)
{
	char first = part.len ? lower(*part.ptr) : '\0';

	for (size_t i = 0; i + part.len <= text.len; i++) {
		if ((!part.len || lower(text.ptr[i]) == first) &&
		    strncasecmp(text.ptr + i, part.ptr, part.len) == 0)
			return true;
	}
	return false;
}

/* Put a title before the message, which is all that room holds, or in its place: a message of one
 * word that the title has is no more than an id. Returns the bytes of the title. */
static size_t put_title(struct rt_put *room, struct rt_slice title)
{
	struct rt_buf *out = room->out;
	struct rt_slice message = rt_buf_slice(out), plain = without_stop(title);
	size_t len = message.len;

	if (is_id(title) || contains(message, plain))
		return 0;
	if (contains(title, without_stop(message))) {
		out->len = is_id(message) ? 0 : len;
		if (!out->len)
			rt_put(room, title);
		return 0;
	}
	if (rt_utf8_points(plain) + 2 + rt_utf8_points(message) > RT_HEADLINE_POINTS)
		return 0;
	RT_PUT(room, ": ");
	rt_put(room, plain);
	if (room->status != RT_OK)
		return 0;
	/* What was put behind it goes to its front. */
	memmove(out->data + plain.len + 2, out->data, len);
	memcpy(out->data, plain.ptr, plain.len);
	memcpy(out->data + plain.len, ": ", 2);
	return plain.len;
}

struct rt_headline rt_finding_headline(const struct rt_finding *finding, struct rt_put *room)
{
	enum rt_title_of of = (enum rt_title_of)finding->record->title_of;
	struct rt_buf texts[2] = {{0}, {0}};
	struct rt_put decoded = {&texts[0], room->err, room->status};
	struct rt_put sentence = {&texts[1], room->err, room->status};
	struct rt_headline line = {{"", 0}, 0};
	struct rt_slice title;

	room->out->len = 0;
	put_sentence(&sentence, rt_finding_string(finding, RT_M_TITLE, &decoded));
	title = rt_buf_slice(&texts[1]);
	if (of != RT_TITLE_OF_ISSUE || is_id(title))
		put_sentence(room, rt_finding_string(finding, RT_M_DESCRIPTION, &decoded));
	if (!room->out->len)
		put_sentence(room, title.len && of != RT_TITLE_OF_OTHER
				       ? title
				       : rt_finding_string(finding, RT_M_CATEGORY, &decoded));
	else if (of == RT_TITLE_OF_RULE)
		line.title_len = put_title(room, title);
	cut(room, 0);
	if (room->status == RT_OK)
		room->status = decoded.status != RT_OK ? decoded.status : sentence.status;
	if (room->status == RT_OK && room->out->len)
		line.text = rt_buf_slice(room->out);
	rt_buf_release(&texts[0]);
	rt_buf_release(&texts[1]);
	return line;
}
