/*
 * The scanner: checks JSON (RFC 8259) and cuts records into members in one pass over the bytes.
 *
 * Two designs were weighed. (1) Two stages as simdjson has them: bitmaps of quotes, backslashes
 * and structural characters for every block, then a walk over their positions. It costs the same
 * for every byte and every member, and the positions must be written and read again. (2) One
 * pass that predicts: a machine wrote the export, so what is between two values (comma,
 * blanks, the next key, colon) is nearly always what stood there in the record before; one vector
 * comparison checks all of it, and what is left is finding the end of each value. (2) won: it
 * touches each byte once and has no index to write; where the prediction fails, the key's first
 * bytes find a gap that stood elsewhere, and where there is none, an ordinary scanner takes over
 * for that gap and teaches the layout. `make bench` holds it against a program
 * of the first kind.
 *
 * The text is a window: bytes up to `end` with RT_PADDING zero bytes after it. A scan that runs
 * into the end answers "more" and is started again on a longer window, at the same record.
 */
#ifndef RT_SCAN_SCAN_H
#define RT_SCAN_SCAN_H

#include "base/limits.h"
#include "retriage.h"
#include "scan/record.h"

/* Longest gap that is predicted: what one comparison can hold. */
#define RT_GAP_MAX 64u
/* Different gaps that are remembered; 29 members, each first or not, and the record's end. */
#define RT_GAP_SLOTS 96u
/* Buckets that gaps are found in by the first bytes of their keys, and gaps in each. */
#define RT_GAP_BUCKETS 128u
#define RT_GAP_WAYS 2u
/* Slots with no text: what is before a record's first gap, and after a gap that could not be
 * remembered. */
#define RT_GAP_FIRST 0u
#define RT_GAP_NONE 1u

/* What stood between two values: from after one value to the first byte of the next. */
struct rt_gap {
	_Alignas(RT_GAP_MAX) unsigned char text[RT_GAP_MAX];
	uint64_t mask;       /* one bit for each byte of text in use */
	struct rt_gap *next; /* the gap that came after the value last time, or NULL */
	uint8_t len;         /* bytes */
	uint8_t lead;        /* bytes before the key's own: blanks, comma, quote; 0: no key */
	uint8_t member;      /* enum rt_member of the value that follows */
	uint8_t is_end;      /* the gap ends with the record's '}' */
	uint8_t newlines;    /* in text */
	uint8_t tail;        /* bytes from after the last of them to the end of text */
};

/* Gaps by their keys, as they were learnt last. */
struct rt_gap_index {
	uint8_t lead; /* as the last one had it: where the next key is looked for */
	struct rt_gap *gaps[RT_GAP_BUCKETS][RT_GAP_WAYS];
};

/* Why a scan gave up. */
struct rt_scan_fault {
	const char *at;    /* the first byte that is wrong */
	const char *want;  /* what should be there; static storage */
	const char *have;  /* what is there, where the byte itself does not tell; or NULL */
	enum rt_code code; /* RT_E_INPUT or RT_E_LIMIT */
	const char *half;  /* the escape that is half of a surrogate pair, where that is wrong */
};

/* How far a scan of nested arrays and objects has come; zeroed before it starts. */
struct rt_nest {
	uint64_t objects[RT_LIMIT_DEPTH_MAX / 64]; /* bit n: level n is an object */
	uint32_t depth;                            /* open levels */
	uint8_t expect;                            /* enum expect of scan_core.inc */
};

struct rt_scan {
	/* What the text is, set by the caller. */
	const char *end;      /* of the window */
	bool final;           /* nothing comes after the window */
	uint64_t origin;      /* offset of an address: origin + (uintptr_t)address */
	uint32_t depth_base;  /* levels around the value that is scanned */
	uint32_t depth_limit; /* levels in all */

	/* Lines seen so far; a scan that did not succeed leaves them as they were at its start
	 * only if the caller restores them. */
	uint64_t line;       /* from 1 */
	uint64_t line_start; /* offset of the first byte of the line */

	/* Set where a function below returned NULL: a fault, or (at is NULL) "more". */
	struct rt_scan_fault fault;

	struct rt_member_index index;
	struct rt_gap gaps[RT_GAP_SLOTS]; /* they point to each other: not to be moved */
	unsigned gap_count;
	/* Those before a record's first member, which have no comma, and the others. */
	struct rt_gap_index first_gaps, next_gaps;
	struct rt_gap *end_gap; /* the end of a record that was learnt last */
};

/* One code path; all give the same results. */
struct rt_scan_ops {
	const char *name;

	/*
	 * Scan one object with its members. at: its '{'.
	 * record: text, repeated, values and types are set on success.
	 * Returns the byte after its '}', or NULL with s->fault set.
	 */
	const char *(*record)(struct rt_scan *s, const char *at, struct rt_record *record);

	/*
	 * Scan one value of any kind without blanks around it.
	 * ret_type: its enum rt_type on success; may be NULL.
	 * Returns the byte after it, or NULL with s->fault set.
	 */
	const char *(*value)(struct rt_scan *s, const char *at, uint8_t *ret_type);

	/*
	 * Scan a value piece by piece: nest keeps the place between the windows, {0} at first.
	 * ret_at: how far it has come, set in any case. Finished when it returns true; else
	 * s->fault tells why (as above), and the next call goes on at *ret_at; blanks at the
	 * window's end are left there then, for a caller that limits them.
	 */
	bool (*nested)(struct rt_scan *s, struct rt_nest *nest, const char *at,
		       const char **ret_at);

	/*
	 * Scan one object and cut it on the way. at: its '{'. values: the slots, all absent; what
	 * they are cut to is JSON text, null included.
	 * Returns the byte after it; NULL: something is wrong, or unusual (a name spelled with
	 * escapes, an array's first element that is no object), or there is more to come; value()
	 * finds out, and values are of no use. A member that is there twice or of a wrong type is
	 * something wrong.
	 */
	const char *(*cut)(struct rt_scan *s, const char *at, const struct rt_cut *cut,
			   struct rt_slice *values);
};

/* The fastest that this processor has; the portable ones where RETRIAGE_SIMD says "portable", for
 * tests. */
const struct rt_scan_ops *rt_scan_ops(void);

/*
 * Zeroed memory for a struct rt_scan or a struct that holds one: its gaps are on cache lines,
 * which is more than calloc() gives. bytes: the struct's sizeof.
 * Returns NULL where there is no memory; to be freed by free().
 */
void *rt_scan_alloc(size_t bytes);

/* Prepare s for a new part: no lines, no layout. depth_limit: from struct rt_limits. */
void rt_scan_init(struct rt_scan *s, uint64_t depth_limit);

/* Skip blanks from at, counting lines. Returns the first other byte, or s->end. */
const char *rt_scan_blanks(struct rt_scan *s, const char *at);

/* Say what is at a byte of the window, for a message; cap: 24 bytes are enough. */
void rt_scan_describe(const struct rt_scan *s, const char *at, char *out, size_t cap);

extern const struct rt_scan_ops rt_scan_portable;
extern const struct rt_scan_ops rt_scan_avx2;

/* --- A whole text ---------------------------------------------------------------------------- */

/*
 * Check that a text is JSON: one value with blanks around it, UTF-8 without a BOM.
 *
 * ptr: len bytes, no padding needed; not changed. limits: depth is what counts here.
 * Returns RT_OK; RT_REJECT with err set (place, code and message); RT_FATAL (RT_E_NOMEM).
 */
enum rt_status rt_json_check(const char *ptr, size_t len, const struct rt_limits *limits,
			     struct rt_error *err);

#endif
