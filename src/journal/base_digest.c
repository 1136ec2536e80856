/*
 * Digests the files of a base export, and refuses those that have changed since they were read.
 */
#include "journal/base_digest.h"

#include <errno.h>
#include <stdlib.h>

#include "base/io.h"
#include "files/files.h"

/* Bytes read at a time: little enough to stay in a second-level cache until they are hashed. */
#define BLOCK_BYTES ((size_t)256 * 1024)

/* One path of the options. */
struct input {
	bool is_directory;
	uint64_t bytes;
	uint8_t digest[RT_SHA256_BYTES];
};

struct rt_base_digest {
	const struct rt_options *options;
	bool done; /* what follows is known */
	struct rt_sha256 file_hash;
	struct rt_sha256 list_hash;  /* of all files */
	struct rt_sha256 input_hash; /* of those of one directory */
	uint64_t stamp;
	uint8_t digest[RT_SHA256_BYTES];
	char block[BLOCK_BYTES];
	struct input inputs[]; /* by index of the path */
};

/* Digest one file. */
static enum rt_status digest_file(struct rt_base_digest *base, const struct rt_file *file,
				  struct rt_error *err)
{
	struct input *input = &base->inputs[file->input];
	off_t at = 0;

	rt_sha256_reset(&base->file_hash);
	for (;;) {
		ssize_t got = rt_read_at(file->fd, base->block, sizeof(base->block), at);

		if (got < 0) {
			(void)rt_error_sys(err, errno, "cannot read the file");
			rt_error_below(err, file->path, file->name);
			return RT_FATAL;
		}
		if (got == 0)
			break;
		rt_sha256_add(&base->file_hash, base->block, (size_t)got);
		at += got;
	}
	input->bytes += (uint64_t)at;
	rt_sha256_end(&base->file_hash, base->digest);
	return RT_OK;
}

/*
 * Add a file's line as sha256sum writes it: where a name has a line break or a backslash, these are
 * escaped, and a backslash before the line says so. So no two lists have the same lines.
 */
static void add_line(const struct rt_base_digest *base, const struct rt_file *file,
		     struct rt_sha256 *hash)
{
	static const char special[] = "\\\n\r", letters[] = "\\nr";
	const char *name = file->name ? file->name : file->path;
	char hex[RT_SHA256_HEX];

	if (name[strcspn(name, special)])
		rt_sha256_add(hash, "\\", 1);
	rt_sha256_hex(base->digest, hex);
	rt_sha256_add(hash, hex, sizeof(hex));
	rt_sha256_add(hash, "  ", 2);
	for (;;) {
		size_t plain = strcspn(name, special);

		rt_sha256_add(hash, name, plain);
		name += plain;
		if (!*name)
			break;
		rt_sha256_add(hash, "\\", 1);
		rt_sha256_add(hash, &letters[strchr(special, *name) - special], 1);
		name++;
	}
	rt_sha256_add(hash, "\n", 1);
}

/* The digest of a file belongs to its path, or to the list of its directory's. */
static void add_to_input(struct rt_base_digest *base, const struct rt_file *file)
{
	struct input *input = &base->inputs[file->input];

	if (!file->name) {
		memcpy(input->digest, base->digest, sizeof(input->digest));
		return;
	}
	if (!input->is_directory)
		rt_sha256_reset(&base->input_hash);
	input->is_directory = true;
	add_line(base, file, &base->input_hash);
}

/* The last file of a directory has been digested. */
static void end_input(struct rt_base_digest *base, size_t index)
{
	if (base->inputs[index].is_directory)
		rt_sha256_end(&base->input_hash, base->inputs[index].digest);
}

static enum rt_status digest_files(struct rt_base_digest *base, struct rt_files *files,
				   struct rt_error *err)
{
	const struct rt_file *file;
	enum rt_status status;
	bool is_list = base->options->path_count > 1;
	size_t input = 0;

	memset(base->inputs, 0, base->options->path_count * sizeof(*base->inputs));
	rt_sha256_reset(&base->list_hash);
	while ((status = rt_files_next(files, &file, err)) == RT_OK) {
		is_list = is_list || file->name != NULL;
		if (file->input != input)
			end_input(base, input);
		input = file->input;
		status = digest_file(base, file, err);
		if (status != RT_OK)
			return status;
		add_line(base, file, &base->list_hash);
		add_to_input(base, file);
	}
	end_input(base, input);
	base->stamp = rt_files_stamp(files);
	if (status == RT_END && is_list)
		rt_sha256_end(&base->list_hash, base->digest);
	return status == RT_END ? RT_OK : RT_FATAL;
}

enum rt_status rt_base_digest_new(const struct rt_options *options,
				  struct rt_base_digest **ret_digest, struct rt_error *err)
{
	size_t count = options->path_count;
	struct rt_base_digest *base = calloc(1, sizeof(*base) + count * sizeof(base->inputs[0]));

	if (!base)
		return rt_error_nomem(err);
	base->options = options;
	*ret_digest = base;
	return RT_OK;
}

enum rt_status rt_base_digest_peek(struct rt_base_digest *base, uint8_t digest[RT_SHA256_BYTES],
				   struct rt_error *err)
{
	struct rt_files *files = NULL;
	enum rt_status status = RT_OK;

	if (!base->done) {
		status = rt_files_open(base->options, &files, err);
		if (status == RT_OK)
			status = digest_files(base, files, err);
		rt_files_free(files);
	}
	base->done = status == RT_OK;
	memcpy(digest, base->digest, RT_SHA256_BYTES);
	return status;
}

enum rt_status rt_base_digest_get(struct rt_base_digest *base, uint64_t stamp,
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

uint64_t rt_base_digest_input(const struct rt_base_digest *base, size_t index,
			      uint8_t digest[RT_SHA256_BYTES])
{
	memcpy(digest, base->inputs[index].digest, RT_SHA256_BYTES);
	return base->inputs[index].bytes;
}

void rt_base_digest_free(struct rt_base_digest *base)
{
	free(base);
}
