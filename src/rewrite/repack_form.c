/*
 * Which forms are written again. Input: what a file holds. Output: nothing, or an error.
 * Refuses 7z and cpio.
 */
#include "base/error.h"
#include "rewrite/repack.h"

enum rt_status rt_repack_check_form(enum rt_magic magic, struct rt_error *err)
{
	if (magic != RT_MAGIC_7ZIP && magic != RT_MAGIC_CPIO)
		return RT_OK;
	(void)rt_error_set(err, RT_E_USAGE,
			   "want a tar, zip or plain file to write again, have a %s archive, which "
			   "is only read: pack it anew as a tar or zip, or keep the updates in a "
			   "journal alone (--journal without -o)",
			   rt_magic_name(magic));
	return RT_REJECT;
}
