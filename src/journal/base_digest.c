/*
 * Digests a base export. Input: the files of the options. Output: SHA-256.
 * Refuses files that change while the export is read, and what cannot be read.
 */
#include "journal/base_digest.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/io.h"
#include "files/files.h"

/* Bytes read at a time: little enough to stay in a second-level cache until they are hashed. */
#define BLOCK_BYTES ((size_t)256 * 1024)

struct rt_base_digest {
	const struct rt_options *options;
	pthread_t thread;
	bool running;
	atomic_bool stop; /* nobody waits for the digest any more */
	/* The thread's alone until it has ended. */
	struct rt_sha256 *file_hash;
	struct rt_sha256 *list_hash;
	char *block;
	uint64_t stamp;
	uint8_t digest[RT_SHA256_BYTES];
	enum rt_status status;
	struct rt_error err;
};

/* Digest one file. */
static enum rt_status digest_file(struct rt_base_digest *base, const struct rt_file *file,
				  struct rt_error *err)
{
	off_t at = 0;

	rt_sha256_reset(base->file_hash);
	for (;;) {
		ssize_t got = rt_read_at(file->fd, base->block, BLOCK_BYTES, at);

		if (got < 0) {
			(void)rt_error_sys(err, errno, "cannot read the file");
			rt_error_below(err, file->path, file->name);
			return RT_FATAL;
		}
		if (got == 0 || atomic_load(&base->stop))
			break;
		rt_sha256_add(base->file_hash, base->block, (size_t)got);
		at += got;
	}
	rt_sha256_end(base->file_hash, base->digest);
	return RT_OK;
}

static void add_line(struct rt_base_digest *base, const struct rt_file *file)
{
	const char *name = file->name ? file->name : file->path;
	char hex[RT_SHA256_HEX];

	rt_sha256_hex(base->digest, hex);
	rt_sha256_add(base->list_hash, hex, sizeof(hex));
	rt_sha256_add(base->list_hash, "  ", 2);
	rt_sha256_add(base->list_hash, name, strlen(name));
	rt_sha256_add(base->list_hash, "\n", 1);
}

static enum rt_status digest_files(struct rt_base_digest *base, struct rt_files *files,
				   struct rt_error *err)
{
	const struct rt_file *file;
	enum rt_status status;
	bool is_list = base->options->path_count > 1;

	while ((status = rt_files_next(files, &file, err)) == RT_OK) {
		is_list = is_list || file->name != NULL;
		status = digest_file(base, file, err);
		if (status != RT_OK)
			return status;
		add_line(base, file);
	}
	base->stamp = rt_files_stamp(files);
	if (status == RT_END && is_list)
		rt_sha256_end(base->list_hash, base->digest);
	return status == RT_END ? RT_OK : RT_FATAL;
}

static void *digest_main(void *ctx)
{
	struct rt_base_digest *base = ctx;
	struct rt_files *files = NULL;

	base->status = rt_files_open(base->options, &files, &base->err);
	if (base->status == RT_OK)
		base->status = digest_files(base, files, &base->err);
	rt_files_free(files);
	return NULL;
}

enum rt_status rt_base_digest_start(const struct rt_options *options,
				    struct rt_base_digest **ret_digest, struct rt_error *err)
{
	struct rt_base_digest *base = calloc(1, sizeof(*base));
	enum rt_status status = RT_OK;
	int sys;

	if (!base)
		return rt_error_nomem(err);
	base->options = options;
	base->block = malloc(BLOCK_BYTES);
	if (!base->block)
		status = rt_error_nomem(err);
	if (status == RT_OK)
		status = rt_sha256_new(&base->file_hash, err);
	if (status == RT_OK)
		status = rt_sha256_new(&base->list_hash, err);
	if (status == RT_OK) {
		sys = pthread_create(&base->thread, NULL, digest_main, base);
		base->running = sys == 0;
		if (sys)
			status = rt_error_sys(err, sys, "cannot start a thread");
	}
	if (status != RT_OK) {
		rt_base_digest_free(base);
		return status;
	}
	*ret_digest = base;
	return RT_OK;
}

static void join(struct rt_base_digest *base)
{
	if (base->running)
		(void)pthread_join(base->thread, NULL);
	base->running = false;
}

enum rt_status rt_base_digest_peek(struct rt_base_digest *base, uint8_t digest[RT_SHA256_BYTES],
				   struct rt_error *err)
{
	join(base);
	if (base->status == RT_OK)
		memcpy(digest, base->digest, RT_SHA256_BYTES);
	else
		*err = base->err;
	return base->status;
}

enum rt_status rt_base_digest_wait(struct rt_base_digest *base, uint64_t stamp,
				   uint8_t digest[RT_SHA256_BYTES], struct rt_error *err)
{
	enum rt_status status = rt_base_digest_peek(base, digest, err);
	uint64_t now = 0;

	if (status != RT_OK)
		return status;
	/* Both passes have looked at the files before they read them: look again after them. */
	status = rt_files_look(base->options, &now, err);
	if (status == RT_FATAL && err->code != RT_E_USAGE)
		return status;
	if (status == RT_OK && base->stamp == stamp && now == stamp)
		return RT_OK;
	return rt_files_refuse_changed(base->options, err);
}

void rt_base_digest_free(struct rt_base_digest *base)
{
	if (!base)
		return;
	atomic_store(&base->stop, true);
	join(base);
	rt_sha256_free(base->file_hash);
	rt_sha256_free(base->list_hash);
	free(base->block);
	free(base);
}
