/*
 * The report of a validation (schema validate-report).
 */
#ifndef RT_OUTPUT_VALIDATE_REPORT_H
#define RT_OUTPUT_VALIDATE_REPORT_H

#include "base/faults.h"
#include "base/sha256.h"
#include "files/unread.h"
#include "output/writer.h"

/* What has passed; what was not asked for is 0. */
struct rt_report_counts {
	uint64_t issues, rulesets, requests;
};

/* warnings: what is no fault; NULL: none. */
void rt_report_write(struct rt_writer *w, struct rt_report_counts counts,
		     const struct rt_faults *faults, const struct rt_faults *warnings,
		     const struct rt_unread *unread);

/* Pieces that documents share: a text member, null where it is empty (what is not UTF-8 becomes
 * U+FFFD; at most as long as an rt_error's path); a number, null where it is 0; a digest in hex;
 * and the members that say what a fault is and where. */
void rt_report_text(struct rt_writer *w, struct rt_slice name, const char *text);
void rt_report_number(struct rt_writer *w, struct rt_slice name, uint64_t number);
void rt_report_digest(struct rt_writer *w, struct rt_slice name,
		      const uint8_t digest[RT_SHA256_BYTES]);
void rt_report_place(struct rt_writer *w, const struct rt_error *fault);

#endif
