/*
 * Counts what stands before the first node of a part, and makes it again.
 * Input: the first bytes of a part. Output: as many bytes without comments.
 * Whoever feeds it bounds the run.
 */
#include "text/lead.h"

#include <string.h>

#define MARKER "---"
#define MARKER_LEN 3u

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Count one byte that comes out as a blank. */
static void count(struct rt_lead *lead, char c)
{
	struct rt_lead_run *run = &lead->runs[lead->marked];

	lead->bytes++;
	lead->column++;
	if (c == '\n') {
		run->spaces += run->returns + run->indent;
		run->feeds++;
		run->returns = 0;
		lead->line++;
		lead->column = 0;
	} else if (c == '\r') {
		run->returns += run->indent + 1;
	} else {
		run->indent++;
		run->tab = run->tab || c == '\t';
		return;
	}
	run->indent = 0;
	run->tab = false;
}

/* Whether the rest starts with a marker that stands by itself. */
static bool is_marker(const struct rt_lead *lead, const char *rest, size_t len)
{
	return !lead->marked && lead->column == 0 && len >= MARKER_LEN &&
	       memcmp(rest, MARKER, MARKER_LEN) == 0 &&
	       (len == MARKER_LEN || is_blank(rest[MARKER_LEN]));
}

bool rt_lead_is_open(const struct rt_lead *lead, const char *rest, size_t len, bool final)
{
	return !final && !lead->marked && lead->column == 0 && len <= MARKER_LEN &&
	       memcmp(rest, MARKER, len) == 0;
}

size_t rt_lead_take(struct rt_lead *lead, const char *data, size_t len, bool final)
{
	size_t at = 0;

	while (at < len) {
		char c = data[at];

		if (is_blank(c)) {
			lead->in_comment = lead->in_comment && c != '\n' && c != '\r';
			count(lead, c);
			at++;
		} else if (lead->in_comment || c == '#') {
			lead->in_comment = lead->comment = true;
			count(lead, ' ');
			at++;
		} else if (!rt_lead_is_open(lead, data + at, len - at, final) &&
			   is_marker(lead, data + at, len - at)) {
			lead->marked = true;
			lead->marker = MARKER_LEN;
			lead->bytes += MARKER_LEN;
			lead->column += MARKER_LEN;
			at += MARKER_LEN;
		} else {
			break;
		}
	}
	return at;
}

static size_t give(uint64_t *left, char blank, char *to, size_t cap)
{
	size_t len = *left < cap ? (size_t)*left : cap;

	memset(to, blank, len);
	*left -= len;
	return len;
}

static size_t give_run(struct rt_lead_run *run, bool flow, char *to, size_t cap)
{
	size_t len = give(&run->spaces, ' ', to, cap);

	len += give(&run->feeds, '\n', to + len, cap - len);
	len += give(&run->returns, '\r', to + len, cap - len);
	return len + give(&run->indent, run->tab && !flow ? '\t' : ' ', to + len, cap - len);
}

size_t rt_lead_give(struct rt_lead *lead, bool flow, char *to, size_t cap)
{
	/* Before the marker the last line is empty. */
	size_t len = give_run(&lead->runs[0], flow || lead->marked, to, cap);

	if (!lead->marked)
		return len;
	while (len < cap && lead->marker > 0) {
		to[len++] = '-';
		lead->marker--;
	}
	return len + give_run(&lead->runs[1], flow, to + len, cap - len);
}
