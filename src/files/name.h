/*
 * What the names of files and members say (SPEC D1): documents, archives, our own temporaries.
 */
#ifndef RT_FILES_NAME_H
#define RT_FILES_NAME_H

#include "base/error.h"
#include "retriage.h"

/* What a name inside an archive or a directory is. */
enum rt_name {
	RT_NAME_CANDIDATE, /* read, if it is that of a regular file (SPEC D1) */
	RT_NAME_OTHER,     /* not read */
	RT_NAME_LEFT_OUT,  /* not read because the choice says so */
};

/*
 * Judge a name: NUL-terminated. below: what is before it and a '/'; NULL: nothing. A "./" at
 * its start counts for nothing.
 * choice: NULL, or without globs: a candidate ends in .json, .ndjson, .jsonl, .yaml, .yml or
 * .sarif, in any case, with one of .gz .zst .xz .bz2 .lz4 after it or not, and is no metadata.
 */
enum rt_name rt_name_judge(const struct rt_choice *choice, const char *below, const char *name);

/* What is after the last '/' of a path, or all of it. Borrowed from path. */
const char *rt_name_base(const char *path);

/* Whether a name is that of what macOS keeps beside a file: ._report.json. */
bool rt_name_is_metadata(const char *name);

/* Whether a name is that of a tar, zip, 7z or cpio, compressed or not. */
bool rt_name_is_archive(const char *name);

/*
 * Refuse a folder or archive without any candidate. what: "a directory"; part: "file".
 * Returns RT_REJECT with err set (RT_E_INPUT).
 */
enum rt_status rt_name_refuse_none(const struct rt_choice *choice, const char *what,
				   const char *part, struct rt_error *err);

/* Whether it ends in one of the last two, likewise. */
bool rt_name_is_yaml(const char *name, size_t len);

/* Likewise in .sarif. */
bool rt_name_is_sarif(const char *name, size_t len);

/* --- Whether a target is an input ------------------------------------------------------------ */

enum rt_clash {
	RT_CLASH_NONE,
	RT_CLASH_FILE, /* the target is the input */
	RT_CLASH_PART, /* the input is a directory, and the target is read with it */
};

/*
 * Hold a target against an input; of both, links are followed, and either may be absent yet.
 * options: "-" as the input is its input_fd. choice: what is read of a directory; NULL: what its
 * names say.
 */
enum rt_clash rt_clash_with_input(const struct rt_options *options, const struct rt_choice *choice,
				  const char *target, const char *input);

/* Whether two paths lead to one file, or would. */
bool rt_clash_with_file(const char *target, const char *other);

/* Whether what a path names is, or would be, somewhere below a directory. */
bool rt_path_is_inside(const char *path, const char *directory);

/* Whether a target is a journal or its lock, which is beside the file that a link leads to. */
bool rt_clash_with_journal(const char *target, const char *journal);

#endif
