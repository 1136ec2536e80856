/*
 * Adds to a journal (SPEC 3). Input: line 1 and entries. Output: whole lines at the file's end, on
 * disk when the commit returns; a torn tail in a file of its own, or the line end that was missing.
 * Refuses to write into a file that is not as it was read, and to go on after a failure: what was
 * not flushed may be lost, and a second flush would not tell. Committing takes no memory.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "journal/journal_state.h"

#define COPY_BYTES ((size_t)16 * 1024)

/* Names that are tried for a torn tail: more crashes in one place want a person's attention. */
#define TORN_TRIES 1000u

/* --- Adding ------------------------------------------------------------------------------------
 */

/* Hold the line back that was made. Without memory for it nothing has happened. */
static enum rt_status line_hold(struct rt_journal *j, struct rt_error *err)
{
	struct rt_sink sink = rt_spool_sink(&j->pending);
	enum rt_status status;

	if (j->line.len > j->window.line_max)
		return rt_error_set(err, RT_E_LIMIT, "want at most %zu bytes in a line, have %zu",
				    j->window.line_max, j->line.len);
	status = rt_spool_reserve(&j->pending, j->line.len, err);
	if (status == RT_OK)
		status = sink.write(sink.ctx, j->line.data, j->line.len, err);
	if (status == RT_OK)
		j->pending_bytes += j->line.len;
	return status;
}

enum rt_status rt_journal_begin(struct rt_journal *j, const struct rt_journal_base *base,
				struct rt_error *err)
{
	struct rt_journal_base written = *base;
	enum rt_status status;

	if (j->state == RT_JOURNAL_DEAD)
		return rt_journal_refuse(j, err);
	assert(j->mode == RT_JOURNAL_APPEND && !j->has_base);
	j->line.len = 0;
	status = rt_journal_form_write_header(&j->form, base, &j->line, j->next_head.hash, err);
	written.name = rt_buf_slice(&j->form.text);
	if (status == RT_OK)
		status = rt_journal_keep_base(j, &written, err);
	j->begins = true;
	if (status == RT_OK)
		status = line_hold(j, err);
	if (status == RT_OK)
		return RT_OK;
	j->state = RT_JOURNAL_DEAD;
	rt_error_at(err, j->path, NULL);
	return status;
}

enum rt_status rt_journal_add(struct rt_journal *j, const struct rt_journal_entry *entry,
			      struct rt_error *err)
{
	struct rt_journal_head before = j->next_head;
	enum rt_status status;

	if (j->state == RT_JOURNAL_DEAD)
		return rt_journal_refuse(j, err);
	assert(j->mode == RT_JOURNAL_APPEND && j->state == RT_JOURNAL_ENDED && j->has_base);
	j->line.len = 0;
	status = rt_journal_form_write_entry(&j->form, entry, &j->line, &j->next_head, err);
	if (status == RT_OK)
		status = line_hold(j, err);
	if (status == RT_OK)
		return RT_OK;
	/* Without memory nothing was added, and others may be; else give up: a batch with a hole in
	 * it is none. */
	if (err->code == RT_E_NOMEM)
		j->next_head = before;
	else
		j->state = RT_JOURNAL_DEAD;
	rt_error_at(err, j->path, NULL);
	return status;
}

/* --- Committing --------------------------------------------------------------------------------
 */

/* Where bytes go in a file. */
struct place {
	int fd;
	uint64_t at;
	const char *what; /* for messages */
};

static enum rt_status place_write(void *ctx, const void *data, size_t len, struct rt_error *err)
{
	struct place *place = ctx;
	const char *bytes = data;

	while (len) {
		ssize_t done = pwrite(place->fd, bytes, len, (off_t)place->at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return rt_error_sys(err, errno, "cannot write %s", place->what);
		bytes += done;
		len -= (size_t)done;
		place->at += (uint64_t)done;
	}
	return RT_OK;
}

static int cut(int fd, uint64_t size)
{
	int status;

	do {
		status = ftruncate(fd, (off_t)size);
	} while (status != 0 && errno == EINTR);
	return status;
}

/* Make the names in the journal's folder last. */
static enum rt_status flush_folder(const struct rt_journal *j, struct rt_error *err)
{
	const char *slash = strrchr(j->real, '/');
	/* "/j" is in "/", and "j" in ".". */
	size_t len = slash ? (size_t)(slash - j->real) + (slash == j->real) : 0;
	enum rt_status status = RT_OK;
	char path[PATH_MAX];
	int fd;

	(void)snprintf(path, sizeof(path), "%.*s", slash ? (int)len : 1, slash ? j->real : ".");
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* EINVAL: this file system has nothing to flush there. */
	if (fd < 0 || (fsync(fd) != 0 && errno != EINVAL))
		status = rt_error_sys(err, errno, "cannot flush the journal's folder");
	if (fd >= 0)
		(void)close(fd);
	return status;
}

/* The name for a torn tail, the nth for its place. Returns whether it is short enough. */
static bool torn_name(const struct rt_journal *j, unsigned n, char name[PATH_MAX])
{
	uint64_t seq = j->begins ? 0 : j->head.seq + 1;
	int len;

	if (n == 1)
		len = snprintf(name, PATH_MAX, "%s.torn-%" PRIu64, j->real, seq);
	else
		len = snprintf(name, PATH_MAX, "%s.torn-%" PRIu64 "-%u", j->real, seq, n);
	return len > 0 && len < PATH_MAX;
}

/* Make a file for the torn tail, as private as the journal. name: receives its name. */
static enum rt_status torn_open(const struct rt_journal *j, mode_t mode, char name[PATH_MAX],
				int *ret_fd, struct rt_error *err)
{
	int sys = EEXIST;

	for (unsigned n = 1; n <= TORN_TRIES && sys == EEXIST; n++) {
		if (!torn_name(j, n, name)) {
			sys = ENAMETOOLONG;
			break;
		}
		*ret_fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (*ret_fd >= 0) {
			(void)fchmod(*ret_fd, mode & 0666);
			return RT_OK;
		}
		sys = errno;
	}
	return rt_error_sys(err, sys, "cannot make a file for the torn tail");
}

/* Copy the torn tail to another file, and flush that. */
static enum rt_status torn_copy(const struct rt_journal *j, int fd, struct rt_error *err)
{
	struct place place = {fd, 0, "the torn tail's file"};
	enum rt_status status = RT_OK;
	char block[COPY_BYTES];

	while (status == RT_OK && place.at < j->torn) {
		uint64_t left = j->torn - place.at;
		ssize_t got =
		    rt_read_at(j->fd, block, left < sizeof(block) ? (size_t)left : sizeof(block),
			       (off_t)(j->end + place.at));

		if (got <= 0)
			status = rt_error_sys(err, got < 0 ? errno : EIO,
					      "cannot read the journal's torn tail");
		else
			status = place_write(&place, block, (size_t)got, err);
	}
	if (status == RT_OK && fsync(fd) != 0)
		status = rt_error_sys(err, errno, "cannot flush the torn tail's file");
	return status;
}

/* Say what the tail was, as far as the file can show, and where it is. */
static void tell_torn(const struct rt_journal *j, const char *name)
{
	char what[48] = "its first line";

	if (!j->begins)
		(void)snprintf(what, sizeof(what), "entry %" PRIu64, j->head.seq + 1);
	rt_journal_notice(j,
			  "%s: the last %" PRIu64 " byte%s %s the beginning of %s: an incomplete "
			  "append, or a cut; moved to %s",
			  j->path, j->torn, RT_S(j->torn), j->torn == 1 ? "was" : "were", what,
			  name);
}

/* Keep the tail, then cut it off: in that order, so that nothing is ever lost. */
static enum rt_status torn_aside(struct rt_journal *j, mode_t mode, struct rt_error *err)
{
	char name[PATH_MAX];
	int fd = -1;
	enum rt_status status = torn_open(j, mode, name, &fd, err);

	if (status != RT_OK)
		return status;
	status = torn_copy(j, fd, err);
	if (close(fd) != 0 && status == RT_OK)
		status = rt_error_sys(err, errno, "cannot write the torn tail's file");
	if (status != RT_OK)
		(void)unlink(name);
	if (status == RT_OK)
		status = flush_folder(j, err);
	/* The cut is flushed before anything is written in the tail's place: a crash must not leave
	 * a part of either, which would look like damage. */
	if (status == RT_OK && (cut(j->fd, j->end) != 0 || fdatasync(j->fd) != 0))
		status = rt_error_sys(err, errno, "cannot cut off the journal's torn tail");
	if (status == RT_OK) {
		tell_torn(j, name);
		j->torn = 0;
	}
	return status;
}

/* The file is still the one that was read, and ends where it did. */
static enum rt_status check_same(const struct rt_journal *j, mode_t *ret_mode, struct rt_error *err)
{
	struct stat ours, named;
	uint64_t want = j->end + j->torn;

	if (fstat(j->fd, &ours) != 0 || stat(j->real, &named) != 0)
		return rt_error_sys(err, errno, "cannot look at the journal");
	if (!rt_same_file(&ours, &named))
		return rt_error_set(
		    err, RT_E_IO, "want the journal that was read, have another file in its place");
	if ((uint64_t)ours.st_size != want)
		return rt_error_set(err, RT_E_IO,
				    "want the journal to have %" PRIu64
				    " bytes as when it was read, have %" PRIu64
				    ": it was written to without its lock",
				    want, (uint64_t)ours.st_size);
	*ret_mode = ours.st_mode;
	return RT_OK;
}

static enum rt_status make_file(struct rt_journal *j, struct rt_error *err)
{
	j->fd = open(j->real, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	return j->fd >= 0 ? RT_OK : rt_error_sys(err, errno, "cannot make the journal");
}

/* Flush what was written after the end, status says whether; on failure it is cut off again. */
static enum rt_status flush_or_cut(struct rt_journal *j, enum rt_status status,
				   struct rt_error *err)
{
	if (status == RT_OK && fdatasync(j->fd) != 0)
		status = rt_error_sys(err, errno, "cannot flush the journal");
	if (status != RT_OK && cut(j->fd, j->end) != 0)
		rt_journal_notice(j, "%s: what could not be written whole cannot be cut off either",
				  j->path);
	return status;
}

/* Give the last line, which is whole, the line end that it lacks. */
static enum rt_status end_line(struct rt_journal *j, struct rt_error *err)
{
	struct place place = {j->fd, j->end, "the journal"};
	enum rt_status status = flush_or_cut(j, place_write(&place, "\n", 1, err), err);

	if (status != RT_OK)
		return status;
	j->end = place.at;
	j->unended = false;
	rt_journal_notice(j, "%s: the last line was whole, but had no line end; it has one now",
			  j->path);
	return RT_OK;
}

/* Write the lines after the end, and flush them. */
static enum rt_status write_lines(struct rt_journal *j, struct rt_error *err)
{
	struct place place = {j->fd, j->end, "the journal"};
	struct rt_sink sink = {place_write, &place};
	/* The name lasts before there is a line: later appends count on that when they find one. */
	enum rt_status status = j->begins ? flush_folder(j, err) : RT_OK;

	if (status == RT_OK)
		status = rt_spool_copy(&j->pending, &sink, err);
	return flush_or_cut(j, status, err);
}

static enum rt_status commit(struct rt_journal *j, struct rt_error *err)
{
	enum rt_status status = RT_OK;
	mode_t mode = 0;

	if (j->fd < 0)
		status = make_file(j, err);
	if (status == RT_OK)
		status = check_same(j, &mode, err);
	if (status == RT_OK && j->torn)
		status = torn_aside(j, mode, err);
	if (status == RT_OK && j->unended)
		status = end_line(j, err);
	if (status == RT_OK)
		status = write_lines(j, err);
	return status;
}

enum rt_status rt_journal_commit(struct rt_journal *j, struct rt_error *err)
{
	if (j->state == RT_JOURNAL_DEAD)
		return rt_journal_refuse(j, err);
	if (j->pending_bytes == 0)
		return RT_OK;
	if (commit(j, err) != RT_OK) {
		j->state = RT_JOURNAL_DEAD;
		/* The path was right when it was opened: nobody named a wrong one. */
		rt_error_at(err, j->path, NULL);
		return rt_error_no_usage(err);
	}
	j->end += j->pending_bytes;
	j->head = j->next_head;
	j->begins = j->made_lock = false;
	j->pending_bytes = 0;
	rt_spool_release(&j->pending);
	return RT_OK;
}
