/*
 * The encoders: what they keep of the old compression, and that what they write decodes, whatever
 * its size and however it comes in.
 */
#include <errno.h>

#include "repack_make.h"
#include "rewrite/repack_state.h"
#include "unit.h"

static struct rt_buf input;
static struct rt_patches patches;
static struct repacked result;

static void setup(void)
{
	memset(&input, 0, sizeof(input));
	memset(&patches, 0, sizeof(patches));
	memset(&result, 0, sizeof(result));
}

static void teardown(void)
{
	rt_buf_release(&input);
	rt_patches_release(&patches);
	rt_buf_release(&result.bytes);
}

static void put(struct rt_buf *out, const void *data, size_t len)
{
	ck_assert_int_eq(rt_buf_append(out, data, len, &(struct rt_error){0}), RT_OK);
}

/* --- gzip -------------------------------------------------------------------------------- */

/* A gzip with this header after its fixed start of 10 bytes, and "[1]" in it. */
static void put_gzip(struct rt_buf *out, const char start[static 10], const char *more, size_t len)
{
	static const uint8_t body[] = {1, 3, 0, 0xfc, 0xff, '[', '1', ']'};

	put(out, start, 10);
	put(out, more, len);
	put(out, body, sizeof(body));
	{
		uint32_t crc = (uint32_t)crc32(0, (const Bytef *)"[1]", 3);
		const uint8_t end[] = {(uint8_t)crc,
				       (uint8_t)(crc >> 8),
				       (uint8_t)(crc >> 16),
				       (uint8_t)(crc >> 24),
				       3,
				       0,
				       0,
				       0};

		put(out, end, sizeof(end));
	}
}

static const struct {
	const char *what;
	const char *start; /* 10 bytes */
	const char *more;
	size_t more_len;
	const char *want; /* how the new file begins */
	size_t want_len;
} gzips[] = {
    {"nothing", "\x1f\x8b\x08\0\0\0\0\0\0\xff", "", 0, "\x1f\x8b\x08\0\0\0\0\0\0\xff", 10},
    {"time and system", "\x1f\x8b\x08\0\x78\x56\x34\x12\2\3", "", 0,
     "\x1f\x8b\x08\0\x78\x56\x34\x12\0\3", 10},
    {"name", "\x1f\x8b\x08\x08\1\0\0\0\0\3", "x.json", 7, "\x1f\x8b\x08\x08\1\0\0\0\0\3x.json", 17},
    {"name and comment", "\x1f\x8b\x08\x18\1\0\0\0\0\3", "x\0said", 7,
     "\x1f\x8b\x08\x18\1\0\0\0\0\3x\0said", 17},
    {"extra field, which is not kept", "\x1f\x8b\x08\x0c\1\0\0\0\0\3", "\6\0BC\2\0\1\1y", 10,
     "\x1f\x8b\x08\x08\1\0\0\0\0\3y", 12},
};

START_TEST(test_gzip_header)
{
	struct made_result read;

	put_gzip(&input, gzips[_i].start, gzips[_i].more, gzips[_i].more_len);
	/* A second member's header counts for nothing. */
	put_gzip(&input, "\x1f\x8b\x08\x08\7\7\7\7\0\3", "z", 2);
	repack_patch(&patches, 0, 1, 1, "2");
	repack_run(&result, rt_buf_slice(&input), &patches, 0, NULL);
	repack_ok(&result, gzips[_i].what);
	ck_assert_uint_gt(result.bytes.len, gzips[_i].want_len);
	repack_same_bytes(rt_slice_make(result.bytes.data, gzips[_i].want_len),
			  rt_slice_make(gzips[_i].want, gzips[_i].want_len), gzips[_i].what);
	repack_parts(&read, rt_buf_slice(&result.bytes));
	make_expect_text(&read, "<>\n[2][1]\n", gzips[_i].what);
	rt_buf_release(&read.text);
}
END_TEST

/* A name that is longer than what is looked at is left out, and the file is good. */
START_TEST(test_gzip_long_name)
{
	static char name[2000];
	struct made_result read;

	memset(name, 'n', sizeof(name) - 1);
	put_gzip(&input, "\x1f\x8b\x08\x08\1\0\0\0\0\3", name, sizeof(name));
	repack_run(&result, rt_buf_slice(&input), &patches, 0, NULL);
	repack_ok(&result, "long name");
	ck_assert_int_eq(result.bytes.data[3], 0);
	repack_parts(&read, rt_buf_slice(&result.bytes));
	make_expect_text(&read, "<>\n[1]\n", "long name");
	rt_buf_release(&read.text);
}
END_TEST

/* --- zstd -------------------------------------------------------------------------------- */

/* zstd -c of "[1]\n", its checksum at the end. */
static const uint8_t with_sum[] = {0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x21, 0x00, 0x00,
				   '[',  '1',  ']',  '\n', 0xf4, 0x7f, 0xc4, 0x6e};

/* The checksum is kept where there was one, and is right: the reader checks it. */
START_TEST(test_zstd_checksum)
{
	static char big[200000];
	struct made_result read;

	put(&input, with_sum, sizeof(with_sum));
	if (_i & 1) {
		input.data[4] = 0;
		input.len -= 4;
	}
	memset(big, ' ', sizeof(big) - 1);
	if (_i & 2)
		repack_patch(&patches, 0, 1, 0, big);
	repack_run(&result, rt_buf_slice(&input), &patches, 0, NULL);
	repack_ok(&result, "zstd");
	ck_assert_int_eq((result.bytes.data[4] & 4) != 0, !(_i & 1));
	repack_parts(&read, rt_buf_slice(&result.bytes));
	ck_assert_msg(read.status == RT_OK, "%s", read.err.message);
	rt_buf_release(&read.text);
	/* A wrong checksum is seen. */
	result.bytes.data[result.bytes.len - 1] ^= 1;
	repack_parts(&read, rt_buf_slice(&result.bytes));
	ck_assert(_i & 1 || read.status == RT_REJECT);
	rt_buf_release(&read.text);
}
END_TEST

/* --- All --------------------------------------------------------------------------------- */

static enum rt_status buf_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	return rt_buf_append(ctx, data, len, err);
}

/* Encode text in pieces of `step` bytes. */
static void encode(enum rt_magic magic, const char *text, size_t len, size_t step,
		   struct rt_buf *out)
{
	const struct rt_sink to = {buf_write, out};
	struct rt_encoder *encoder = NULL;
	struct rt_sink sink;
	struct rt_error err;

	ck_assert_int_eq(rt_encoder_open(magic, with_sum, sizeof(with_sum), &to, &encoder, &err),
			 RT_OK);
	sink = rt_encoder_sink(encoder);
	for (size_t at = 0; at < len; at += step) {
		size_t now = len - at < step ? len - at : step;

		ck_assert_int_eq(sink.write(sink.ctx, text + at, now, &err), RT_OK);
	}
	ck_assert_int_eq(rt_encoder_finish(encoder, &err), RT_OK);
	rt_encoder_free(encoder);
}

START_TEST(test_sizes)
{
	static const size_t sizes[] = {0, 1, 5, 65535, 65536, 65537, 300001};
	static const enum rt_magic magics[] = {RT_MAGIC_GZIP, RT_MAGIC_ZSTD, RT_MAGIC_XZ,
					       RT_MAGIC_BZIP2, RT_MAGIC_LZ4};
	enum rt_magic magic = magics[_i];
	static char text[300001];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)('a' + i * i % 23);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct rt_buf one = {0}, other = {0}, back = {0};

		encode(magic, text, sizes[i], 300001, &one);
		encode(magic, text, sizes[i], sizes[i] < 10 ? 1 : 777, &other);
		/* However it comes in, the same goes out. */
		repack_same_bytes(rt_buf_slice(&other), rt_buf_slice(&one), rt_magic_name(magic));
		ck_assert_int_eq(rt_magic_find((uint8_t *)one.data, one.len), magic);
		if (sizes[i]) {
			repack_unpack(&back, rt_buf_slice(&one), rt_magic_name(magic));
			repack_same_bytes(rt_buf_slice(&back), rt_slice_make(text, sizes[i]),
					  rt_magic_name(magic));
		}
		rt_buf_release(&one);
		rt_buf_release(&other);
		rt_buf_release(&back);
	}
}
END_TEST

/* A sink that fails, at once or later: its error comes back, at the latest at the end. */
struct failing {
	size_t left;
};

static enum rt_status failing_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct failing *failing = ctx;

	(void)data;
	if (len > failing->left)
		return rt_error_sys(err, ENOSPC, "the sink");
	failing->left -= len;
	return RT_OK;
}

START_TEST(test_failing_sink)
{
	static const enum rt_magic magics[] = {RT_MAGIC_GZIP, RT_MAGIC_ZSTD, RT_MAGIC_XZ,
					       RT_MAGIC_BZIP2, RT_MAGIC_LZ4};
	static const size_t lefts[] = {0, 3, 100};
	struct failing failing = {lefts[(size_t)_i / COUNT(magics)]};
	const struct rt_sink to = {failing_write, &failing};
	static char text[500000];
	struct rt_encoder *encoder = NULL;
	enum rt_status status;
	struct rt_error err;
	struct rt_sink sink;

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * i >> 7);
	status = rt_encoder_open(magics[(size_t)_i % COUNT(magics)], with_sum, sizeof(with_sum),
				 &to, &encoder, &err);
	if (status == RT_OK) {
		sink = rt_encoder_sink(encoder);
		status = sink.write(sink.ctx, text, sizeof(text), &err);
	}
	if (status == RT_OK)
		status = rt_encoder_finish(encoder, &err);
	ck_assert_int_eq(status, RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_int_eq(err.sys, ENOSPC);
	rt_encoder_free(encoder);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("repack_encode");
	TCase *tcase = tcase_create("repack_encode");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_gzip_header, 0, (int)COUNT(gzips));
	tcase_add_test(tcase, test_gzip_long_name);
	tcase_add_loop_test(tcase, test_zstd_checksum, 0, 4);
	tcase_add_loop_test(tcase, test_sizes, 0, 5);
	tcase_add_loop_test(tcase, test_failing_sink, 0, 15);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
