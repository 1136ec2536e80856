/*
 * The scanner's window on a text. Input: reads of any size. Output: contiguous bytes, padded.
 * Refuses to grow beyond the limit of a record; keeps a failed read until its turn comes, so that
 * the first fault of a text is the same however its bytes arrive.
 */
#include "scan/window.h"

#include <stdlib.h>

#include "base/limits.h"

static size_t first_size(uint64_t max)
{
	const char *wanted = secure_getenv("RETRIAGE_WINDOW");
	uint64_t bytes = wanted ? strtoull(wanted, NULL, 10) : 0;

	if (bytes == 0 || bytes > RT_WINDOW_BYTES)
		bytes = RT_WINDOW_BYTES;
	if (bytes > max)
		bytes = max;
	return bytes ? (size_t)bytes : 1;
}

enum rt_status rt_window_init(struct rt_window *w, uint64_t max, struct rt_error *err)
{
	size_t bytes = first_size(max);

	memset(w, 0, sizeof(*w));
	w->data = malloc(bytes + RT_PADDING);
	if (!w->data)
		return rt_error_nomem(err);
	w->cap = bytes;
	rt_window_reset(w);
	return RT_OK;
}

void rt_window_release(struct rt_window *w)
{
	free(w->data);
	w->data = NULL;
}

void rt_window_reset(struct rt_window *w)
{
	w->end = 0;
	w->offset = 0;
	w->final = false;
	w->held = RT_OK;
	memset(w->data, 0, RT_PADDING);
}

/* Room for as many bytes again as are in use, as far as max allows. */
static enum rt_status window_grow(struct rt_window *w, uint64_t max, struct rt_error *err)
{
	uint64_t cap = (uint64_t)w->cap * 2;
	char *data;

	if (w->end < w->cap)
		return RT_OK;
	if (w->end >= max) {
		rt_error_set(err, RT_E_LIMIT,
			     "want at most %llu byte%s (limit \"record\"), have more",
			     (unsigned long long)max, RT_S(max));
		return RT_REJECT;
	}
	if (cap > max)
		cap = max;
	data = realloc(w->data, (size_t)cap + RT_PADDING);
	if (!data)
		return rt_error_nomem(err);
	w->data = data;
	w->cap = (size_t)cap;
	return RT_OK;
}

enum rt_status rt_window_fill(struct rt_window *w, struct rt_pull pull, size_t keep, uint64_t max,
			      struct rt_error *err)
{
	size_t kept = w->end - keep;
	enum rt_status status;
	size_t got;

	/* With a failed read, too, so that the caller finds the byte to keep at the same place. */
	memmove(w->data, w->data + keep, kept);
	w->offset += keep;
	w->end = kept;
	memset(w->data + w->end, 0, RT_PADDING);
	if (w->held != RT_OK) {
		*err = w->held_err;
		return w->held;
	}
	status = window_grow(w, max, err);
	if (status != RT_OK)
		return status;
	do {
		status = pull.read(pull.ctx, w->data + w->end, w->cap - w->end, &got, err);
		if (status != RT_OK)
			break;
		w->end += got;
	} while (w->end < w->cap && w->end < kept * 2);
	memset(w->data + w->end, 0, RT_PADDING);
	if (status == RT_END) {
		w->final = true;
	} else if (status != RT_OK) {
		w->held = status;
		w->held_err = *err;
		return w->end > kept ? RT_OK : status;
	}
	return RT_OK;
}
