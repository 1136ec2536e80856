/*
 * The data of zip members, right ones and such as their directory has otherwise, read in pieces of
 * every size, one after the other by one reader.
 */
#include "decode/zip_data.h"

#include <inttypes.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "unit.h"

/* Bytes of the document, and of what may be in the file. */
#define SIZE ((size_t)200000)
#define ROOM (3 * SIZE)
/* Bytes before the data. */
#define START 30u

static struct rt_error err;
static struct rt_progress progress;

/* A document that deflates to many blocks, well but not to nothing. */
static void document_make(uint8_t *document)
{
	uint32_t random = 1;

	for (size_t i = 0; i < SIZE; i++) {
		random = random * 1664525 + 1013904223;
		document[i] = (uint8_t)("{}[]\",:0123456789abcdef"[(random >> 24) % 23]);
	}
}

/* Returns the bytes that are written to out: it deflated. */
static size_t deflate_all(uint8_t *document, size_t size, uint8_t *out)
{
	struct isal_zstream *stream = calloc(1, sizeof(*stream));
	size_t len;

	ck_assert_ptr_nonnull(stream);
	isal_deflate_init(stream);
	stream->next_in = document;
	stream->avail_in = (uint32_t)size;
	stream->end_of_stream = 1;
	stream->next_out = out;
	stream->avail_out = (uint32_t)ROOM;
	ck_assert_int_eq(isal_deflate(stream), COMP_OK);
	ck_assert_int_eq(stream->internal_state.state, ZSTATE_END);
	len = stream->total_out;
	free(stream);
	return len;
}

/* A zip's file with one member's data, then other bytes. */
struct file {
	uint8_t document[SIZE];
	uint8_t bytes[ROOM];
	struct rt_zip_member member;
	size_t len;
	int fd;
};

static struct file *file_make(uint16_t method, size_t size)
{
	struct file *file = calloc(1, sizeof(*file));

	ck_assert_ptr_nonnull(file);
	document_make(file->document);
	file->member = (struct rt_zip_member){.at = START,
					      .packed = size,
					      .size = size,
					      .crc = crc32_gzip_refl(0, file->document, size),
					      .method = method};
	memset(file->bytes, 0x55, sizeof(file->bytes));
	if (method == 8)
		file->member.packed = deflate_all(file->document, size, file->bytes + START);
	else
		memcpy(file->bytes + START, file->document, size);
	file->len = START + file->member.packed + 100;
	return file;
}

/* Put it on a disk, as it is now. */
static void file_put(struct file *file)
{
	file->fd = memfd_create("zip", MFD_CLOEXEC);
	ck_assert(file->fd >= 0 && write(file->fd, file->bytes, file->len) == (ssize_t)file->len);
}

static void file_free(struct file *file)
{
	close(file->fd);
	free(file);
}

/* Read a member in pieces; what comes is the document's start. *ret_len: how much came. */
static enum rt_status read_all(struct rt_zip_data *data, const struct file *file, size_t piece,
			       size_t *ret_len)
{
	struct rt_stream *stream = rt_zip_data_begin(data, &file->member);
	uint8_t *buf = malloc(piece);
	enum rt_status status = RT_OK;
	size_t total = 0, len;

	ck_assert(stream && buf);
	err = (struct rt_error){.line = 0};
	while ((status = rt_stream_read(stream, buf, piece, &len, &err)) == RT_OK) {
		ck_assert(len > 0 && len <= piece && len <= SIZE - total);
		ck_assert_mem_eq(buf, file->document + total, len);
		total += len;
	}
	rt_stream_free(stream);
	free(buf);
	*ret_len = total;
	return status;
}

static const uint16_t methods[] = {0, 8};
static const size_t pieces[] = {1, 7, 512, 65536, 1 << 20};

START_TEST(reads)
{
	struct rt_meter meter = {&progress, 0, UINT64_MAX, UINT64_MAX};
	struct file *file = file_make(methods[_i % 2], _i / 2 ? SIZE : 0);
	struct rt_zip_data *data;
	uint64_t before;
	size_t len;

	file_put(file);
	data = rt_zip_data_new(file->fd, &meter, &err);
	ck_assert_ptr_nonnull(data);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		before = atomic_load(&progress.consumed);
		ck_assert_int_eq(read_all(data, file, pieces[i], &len), RT_END);
		ck_assert_uint_eq(len, file->member.size);
		ck_assert_uint_eq(meter.expanded, (i + 1) * file->member.size);
		ck_assert_uint_eq(atomic_load(&progress.consumed) - before, file->member.packed);
	}
	rt_zip_data_free(data);
	file_free(file);
}
END_TEST

/* What is wrong. */
enum change {
	SIZE_LESS,
	SIZE_MORE,
	CRC,
	PACKED_LESS,
	PACKED_MORE,
	PACKED_NONE,
	BLOCK,
	CUT,
};

static void file_spoil(struct file *file, enum change change)
{
	switch (change) {
	case SIZE_LESS:
		file->member.size--;
		break;
	case SIZE_MORE:
		file->member.size++;
		break;
	case CRC:
		file->member.crc ^= 1;
		break;
	case PACKED_LESS:
		file->member.packed--;
		break;
	case PACKED_MORE:
		file->member.packed++;
		break;
	case PACKED_NONE:
		file->member.packed = 0;
		break;
	case BLOCK:
		file->bytes[START] |= 6;
		break;
	case CUT:
		file->len = START + 1000;
		break;
	}
}

static const struct {
	uint16_t method;
	enum change change;
	const char *message;
} bad[] = {
    {8, SIZE_LESS, "want a member of 199999 bytes, have more"},
    {8, SIZE_MORE, "want a member of 200001 bytes, have 200000"},
    {8, CRC, "want a member with CRC "},
    {8, PACKED_LESS, "want deflated data to their end, have a cut after "},
    {8, PACKED_MORE, "want deflated data of "},
    {8, PACKED_NONE, "want deflated data to their end, have a cut after 0 bytes"},
    {8, BLOCK, "want deflated data, have a damaged block (code "},
    {8, CUT, "want a zip archive with all its bytes, have an end at offset 1030"},
    {0, SIZE_LESS, "want a member of 199999 bytes, have more"},
    {0, CRC, "want a member with CRC "},
    {0, PACKED_LESS, "want a member of 200000 bytes, have 199999"},
    {0, CUT, "want a zip archive with all its bytes, have an end at offset 1030"},
};

/* A fault is told once, and leaves the reader good for the next member. */
START_TEST(refuses)
{
	struct rt_meter meter = {&progress, 0, UINT64_MAX, UINT64_MAX};
	struct file *file = file_make(bad[_i].method, SIZE);
	struct rt_zip_data *data;
	size_t len;

	file_spoil(file, bad[_i].change);
	file_put(file);
	data = rt_zip_data_new(file->fd, &meter, &err);
	ck_assert_ptr_nonnull(data);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		ck_assert_int_eq(read_all(data, file, pieces[i], &len), RT_REJECT);
		ck_assert_int_eq(err.code, RT_E_INPUT);
		ck_assert_msg(strncmp(err.message, bad[_i].message, strlen(bad[_i].message)) == 0,
			      "%s", err.message);
	}
	rt_zip_data_free(data);
	file_free(file);
}
END_TEST

/* No more comes out than may. */
START_TEST(is_counted)
{
	struct rt_meter meter = {&progress, 0, 1000, 1000};
	struct file *file = file_make(methods[_i], SIZE);
	struct rt_zip_data *data;
	size_t len;

	file_put(file);
	data = rt_zip_data_new(file->fd, &meter, &err);
	ck_assert_ptr_nonnull(data);
	ck_assert_int_eq(read_all(data, file, 100, &len), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_LIMIT);
	ck_assert_uint_eq(len, 1000);
	rt_zip_data_free(data);
	file_free(file);
}
END_TEST

START_TEST(leaves_other_methods)
{
	static const uint16_t others[] = {1, 9, 12, 14, 93, 0xFFFF};
	struct rt_meter meter = {&progress, 0, 1, 1};
	struct rt_zip_data *data = rt_zip_data_new(-1, &meter, &err);
	const struct rt_zip_member member = {.method = others[_i]};

	ck_assert_ptr_nonnull(data);
	ck_assert_ptr_null(rt_zip_data_begin(data, &member));
	rt_zip_data_free(data);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("zip_data");
	TCase *cases = tcase_create("all");

	tcase_add_loop_test(cases, reads, 0, 4);
	tcase_add_loop_test(cases, refuses, 0, sizeof(bad) / sizeof(bad[0]));
	tcase_add_loop_test(cases, is_counted, 0, 2);
	tcase_add_loop_test(cases, leaves_other_methods, 0, 6);
	suite_add_tcase(suite, cases);
	return suite;
}

RT_UNIT_MAIN(suite_make)
