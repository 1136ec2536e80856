/*
 * A pattern comes from the caller of the program, a text from a stranger. A match that takes more
 * than its share of steps, memory or depth is an error: what is not known is never "no match".
 * Nothing is compiled to machine code.
 */
#include "base/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"

/*
 * What a match has taken so far. PCRE2 counts steps anew for each byte that a match may begin at,
 * so that a long text would have as many times the limit; therefore every item of a pattern calls
 * us.
 */
struct work {
	uint64_t calls, bytes;
	size_t at; /* where the last call was */
};

struct rt_regex {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	struct work work;
};

static enum rt_status refuse(int code, size_t offset, struct rt_error *err)
{
	PCRE2_UCHAR text[160] = "";

	(void)pcre2_get_error_message(code, text, sizeof(text));
	return rt_error_set(err, RT_E_USAGE, "the regular expression is wrong at byte %zu: %s",
			    offset + 1, (const char *)text);
}

static int found_callout(pcre2_callout_enumerate_block *block, void *ctx)
{
	(void)block;
	(void)ctx;
	return 1;
}

static enum rt_status compile(struct rt_regex *regex, struct rt_slice pattern, uint32_t options,
			      struct rt_error *err)
{
	PCRE2_SIZE offset = 0;
	int code = 0;

	regex->code =
	    pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len,
			  PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | options, &code, &offset, NULL);
	if (regex->code)
		return RT_OK;
	return code == PCRE2_ERROR_HEAP_FAILED ? rt_error_nomem(err) : refuse(code, offset, err);
}

/* With callouts of ours, but none of the pattern's own. */
static enum rt_status compile_alone(struct rt_regex *regex, struct rt_slice pattern,
				    struct rt_error *err)
{
	enum rt_status status = compile(regex, pattern, 0, err);

	if (status != RT_OK)
		return status;
	if (pcre2_callout_enumerate(regex->code, found_callout, NULL) != 0)
		return rt_error_set(err, RT_E_USAGE,
				    "the regular expression has a callout, which is not allowed");
	pcre2_code_free(regex->code);
	return compile(regex, pattern, PCRE2_AUTO_CALLOUT, err);
}

/* Called before each item of a pattern. A negative result ends the match. */
static int count_work(pcre2_callout_block *block, void *ctx)
{
	struct work *work = ctx;
	size_t at = block->current_position;

	work->calls++;
	work->bytes += at > work->at ? at - work->at : work->at - at;
	work->at = at;
	return work->calls + work->bytes / RT_REGEX_STEP_BYTES > RT_REGEX_STEPS
		   ? PCRE2_ERROR_MATCHLIMIT
		   : 0;
}

static enum rt_status prepare(struct rt_regex *regex, struct rt_error *err)
{
	regex->data = pcre2_match_data_create(1, NULL);
	regex->context = pcre2_match_context_create(NULL);
	if (!regex->data || !regex->context)
		return rt_error_nomem(err);
	(void)pcre2_set_match_limit(regex->context, RT_REGEX_STEPS);
	(void)pcre2_set_heap_limit(regex->context, RT_REGEX_HEAP_KIB);
	(void)pcre2_set_depth_limit(regex->context, RT_REGEX_DEPTH);
	(void)pcre2_set_callout(regex->context, count_work, &regex->work);
	return RT_OK;
}

enum rt_status rt_regex_new(struct rt_slice pattern, struct rt_regex **ret_regex,
			    struct rt_error *err)
{
	struct rt_regex *regex;
	enum rt_status status;

	if (pattern.len > RT_REGEX_PATTERN_BYTES)
		return rt_error_set(err, RT_E_USAGE,
				    "the regular expression exceeds %u bytes: it has %zu",
				    RT_REGEX_PATTERN_BYTES, pattern.len);
	regex = calloc(1, sizeof(*regex));
	if (!regex)
		return rt_error_nomem(err);
	status = compile_alone(regex, pattern, err);
	if (status == RT_OK)
		status = prepare(regex, err);
	if (status != RT_OK) {
		rt_regex_free(regex);
		return status;
	}
	*ret_regex = regex;
	return RT_OK;
}

void rt_regex_free(struct rt_regex *regex)
{
	if (!regex)
		return;
	pcre2_code_free(regex->code);
	pcre2_match_data_free(regex->data);
	pcre2_match_context_free(regex->context);
	free(regex);
}

/* What a match came to that gave no answer. */
static enum rt_status fail(int code, struct rt_error *err)
{
	PCRE2_UCHAR text[160] = "";

	switch (code) {
	case PCRE2_ERROR_NOMEMORY:
		return rt_error_nomem(err);
	case PCRE2_ERROR_MATCHLIMIT:
		return rt_error_set(err, RT_E_LIMIT,
				    "the regular expression takes more than %u steps on this text",
				    RT_REGEX_STEPS);
	case PCRE2_ERROR_HEAPLIMIT:
		return rt_error_set(
		    err, RT_E_LIMIT,
		    "the regular expression takes more than %u KiB of memory on this text",
		    RT_REGEX_HEAP_KIB);
	case PCRE2_ERROR_DEPTHLIMIT:
		return rt_error_set(err, RT_E_LIMIT,
				    "the regular expression nests more than %u steps on this text",
				    RT_REGEX_DEPTH);
	default:
		(void)pcre2_get_error_message(code, text, sizeof(text));
		return rt_error_set(err, RT_E_INPUT, "cannot match the text: %s",
				    (const char *)text);
	}
}

enum rt_status rt_regex_match(struct rt_regex *regex, struct rt_slice text, bool *ret_matches,
			      struct rt_error *err)
{
	int code;

	regex->work = (struct work){0};
	/* The text is checked once more: PCRE2 may do anything with what is not UTF-8. */
	code = pcre2_match(regex->code, (PCRE2_SPTR)text.ptr, text.len, 0, 0, regex->data,
			   regex->context);
	if (code < 0 && code != PCRE2_ERROR_NOMATCH)
		return fail(code, err);
	*ret_matches = code >= 0;
	return RT_OK;
}
