/*
 * Texts as words of a command line, to be pasted into a shell.
 */
#include "base/shell.h"

enum rt_status rt_shell_quote(struct rt_buf *out, struct rt_slice text, struct rt_error *err)
{
	static const char safe[] = "=.,:/@%+-_~0123456789"
				   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	enum rt_status status = RT_OK;
	bool quote = false;

	for (size_t i = 0; i < text.len; i++)
		quote |= !(text.ptr[i] && strchr(safe, text.ptr[i]));
	if (!quote)
		return rt_buf_append(out, text.ptr, text.len, err);
	status = rt_buf_append(out, "'", 1, err);
	for (size_t i = 0; status == RT_OK && i < text.len; i++)
		status = text.ptr[i] == '\'' ? rt_buf_append(out, "'\\''", 4, err)
					     : rt_buf_append(out, text.ptr + i, 1, err);
	return status == RT_OK ? rt_buf_append(out, "'", 1, err) : status;
}
