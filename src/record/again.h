/*
 * A record read once more from its JSON text, which was checked before or was made here.
 */
#ifndef RT_RECORD_AGAIN_H
#define RT_RECORD_AGAIN_H

#include "base/buf.h"
#include "scan/scan.h"

struct rt_record_again {
	struct rt_scan *scan;
	const struct rt_scan_ops *ops;
	struct rt_record record;
	struct rt_buf text; /* set by the caller */
	struct rt_buf id;
};

/* again: zeroed, released by rt_record_again_release(). Returns RT_OK or RT_FATAL (RT_E_NOMEM). */
enum rt_status rt_record_again_init(struct rt_record_again *again, struct rt_error *err);
void rt_record_again_release(struct rt_record_again *again);

/*
 * Read again->text into again->record, whose place is that of nothing.
 * Returns RT_OK; RT_REJECT where it is no record of that kind, err is not set; RT_FATAL
 * (RT_E_NOMEM).
 */
enum rt_status rt_record_again_read(struct rt_record_again *again, enum rt_kind kind,
				    struct rt_error *err);

#endif
