/*
 * The record reader: a data set as a sequence of checked records (SPEC D1 to D5).
 *
 * It knows the forms of a document (array, object with `issues` and `rulesets`, JSON Lines, one
 * record, a stream of YAML documents) and pulls their text through a window into the scanner.
 */
#ifndef RT_FORMATS_READER_H
#define RT_FORMATS_READER_H

#include "base/buf.h"
#include "base/faults.h"
#include "formats/view.h"

/*
 * A place between two records of a part: all that decides what a reader makes of the bytes after
 * it. It is after the '}' of the first.
 */
struct rt_spot {
	uint64_t offset;               /* in the part's JSON text */
	uint64_t documents;            /* finished in this part */
	uint32_t levels;               /* around the records */
	uint8_t stage;                 /* what comes next */
	uint8_t kind;                  /* what elements have to be */
	bool first;                    /* nothing has been met in the innermost list */
	bool wrapped;                  /* the array is a member of an object */
	bool has_issues, has_rulesets; /* the object's keys that have been met */
	bool has_runs;                 /* likewise, with an array, as in a SARIF log */
};

/* Made by rt_reader_open(); to be changed in here only. */
struct rt_reader {
	struct rt_record record; /* the one delivered last */
	struct rt_buf logs;      /* numbers of the parts that are logs, in order: uint32_t */
	bool crosses;            /* YAML has used an anchor outside of the record that it is in */

	/* For reader.c alone. */
	struct rt_limits limits;
	enum rt_kind kind_wanted; /* what the caller demands of records outside of the keys */
	struct rt_spot spot;      /* all but its offset and its levels, which the cursor knows */
	struct {
		enum rt_kind kind; /* RT_KIND_ANY: there is none */
		struct rt_cursor_spot spot;
	} no_array;       /* the value of `issues` or `rulesets` at the top, if no array */
	struct rt_buf id; /* the decoded id, where it has escapes */
	struct rt_prefixes strip;
	const char *severity_map; /* NULL: none */
	struct rt_buf path[2];    /* where they are taken off: decoded, and as JSON again */
	bool judging;             /* record has faults left to tell */
	unsigned check_step;

	/* Of it the log that the last record was made from (text.log), what a person may want to
	 * know of the parts (warnings) and the parts may be asked for. Last, for its cursor is
	 * large. */
	struct rt_view view;
};

/*
 * Start over a data set.
 *
 * options: borrowed until rt_reader_free().
 * kind: what records outside of `issues` and `rulesets` have to be; RT_KIND_ANY: they say it.
 * ret_reader: on RT_OK owned by the caller. Returns RT_OK or RT_FATAL.
 */
enum rt_status rt_reader_open(const struct rt_options *options, enum rt_kind kind,
			      struct rt_reader **ret_reader, struct rt_error *err);

/*
 * The next record. ret_record: borrowed until the next call; its kind is issue or ruleset, and it
 * has passed every check of its own (not that its id occurs once in the data set).
 *
 * Returns RT_OK; RT_END after the last record of the last part; RT_REJECT with err set for one
 * fault of a record or of a whole part: the next call tells the next fault of the same record, or
 * goes on after it; after a fault of grammar or decoding it goes on with the next part.
 * RT_FATAL with err set when the run is over. err has its place filled in as far as known.
 */
enum rt_status rt_reader_next(struct rt_reader *reader, const struct rt_record **ret_record,
			      struct rt_error *err);

/* The place after the last delivered record. */
void rt_reader_spot(const struct rt_reader *reader, struct rt_spot *ret_spot);

/* Whether two places differ in nothing but their offsets. */
bool rt_spot_alike(const struct rt_spot *a, const struct rt_spot *b);

/*
 * Go to what seems to be the first place after `from` that is between two records in the array or
 * the lines of the last delivered record: a guess, of which the reader's next records depend, and
 * which another reader proves that comes to the same place. Lines and columns are those of nothing.
 *
 * from: an offset of the part's JSON text.
 * ret_spot: set on RT_OK. Returns RT_OK; RT_END: no place was found, or the part is not one to go
 * about in; RT_REJECT or RT_FATAL as rt_reader_next(). But for RT_OK the reader is of no more use.
 */
enum rt_status rt_reader_guess(struct rt_reader *reader, uint64_t from, struct rt_spot *ret_spot,
			       struct rt_error *err);

/* Where the last delivered record stands. */
void rt_reader_origin(const struct rt_reader *reader, struct rt_origin *ret_origin);

/*
 * Fill err's place and record with those of the last delivered record: for a fault that is found
 * later than here. member: the member it is about, or RT_M_UNKNOWN for the record itself.
 */
void rt_reader_blame(const struct rt_reader *reader, enum rt_member member, struct rt_error *err);

void rt_reader_free(struct rt_reader *reader);

#endif
