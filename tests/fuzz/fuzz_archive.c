/*
 * Any bytes through the decoder, in this process: as a file and as a pipe. Both must end in the
 * same way, with the same parts, every part that a good end leaves behind must have ended, and
 * no more may come out than the limits allow.
 */
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"
#include "source/decode.h"

/* Beyond the buffers of all formats but one; what is packed tightly takes its time. */
#define EXPANDED_MAX (UINT64_C(512) << 10)

/* What came out; the sum tells two runs apart. */
struct seen {
	bool in_part;
	uint64_t parts;
	uint64_t bytes;
	uint64_t sum;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The child's bound on memory, which a header may exceed, as a sanitizer can have it. */
const char *__asan_default_options(void); /* NOLINT: the sanitizer's own name */

const char *__asan_default_options(void) /* NOLINT */
{
	return "max_allocation_size_mb=256:allocator_may_return_null=1";
}

static void seen_add(struct seen *seen, const char *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		seen->sum = (seen->sum ^ (unsigned char)data[i]) * UINT64_C(0x100000001b3);
}

static void seen_put(void *ctx, enum rt_frame_type type, const void *data, size_t len)
{
	struct seen *seen = ctx;
	bool is_begin = type == RT_FRAME_BEGIN, is_data = type == RT_FRAME_DATA;

	if (seen->in_part != (is_data || type == RT_FRAME_END) || (is_data && len == 0) ||
	    (type == RT_FRAME_UNREAD && *(const uint8_t *)data > RT_UNREAD_CHOSEN))
		abort();
	if (len)
		seen_add(seen, data, len);
	seen->bytes += is_data ? len : 0;
	seen->parts += is_begin;
	seen->in_part = is_begin || is_data;
}

static int memory_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size) ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return fd;
}

static enum rt_status pull_fd(void *ctx, void *buf, size_t cap, size_t *ret_len,
			      struct rt_error *err)
{
	ssize_t got = read(*(int *)ctx, buf, cap);

	(void)err;
	*ret_len = got > 0 ? (size_t)got : 0;
	return got > 0 ? RT_OK : RT_END;
}

static enum rt_status run(const uint8_t *data, size_t size, bool seekable, struct seen *seen)
{
	struct rt_limits limits;
	struct rt_progress progress = {0};
	struct rt_error err = {0};
	struct rt_decode decode = {
	    .limits = &limits,
	    .meter = {.progress = &progress, .expanded_max = EXPANDED_MAX, .limit = EXPANDED_MAX},
	    .say = {seen_put, seen},
	    .fd = -1,
	    .size = seekable ? size : 0,
	};
	enum rt_status status;
	int fd;

	rt_limits_init(&limits);
	limits.archive_members = 1000;
	fd = memory_file(data, size);
	if (seekable)
		decode.fd = fd;
	else
		decode.source = (struct rt_pull){pull_fd, &fd};
	decode.spool_fd = memory_file(NULL, 0);
	status = rt_decode_run(&decode, &err);
	if (status < 0 ? err.code == RT_E_NONE || !err.message[0] : seen->in_part)
		abort();
	if (status > 0 || decode.meter.expanded > EXPANDED_MAX || seen->bytes > EXPANDED_MAX + size)
		abort();
	close(fd);
	close(decode.spool_fd);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen file = {.sum = 1};
	struct seen pipe_seen = {.sum = 1};
	enum rt_status status;

	(void)setlocale(LC_CTYPE, "C.UTF-8");
	status = run(data, size, true, &file);
	if (run(data, size, false, &pipe_seen) != status)
		abort();
	if (file.parts != pipe_seen.parts || file.bytes != pipe_seen.bytes ||
	    file.sum != pipe_seen.sum)
		abort();
	return 0;
}
