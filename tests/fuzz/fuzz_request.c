/*
 * Any bytes as requests: the reader must say the same on every code path of the scanner and
 * through windows of any size, and every request it accepts must come back from its own text.
 *
 * The bytes as one JSON value also go to rt_request_parse() as they are. Small limits, so that
 * small inputs pass them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/utf8.h"
#include "engine/request_reader.h"
#include "scan/scan.h"
#include "source/magic.h"
#include "tests/fuzz/turn.h"
#include "tests/unit/scan_env.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a reader said. */
struct said {
	uint64_t requests, faults;
	uint64_t digest; /* of all requests and faults in their order */
	int64_t last;    /* status; as wide as the rest, so that there is no padding to compare */
};

static void add(struct said *said, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		said->digest =
		    (said->digest ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001B3);
}

/* Text that a person may see: well-formed, and nothing in it that a terminal could act on. */
static void check_text(const struct rt_buf *text)
{
	for (size_t at = 0, len; at < text->len; at += len) {
		len = rt_utf8_length(text->data + at, text->len - at);
		if (len == 0 || rt_utf8_is_unsafe(rt_utf8_decode(text->data + at, len)))
			abort();
	}
}

static bool same_request(const struct rt_request *a, const struct rt_request *b)
{
	for (unsigned i = 0; i < a->id_count && i < b->id_count; i++) {
		if (a->ids[i].len == 0 || !rt_slice_equal(a->ids[i], b->ids[i]))
			return false;
	}
	return a->id_count == b->id_count && a->id_count >= 1 &&
	       a->id_count <= RT_REQUEST_IDS_MAX && a->severity == b->severity &&
	       a->false_positive == b->false_positive && a->exploitable == b->exploitable &&
	       !a->notes.ptr == !b->notes.ptr && rt_slice_equal(a->notes, b->notes);
}

/* Write a request, read it back, and write it again. text: receives what was written. */
static void round_trip(const struct rt_request *request, struct rt_buf *text)
{
	struct rt_request_walk back = {0};
	struct rt_buf again = {0};
	struct rt_limits limits;
	struct rt_error err;

	rt_limits_init(&limits);
	text->len = 0;
	if (rt_request_write(request, text, &err) != RT_OK)
		abort();
	check_text(text);
	if (rt_json_check(text->data, text->len, &limits, &err) != RT_OK ||
	    rt_request_parse(&back, rt_buf_slice(text), &err) != RT_OK ||
	    !same_request(request, &back.request) ||
	    rt_request_write(&back.request, &again, &err) != RT_OK ||
	    !rt_slice_equal(rt_buf_slice(text), rt_buf_slice(&again)))
		abort();
	rt_buf_release(&again);
	rt_tree_release(&back.tree);
}

static void add_fault(struct said *said, const struct rt_error *err)
{
	char line[RT_ERROR_LINE_MAX];

	/* A byte beyond the text, or a column before the line, is a place that is wrong. */
	if (err->line && (err->column == 0 || err->column > err->offset + 1))
		abort();
	if (err->field[0] && err->field[0] != '/')
		abort();
	/* Nothing fails but the input, or the choice of it: a file of another kind has no place. */
	if (err->code != RT_E_INPUT && err->code != RT_E_LIMIT &&
	    (err->code != RT_E_USAGE || err->line))
		abort();
	rt_error_format(err, line, sizeof(line));
	add(said, &err->code, sizeof(err->code));
	add(said, &err->offset, sizeof(err->offset));
	add(said, line, strlen(line));
	said->faults++;
}

static struct said read_all(const char *path, const char *simd, size_t window)
{
	struct rt_options options = {.paths = &path, .path_count = 1};
	struct rt_request_reader *reader = NULL;
	const struct rt_request *request;
	struct said said = {0};
	struct rt_buf text = {0};
	struct rt_origin origin;
	enum rt_status status;
	struct rt_error err;

	rt_limits_init(&options.limits);
	options.limits.record_bytes = 2000;
	options.limits.request_bytes = 1000;
	options.limits.requests = 20;
	options.limits.alias_bytes = 1000;
	options.limits.depth = 8;
	scan_env(simd, window);
	if (rt_request_reader_open(&options, &reader, &err) != RT_OK)
		abort();
	while ((status = rt_request_reader_next(reader, &request, &err)) != RT_END) {
		said.last = status;
		if (status == RT_OK) {
			round_trip(request, &text);
			rt_request_reader_origin(reader, &origin);
			add(&said, text.data, text.len);
			add(&said, &origin.line, sizeof(origin.line));
			add(&said, &origin.column, sizeof(origin.column));
			add(&said, &origin.offset, sizeof(origin.offset));
			said.requests++;
		} else {
			add_fault(&said, &err);
		}
		if (status == RT_FATAL)
			break;
	}
	if (said.requests > rt_request_reader_count(reader))
		abort();
	rt_request_reader_free(reader);
	rt_buf_release(&text);
	return said;
}

/* The bytes as the body of a PATCH. */
static void parse(const uint8_t *data, size_t size)
{
	struct rt_slice json = rt_slice_make((const char *)data, size);
	struct rt_request_walk walk = {0};
	struct rt_buf text = {0};
	struct rt_limits limits;
	struct rt_error err;

	rt_limits_init(&limits);
	if (size == 0 || strchr(" \t\r\n", data[0]) || strchr(" \t\r\n", data[size - 1]) ||
	    rt_json_check(json.ptr, size, &limits, &err) != RT_OK)
		return;
	switch (rt_request_parse(&walk, json, &err)) {
	case RT_OK:
		round_trip(&walk.request, &text);
		break;
	case RT_REJECT:
		if (err.code != RT_E_INPUT || !err.message[0])
			abort();
		break;
	default:
		abort();
	}
	rt_tree_release(&walk.tree);
	rt_buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *simd;
		size_t window;
	} ways[] = {
	    {NULL, 0}, {"portable", 1}, {NULL, 3}, {NULL, 65}, {"portable", 200},
	};
	struct said whole, cut;
	char path[64];
	size_t end;
	int fd;

	parse(data, size);
	if (rt_magic_find(data, size) != RT_MAGIC_NONE)
		return 0;
	fd = memfd_create("request", 0);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	whole = read_all(path, "portable", 0);
	for (size_t i = turn_first(data, size, sizeof(ways) / sizeof(ways[0]), &end); i < end;
	     i++) {
		cut = read_all(path, ways[i].simd, ways[i].window);
		if (memcmp(&whole, &cut, sizeof(whole)) != 0)
			abort();
	}
	close(fd);
	return 0;
}
