/*
 * The journal (SPEC D19): a file of chained lines that is opened, read to its end, and only then
 * appended to. Think of what a crash may leave: every entry that was committed is there, whole, and
 * after it at most the beginning of one. journal_form.c says what a line is, and what damage.
 */
#include "journal/journal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/spool.h"
#include "files/lockfile.h"
#include "formats/content.h"
#include "journal/journal_form.h"
#include "scan/cursor.h"

/* Bytes of a notice: two paths of any length that the system takes, and words. */
#define NOTICE_BYTES 8448u

enum rt_journal_state {
	RT_JOURNAL_READING,
	RT_JOURNAL_ENDED, /* every entry has been read: entries may be added */
	RT_JOURNAL_DEAD,  /* a call has failed: nothing more is read or written */
};

struct rt_journal {
	struct rt_journal_form form;
	enum rt_journal_mode mode;
	enum rt_journal_state state;
	const char *path; /* as the user named it */
	char *real;       /* the file itself, where path is a link to it */
	void (*on_notice)(void *ctx, const char *text);
	void *notice_ctx;

	int fd;      /* -1: there is no file yet */
	int lock_fd; /* -1: no lock is held */
	unsigned lock_wait_ms;
	char *lock_path;
	bool made_lock; /* the lock's file was not there; and nothing has been committed yet */
	struct rt_range range; /* of the file: what is not in view yet */
	struct rt_window view; /* of the file */
	size_t start;          /* in it: of the line to be looked at next */
	size_t line_max;       /* bytes of the longest line that is read */
	uint64_t end;          /* offset after the last line that is right */
	uint64_t torn;         /* bytes after it: the beginning of the next line */
	bool unended;          /* it has no line end yet */

	bool has_base; /* line 1 is there, or has been set */
	bool begins;   /* it was set, and is not written yet */
	struct rt_journal_base base;
	struct rt_buf base_text; /* name and created_at */

	struct rt_journal_head head;      /* of what was read and committed */
	struct rt_journal_head next_head; /* and of what was added */
	struct rt_buf line;               /* the line being made */
	struct rt_spool pending;          /* lines for the next commit */
	uint64_t pending_bytes;
};

/* Tell the user something, formatted as by printf; nothing where nobody listens. */
static void tell(const struct rt_journal *j, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void tell(const struct rt_journal *j, const char *fmt, ...)
{
	char text[NOTICE_BYTES];
	va_list args;

	if (!j->on_notice)
		return;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	j->on_notice(j->notice_ctx, text);
}

/* What every call gives once one has failed: RT_FATAL with RT_E_IO. */
static enum rt_status refuse(const struct rt_journal *j, struct rt_error *err)
{
	return rt_error_on(err, j->path, RT_E_IO, "an earlier call for this journal has failed");
}

/* Take over the texts of base, which may be borrowed. Returns RT_OK or RT_FATAL. */
static enum rt_status keep_base(struct rt_journal *j, const struct rt_journal_base *base,
				struct rt_error *err)
{
	struct rt_buf *text = &j->base_text;

	text->len = 0;
	if (RT_BUF_PUT(text, err, base->name, base->created_at, base->options) != RT_OK)
		return RT_FATAL;
	j->base = *base;
	j->base.name = rt_slice_make(text->data, base->name.len);
	j->base.created_at = rt_slice_make(text->data + base->name.len, base->created_at.len);
	j->base.options = rt_slice_make(rt_slice_end(j->base.created_at), base->options.len);
	j->has_base = true;
	return RT_OK;
}

/* --- Reading ---------------------------------------------------------------------------------- */

#define MAGIC_CHARS (sizeof(RT_JOURNAL_MAGIC) - 1)

/* Bring more of the file into view, after the line that is looked at. */
static enum rt_status view_more(struct rt_journal *j, struct rt_error *err)
{
	enum rt_status status = rt_window_fill(&j->view, rt_range_pull(&j->range), j->start,
					       (uint64_t)j->line_max + 1, err);

	j->start = 0;
	return status == RT_OK ? RT_OK : RT_FATAL;
}

/* Forget what is in view; the line after the last right one is read from the file again. */
static void view_again(struct rt_journal *j)
{
	rt_window_reset(&j->view);
	j->view.offset = j->range.at = j->end;
	j->start = 0;
}

/*
 * Put the next line into view, or what there is of it.
 * ret_line: without its newline, until the next call. ret_whole: whether it has one.
 * Returns RT_OK; RT_END after the last one; RT_REJECT; RT_FATAL.
 */
static enum rt_status line_next(struct rt_journal *j, struct rt_slice *ret_line, bool *ret_whole,
				struct rt_error *err)
{
	for (;;) {
		const char *line = j->view.data + j->start;
		size_t len = j->view.end - j->start;
		const char *newline = len ? memchr(line, '\n', len) : NULL;

		*ret_whole = newline != NULL;
		if (newline || (j->view.final && len)) {
			*ret_line = rt_slice_make(line, newline ? (size_t)(newline - line) : len);
			return RT_OK;
		}
		if (j->view.final)
			return RT_END;
		if (len > j->line_max) {
			(void)rt_error_set(err, RT_E_LIMIT, "a line exceeds %zu bytes",
					   j->line_max);
			return RT_REJECT;
		}
		if (view_more(j, err) != RT_OK)
			return RT_FATAL;
	}
}

/* The line at the window's start is right: go after it. */
static void line_done(struct rt_journal *j, struct rt_slice line, bool whole)
{
	j->start += line.len + whole;
	j->end = j->view.offset + j->start;
	j->unended = !whole;
}

/* Say where it is that err has found something; seq 0 is line 1. */
static enum rt_status line_failed(struct rt_journal *j, uint64_t seq, enum rt_status status,
				  struct rt_error *err)
{
	j->state = RT_JOURNAL_DEAD;
	rt_error_at(err, j->path, NULL);
	if (status != RT_REJECT)
		return RT_FATAL;
	if (err->column == 0)
		err->column = 1;
	err->line = seq + 1;
	err->offset = j->end + err->column - 1;
	if (seq)
		(void)snprintf(err->record, sizeof(err->record), "entry %" PRIu64, seq);
	else
		(void)snprintf(err->record, sizeof(err->record), "journal header");
	return RT_REJECT;
}

/* Whether what has been read is as far as it goes the beginning of a journal, or of two that git
 * has put together. */
static bool looks_begun(const struct rt_window *w)
{
	size_t len = w->end < MAGIC_CHARS ? w->end : MAGIC_CHARS;

	return memcmp(w->data, RT_JOURNAL_MAGIC, len) == 0 ||
	       (len == MAGIC_CHARS && memcmp(w->data, "<<<<<<< ", 8) == 0);
}

/* There is no first line, or its beginning: a journal to be begun, or nothing to read. */
static enum rt_status header_missing(struct rt_journal *j, struct rt_error *err)
{
	if (j->mode == RT_JOURNAL_APPEND) {
		j->state = RT_JOURNAL_ENDED;
		return RT_OK;
	}
	(void)rt_error_set(err, RT_E_INPUT, "want a journal, have %s",
			   j->torn == 0 ? "an empty file" : "no complete first line");
	return line_failed(j, 0, RT_REJECT, err);
}

/* Bring as much into view as tells a journal from another file. */
static enum rt_status header_begin(struct rt_journal *j, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	while (status == RT_OK && !j->view.final && j->view.end < MAGIC_CHARS)
		status = view_more(j, err);
	return status;
}

/* Whether the file is of another kind, which err says then: no journal that was damaged. */
static bool is_other_file(struct rt_journal *j, struct rt_error *err)
{
	struct rt_slice head = rt_slice_make(j->view.data, j->view.end);

	rt_error_at(err, j->path, NULL);
	if (rt_content_tell(RT_CONTENT_JOURNAL, head, RT_SLICE(""), err) == RT_CONTENT_NOTHING)
		return false;
	j->state = RT_JOURNAL_DEAD;
	return true;
}

/*
 * Read the next line: the entry after j->head, or line 1 where entry is NULL.
 * Returns RT_OK; RT_END where there is none, or only its beginning, as j->torn says; RT_REJECT;
 * RT_FATAL.
 */
static enum rt_status line_read(struct rt_journal *j, struct rt_journal_base *base,
				struct rt_journal_entry *entry, struct rt_error *err)
{
	struct rt_slice line = {NULL, 0};
	bool whole = false;
	enum rt_status status = line_next(j, &line, &whole, err);

	if (status != RT_OK)
		return status;
	j->form.text_end = j->view.data + j->view.end;
	status = entry ? rt_journal_form_read_entry(&j->form, line, &j->head, entry, err)
		       : rt_journal_form_read_header(&j->form, line, base, j->head.hash, err);
	if (status == RT_OK)
		line_done(j, line, whole);
	if (status != RT_REJECT || whole ||
	    rt_journal_form_begins(&j->form, line, entry ? &j->head : NULL, err) != RT_OK)
		return status;
	j->torn = line.len;
	return RT_END;
}

/*
 * Read and check line 1; a journal that is to be begun is left without one, at its end.
 * Returns RT_OK, RT_REJECT or RT_FATAL.
 */
static enum rt_status read_header(struct rt_journal *j, struct rt_error *err)
{
	struct rt_fault fault = {header_begin(j, err), err};
	struct rt_journal_base base;

	if (fault.status == RT_OK && j->view.end > 0 && !looks_begun(&j->view)) {
		(void)rt_error_set(err, RT_E_INPUT, "not a journal");
		fault.status = RT_REJECT;
		if (is_other_file(j, err))
			return RT_REJECT;
	}
	if (RT_STEP(&fault, line_read(j, &base, NULL, err)) == RT_END)
		return header_missing(j, err);
	if (RT_STEP(&fault, keep_base(j, &base, err)) != RT_OK)
		return line_failed(j, 0, fault.status, err);
	if (base.version < RT_JOURNAL_VERSION)
		tell(j, "%s: version 1 of the journal's form, whose digests do not cover notes",
		     j->path);
	return RT_OK;
}

/* Tell of a tail that is only read: nobody does anything about it. */
static void tell_tail(const struct rt_journal *j)
{
	if (j->mode == RT_JOURNAL_APPEND)
		return;
	if (j->torn)
		tell(j,
		     "%s: the last %" PRIu64 " byte%s %s the beginning of entry %" PRIu64
		     ": an incomplete append, or a cut",
		     j->path, j->torn, RT_S(j->torn), j->torn == 1 ? "is" : "are", j->head.seq + 1);
	if (j->unended)
		tell(j, "%s: the last line is whole, but has no line end", j->path);
}

enum rt_status rt_journal_next(struct rt_journal *j, struct rt_journal_entry *ret_entry,
			       struct rt_error *err)
{
	enum rt_status status;

	if (j->state == RT_JOURNAL_DEAD)
		return refuse(j, err);
	if (j->state == RT_JOURNAL_ENDED)
		return RT_END;
	status = line_read(j, NULL, ret_entry, err);
	if (status == RT_REJECT) {
		/* We may have seen a tail that a writer was about to cut off, and after it what was
		 * written in its place. Then the line is right when it is read anew. */
		view_again(j);
		status = line_read(j, NULL, ret_entry, err);
	}
	if (status == RT_OK)
		return RT_OK;
	if (status != RT_END)
		return line_failed(j, j->head.seq + 1, status, err);
	j->state = RT_JOURNAL_ENDED;
	j->next_head = j->head;
	tell_tail(j);
	return RT_END;
}

/* --- Opening and closing
 * -------------------------------------------------------------------------- */

static size_t line_max(const struct rt_limits *limits)
{
	uint64_t most = (SIZE_MAX / 4 - RT_JOURNAL_ENVELOPE) / RT_JOURNAL_SPELLING;
	uint64_t bytes = limits->request_bytes < most ? limits->request_bytes : most;

	return (size_t)bytes * RT_JOURNAL_SPELLING + RT_JOURNAL_ENVELOPE;
}

void rt_journal_free(struct rt_journal *j)
{
	if (!j)
		return;
	if (j->fd >= 0)
		(void)close(j->fd);
	rt_journal_form_release(&j->form);
	rt_buf_release(&j->base_text);
	rt_buf_release(&j->line);
	rt_spool_release(&j->pending);
	free(j->view.data);
	free(j->real);
	if (j->made_lock)
		rt_lockfile_remove(j->lock_fd, j->lock_path);
	rt_lockfile_release(j->lock_fd);
	free(j->lock_path);
	free(j);
}

/* What the path leads to; RT_END: nothing is there yet, which only a writer may find. */
static enum rt_status look_at(const struct rt_journal *j, struct rt_error *err)
{
	struct stat st;

	if (stat(j->path, &st) != 0) {
		if (errno == ENOENT && j->mode == RT_JOURNAL_APPEND)
			return RT_END;
		return rt_error_sys(err, errno, "cannot open the journal");
	}
	if (j->mode == RT_JOURNAL_APPEND && rt_is_descriptor(j->path))
		return rt_error_set(err, RT_E_USAGE,
				    "the journal cannot be a link to a descriptor");
	if (!S_ISREG(st.st_mode))
		return rt_error_set(err, RT_E_USAGE, "the journal must be a regular file, not %s",
				    S_ISDIR(st.st_mode)    ? "a directory"
				    : S_ISFIFO(st.st_mode) ? "a FIFO"
							   : "a device or socket");
	return RT_OK;
}

/*
 * Find the file itself. The lock and torn tails are beside it, so that two links to one journal
 * have one lock; a reader needs neither.
 */
static enum rt_status resolve(struct rt_journal *j, struct rt_error *err)
{
	enum rt_status status = look_at(j, err);
	struct stat st;
	bool is_link;

	if (status < 0)
		return status;
	is_link = j->mode == RT_JOURNAL_APPEND && lstat(j->path, &st) == 0 && S_ISLNK(st.st_mode);
	if (is_link && status == RT_END)
		return rt_error_set(err, RT_E_USAGE, "the journal is a symbolic link to nothing");
	j->real = is_link ? realpath(j->path, NULL) : strdup(j->path);
	return j->real ? RT_OK : rt_error_sys(err, errno, "cannot open the journal");
}

static void on_wait(void *ctx)
{
	const struct rt_journal *j = ctx;

	tell(j, "waiting for the lock of %s, held by another process (for at most %u s)", j->path,
	     j->lock_wait_ms / 1000);
}

static enum rt_status take_lock(struct rt_journal *j, struct rt_error *err)
{
	if (asprintf(&j->lock_path, "%s.lock", j->real) < 0) {
		j->lock_path = NULL;
		return rt_error_nomem(err);
	}
	return rt_lockfile_take(j->lock_path, j->lock_wait_ms, on_wait, j, &j->lock_fd,
				&j->made_lock, err);
}

/* Open the file. A writer goes on without one. */
static enum rt_status open_file(struct rt_journal *j, struct rt_error *err)
{
	int flags = j->mode == RT_JOURNAL_APPEND ? O_RDWR : O_RDONLY;
	struct stat st;

	/* O_NONBLOCK: a FIFO that was put in the file's place must not hold us. */
	j->fd = open(j->real, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (j->fd < 0 && errno == ENOENT && j->mode == RT_JOURNAL_APPEND)
		return RT_OK;
	if (j->fd < 0 || fstat(j->fd, &st) != 0)
		return rt_error_sys(err, errno, "cannot open the journal");
	if (!S_ISREG(st.st_mode))
		return rt_error_set(err, RT_E_USAGE, "the journal is not a regular file");
	/* The lock goes with the name: under two names two writers would not see each other. */
	if (j->mode == RT_JOURNAL_APPEND && st.st_nlink > 1)
		return rt_error_set(err, RT_E_USAGE, "the journal has several hard links");
	return RT_OK;
}

static enum rt_status journal_start(struct rt_journal *j, struct rt_error *err)
{
	struct rt_fault fault = {resolve(j, err), err};

	if (j->mode == RT_JOURNAL_APPEND)
		RT_STEP(&fault, take_lock(j, err));
	RT_STEP(&fault, open_file(j, err));
	if (fault.status != RT_OK) {
		rt_error_at(err, j->path, NULL);
		return fault.status;
	}
	if (j->fd < 0) {
		j->state = RT_JOURNAL_ENDED;
		return RT_OK;
	}
	j->range = (struct rt_range){j->fd, 0, UINT64_MAX, "cannot read the journal"};
	return read_header(j, err);
}

enum rt_status rt_journal_open(const char *path, enum rt_journal_mode mode,
			       const struct rt_limits *limits, unsigned lock_wait_ms,
			       void (*on_notice)(void *ctx, const char *text), void *notice_ctx,
			       struct rt_journal **ret_journal, struct rt_error *err)
{
	struct rt_fault fault = {RT_OK, err};
	struct rt_journal *j;

	if (!path)
		return rt_error_set(err, RT_E_USAGE, "no journal is named");
	j = rt_scan_alloc(sizeof(*j));
	if (!j)
		return rt_error_nomem(err);
	j->path = path;
	j->mode = mode;
	j->on_notice = on_notice;
	j->notice_ctx = notice_ctx;
	j->fd = j->lock_fd = -1;
	j->lock_wait_ms = lock_wait_ms;
	j->line_max = line_max(limits);
	rt_spool_init(&j->pending);
	rt_journal_form_init(&j->form, limits);
	RT_STEP(&fault, rt_window_init(&j->view, (uint64_t)j->line_max + 1, err));
	if (RT_STEP(&fault, journal_start(j, err)) == RT_OK)
		*ret_journal = j;
	else
		rt_journal_free(j);
	return fault.status;
}

const struct rt_journal_base *rt_journal_base(const struct rt_journal *j)
{
	return j->has_base ? &j->base : NULL;
}

struct rt_journal_head rt_journal_head(const struct rt_journal *j)
{
	return j->head;
}

uint64_t rt_journal_torn(const struct rt_journal *j)
{
	return j->torn;
}

bool rt_journal_unended(const struct rt_journal *j)
{
	return j->unended;
}

/* --- Appending -------------------------------------------------------------------------------- */

/*
 * Lines are held back until they are committed: then they are at the file's end, and on disk when
 * that returns. A torn tail is moved to a file of its own first, and a line end that was missing
 * made. A file that is not as it was read is left alone, and nothing goes on after a failure: what
 * was not flushed may be lost, and a second flush would not tell. Committing takes no memory.
 */

/* Names that are tried for a torn tail: more crashes in one place want a person's attention. */
#define TORN_TRIES 1000u

/* --- Adding ------------------------------------------------------------------------------------
 */

/* Hold the line back that was made. Without memory for it nothing has happened. */
static enum rt_status line_hold(struct rt_journal *j, struct rt_error *err)
{
	struct rt_sink sink = rt_spool_sink(&j->pending);
	struct rt_fault fault = {RT_OK, err};

	if (j->line.len > j->line_max)
		return rt_error_set(err, RT_E_LIMIT, "a line exceeds %zu bytes: it has %zu",
				    j->line_max, j->line.len);
	RT_STEP(&fault, rt_spool_reserve(&j->pending, j->line.len, err));
	if (RT_STEP(&fault, sink.write(sink.ctx, j->line.data, j->line.len, err)) == RT_OK)
		j->pending_bytes += j->line.len;
	return fault.status;
}

enum rt_status rt_journal_begin(struct rt_journal *j, const struct rt_journal_base *base,
				struct rt_error *err)
{
	struct rt_journal_base written = *base;
	struct rt_fault fault = {RT_OK, err};

	if (j->state == RT_JOURNAL_DEAD)
		return refuse(j, err);
	assert(j->mode == RT_JOURNAL_APPEND && !j->has_base);
	j->line.len = 0;
	written.version = RT_JOURNAL_VERSION;
	if (!written.options.ptr)
		written.options = RT_SLICE("{}");
	RT_STEP(&fault,
		rt_journal_form_write_header(&j->form, &written, &j->line, j->next_head.hash, err));
	written.name = rt_buf_slice(&j->form.text);
	RT_STEP(&fault, keep_base(j, &written, err));
	j->begins = true;
	if (RT_STEP(&fault, line_hold(j, err)) == RT_OK)
		return RT_OK;
	j->state = RT_JOURNAL_DEAD;
	rt_error_at(err, j->path, NULL);
	return fault.status;
}

enum rt_status rt_journal_add(struct rt_journal *j, const struct rt_journal_entry *entry,
			      struct rt_error *err)
{
	struct rt_journal_head before = j->next_head;
	struct rt_fault fault = {RT_OK, err};

	if (j->state == RT_JOURNAL_DEAD)
		return refuse(j, err);
	assert(j->mode == RT_JOURNAL_APPEND && j->state == RT_JOURNAL_ENDED && j->has_base);
	j->line.len = 0;
	RT_STEP(&fault, rt_journal_form_write_entry(&j->form, entry, &j->line, &j->next_head, err));
	if (RT_STEP(&fault, line_hold(j, err)) == RT_OK)
		return RT_OK;
	/* Without memory nothing was added, and others may be; else give up: a batch with a hole in
	 * it is none. */
	if (err->code == RT_E_NOMEM)
		j->next_head = before;
	else
		j->state = RT_JOURNAL_DEAD;
	rt_error_at(err, j->path, NULL);
	return fault.status;
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

	for (const char *at = data, *end = at + len; at < end;) {
		ssize_t done =
		    TEMP_FAILURE_RETRY(pwrite(place->fd, at, (size_t)(end - at), (off_t)place->at));

		if (done < 0)
			return rt_error_sys(err, errno, "cannot write %s", place->what);
		at += done;
		place->at += (uint64_t)done;
	}
	return RT_OK;
}

static int cut(int fd, uint64_t size)
{
	return (int)TEMP_FAILURE_RETRY(ftruncate(fd, (off_t)size));
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

/* Make a file for the torn tail, as private as the journal. name: receives its name. */
static enum rt_status torn_open(const struct rt_journal *j, mode_t mode, char name[PATH_MAX],
				int *ret_fd, struct rt_error *err)
{
	uint64_t seq = j->begins ? 0 : j->head.seq + 1;
	char again[16] = "";

	errno = EEXIST;
	for (unsigned n = 2; n <= TORN_TRIES + 1 && errno == EEXIST; n++) {
		if (snprintf(name, PATH_MAX, "%s.torn-%" PRIu64 "%s", j->real, seq, again) >=
		    PATH_MAX)
			return rt_error_sys(err, ENAMETOOLONG,
					    "cannot make a file for the torn tail");
		*ret_fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (*ret_fd >= 0) {
			(void)fchmod(*ret_fd, mode & 0666);
			return RT_OK;
		}
		(void)snprintf(again, sizeof(again), "-%u", n);
	}
	return rt_error_sys(err, errno, "cannot make a file for the torn tail");
}

/* Copy the torn tail to another file, and flush that. */
static enum rt_status torn_copy(const struct rt_journal *j, int fd, struct rt_error *err)
{
	struct rt_range torn = {j->fd, j->end, j->end + j->torn,
				"cannot read the journal's torn tail"};
	struct place place = {fd, 0, "the torn tail's file"};
	const struct rt_sink sink = {place_write, &place};
	enum rt_status status = rt_pull_copy(rt_range_pull(&torn), &sink, err);

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
	tell(j,
	     "%s: the last %" PRIu64 " byte%s %s the beginning of %s: an incomplete "
	     "append, or a cut; moved to %s",
	     j->path, j->torn, RT_S(j->torn), j->torn == 1 ? "was" : "were", what, name);
}

/* Keep the tail, then cut it off: in that order, so that nothing is ever lost. */
static enum rt_status torn_aside(struct rt_journal *j, mode_t mode, struct rt_error *err)
{
	char name[PATH_MAX];
	int fd = -1;
	struct rt_fault fault = {torn_open(j, mode, name, &fd, err), err};

	if (fault.status != RT_OK)
		return fault.status;
	RT_STEP(&fault, torn_copy(j, fd, err));
	if (close(fd) != 0)
		RT_STEP(&fault, rt_error_sys(err, errno, "cannot write the torn tail's file"));
	if (fault.status != RT_OK)
		(void)unlink(name);
	RT_STEP(&fault, flush_folder(j, err));
	/* The cut is flushed before anything is written in the tail's place: a crash must not leave
	 * a part of either, which would look like damage. */
	if (fault.status == RT_OK && (cut(j->fd, j->end) != 0 || fdatasync(j->fd) != 0))
		return rt_error_sys(err, errno, "cannot cut off the journal's torn tail");
	if (fault.status == RT_OK) {
		tell_torn(j, name);
		j->torn = 0;
	}
	return fault.status;
}

/* The file is still the one that was read, and ends where it did. */
static enum rt_status check_same(const struct rt_journal *j, mode_t *ret_mode, struct rt_error *err)
{
	struct stat ours, named;
	uint64_t want = j->end + j->torn;

	if (fstat(j->fd, &ours) != 0 || stat(j->real, &named) != 0)
		return rt_error_sys(err, errno, "cannot stat the journal");
	if (!rt_same_file(&ours, &named))
		return rt_error_set(err, RT_E_IO,
				    "the journal was replaced by another file since it was read");
	if ((uint64_t)ours.st_size != want)
		return rt_error_set(err, RT_E_IO,
				    "the journal had %" PRIu64
				    " bytes when it was read and now has %" PRIu64
				    ": something wrote to it without its lock",
				    want, (uint64_t)ours.st_size);
	*ret_mode = ours.st_mode;
	return RT_OK;
}

static enum rt_status make_file(struct rt_journal *j, struct rt_error *err)
{
	j->fd = open(j->real, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
	return j->fd >= 0 ? RT_OK : rt_error_sys(err, errno, "cannot make the journal");
}

/* Take away the file that was made, where nothing is in it: no journal is better than an empty one,
 * which readers refuse. */
static void unmake_file(const struct rt_journal *j)
{
	struct stat ours, named;

	if (j->fd >= 0 && fstat(j->fd, &ours) == 0 && ours.st_size == 0 &&
	    lstat(j->real, &named) == 0 && rt_same_file(&ours, &named))
		(void)unlink(j->real);
}

/* Flush what was written after the end, status says whether; on failure it is cut off again. */
static enum rt_status flush_or_cut(struct rt_journal *j, enum rt_status status,
				   struct rt_error *err)
{
	if (status == RT_OK && fdatasync(j->fd) != 0)
		status = rt_error_sys(err, errno, "cannot flush the journal");
	if (status != RT_OK && cut(j->fd, j->end) != 0)
		tell(j, "%s: what could not be written whole cannot be cut off either", j->path);
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
	tell(j, "%s: the last line was whole, but had no line end; it has one now", j->path);
	return RT_OK;
}

/* Write the lines after the end, and flush them. */
static enum rt_status write_lines(struct rt_journal *j, struct rt_error *err)
{
	struct place place = {j->fd, j->end, "the journal"};
	struct rt_sink sink = {place_write, &place};
	/* The name lasts before there is a line: later appends count on that when they find one. */
	struct rt_fault fault = {j->begins ? flush_folder(j, err) : RT_OK, err};

	RT_STEP(&fault, rt_spool_copy(&j->pending, &sink, err));
	return flush_or_cut(j, fault.status, err);
}

static enum rt_status commit(struct rt_journal *j, struct rt_error *err)
{
	bool makes = j->fd < 0;
	struct rt_fault fault = {makes ? make_file(j, err) : RT_OK, err};
	mode_t mode = 0;

	RT_STEP(&fault, check_same(j, &mode, err));
	if (j->torn)
		RT_STEP(&fault, torn_aside(j, mode, err));
	if (j->unended)
		RT_STEP(&fault, end_line(j, err));
	RT_STEP(&fault, write_lines(j, err));
	if (fault.status != RT_OK && makes)
		unmake_file(j);
	return fault.status;
}

enum rt_status rt_journal_commit(struct rt_journal *j, struct rt_error *err)
{
	if (j->state == RT_JOURNAL_DEAD)
		return refuse(j, err);
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
