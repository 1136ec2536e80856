/*
 * What a run does not read (SPEC D1): files of directories and members of archives that were not
 * left out by choice. All are counted and told, up to a bound listed; empty directories are not.
 */
#ifndef RT_FILES_UNREAD_H
#define RT_FILES_UNREAD_H

#include "base/faults.h"

/* Why something is not read. */
enum rt_unread_reason {
	RT_UNREAD_NAME, /* its name is no document's */
	RT_UNREAD_SYMLINK,
	RT_UNREAD_HARDLINK, /* in an archive: what it leads to is read by its own name */
	RT_UNREAD_SPECIAL,  /* a FIFO, device, socket or something unknown */
	RT_UNREAD_ARCHIVE,  /* its name is an archive's */
	RT_UNREAD_METADATA, /* its name is that of what macOS keeps beside a file */
	RT_UNREAD_REASONS,
	/* Nothing that is not read: a glob of the choice has matched a file or member. */
	RT_UNREAD_CHOSEN = RT_UNREAD_REASONS,
};

/* How a reason is said: in documents; of the first one; of one and of several. */
struct rt_unread_words {
	const char *word, *first, *one, *many;
};

extern const struct rt_unread_words rt_unread_words[RT_UNREAD_REASONS];

/* {0} is nothing. */
struct rt_unread {
	uint64_t count; /* all of them */
	uint64_t counts[RT_UNREAD_REASONS];
	/* The first ones, at most RT_UNREAD_LISTED_MAX: path of the file, or of the archive that it
	 * is in; name there, or none; as the line the reason. */
	struct rt_faults list;
	bool chosen; /* see RT_UNREAD_CHOSEN */
};

/* Why a regular file of that name is not read: by name, as an archive or as metadata. */
enum rt_unread_reason rt_unread_of_name(const char *name);

/*
 * Count one. path: as the user named it. below: the path of a file below the directory that this
 * is, or NULL. member: the name in the archive that the file is, or NULL.
 * Returns RT_OK or RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_unread_add(struct rt_unread *unread, const char *path, const char *below,
			     const char *member, enum rt_unread_reason reason,
			     struct rt_error *err);

/*
 * All has been read: tell options->notice what has not, or, where options are strict, refuse the
 * first; and note in options->choice.matched whether a glob has matched. of: what it is a part of,
 * for the notice, such as " of the requests"; "" for the export. Returns RT_OK; RT_REJECT with err
 * set, path included (RT_E_USAGE).
 */
enum rt_status rt_unread_tell(const struct rt_unread *unread, const struct rt_options *options,
			      const char *of, struct rt_error *err);

void rt_unread_release(struct rt_unread *unread);

#endif
