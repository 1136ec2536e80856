/*
 * Archives for tests, made at run time with libarchive's writer, and a way to decode bytes
 * without a process of their own.
 */
#ifndef RT_TESTS_ARCHIVE_MAKE_H
#define RT_TESTS_ARCHIVE_MAKE_H

#include "base/buf.h"
#include "decode/decode.h"

struct make_member {
	const char *name;
	const void *data; /* NULL: no data */
	size_t len;
	unsigned type;    /* AE_IFREG, AE_IFDIR, ...; 0 is AE_IFREG */
	const char *link; /* target of a hard link, or of a symbolic one where type is AE_IFLNK */
	unsigned mode;    /* 0 is 0644 */
	int64_t mtime;    /* 0 is 1700000000 */
	long mtime_ns;
	int64_t uid;
	const char *uname; /* NULL: none */
	int64_t atime;     /* last access, and status change; 0: none */
};

/* One format of an archive: "ustar", "pax", "gnutar", "v7tar", "zip", "7zip", "newc", "odc" ... */
void make_archive(struct rt_buf *out, const char *format, const struct make_member *members,
		  size_t count);

/* One compression: "gzip", "zstd", "xz", "bzip2", "lz4"; level "" is the default. */
void make_packed(struct rt_buf *out, const char *filter, const char *level, const void *data,
		 size_t len);

/* Two documents. */
#define MAKE_DOC_A "[{\"id\":\"a\",\"severity\":\"high\"}]\n"
#define MAKE_DOC_B "{\"id\":\"b\",\"severity\":\"low\",\"title\":\"xxxxxxxxxxxxxxxxxxxx\"}"

/* An archive of both, one of them packed, and of members that are not read. */
void make_standard(struct rt_buf *out, const char *format);

/* What decoding it must give, as in struct made_result. */
void make_standard_text(char *text, size_t cap);

/* What came out of a file: every part as "<name>\n" or "<>\n", its bytes, and "\n". */
struct made_result {
	enum rt_status status;
	struct rt_error err;
	struct rt_buf text;
	char unread[1024]; /* of each member that is not read its number of reason, its name, ';' */
	size_t parts;
	bool in_part; /* a part began and did not end */
};

/* The result is exactly this text. */
void make_expect_text(const struct made_result *result, const char *text, const char *what);

/* The result is an error of this code whose message has this text in it. */
void make_expect_error(const struct made_result *result, enum rt_code code, const char *message,
		       const char *what);

/* Decode bytes in this process, with a spool, from a file or from a pipe. Release text after. */
void make_decode(struct made_result *result, const void *data, size_t len, bool seekable,
		 const struct rt_limits *limits);

/* The same through rt_parts and its child process; path names a file. Members by name only. */
void make_read(struct made_result *result, const char *path, const struct rt_limits *limits);

/* Write bytes to a new file below a folder of the test's own; returns its path, to be freed. */
char *make_file(const char *suffix, const void *data, size_t len);

#endif
