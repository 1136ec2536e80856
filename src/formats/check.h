/*
 * What a scanned record must be, beyond being JSON: its kind and the types of its documented
 * members (SPEC D3, D4, D6).
 */
#ifndef RT_FORMATS_CHECK_H
#define RT_FORMATS_CHECK_H

#include "base/buf.h"
#include "formats/text.h"
#include "scan/record.h"
#include "scan/scan.h"

/*
 * Decide the kind of a record (SPEC D3). wanted: what the place it is in demands, or
 * RT_KIND_ANY. Returns RT_KIND_ANY where the record does not say.
 */
enum rt_kind rt_check_kind(const struct rt_record *record, enum rt_kind wanted);

/* Whether a record of a known kind breaks no rule: what is asked of every record, and fast. */
bool rt_check_passes(const struct rt_record *record);

/*
 * The faults of a record that does not pass, one by one. step: 0 at first, kept by the caller.
 * record->kind may be RT_KIND_ANY: that is a fault then. err has a message and a field then;
 * *ret_at: the byte of record->text that it is about. Returns false after the last.
 */
bool rt_check_next(const struct rt_record *record, unsigned *step, const char **ret_at,
		   struct rt_error *err);

/* What a member of a record has to be, as struct rt_text_hints has it. */
enum rt_text_want rt_record_want(struct rt_slice list, struct rt_slice name);

/* --- A record once more ---------------------------------------------------------------------- */

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
