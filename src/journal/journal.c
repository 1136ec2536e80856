/*
 * Opens and closes journals (SPEC D19). Input: a path. Output: the object that the other parts
 * work on, with line 1 read, and for a writer with the lock held.
 * Refuses what is no regular file, before anything is made beside it, and links that lead nowhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "files/lockfile.h"
#include "journal/journal_state.h"

/* Bytes of a notice: two paths of any length that the system takes, and words. */
#define NOTICE_BYTES 8448u

void rt_journal_notice(const struct rt_journal *j, const char *fmt, ...)
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

enum rt_status rt_journal_refuse(const struct rt_journal *j, struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_IO, "an earlier call for this journal has failed");
	rt_error_at(err, j->path, NULL);
	return RT_FATAL;
}

enum rt_status rt_journal_keep_base(struct rt_journal *j, const struct rt_journal_base *base,
				    struct rt_error *err)
{
	struct rt_buf *text = &j->base_text;

	text->len = 0;
	if (rt_buf_append(text, base->name.ptr, base->name.len, err) != RT_OK ||
	    rt_buf_append(text, base->created_at.ptr, base->created_at.len, err) != RT_OK)
		return RT_FATAL;
	j->base = *base;
	j->base.name = rt_slice_make(text->data, base->name.len);
	j->base.created_at = rt_slice_make(text->data + base->name.len, base->created_at.len);
	j->has_base = true;
	return RT_OK;
}

static size_t line_max(const struct rt_limits *limits)
{
	uint64_t most = (SIZE_MAX / 4 - RT_JOURNAL_ENVELOPE) / RT_JOURNAL_SPELLING;
	uint64_t bytes = limits->request_bytes < most ? limits->request_bytes : most;

	return (size_t)bytes * RT_JOURNAL_SPELLING + RT_JOURNAL_ENVELOPE;
}

/* An object that has nothing open yet. Returns NULL with err set where there is no memory. */
static struct rt_journal *journal_new(const struct rt_limits *limits, struct rt_error *err)
{
	struct rt_journal *j = rt_scan_alloc(sizeof(*j));

	if (!j) {
		(void)rt_error_nomem(err);
		return NULL;
	}
	j->fd = j->lock_fd = -1;
	j->window.line_max = line_max(limits);
	rt_spool_init(&j->pending);
	if (rt_journal_form_init(&j->form, limits, err) != RT_OK) {
		rt_journal_free(j);
		return NULL;
	}
	return j;
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
	free(j->window.data);
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
				    "want a regular file for the journal, have a link to a "
				    "descriptor");
	if (!S_ISREG(st.st_mode))
		return rt_error_set(err, RT_E_USAGE, "want a regular file for the journal, have %s",
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
		return rt_error_set(err, RT_E_USAGE,
				    "want a regular file for the journal, have a link to nothing");
	j->real = is_link ? realpath(j->path, NULL) : strdup(j->path);
	return j->real ? RT_OK : rt_error_sys(err, errno, "cannot open the journal");
}

/* The lock of a journal that is being opened. */
struct waiting {
	const struct rt_journal *journal;
	unsigned wait_ms;
};

static void on_wait(void *ctx, const char *holder)
{
	const struct waiting *waiting = ctx;

	rt_journal_notice(waiting->journal,
			  "waiting for the lock of %s, held by %s (for at most %u s)",
			  waiting->journal->path, holder, waiting->wait_ms / 1000);
}

static enum rt_status take_lock(struct rt_journal *j, unsigned wait_ms, struct rt_error *err)
{
	struct waiting waiting = {j, wait_ms};

	if (asprintf(&j->lock_path, "%s.lock", j->real) < 0) {
		j->lock_path = NULL;
		return rt_error_nomem(err);
	}
	return rt_lockfile_take(j->lock_path, wait_ms, on_wait, &waiting, &j->lock_fd,
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
		return rt_error_set(err, RT_E_USAGE,
				    "want a regular file for the journal, have another");
	/* The lock goes with the name: under two names two writers would not see each other. */
	if (j->mode == RT_JOURNAL_APPEND && st.st_nlink > 1)
		return rt_error_set(err, RT_E_USAGE,
				    "want a journal with one name to append to, have one with "
				    "several hard links");
	return RT_OK;
}

static enum rt_status journal_start(struct rt_journal *j, unsigned lock_wait_ms,
				    struct rt_error *err)
{
	enum rt_status status = resolve(j, err);

	if (status == RT_OK && j->mode == RT_JOURNAL_APPEND)
		status = take_lock(j, lock_wait_ms, err);
	if (status == RT_OK)
		status = open_file(j, err);
	if (status != RT_OK) {
		rt_error_at(err, j->path, NULL);
		return status;
	}
	if (j->fd < 0) {
		j->state = RT_JOURNAL_ENDED;
		return RT_OK;
	}
	return rt_journal_read_header(j, err);
}

enum rt_status rt_journal_open_wait(const char *path, enum rt_journal_mode mode,
				    const struct rt_limits *limits, unsigned lock_wait_ms,
				    void (*notice)(void *ctx, const char *text), void *notice_ctx,
				    struct rt_journal **ret_journal, struct rt_error *err)
{
	enum rt_status status;
	struct rt_journal *j;

	if (!path)
		return rt_error_set(err, RT_E_USAGE, "want a journal, have none");
	j = journal_new(limits, err);
	if (!j)
		return RT_FATAL;
	j->path = path;
	j->mode = mode;
	j->on_notice = notice;
	j->notice_ctx = notice_ctx;
	status = journal_start(j, lock_wait_ms, err);
	if (status != RT_OK) {
		rt_journal_free(j);
		return status;
	}
	*ret_journal = j;
	return RT_OK;
}

enum rt_status rt_journal_open(const char *path, enum rt_journal_mode mode,
			       const struct rt_limits *limits,
			       void (*on_notice)(void *ctx, const char *text), void *notice_ctx,
			       struct rt_journal **ret_journal, struct rt_error *err)
{
	return rt_journal_open_wait(path, mode, limits, RT_LOCK_WAIT_MS, on_notice, notice_ctx,
				    ret_journal, err);
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
