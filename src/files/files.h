/*
 * The files of a data set, one after another: paths as given, directories walked, standard input.
 * Nothing here looks at content.
 */
#ifndef RT_FILES_FILES_H
#define RT_FILES_FILES_H

#include "base/error.h"
#include "files/name.h"
#include "files/unread.h"

struct rt_files;

/* One file, open for reading. */
struct rt_file {
	int fd; /* owned by struct rt_files; closed by the next call */
	const char
	    *path; /* as the user named it: the file, or the directory it was found in; "-" */
	const char *name; /* path below the named directory, '/' between parts; NULL otherwise */
	size_t input;     /* index of the path in the options that it belongs to */
	uint64_t size;    /* bytes, where seekable is set; else 0 */
	bool seekable;    /* a regular file, read from its start */
	uint64_t state;   /* for rt_file_is_unchanged() */
};

/* Whether a regular file still is, by its size and times, what it was when it was opened. */
bool rt_file_is_unchanged(const struct rt_file *file);

/*
 * Whether options name something to read: at least one path, or with `one`, for what writes, serves
 * or proves an export, exactly one. Without a path a data set would look like one without findings.
 * Then, whether the jail that they may require can be had.
 * Returns RT_OK, or RT_FATAL with err set (RT_E_USAGE; RT_E_IO for the jail).
 */
enum rt_status rt_files_check(const struct rt_options *options, bool one, struct rt_error *err);

/*
 * Start over options->paths (borrowed until rt_files_free()).
 * ret_files: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL (RT_E_NOMEM; RT_E_USAGE where
 * there is no path).
 */
enum rt_status rt_files_open(const struct rt_options *options, struct rt_files **ret_files,
			     struct rt_error *err);

/*
 * Open the next file. A directory gives its candidates (rt_name_judge()) in byte order of
 * their path below it, without following symbolic links inside it; a directory without any is an
 * error (SPEC D1), as is one with more entries than limits.archive_members. A path given by the
 * user is opened whatever its name; devices and sockets are refused, FIFOs are read. "-" may
 * stand once.
 *
 * ret_file: borrowed until the next call. Returns RT_OK; RT_END; RT_REJECT when a directory cannot
 * be used (no candidate, too many entries) and the next call goes on after it; RT_FATAL when
 * the system failed or the usage was wrong. err has its path filled in.
 */
enum rt_status rt_files_next(struct rt_files *files, const struct rt_file **ret_file,
			     struct rt_error *err);

/* What was not read of the directories so far; those who read the files add what they pass over. */
struct rt_unread *rt_files_unread(struct rt_files *files);

/* Bytes of all files found so far that have a size; the total for progress. */
uint64_t rt_files_total(const struct rt_files *files);

/*
 * A number that says which files were opened so far, in order, and in which state: it hangs on
 * each one's device, inode, size, times of change. A later pass over the same options that comes
 * to another number has met other bytes, or may have. Pipes count as always the same.
 */
uint64_t rt_files_stamp(const struct rt_files *files);

/*
 * The stamp that a pass over all files of options would come to now, without one. No FIFOs.
 * Returns RT_OK; else as rt_files_next().
 */
enum rt_status rt_files_look(const struct rt_options *options, uint64_t *ret_stamp,
			     struct rt_error *err);

/*
 * Two passes over the files of options have come to different stamps. Sets err, its path the first
 * one's. Returns RT_FATAL (RT_E_IO).
 */
enum rt_status rt_files_refuse_changed(const struct rt_options *options, struct rt_error *err);

/*
 * Refuse options of which a file is among those of others as well, whatever its paths there: by
 * links, in a directory that is named or below one. FIFOs are not looked at, and a directory that
 * cannot be used is left to its reader. message: what is wrong with that. Returns RT_OK, or
 * RT_FATAL with err set, path included: RT_E_USAGE, or as rt_files_next().
 */
enum rt_status rt_files_refuse_shared(const struct rt_options *options,
				      const struct rt_options *others, const char *message,
				      struct rt_error *err);

void rt_files_free(struct rt_files *files);

/* --- Inputs that are read more than once ----------------------------------------------------- */

struct rt_hold {
	struct rt_options options; /* as given, but with an input_fd that can be read again */
	int fd;                    /* the temporary file, or -1 */
};

/*
 * Make a data set readable more than once. options: borrowed until rt_hold_release().
 * hold: released by rt_hold_release() whatever is returned.
 * Returns RT_OK, or RT_FATAL with err set, path included: RT_E_USAGE for a path that is a FIFO,
 * RT_E_IO, RT_E_LIMIT beyond the limit "expanded".
 */
enum rt_status rt_hold_init(struct rt_hold *hold, const struct rt_options *options,
			    struct rt_error *err);

void rt_hold_release(struct rt_hold *hold);

#endif
