/*
 * Errors are set by the code that sees them, and shown in the one form of SPEC D20. A message may
 * hold any bytes of an input: what could act on a terminal is masked when it is shown, and only
 * then.
 */
#include "base/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/mask.h"
#include "base/utf8.h"

static void error_vset(struct rt_error *err, enum rt_code code, const char *fmt, va_list args)
    RT_PRINTF(3, 0);

static void error_vset(struct rt_error *err, enum rt_code code, const char *fmt, va_list args)
{
	memset(err, 0, sizeof(*err));
	err->code = code;
	(void)vsnprintf(err->message, sizeof(err->message), fmt, args);
}

enum rt_status rt_error_set(struct rt_error *err, enum rt_code code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	error_vset(err, code, fmt, args);
	va_end(args);
	return RT_FATAL;
}

void rt_notice(const struct rt_options *options, const char *fmt, ...)
{
	char text[RT_ERROR_LINE_MAX];
	va_list args;

	if (!options->notice)
		return;
	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	options->notice(options->notice_ctx, text);
}

enum rt_status rt_error_sys(struct rt_error *err, int sys, const char *fmt, ...)
{
	enum rt_code code = RT_E_IO;
	char text[128] = "";
	size_t used;
	va_list args;

	if (sys == ENOENT || sys == ENOTDIR)
		code = RT_E_USAGE;
	else if (sys == ENOMEM)
		code = RT_E_NOMEM;
	va_start(args, fmt);
	error_vset(err, code, fmt, args);
	va_end(args);
	err->sys = sys;
	used = strlen(err->message);
	/* The GNU form: thread-safe, and never NULL. */
	(void)snprintf(err->message + used, sizeof(err->message) - used, "%s%s", used ? ": " : "",
		       strerror_r(sys, text, sizeof(text)));
	return RT_FATAL;
}

enum rt_status rt_error_limit(struct rt_error *err, const char *what, const char *name,
			      uint64_t max)
{
	static const char *const units[] = {"", "KiB", "MiB", "GiB"};
	unsigned unit = 0;

	for (; unit < 3 && max && max % 1024 == 0; unit++)
		max /= 1024;
	return rt_error_set(err, RT_E_LIMIT, "%s exceeds --limit %s=%" PRIu64 "%s", what, name, max,
			    units[unit]);
}

enum rt_status rt_error_no_usage(struct rt_error *err)
{
	if (err->code == RT_E_USAGE)
		err->code = RT_E_IO;
	return RT_FATAL;
}

static bool is_continuation(char byte)
{
	return ((unsigned char)byte & 0xC0) == 0x80;
}

void rt_error_text(char *field, size_t cap, struct rt_slice text)
{
	size_t len = text.len < cap - 1 ? text.len : cap - 1, back = 0;

	/* A cut in the middle of a sequence goes back to its start, which is 3 bytes off at most:
	 * what has more continuation bytes is not UTF-8 and is cut where it is. */
	if (len < text.len) {
		while (back < 4 && back < len && is_continuation(text.ptr[len - back]))
			back++;
	}
	if (back < 4)
		len -= back;
	for (size_t i = 0; i < len; i++)
		field[i] = text.ptr[i] ? text.ptr[i] : '\x01';
	field[len] = '\0';
}

void rt_error_at(struct rt_error *err, const char *path, const char *member)
{
	if (err->path[0] == '\0' && path)
		rt_error_text(err->path, sizeof(err->path), rt_slice_of(path));
	if (err->member[0] == '\0' && member)
		rt_error_text(err->member, sizeof(err->member), rt_slice_of(member));
}

void rt_error_below(struct rt_error *err, const char *dir, const char *name)
{
	size_t used;

	if (err->path[0] != '\0')
		return;
	rt_error_at(err, dir, NULL);
	used = strlen(err->path);
	if (!name || used == sizeof(err->path) - 1)
		return;
	if (used > 0 && err->path[used - 1] != '/')
		err->path[used++] = '/';
	rt_error_text(err->path + used, sizeof(err->path) - used, rt_slice_of(name));
}

void rt_error_member_below(struct rt_error *err, const char *dir)
{
	rt_error_below(err, dir, err->member[0] != '\0' ? err->member : NULL);
	err->member[0] = '\0';
}

/* The line as it is before it is masked. Returns its length. */
static size_t line_of(const struct rt_error *err, char *line, size_t cap)
{
	const char *parts[] = {err->record, err->field, err->message};
	const char *open = err->member[0] ? "[" : "", *close = err->member[0] ? "]" : "";
	size_t len = (size_t)snprintf(line, cap, "%s%s%s%s", err->path, open, err->member, close);

	if (err->line)
		len += (size_t)snprintf(line + len, cap - len, ":%" PRIu64 ":%" PRIu64, err->line,
					err->column);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i][0])
			len += (size_t)snprintf(line + len, cap - len, "%s%s", len ? ": " : "",
						parts[i]);
	}
	return len;
}

/* What a terminal could act on becomes U+FFFD, a command of a CI system is broken. */
char *rt_error_format(const struct rt_error *err, char *buf, size_t cap)
{
	/* All texts, two numbers and what is between them. */
	char line[sizeof(*err) + 64];
	const char *at = line, *end = line + line_of(err, line, sizeof(line));
	size_t used = 0;

	while (at < end) {
		size_t len = rt_utf8_length(at, (size_t)(end - at));
		struct rt_slice shown = {at, len};

		if (len == 0 || rt_utf8_is_unsafe(rt_utf8_decode(at, len)))
			shown = RT_SLICE("\xEF\xBF\xBD");
		else if (*at == '[' && rt_mask_is_command(line, at))
			shown = RT_SLICE("\xE2\x9F\xA8[\xE2\x9F\xA9");
		if (shown.len > cap - 1 - used)
			break;
		memcpy(buf + used, shown.ptr, shown.len);
		used += shown.len;
		at += len ? len : 1;
	}
	buf[used] = '\0';
	return buf;
}

int rt_error_exit_status(const struct rt_error *err)
{
	return err->code == RT_E_IO || err->code == RT_E_NOMEM ? 3 : 2;
}
