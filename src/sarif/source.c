/*
 * Reads a log's text more than once: again from its file where that can be, else from a temporary
 * one, which is kept below the limit on what is expanded.
 */
#include "sarif/source.h"

#include <errno.h>
#include <unistd.h>

#include "base/io.h"

#define SPOOL_NAME "temporary file for a SARIF log"

void rt_sarif_source_init(struct rt_sarif_source *source, struct rt_pull pull,
			  const struct rt_sarif_hints *hints, const struct rt_limits *limits)
{
	*source = (struct rt_sarif_source){.pull = pull,
					   .hints = hints,
					   .spool_max = limits->expanded_bytes,
					   .temporary_max = limits->temporary_bytes,
					   .fd = -1};
}

void rt_sarif_source_release(struct rt_sarif_source *source)
{
	if (source->fd >= 0)
		(void)close(source->fd);
	source->fd = -1;
}

/* Bytes that are at hand already. */
static enum rt_status read_kept(const struct rt_sarif_source *source, uint64_t offset, void *buf,
				size_t cap, size_t *ret_len, struct rt_error *err)
{
	const struct rt_sarif_hints *hints = source->hints;
	ssize_t got;

	if (source->kept - offset < cap)
		cap = (size_t)(source->kept - offset);
	if (hints->again)
		return hints->again(hints->again_ctx, hints->skipped + offset, buf, cap, ret_len,
				    err);
	got = rt_read_at(source->fd, buf, cap, (off_t)offset);
	if (got <= 0)
		return rt_error_sys(err, got < 0 ? errno : EIO, SPOOL_NAME);
	*ret_len = (size_t)got;
	return RT_OK;
}

/* Put new bytes where they can be read again. */
static enum rt_status keep_bytes(struct rt_sarif_source *source, const void *data, size_t len,
				 struct rt_error *err)
{
	if (!source->hints->again) {
		if (len > source->spool_max - source->kept)
			return rt_error_limit(err, "the SARIF log", "expanded", source->spool_max);
		if (source->fd < 0)
			source->fd = rt_unnamed_open();
		if (source->fd < 0)
			return rt_error_sys(err, errno, SPOOL_NAME);
		return rt_unnamed_write(source->fd, data, len, &source->kept, source->temporary_max,
					SPOOL_NAME, err);
	}
	source->kept += len;
	return RT_OK;
}

enum rt_status rt_sarif_source_read(struct rt_sarif_source *source, uint64_t offset, bool keep,
				    void *buf, size_t cap, size_t *ret_len, struct rt_error *err)
{
	if (offset < source->kept)
		return read_kept(source, offset, buf, cap, ret_len, err);
	if (source->held == RT_OK)
		source->held =
		    source->pull.read(source->pull.ctx, buf, cap, ret_len, &source->held_err);
	if (source->held == RT_OK && keep)
		source->held = keep_bytes(source, buf, *ret_len, &source->held_err);
	if (source->held < 0)
		*err = source->held_err;
	return source->held;
}
