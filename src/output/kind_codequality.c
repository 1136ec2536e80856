/*
 * The report that GitLab reads as Code Quality (REPORTS R33, R34, R37): a JSON array in input
 * order. False positives are left out; so are issues without a path, which are counted.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/sha256.h"
#include "output/kind.h"

#define TITLE_POINTS 1000u
/* Hex digits of a fingerprint. */
#define FINGERPRINT_CHARS 32u

struct codequality {
	struct rt_reporting r;
	struct rt_buf key;
};

/* In the order of the levels. */
static const struct rt_slice severities[RT_LEVELS] = {
    {"blocker", 7}, {"critical", 8}, {"major", 5}, {"minor", 5}, {"info", 4}, {"major", 5},
};

/* --- Fingerprints ------------------------------------------------------------------------ */

/* Append a text and a NUL to the key; blanks: as they are, or left out. */
static void add_text(struct codequality *c, struct rt_slice text, bool blanks)
{
	struct rt_texts *t = &c->r.texts;

	RT_STEP(t, rt_buf_reserve(&c->key, text.len + 1, &t->err));
	if (t->status != RT_OK)
		return;
	for (size_t i = 0; i < text.len; i++) {
		char byte = text.ptr[i];

		if (blanks || (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n'))
			c->key.data[c->key.len++] = byte;
	}
	c->key.data[c->key.len++] = '\0';
}

/*
 * SHA-256 over category, path, code without blanks, title, each with a NUL after it, and the
 * ordinal among issues that are equal in these, in decimal. No line: it stays when lines move.
 */
static void make_fingerprint(struct codequality *c, char fingerprint[RT_SHA256_HEX])
{
	struct rt_texts *t = &c->r.texts;
	uint8_t digest[RT_SHA256_BYTES];
	struct rt_sha256 hash;
	char number[16];

	c->key.len = 0;
	add_text(c, rt_texts_decoded(t, RT_M_CATEGORY), true);
	add_text(c, rt_texts_raw_path(t), true);
	add_text(c, rt_texts_decoded(t, RT_M_CODE_SNIPPET), false);
	add_text(c, rt_texts_decoded(t, RT_M_TITLE), true);
	(void)snprintf(number, sizeof(number), "%" PRIu32,
		       rt_reporting_ordinal(&c->r, rt_buf_slice(&c->key)));
	rt_sha256_reset(&hash);
	rt_sha256_add(&hash, c->key.data, c->key.len);
	rt_sha256_add(&hash, number, strlen(number));
	rt_sha256_end(&hash, digest);
	rt_sha256_hex(digest, fingerprint);
}

/* --- The report -------------------------------------------------------------------------- */

static void write_issue(struct codequality *c)
{
	struct rt_writer *w = c->r.writer;
	uint64_t line = rt_finding_line(c->r.texts.finding);
	char fingerprint[RT_SHA256_HEX];

	make_fingerprint(c, fingerprint);
	RT_WRITE(w, "{description: %s,", rt_texts_headline(&c->r.texts, TITLE_POINTS));
	RT_WRITE(w, "check_name: %s,", rt_texts_category(&c->r.texts));
	RT_WRITE(w, "fingerprint: %s, severity: %s,", rt_slice_make(fingerprint, FINGERPRINT_CHARS),
		 severities[c->r.texts.finding->level]);
	RT_WRITE(w, "location: {path: %s, lines: {begin: %u}}}", rt_texts_path(&c->r.texts),
		 line ? line : 1);
}

static void codequality_release(void *state)
{
	rt_buf_release(&((struct codequality *)state)->key);
}

static void codequality_begin(void *state)
{
	RT_WRITE(((struct codequality *)state)->r.writer, "[");
}

static void codequality_issue(void *state)
{
	struct codequality *c = state;

	if (!rt_report_is_due(c->r.facts, c->r.texts.finding))
		return;
	if (rt_reporting_has_path(&c->r))
		write_issue(c);
}

static void codequality_end(void *state)
{
	RT_WRITE(((struct codequality *)state)->r.writer, "]");
}

const struct rt_report_kind rt_kind_codequality = {
    .name = "codequality",
    .open = true,
    .json = true,
    .ordinals = true,
    .state_bytes = sizeof(struct codequality),
    .begin = codequality_begin,
    .issue = codequality_issue,
    .end = codequality_end,
    .release = codequality_release,
};
