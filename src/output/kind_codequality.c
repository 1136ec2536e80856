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
static enum rt_status add_text(struct codequality *c, struct rt_slice text, bool blanks,
			       struct rt_error *err)
{
	enum rt_status status = rt_buf_reserve(&c->key, text.len + 1, err);

	if (status != RT_OK)
		return status;
	for (size_t i = 0; i < text.len; i++) {
		char byte = text.ptr[i];

		if (blanks || (byte != ' ' && byte != '\t' && byte != '\r' && byte != '\n'))
			c->key.data[c->key.len++] = byte;
	}
	c->key.data[c->key.len++] = '\0';
	return RT_OK;
}

static enum rt_status add_member(struct codequality *c, enum rt_member m, bool blanks,
				 struct rt_error *err)
{
	struct rt_slice text;
	enum rt_status status = rt_finding_text(c->r.texts.finding, m, &c->r.scratch, &text, err);

	return status == RT_OK ? add_text(c, text, blanks, err) : status;
}

/*
 * SHA-256 over category, path, code without blanks, title, each with a NUL after it, and the
 * ordinal among issues that are equal in these, in decimal. No line: it stays when lines move.
 */
static enum rt_status make_fingerprint(struct codequality *c, char fingerprint[RT_SHA256_HEX],
				       struct rt_error *err)
{
	uint8_t digest[RT_SHA256_BYTES];
	enum rt_status status;
	struct rt_sha256 hash;
	uint32_t ordinal = 0;
	char number[16];

	c->key.len = 0;
	status = add_member(c, RT_M_CATEGORY, true, err);
	if (status == RT_OK)
		status = add_text(c, rt_texts_raw_path(&c->r.texts), true, err);
	if (status == RT_OK)
		status = add_member(c, RT_M_CODE_SNIPPET, false, err);
	if (status == RT_OK)
		status = add_member(c, RT_M_TITLE, true, err);
	if (status == RT_OK)
		status = rt_ordinals_next(&c->r.ordinals, rt_buf_slice(&c->key), &ordinal, err);
	if (status != RT_OK)
		return status;
	(void)snprintf(number, sizeof(number), "%" PRIu32, ordinal);
	rt_sha256_reset(&hash);
	rt_sha256_add(&hash, c->key.data, c->key.len);
	rt_sha256_add(&hash, number, strlen(number));
	rt_sha256_end(&hash, digest);
	rt_sha256_hex(digest, fingerprint);
	return RT_OK;
}

/* --- The report -------------------------------------------------------------------------- */

static void write_issue(struct codequality *c, struct rt_slice fingerprint)
{
	struct rt_writer *w = c->r.writer;
	uint64_t line = rt_finding_line(c->r.texts.finding);

	RT_WRITE(w, "{description: %s,", rt_texts_title(&c->r.texts, TITLE_POINTS));
	RT_WRITE(w, "check_name: %s,", rt_texts_category(&c->r.texts));
	RT_WRITE(w, "fingerprint: %s, severity: %s,", fingerprint,
		 severities[c->r.texts.finding->level]);
	RT_WRITE(w, "location: {path: %s, lines: {begin: %u}}}", rt_texts_path(&c->r.texts),
		 line ? line : 1);
}

static void codequality_release(void *state)
{
	rt_buf_release(&((struct codequality *)state)->key);
}

static enum rt_status codequality_begin(void *state, struct rt_error *err)
{
	(void)err;
	rt_writer_array_begin(((struct codequality *)state)->r.writer);
	return RT_OK;
}

static enum rt_status codequality_issue(void *state, const struct rt_finding *finding,
					struct rt_error *err)
{
	struct codequality *c = state;
	char fingerprint[RT_SHA256_HEX];
	enum rt_status status;

	if (!rt_report_is_due(c->r.facts, finding))
		return RT_OK;
	if (!rt_texts_raw_path(&c->r.texts).ptr) {
		c->r.no_path++;
		return RT_OK;
	}
	status = make_fingerprint(c, fingerprint, err);
	if (status == RT_OK)
		write_issue(c, rt_slice_make(fingerprint, FINGERPRINT_CHARS));
	return status;
}

static enum rt_status codequality_end(void *state, struct rt_error *err)
{
	(void)err;
	rt_writer_array_end(((struct codequality *)state)->r.writer);
	return RT_OK;
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
