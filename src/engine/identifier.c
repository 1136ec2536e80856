/*
 * Finds names by the dash that each has behind its first word, and by what may follow.
 */
#include "engine/identifier.h"

#include <strings.h>

#include "engine/fold.h"

/* What follows the first dash. */
enum form {
	CVE,      /* a year, a dash and four digits or more */
	YEAR,     /* the same with any digits */
	ADVISORY, /* likewise, or with a colon */
	GHSA,     /* three groups of four letters and digits */
	NUMBER,   /* a digit, and the rest of the word */
	WORD,     /* the rest of the word */
};

static const struct {
	struct rt_slice first;
	enum form form;
} kinds[] = {
    {RT_SLICE("CVE"), CVE},       {RT_SLICE("GHSA"), GHSA},       {RT_SLICE("RUSTSEC"), YEAR},
    {RT_SLICE("PYSEC"), YEAR},    {RT_SLICE("GO"), YEAR},         {RT_SLICE("OSV"), YEAR},
    {RT_SLICE("MAL"), YEAR},      {RT_SLICE("GMS"), YEAR},        {RT_SLICE("HSEC"), YEAR},
    {RT_SLICE("BIT"), YEAR},      {RT_SLICE("CGA"), YEAR},        {RT_SLICE("RHSA"), ADVISORY},
    {RT_SLICE("RHBA"), ADVISORY}, {RT_SLICE("RHEA"), ADVISORY},   {RT_SLICE("ALSA"), ADVISORY},
    {RT_SLICE("ELSA"), ADVISORY}, {RT_SLICE("ALAS"), ADVISORY},   {RT_SLICE("ALAS2"), ADVISORY},
    {RT_SLICE("DSA"), NUMBER},    {RT_SLICE("DLA"), NUMBER},      {RT_SLICE("USN"), NUMBER},
    {RT_SLICE("GLSA"), NUMBER},   {RT_SLICE("TEMP"), NUMBER},     {RT_SLICE("XRAY"), NUMBER},
    {RT_SLICE("AVD"), NUMBER},    {RT_SLICE("NSWG"), NUMBER},     {RT_SLICE("VULNDB"), NUMBER},
    {RT_SLICE("SNYK"), WORD},     {RT_SLICE("SONATYPE"), NUMBER},
};

static bool is_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static bool is_plain(char c)
{
	return is_digit(c) || (unsigned char)((c | 0x20) - 'a') < 26;
}

/* How many of the next bytes, up to a number of them, are digits, or letters and digits. */
static size_t count(struct rt_slice text, size_t at, size_t most, bool (*is)(char c))
{
	size_t n = 0;

	while (n < most && at + n < text.len && is(text.ptr[at + n]))
		n++;
	return n;
}

/* The end of a name that ends with its word; 0: there is none. */
static size_t whole(struct rt_slice text, size_t end)
{
	return end < text.len && rt_fold_in_word(text.ptr[end]) ? 0 : end;
}

/* A year, a dash, and digits. */
static size_t end_of_year(struct rt_slice text, size_t at, enum form form)
{
	size_t digits;

	if (count(text, at, 4, is_digit) < 4 || at + 4 == text.len ||
	    !(text.ptr[at + 4] == '-' || (form == ADVISORY && text.ptr[at + 4] == ':')))
		return 0;
	digits = count(text, at + 5, text.len, is_digit);
	return digits >= (form == CVE ? 4 : 1) ? whole(text, at + 5 + digits) : 0;
}

static size_t end_of_groups(struct rt_slice text, size_t at)
{
	for (int group = 0; group < 3; group++) {
		if (count(text, at, 4, is_plain) < 4)
			return 0;
		at += 4;
		if (group < 2 && (at == text.len || text.ptr[at++] != '-'))
			return 0;
	}
	return whole(text, at);
}

/* The end of what is behind the first dash; 0: it is no name. */
static size_t end_of(struct rt_slice text, size_t at, enum form form)
{
	bool begins =
	    at < text.len && (is_digit(text.ptr[at]) ||
			      (form == WORD && (is_plain(text.ptr[at]) || text.ptr[at] == '_')));

	if (form == GHSA)
		return end_of_groups(text, at);
	if (form < GHSA)
		return end_of_year(text, at, form);
	if (!begins)
		return 0;
	while (at < text.len &&
	       (is_plain(text.ptr[at]) || text.ptr[at] == '_' || text.ptr[at] == '-'))
		at++;
	return at;
}

bool rt_identifier_next(struct rt_slice text, size_t *at, struct rt_slice *ret_name)
{
	const char *dash;

	for (size_t from = *at; from < text.len; from = (size_t)(dash - text.ptr) + 1) {
		size_t before, end = 0, i;

		dash = memchr(text.ptr + from, '-', text.len - from);
		if (!dash)
			return false;
		before = (size_t)(dash - text.ptr);
		for (i = 0; !end && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			size_t len = kinds[i].first.len;

			if (before >= *at + len &&
			    (dash[-1] | 0x20) == (kinds[i].first.ptr[len - 1] | 0x20) &&
			    strncasecmp(dash - len, kinds[i].first.ptr, len) == 0 &&
			    (before == len || !rt_fold_in_word(dash[-(ptrdiff_t)len - 1])))
				end = end_of(text, before + 1, kinds[i].form);
			before -= end ? len : 0;
		}
		if (!end)
			continue;
		*ret_name = rt_slice_make(text.ptr + before, end - before);
		*at = end;
		return true;
	}
	return false;
}

bool rt_identifier_is_cve(struct rt_slice name)
{
	return name.len > 4 && strncasecmp(name.ptr, "CVE-", 4) == 0;
}
