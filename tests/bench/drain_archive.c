/*
 * Floor for compressed input: libarchive decompresses a file, and nothing looks at the bytes.
 *
 * Input: a compressed file, or a tar or zip with members. Output: the number of bytes that came
 * out. The filters are found by libarchive itself, and blocks are taken where libarchive holds
 * them, without a copy. Refuses what libarchive refuses or warns about.
 */
#include <stdio.h>

#include <archive.h>
#include <archive_entry.h>

static int drain(struct archive *archive, const char *path, unsigned long long *ret_bytes)
{
	struct archive_entry *entry;
	const void *block;
	la_int64_t offset;
	size_t size;
	int status;

	archive_read_support_filter_all(archive);
	archive_read_support_format_raw(archive);
	archive_read_support_format_tar(archive);
	archive_read_support_format_zip_seekable(archive);
	if (archive_read_open_filename(archive, path, 1 << 18) != ARCHIVE_OK)
		return ARCHIVE_FATAL;
	while ((status = archive_read_next_header(archive, &entry)) == ARCHIVE_OK) {
		while ((status = archive_read_data_block(archive, &block, &size, &offset)) ==
		       ARCHIVE_OK)
			*ret_bytes += size;
		if (status != ARCHIVE_EOF)
			break;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct archive *archive = archive_read_new();
	unsigned long long bytes = 0;
	int status;

	if (argc != 2 || !archive) {
		fputs("usage: drain_archive FILE\n", stderr);
		return 2;
	}
	status = drain(archive, argv[1], &bytes);
	if (status != ARCHIVE_EOF)
		fprintf(stderr, "drain_archive: %s: %s\n", argv[1], archive_error_string(archive));
	archive_read_free(archive);
	printf("%llu\n", bytes);
	return status == ARCHIVE_EOF ? 0 : 2;
}
