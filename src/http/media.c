/*
 * Content-Type. Input: a header's value. Output: whether it says JSON.
 * Refuses other types, other charsets and other parameters; a browser's form cannot send this one.
 */
#include "http/media.h"

#include <strings.h>

/* Cut a text off the front, letters of either case. Returns false where it is not there. */
static bool cut_word(struct rt_slice *text, const char *word)
{
	size_t len = strlen(word);

	if (text->len < len || strncasecmp(text->ptr, word, len) != 0)
		return false;
	text->ptr += len;
	text->len -= len;
	return true;
}

static void cut_blanks(struct rt_slice *text)
{
	while (text->len && (*text->ptr == ' ' || *text->ptr == '\t')) {
		text->ptr++;
		text->len--;
	}
}

bool rt_media_is_json(struct rt_slice value)
{
	if (!value.ptr || !cut_word(&value, "application/json"))
		return false;
	cut_blanks(&value);
	if (value.len == 0)
		return true;
	if (!cut_word(&value, ";"))
		return false;
	cut_blanks(&value);
	if (!cut_word(&value, "charset="))
		return false;
	if (!cut_word(&value, "utf-8") && !cut_word(&value, "\"utf-8\""))
		return false;
	cut_blanks(&value);
	return value.len == 0;
}
