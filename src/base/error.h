/*
 * Filling struct rt_error. Setters are called on the line that sees the failure; places (path,
 * member, record) are added by the stage that knows them.
 */
#ifndef RT_BASE_ERROR_H
#define RT_BASE_ERROR_H

#include "base/slice.h"
#include "retriage.h"

#define RT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* The end of a noun after its count: "want at most %u id%s". */
#define RT_S(count) ((count) == 1 ? "" : "s")

/*
 * Reset err and set its code and its message, formatted as by printf and cut to fit.
 * The message may hold raw input bytes; rt_error_format() masks them.
 * Returns RT_FATAL, so that a caller can write: return rt_error_set(err, ...).
 */
enum rt_status rt_error_set(struct rt_error *err, enum rt_code code, const char *fmt, ...)
    RT_PRINTF(3, 4);

/* The same for what is wrong with one item of an input alone. Is RT_REJECT. */
#define rt_error_reject(err, code, ...) ((void)rt_error_set(err, code, __VA_ARGS__), RT_REJECT)

/* The same for what is wrong with the file at a path. Is RT_FATAL. */
#define rt_error_on(err, path, code, ...)                                                          \
	((void)rt_error_set(err, code, __VA_ARGS__), rt_error_at(err, path, NULL), RT_FATAL)

/* Tell options->notice something, formatted as by printf(); nothing where nobody listens. */
void rt_notice(const struct rt_options *options, const char *fmt, ...) RT_PRINTF(2, 3);

/*
 * As rt_error_set() with code RT_E_IO and err->sys = sys, and ": " and the text of sys after the
 * message. A sys of ENOENT or ENOTDIR becomes RT_E_USAGE: the path was wrong, nothing failed.
 * A sys of ENOMEM becomes RT_E_NOMEM.
 */
enum rt_status rt_error_sys(struct rt_error *err, int sys, const char *fmt, ...) RT_PRINTF(3, 4);

/*
 * "WHAT exceeds --limit NAME=SIZE", with code RT_E_LIMIT. what: such as "the record"; name: as
 * rt_limits_name() has it; max: its value. Returns RT_FATAL.
 */
enum rt_status rt_error_limit(struct rt_error *err, const char *what, const char *name,
			      uint64_t max);

/*
 * err is about something that was there a moment ago: that it is gone is no wrong usage, so
 * RT_E_USAGE becomes RT_E_IO. Returns RT_FATAL.
 */
enum rt_status rt_error_no_usage(struct rt_error *err);

/* As rt_error_set() with code RT_E_NOMEM and a fixed message. Returns RT_FATAL. */
static inline enum rt_status rt_error_nomem(struct rt_error *err)
{
	(void)rt_error_set(err, RT_E_NOMEM, "out of memory");
	return RT_FATAL; /* seen by those who check a caller alone */
}

/* The first fault of a thing whose steps do nothing, and give nothing, after it: one place asks for
 * it at the end. */
struct rt_fault {
	enum rt_status status; /* RT_OK: all has gone well so far */
	struct rt_error *err;
};

/* Take a step, which gives a status, unless one before it has failed. Is the status of all. */
#define RT_STEP(fault, step) ((fault)->status = (fault)->status == RT_OK ? (step) : (fault)->status)

/* Set the path, and the member where it is not NULL, if err has none yet. NUL-terminated. */
void rt_error_at(struct rt_error *err, const char *path, const char *member);

/*
 * Set the path, if err has none yet, to that of a file below the directory dir, '/' between them.
 * name: the file's path there, or NULL: dir itself. Both NUL-terminated.
 */
void rt_error_below(struct rt_error *err, const char *dir, const char *name);

/*
 * As rt_error_below() where the file's path there is what err has as its member, if anything: then
 * it has no member any more.
 */
void rt_error_member_below(struct rt_error *err, const char *dir);

/*
 * Copy a slice into a field of struct rt_error, cut at a UTF-8 boundary. NUL bytes become 0x01,
 * which rt_error_format() masks. cap: size of the field, at least 1.
 */
void rt_error_text(char *field, size_t cap, struct rt_slice text);

#endif
