/*
 * Texts as words of a command line, to be pasted into a shell.
 */
#ifndef RT_BASE_SHELL_H
#define RT_BASE_SHELL_H

#include "base/buf.h"

/* Append a text as one word of a POSIX shell, in quotes where it needs them. Returns RT_OK or
 * RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_shell_quote(struct rt_buf *out, struct rt_slice text, struct rt_error *err);

#endif
