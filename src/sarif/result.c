/*
 * STAND-IN until results are read: every one is an issue, told by its text. To be replaced.
 */
#include "sarif/result.h"

#include <stdio.h>
#include <stdlib.h>

struct rt_sarif_maker {
	struct rt_sha256 *hash;
	uint8_t digest[RT_SHA256_BYTES];
};

enum rt_status rt_sarif_maker_new(struct rt_sarif_maker **ret_maker, struct rt_error *err)
{
	struct rt_sarif_maker *maker = calloc(1, sizeof(*maker));

	if (!maker)
		return rt_error_nomem(err);
	*ret_maker = maker;
	return rt_sha256_new(&maker->hash, err);
}

void rt_sarif_maker_free(struct rt_sarif_maker *maker)
{
	if (!maker)
		return;
	rt_sha256_free(maker->hash);
	free(maker);
}

enum rt_status rt_sarif_result_read(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				    struct rt_slice text, bool *ret_issue,
				    struct rt_sarif_notes *notes, struct rt_sarif_fault *fault)
{
	(void)run, (void)notes, (void)fault;
	rt_sha256_of(maker->hash, text, maker->digest);
	*ret_issue = true;
	return RT_OK;
}

enum rt_status rt_sarif_result_identify(struct rt_sarif_maker *maker,
					const struct rt_sarif_run *run,
					struct rt_sarif_identity *ret_identity,
					struct rt_sarif_fault *fault)
{
	(void)run, (void)fault;
	memset(ret_identity, 0, sizeof(*ret_identity));
	memcpy(ret_identity->id, maker->digest, sizeof(ret_identity->id));
	return RT_OK;
}

enum rt_status rt_sarif_result_write(struct rt_sarif_maker *maker, const struct rt_sarif_run *run,
				     uint32_t ordinal, struct rt_buf *out,
				     struct rt_sarif_marks *ret_marks, struct rt_sarif_notes *notes,
				     struct rt_sarif_fault *fault)
{
	char hex[RT_SHA256_HEX], text[256];
	int len;

	(void)run, (void)notes;
	ret_marks->count = 0;
	rt_sha256_hex(maker->digest, hex);
	len = ordinal > 1 ? snprintf(text, sizeof(text), "{\"id\":\"s1-%.32s-%u\"}", hex, ordinal)
			  : snprintf(text, sizeof(text), "{\"id\":\"s1-%.32s\"}", hex);
	return rt_buf_append(out, text, (size_t)len, &fault->err);
}
