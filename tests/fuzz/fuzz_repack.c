/*
 * Any bytes through the repacker, in this process, with bytes put in front of its first two
 * parts. Where the input can be read, it can be written again or is refused with words; what is
 * written can be read, and has exactly the input's parts but for those bytes.
 */
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits.h"
#include "rewrite/repack_state.h"
#include "source/decode.h"

/* Beyond the buffers of all formats but one; what is packed tightly takes its time. */
#define EXPANDED_MAX (UINT64_C(512) << 10)
#define PATCHED_PARTS 2u
#define FRONT " patched"

/* What came out; the sum tells two runs apart. */
struct seen {
	uint64_t parts;
	uint64_t sum;
	bool adds_front; /* count the bytes that the patches put in */
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

	if (type == RT_FRAME_UNREAD)
		return;
	if (len)
		seen_add(seen, data, len);
	if (type == RT_FRAME_DATA)
		return;
	seen_add(seen, "", 1);
	if (type != RT_FRAME_BEGIN)
		return;
	if (seen->adds_front && seen->parts < PATCHED_PARTS)
		seen_add(seen, FRONT, strlen(FRONT));
	seen->parts++;
}

static int memory_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || (size && write(fd, data, size) != (ssize_t)size) ||
	    lseek(fd, 0, SEEK_SET) != 0)
		abort();
	return fd;
}

static struct rt_decode decode_of(int fd, const struct rt_limits *limits,
				  struct rt_progress *progress, struct seen *seen)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		abort();
	return (struct rt_decode){
	    .limits = limits,
	    /* What is written may be longer by what the patches put in. */
	    .meter = {.progress = progress,
		      .expanded_max = EXPANDED_MAX + 64,
		      .limit = EXPANDED_MAX + 64},
	    .say = {seen_put, seen},
	    .fd = fd,
	    .size = (uint64_t)st.st_size,
	    .spool_fd = memory_file(NULL, 0),
	};
}

static enum rt_status read_file(int fd, const struct rt_limits *limits, struct seen *seen)
{
	struct rt_progress progress = {0};
	struct rt_error err = {0};
	struct rt_decode decode = decode_of(fd, limits, &progress, seen);
	enum rt_status status = rt_decode_run(&decode, &err);

	close(decode.spool_fd);
	return status;
}

static enum rt_status repack_file(int fd, int out_fd, const struct rt_limits *limits,
				  struct seen *seen)
{
	struct rt_repack_state *state = calloc(1, sizeof(*state));
	struct rt_progress progress = {0};
	struct rt_patches patches = {0};
	struct rt_error err = {0};
	enum rt_status status;

	if (!state)
		abort();
	for (uint32_t part = 0; part < PATCHED_PARTS; part++) {
		struct rt_patch patch = {.part = part, .text = RT_SLICE(FRONT)};

		if (rt_patches_add(&patches, patch, &err) != RT_OK)
			abort();
	}
	state->decode = decode_of(fd, limits, &progress, seen);
	state->patches = &patches;
	state->out.fd = out_fd;
	state->spool.fd = memory_file(NULL, 0);
	status = rt_repack_run(state, &err);
	if (status < 0 && (err.code == RT_E_NONE || !err.message[0]))
		abort();
	close(state->decode.spool_fd);
	close(state->spool.fd);
	rt_patches_release(&patches);
	free(state);
	return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen before = {.sum = 1, .adds_front = true};
	struct seen told = {.sum = 1};
	struct seen after = {.sum = 1};
	struct rt_limits limits;
	int in = memory_file(data, size);
	int out = memory_file(NULL, 0);

	(void)setlocale(LC_CTYPE, "C.UTF-8");
	rt_limits_init(&limits);
	limits.archive_members = 1000;
	/* A file that needs no decoder is not for the repacker. */
	if (rt_magic_find(data, size < RT_MAGIC_BYTES ? size : RT_MAGIC_BYTES) != RT_MAGIC_NONE &&
	    read_file(in, &limits, &before) == RT_OK &&
	    repack_file(in, out, &limits, &told) == RT_OK) {
		if (told.parts != before.parts)
			abort();
		if (read_file(out, &limits, &after) != RT_OK || after.parts != before.parts ||
		    after.sum != before.sum)
			abort();
	}
	close(in);
	close(out);
	return 0;
}
