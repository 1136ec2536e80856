/*
 * Reads one issue: its texts without escapes, its notes, and whether it is open. A value of another
 * type than the table's counts as missing.
 */
#include "engine/finding.h"

#include <stdio.h>
#include <strings.h>

#include "base/decimal.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/instant.h"
#include "base/json_string.h"
#include "engine/issue_state.h"
#include "scan/items.h"

#define DAY 86400

const char *rt_class_name(enum rt_class class)
{
	static const char *const names[RT_CLASSES] = {
	    "", "new", "changed", "gone", "moved", "ambiguous", "not_scanned", "unchanged",
	};

	return names[class];
}

struct rt_finding rt_finding_of(const struct rt_record *record, struct rt_slice notes,
				uint64_t number)
{
	struct rt_issue_state state = rt_issue_state_of(record);
	struct rt_finding finding = {
	    .record = record,
	    .notes = notes,
	    .number = number,
	    .level = state.severity == RT_STATE_OTHER ? RT_LEVEL_OTHER : (unsigned)state.severity,
	    .class = (enum rt_class)record->class,
	    .is_new = record->class == RT_CLASS_NEW,
	    .first_seen = INT64_MAX,
	    .end = INT64_MAX,
	};

	finding.was_level = finding.level;
	rt_finding_set_status(&finding,
			      state.false_positive ? RT_STATUS_DISMISSED : RT_STATUS_OPEN);
	return finding;
}

void rt_finding_set_status(struct rt_finding *finding, enum rt_triage_status status)
{
	finding->status = status;
	finding->open = status != RT_STATUS_DISMISSED;
}

void rt_finding_values(const struct rt_finding *finding, struct rt_slice *values)
{
	const struct rt_record *record = finding->record;

	for (size_t m = 0; m < RT_ISSUE_MEMBERS; m++)
		values[m] = record->types[m] ? record->values[m] : (struct rt_slice){0};
}

/* A JSON string's text; ptr NULL of any other value. */
static struct rt_slice string_text(struct rt_slice json, struct rt_put *room)
{
	struct rt_slice text = {NULL, 0};

	if (room->status != RT_OK || !json.ptr || json.len < 2 || json.ptr[0] != '"')
		return text;
	room->status = rt_json_string_text(rt_slice_make(json.ptr + 1, json.len - 2), room->out,
					   &text, room->err);
	return room->status == RT_OK ? text : (struct rt_slice){0};
}

struct rt_slice rt_finding_string(const struct rt_finding *finding, enum rt_member m,
				  struct rt_put *room)
{
	const struct rt_record *record = finding->record;

	return record->types[m] ? string_text(record->values[m], room) : (struct rt_slice){0};
}

struct rt_slice rt_finding_resolved(struct rt_slice path, struct rt_put *room)
{
	if (!path.len || (*path.ptr != '.' && !memmem(path.ptr, path.len, "/.", 2)))
		return path;
	if (path.ptr != room->out->data) {
		room->out->len = 0;
		rt_put(room, path);
		path = rt_buf_slice(room->out);
	}
	if (room->status != RT_OK)
		return (struct rt_slice){0};
	path.len = rt_path_resolve(room->out->data, path.len);
	return path;
}

enum rt_status rt_finding_text(const struct rt_finding *finding, enum rt_member m,
			       struct rt_buf *scratch, struct rt_slice *ret_text,
			       struct rt_error *err)
{
	struct rt_put room = {scratch, err, RT_OK};

	*ret_text = rt_finding_string(finding, m, &room);
	return room.status;
}

void rt_finding_place(const struct rt_finding *finding, struct rt_put *out)
{
	struct rt_slice path, line = rt_finding_number(finding, RT_M_LINE_NUMBER);
	struct rt_buf decoded = {0};
	struct rt_put room = {&decoded, out->err, out->status};

	path = rt_finding_string(finding, RT_M_FILE_PATH, &room);
	out->status = room.status;
	out->out->len = 0;
	rt_put(out, path.len ? path : RT_SLICE("-"));
	if (path.len && line.ptr) {
		RT_PUT(out, ":");
		rt_put(out, line);
	}
	rt_buf_release(&decoded);
}

struct rt_slice rt_finding_number(const struct rt_finding *finding, enum rt_member m)
{
	const struct rt_record *record = finding->record;

	if (record->types[m] & (RT_TYPE_INTEGER | RT_TYPE_NUMBER))
		return record->values[m];
	return (struct rt_slice){0};
}

int rt_finding_flag(const struct rt_finding *finding, enum rt_member m)
{
	const struct rt_record *record = finding->record;

	return record->types[m] & RT_TYPE_BOOL ? record->values[m].ptr[0] == 't' : -1;
}

struct rt_slice rt_finding_strings(const struct rt_finding *finding, enum rt_member m)
{
	const struct rt_record *record = finding->record;

	return record->types[m] & RT_TYPE_STRINGS ? record->values[m] : (struct rt_slice){0};
}

int64_t rt_finding_seen(const struct rt_finding *finding, struct rt_put *room)
{
	struct rt_slice text = rt_finding_string(finding, RT_M_CREATED_AT, room);
	struct rt_instant created;
	int64_t seconds;

	if (!text.ptr || !rt_instant_parse(text, &created))
		return finding->first_seen;
	/* A fraction of a second that has gone by is none of the seconds still to go. */
	seconds = created.seconds + (created.fraction.len > 0);
	return seconds < finding->first_seen ? seconds : finding->first_seen;
}

uint32_t rt_finding_age(const struct rt_finding *finding, int64_t at, struct rt_put *room)
{
	int64_t seen = rt_finding_seen(finding, room);

	if (seen == INT64_MAX)
		return RT_AGE_UNKNOWN;
	return at > seen ? (uint32_t)((at - seen) / DAY) : 0;
}

/* What notes are called in a record; their member is not documented (SPEC D14). */
#define NOTES RT_SLICE("notes")

/* Whether a text has these bytes somewhere. */
static bool has_bytes(struct rt_slice text, struct rt_slice bytes)
{
	return memmem(text.ptr, text.len, bytes.ptr, bytes.len) != NULL;
}

struct rt_slice rt_record_notes(const struct rt_record *record)
{
	struct rt_slice found = {0};
	struct rt_items items;
	struct rt_item item;

	/* Most records have no such member, and need not be walked through. */
	if (!record->others ||
	    !(has_bytes(record->text, NOTES) || has_bytes(record->text, RT_SLICE("\\u00"))))
		return found;
	rt_items_init(&items, record->text);
	while (rt_items_next(&items, &item)) {
		if (rt_items_key_is(item.key, NOTES))
			found = item.value;
	}
	if (found.ptr && *found.ptr != '[' && *found.ptr != '"')
		return (struct rt_slice){0};
	return found;
}

/* The next element of a list, of which at is what is left. Returns false after the last. */
static bool next_value(struct rt_slice *at, struct rt_slice *ret_value)
{
	const char *end, *from;

	if (!at->len)
		return false;
	end = at->ptr + at->len;
	from = rt_items_blanks(at->ptr + 1, end); /* after '[' or ',' */
	if (from == end || *from == ']') {
		at->len = 0;
		return false;
	}
	*ret_value = rt_slice_make(from, (size_t)(rt_items_value(from, end) - from));
	from = rt_items_blanks(from + ret_value->len, end);
	*at = rt_slice_make(from, (size_t)(end - from));
	return true;
}

bool rt_strings_step(struct rt_slice *at, struct rt_put *room, struct rt_slice *ret_text)
{
	struct rt_slice value;

	if (!next_value(at, &value))
		return false;
	*ret_text = string_text(value, room);
	return room->status == RT_OK;
}

/* A note; text ptr NULL where it has none. */
static struct rt_note read_note(struct rt_slice json, struct rt_put *room)
{
	struct rt_slice text = json.ptr[0] == '"' ? json : (struct rt_slice){0};
	struct rt_note note = {.added_at = RT_SLICE("null")};
	struct rt_items items;
	struct rt_item item;

	if (json.ptr[0] == '{') {
		rt_items_init(&items, json);
		while (rt_items_next(&items, &item)) {
			if (rt_items_key_is(item.key, RT_SLICE("added_at")))
				note.added_at = item.value;
			else if (rt_items_key_is(item.key, RT_SLICE("text")))
				text = item.value;
			else if (rt_items_key_is(item.key, RT_SLICE("comment")))
				note.comment = *item.value.ptr == 't';
		}
	}
	note.text = string_text(text, room);
	return note;
}

bool rt_notes_take(struct rt_slice *at, struct rt_put *room, struct rt_note *ret_note)
{
	struct rt_slice json;

	*ret_note = (struct rt_note){0};
	if (at->len && *at->ptr == '"') { /* one note, which is not in an array */
		*ret_note = read_note(*at, room);
		at->len = 0;
	}
	while (!ret_note->text.ptr && room->status == RT_OK && next_value(at, &json))
		*ret_note = read_note(json, room);
	return ret_note->text.ptr != NULL;
}

bool rt_notes_step(struct rt_slice *at, struct rt_put *room, struct rt_slice *ret_added_at,
		   struct rt_slice *ret_text)
{
	struct rt_note note;
	bool more = rt_notes_take(at, room, &note);

	*ret_added_at = note.added_at;
	*ret_text = note.text;
	return more;
}

enum rt_status rt_strings_next(struct rt_slice *at, struct rt_buf *scratch,
			       struct rt_slice *ret_text, struct rt_error *err)
{
	struct rt_put room = {scratch, err, RT_OK};
	bool more = rt_strings_step(at, &room, ret_text);

	return more || room.status != RT_OK ? room.status : RT_END;
}

enum rt_status rt_notes_next(struct rt_slice *at, struct rt_buf *scratch,
			     struct rt_slice *ret_added_at, struct rt_slice *ret_text,
			     struct rt_error *err)
{
	struct rt_put room = {scratch, err, RT_OK};
	bool more = rt_notes_step(at, &room, ret_added_at, ret_text);

	return more || room.status != RT_OK ? room.status : RT_END;
}

/* --- The end of a decision --------------------------------------------------------------- */

#define DATE_CHARS 10u

const struct rt_slice rt_status_names[RT_STATUSES] = {
    {"open", 4}, {"dismissed", 9}, {"expired", 7}};

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_';
}

/* Whether a word begins at an offset of a text, and with these characters, in any case. */
static bool begins_word(struct rt_slice text, size_t at, const char *word)
{
	size_t len = strlen(word);

	return at + len <= text.len && (at == 0 || !is_word(text.ptr[at - 1])) &&
	       strncasecmp(text.ptr + at, word, len) == 0;
}

/* What follows the last `exp:` of a text that begins a word; ptr NULL: there is none. */
static struct rt_slice find_end_date(struct rt_slice text)
{
	struct rt_slice found = {0};

	for (size_t i = 0; i < text.len; i++) {
		if (begins_word(text, i, "exp:"))
			found = rt_slice_make(text.ptr + i + 4, text.len - i - 4);
	}
	return found;
}

/* --- Reasons ---------------------------------------------------------------------------- */

struct rt_slice rt_reason_word(enum rt_reason reason)
{
	static const char *const words[RT_REASONS] = {
	    "",          "false_positive", "accepted_risk", "wont_fix", "used_in_tests",
	    "mitigated", "duplicate",      "other",
	};

	return rt_slice_make(words[reason], strlen(words[reason]));
}

enum rt_reason rt_note_reason(struct rt_slice text, struct rt_slice *ret_word)
{
	static const char mark[] = "reason:";
	size_t from = strlen(mark), len = 0;

	if (!begins_word(text, 0, mark))
		return RT_REASON_NONE;
	while (from + len < text.len &&
	       (is_word(text.ptr[from + len]) || text.ptr[from + len] == '-'))
		len++;
	if (ret_word)
		*ret_word = rt_slice_make(text.ptr + from, len);
	for (enum rt_reason reason = RT_REASON_FALSE_POSITIVE; reason < RT_REASON_OTHER; reason++) {
		struct rt_slice word = rt_reason_word(reason);

		if (word.len == len && strncasecmp(word.ptr, text.ptr + from, len) == 0)
			return reason;
	}
	return RT_REASON_OTHER;
}

/* --- Ends -------------------------------------------------------------------------------- */

static bool cut_word(struct rt_slice *text, const char *word)
{
	size_t len = strlen(word);

	if (text->len < len || memcmp(text->ptr, word, len) != 0)
		return false;
	*text = rt_slice_make(text->ptr + len, text->len - len);
	return true;
}

/* What a note is that was made of a suppression of a log (SARIF.md S33): "external, accepted: text"
 */
enum suppression { SUPPRESSION_NONE, SUPPRESSION_ACCEPTED, SUPPRESSION_OTHER };

/* ret_text: the note; of a suppression its justification. */
static enum suppression read_suppression(struct rt_slice note, struct rt_slice *ret_text)
{
	struct rt_slice rest = note;
	enum suppression is = SUPPRESSION_NONE;
	const char *text;

	*ret_text = note;
	if (!cut_word(&rest, "in source, ") && !cut_word(&rest, "external, ") &&
	    !cut_word(&rest, "suppressed, "))
		return SUPPRESSION_NONE;
	if (cut_word(&rest, "accepted"))
		is = SUPPRESSION_ACCEPTED;
	else if (cut_word(&rest, "under review") || cut_word(&rest, "rejected"))
		is = SUPPRESSION_OTHER;
	if (is == SUPPRESSION_NONE || (rest.len && *rest.ptr != ':' && *rest.ptr != ' '))
		return SUPPRESSION_NONE;
	text = memmem(rest.ptr, rest.len, ": ", 2);
	*ret_text = rt_slice_make(rt_slice_end(rest), 0);
	if (text)
		*ret_text = rt_slice_make(text + 2, (size_t)(rt_slice_end(rest) - text) - 2);
	return is;
}

bool rt_note_has_end(struct rt_slice text)
{
	struct rt_slice said;

	return read_suppression(text, &said) != SUPPRESSION_OTHER &&
	       (find_end_date(text).ptr || rt_note_reason(said, NULL) != RT_REASON_NONE);
}

bool rt_note_dismisses(struct rt_slice text)
{
	struct rt_slice said;

	return read_suppression(text, &said) == SUPPRESSION_ACCEPTED || rt_note_has_end(text);
}

/* When the day that a text begins with is over; INT64_MIN where it begins with none. */
static int64_t end_of_day(struct rt_slice text)
{
	struct rt_instant day;

	if (text.len < DATE_CHARS || (text.len > DATE_CHARS && is_word(text.ptr[DATE_CHARS])))
		return INT64_MIN;
	text.len = DATE_CHARS;
	return rt_instant_parse(text, &day) ? day.seconds + DAY : INT64_MIN;
}

int64_t rt_note_end(struct rt_slice text)
{
	struct rt_slice date = find_end_date(text);

	return date.ptr ? end_of_day(date) : INT64_MAX;
}

/* What the notes that were read so far say of a dismissal. */
struct dismissal {
	int64_t end;
	enum rt_reason reason;
	bool suppressed; /* by suppressions of a log, of which the last one to end counts */
};

/* Take what an accepted suppression says, whose justification is text. */
static void add_suppression(struct dismissal *d, int64_t end, enum rt_reason reason)
{
	if (d->suppressed && (end < d->end || (end == d->end && d->reason != RT_REASON_NONE)))
		return;
	*d = (struct dismissal){end, reason, true};
}

int64_t rt_finding_end(const struct rt_finding *finding, struct rt_put *room,
		       enum rt_reason *ret_reason)
{
	struct dismissal d = {.end = INT64_MAX, .reason = RT_REASON_NONE};
	struct rt_slice notes = finding->notes, said;
	struct rt_note note;

	while (rt_notes_take(&notes, room, &note)) {
		enum suppression is = read_suppression(note.text, &said);
		enum rt_reason reason = rt_note_reason(said, NULL);
		bool ends = find_end_date(note.text).ptr != NULL;
		int64_t end = rt_note_end(note.text);

		if (note.comment || is == SUPPRESSION_OTHER)
			continue;
		if (is == SUPPRESSION_ACCEPTED) {
			add_suppression(&d, end, reason);
			continue;
		}
		/* A word that is no reason takes no end away. */
		if (ends || (reason != RT_REASON_NONE && reason != RT_REASON_OTHER))
			d = (struct dismissal){end, d.reason, false};
		if (reason != RT_REASON_NONE)
			d.reason = reason;
	}
	*ret_reason = d.reason;
	return d.end;
}

char *rt_end_text(int64_t end, char text[RT_DAY_TEXT])
{
	static const char *const months[] = {"January",   "February", "March",    "April",
					     "May",       "June",     "July",     "August",
					     "September", "October",  "November", "December"};
	char day[RT_DAY_ROOM];
	int month;

	text[0] = '\0';
	if (end == INT64_MIN)
		(void)snprintf(text, RT_DAY_TEXT, "no day");
	if (!rt_end_day(end, day))
		return text;
	month = (day[5] - '0') * 10 + day[6] - '0';
	(void)snprintf(text, RT_DAY_TEXT, "%.2s %s %.4s", day[8] == '0' ? day + 9 : day + 8,
		       months[month - 1], day);
	return text;
}

size_t rt_end_day(int64_t end, char day[RT_DAY_ROOM])
{
	char text[RT_INSTANT_CHARS];

	day[0] = '\0';
	if (end == INT64_MAX || end == INT64_MIN || !rt_instant_format(end - 1, text))
		return 0;
	memcpy(day, text, RT_DAY_ROOM - 1);
	day[RT_DAY_ROOM - 1] = '\0';
	return RT_DAY_ROOM - 1;
}

/* `exp` and a number without the colon between them; ptr NULL: there is none. */
static struct rt_slice find_unread(struct rt_slice text)
{
	for (size_t i = 0; i < text.len; i++) {
		size_t at = i + 3;

		if (!begins_word(text, i, "exp"))
			continue;
		while (at < text.len && (text.ptr[at] == ' ' || text.ptr[at] == '='))
			at++;
		if (at > i + 3 && at < text.len && text.ptr[at] >= '0' && text.ptr[at] <= '9')
			return rt_slice_make(text.ptr + i, at - i);
	}
	return rt_slice_make(NULL, 0);
}

static bool looks_like_day(struct rt_slice text)
{
	static const char form[] = "0000-00-00";

	for (size_t i = 0; i < DATE_CHARS; i++) {
		bool is_digit = i < text.len && text.ptr[i] >= '0' && text.ptr[i] <= '9';

		if (i >= text.len || (form[i] == '0' ? !is_digit : text.ptr[i] != '-'))
			return false;
	}
	return text.len == DATE_CHARS || !is_word(text.ptr[DATE_CHARS]);
}

enum rt_end_fault rt_note_end_fault(struct rt_slice text, int64_t at, struct rt_slice *ret_words)
{
	struct rt_slice date = find_end_date(text), words = find_unread(text);
	const char *end = text.ptr + text.len, *stop;

	if (!date.ptr && !words.ptr)
		return RT_END_RIGHT;
	if (date.ptr)
		words = rt_slice_make(date.ptr - 4, 4);
	for (stop = words.ptr + words.len; stop < end && (unsigned char)*stop > ' ';)
		stop++;
	*ret_words = rt_slice_make(words.ptr, (size_t)(stop - words.ptr));
	if (!date.ptr)
		return RT_END_UNREAD;
	if (end_of_day(date) == INT64_MIN)
		return looks_like_day(date) ? RT_END_NO_DAY : RT_END_FORM;
	return at >= end_of_day(date) ? RT_END_PASSED : RT_END_RIGHT;
}

enum rt_status rt_finding_decide(struct rt_finding *finding, int64_t at, struct rt_buf *scratch,
				 struct rt_error *err)
{
	struct rt_put room = {scratch, err, RT_OK};

	if (finding->status == RT_STATUS_OPEN)
		return RT_OK;
	finding->end = rt_finding_end(finding, &room, &finding->reason);
	if (finding->reason == RT_REASON_NONE)
		finding->reason = RT_REASON_FALSE_POSITIVE;
	rt_finding_set_status(finding,
			      at >= finding->end ? RT_STATUS_EXPIRED : RT_STATUS_DISMISSED);
	return room.status;
}

char *rt_expired_text(uint64_t expired, uint64_t issues, char text[RT_EXPIRED_ROOM])
{
	char count[RT_COUNT_ROOM];

	text[0] = '\0';
	if (expired && issues == 1)
		(void)snprintf(text, RT_EXPIRED_ROOM, "its dismissal has expired");
	else if (expired)
		(void)snprintf(text, RT_EXPIRED_ROOM, "%s%s with %sexpired dismissal%s",
			       expired == issues ? "all " : "", rt_count_text(expired, count),
			       expired == 1 ? "an " : "", RT_S(expired));
	return text;
}

/* --- Weaknesses -------------------------------------------------------------------------- */

/* The digits of a weakness's number without zeros in front. Returns false where there are none. */
static bool take_digits(const char *at, const char *end, struct rt_slice *ret_digits)
{
	const char *first;

	while (at < end && *at == '0' && end - at > 1 && at[1] >= '0' && at[1] <= '9')
		at++;
	for (first = at; at < end && *at >= '0' && *at <= '9'; at++)
		;
	*ret_digits = rt_slice_make(first, (size_t)(at - first));
	return at > first;
}

static bool is_cwe_prefix(const char *at)
{
	return (at[0] | 0x20) == 'c' && (at[1] | 0x20) == 'w' && (at[2] | 0x20) == 'e';
}

static bool is_alphanumeric(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

bool rt_cwe_digits(struct rt_slice text, struct rt_slice *ret_digits)
{
	const char *at = text.ptr, *end = rt_slice_end(text);

	if (take_digits(at, end, ret_digits) && rt_slice_end(*ret_digits) == end)
		return true;
	for (; end - at > 3; at++) {
		const char *next = at + 3;

		if (!is_cwe_prefix(at) || (at > text.ptr && is_alphanumeric(at[-1])))
			continue;
		next += *next == '-' || *next == '_' || *next == ' ' || *next == ':';
		if (take_digits(next, end, ret_digits))
			return true;
	}
	return false;
}

uint64_t rt_cwe_number(struct rt_slice text)
{
	struct rt_slice digits;
	uint64_t number = 0;

	if (!rt_cwe_digits(text, &digits) || digits.len > 6)
		return 0;
	for (size_t i = 0; i < digits.len; i++)
		number = number * 10 + (uint64_t)(digits.ptr[i] - '0');
	return number;
}
