/*
 * What a plain YAML scalar is taken for, by readers of YAML 1.1 (its type repository, PyYAML) and
 * of the YAML 1.2 core schema (chapter 10.3.2).
 * Input: a scalar's bytes. Output: yes or no. Refuses more than either schema types: a quote too
 * many is safe, one too few changes a value.
 */
#include <stdint.h>
#include <strings.h>

#include "output/writer_ops.h"

/* Words that some reader gives a type, in any case. */
static bool is_word(struct rt_slice text)
{
	static const char *const words[] = {"y",   "n",    "yes",   "no",  "on",
					    "off", "true", "false", "null"};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (text.len == strlen(words[i]) && !strncasecmp(text.ptr, words[i], text.len))
			return true;
	return false;
}

/*
 * Whether all bytes can be part of a number, a sexagesimal number or a time stamp of any schema:
 * digits of any base, signs, points, exponents, ".inf" and ".nan", 0x 0o 0b, T and Z.
 */
static bool is_figures(struct rt_slice text)
{
	static const char figures[] = "0123456789+-.:_ \tabcdefABCDEFxXoOtTzZinINF";
	size_t i;

	for (i = 0; i < text.len; i++)
		if (text.ptr[i] == '\0' || !strchr(figures, text.ptr[i]))
			return false;
	return true;
}

bool rt_yaml_plain_is_string(struct rt_slice text)
{
	if (text.len == 0)
		return false;
	if (strchr("0123456789+-.", text.ptr[0]))
		return !is_figures(text);
	/* "~" is null, "=" and "<<" have types in YAML 1.1; none of them starts a common text. */
	return !strchr("~=<", text.ptr[0]) && !is_word(text);
}

bool rt_yaml_plain_is_number(struct rt_slice text)
{
	const char *exponent = memchr(text.ptr, 'e', text.len);

	if (!exponent)
		exponent = memchr(text.ptr, 'E', text.len);
	if (!exponent)
		return true;
	/* A YAML 1.1 float has a point, and a sign in its exponent. */
	return memchr(text.ptr, '.', text.len) && (exponent[1] == '+' || exponent[1] == '-');
}
