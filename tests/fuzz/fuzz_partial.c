/*
 * Any bytes as a partial summary: merged as they are, and again with the digest at their end made
 * right, so that what is before it is believed. A summary that comes out is one that can be: its
 * document is JSON. The same document twice has every id twice, and is refused unless it has none.
 *
 * Compressed input is another stage's, and forks a process: not read here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "scan/scan.h"
#include "source/magic.h"
#include "tests/fuzz/turn.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool right)
{
	if (!right)
		abort();
}

static enum rt_status take(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	return rt_buf_append(ctx, data, len, err);
}

/* Merge a document as many times as paths say. */
static enum rt_status merge(const char *path, size_t times, struct rt_buf *answer)
{
	const char *paths[2] = {path, path};
	struct rt_options options = {.paths = paths, .path_count = times};
	struct rt_sink sink = {take, answer};
	struct rt_style style = {.format = RT_FORMAT_JSON};
	char line[RT_ERROR_LINE_MAX];
	enum rt_status status;
	struct rt_error err;

	rt_limits_init(&options.limits);
	options.limits.record_bytes = 4096;
	options.limits.distinct_bytes = 65536;
	answer->len = 0;
	status = rt_merge(&options, style, &sink, &err);
	must(status == RT_OK || status == RT_FATAL);
	if (status == RT_FATAL) {
		must(answer->len == 0 && err.message[0] && err.code != RT_E_NONE);
		must(err.code != RT_E_IO && err.code != RT_E_NOMEM);
		(void)rt_error_format(&err, line, sizeof(line));
	}
	return status;
}

static void check(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct rt_buf answer = {0};
	struct rt_limits limits;
	struct rt_error err;
	bool none;
	char path[64];

	must(fd >= 0 && (size == 0 || write(fd, data, size) == (ssize_t)size));
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rt_limits_init(&limits);
	if (merge(path, 1, &answer) == RT_OK) {
		must(rt_json_check(answer.data, answer.len, &limits, &err) == RT_OK);
		/* By the start of a line: a record may have other members of these names. */
		none = memmem(data, size, "{\"line\":", 8) == NULL &&
		       memmem(data, size, "\"issue\"", 7) == NULL &&
		       memmem(data, size, "\"ruleset\"", 9) == NULL;
		must((merge(path, 2, &answer) == RT_OK) == none);
	}
	rt_buf_release(&answer);
	(void)close(fd);
}

/* With the digest of what is before the line of the digest, or of all. */
static void check_mended(const uint8_t *data, size_t size)
{
	static const char open[] = "{\"sha256\":\"";
	const size_t open_len = sizeof(open) - 1;
	uint8_t digest[RT_SHA256_BYTES], *copy = malloc(size + open_len + RT_SHA256_HEX + 2);
	const uint8_t *last = memmem(data, size, open, open_len);

	must(copy);
	if (last)
		size = (size_t)(last - data);
	memcpy(copy, data, size);
	rt_sha256_of(rt_slice_make((const char *)data, size), digest);
	memcpy(copy + size, open, open_len);
	size += open_len;
	rt_sha256_hex(digest, (char *)copy + size);
	size += RT_SHA256_HEX;
	memcpy(copy + size, "\"}", 2);
	check(copy, size + 2);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t end;

	if (rt_magic_find(data, size) != RT_MAGIC_NONE)
		return 0;
	/* As it is it is hardly ever believed: one turn in four. */
	for (size_t i = turn_first(data, size, 4, &end); i < end; i++) {
		if (i == 0)
			check(data, size);
		else if (i + 1 == end)
			check_mended(data, size);
	}
	return 0;
}
