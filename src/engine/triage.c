/*
 * Keeps the findings that are to be looked at first.
 *
 * The order is made into bytes, one key a finding, so that comparing two of them is one memcmp().
 * Up to twice as many are kept as are wanted; then they are sorted, the worse half goes, and what
 * is no better than the last that stayed needs not be taken any more.
 */
#include "engine/triage.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/json_string.h"
#include "base/spool.h"

/* Digits of a number that decide; more are a curiosity. */
#define DIGITS 15
#define POWER_MAX 4000

struct entry {
	struct rt_slice key;       /* in an allocation of its own */
	struct rt_finding finding; /* but for what it borrows */
	uint64_t offset;           /* of its members in the spool */
	uint64_t bytes;            /* there */
	uint8_t title_of;          /* of its record */
};

struct rt_triage {
	uint64_t max;
	unsigned unknown_as;
	const struct rt_columns *order; /* NULL: none */
	const struct rt_field_source *source;
	struct rt_buf entries; /* of struct entry */
	size_t count;
	bool cut; /* those wanted stand first, in order, and more has gone */
	struct rt_spool spool;
	struct rt_spool_window window;
	uint64_t kept; /* bytes in the spool */
	struct rt_buf pending, key, scratch, id;
	struct rt_record record;
	struct rt_finding finding;
};

static struct entry *entries(const struct rt_triage *t)
{
	return (struct entry *)(void *)t->entries.data;
}

/* --- Keys -------------------------------------------------------------------------------- */

static void put_byte(struct rt_put *key, unsigned byte)
{
	char c = (char)byte;

	rt_put(key, rt_slice_make(&c, 1));
}

/* A number in big-endian bytes. */
static void put_number(struct rt_put *key, uint64_t number)
{
	for (size_t i = 0; i < 8; i++)
		put_byte(key, (unsigned)(number >> (56 - 8 * i)));
}

/* A text and its end, which sorts before everything that a longer text has there. */
static void put_text(struct rt_put *key, struct rt_slice text)
{
	const char *nul;

	text.len = text.len < RT_TRIAGE_TEXT ? text.len : RT_TRIAGE_TEXT;
	while (text.len && (nul = memchr(text.ptr, '\0', text.len))) {
		size_t len = (size_t)(nul - text.ptr) + 1;

		rt_put(key, rt_slice_make(text.ptr, len));
		put_byte(key, 0xff);
		text = rt_slice_make(text.ptr + len, text.len - len);
	}
	rt_put(key, text);
	rt_put(key, rt_slice_make("\0\1", 2));
}

static void put_member(struct rt_put *key, const struct rt_finding *finding, enum rt_member m,
		       struct rt_put *room)
{
	struct rt_slice text = rt_finding_string(finding, m, room);

	put_byte(key, !text.ptr);
	if (text.ptr)
		put_text(key, text);
}

/*
 * A JSON number of any length, so that the order is that of unsigned numbers; what differs only
 * after DIGITS digits is the same.
 */
static uint64_t decimal_rank(struct rt_slice json)
{
	uint64_t digits = 0, rank;
	struct rt_decimal number;
	int count = 0;

	if (!rt_decimal_read(json, &number) || number.sign == 0)
		return UINT64_C(1) << 63;
	if (number.power > POWER_MAX)
		number.power = POWER_MAX;
	if (number.power < -POWER_MAX)
		number.power = -POWER_MAX;
	for (const char *at = number.at; at < number.end && count < DIGITS; at++) {
		if (*at == '.')
			continue;
		digits = digits * 10 + (uint64_t)(*at - '0');
		count++;
	}
	for (; count < DIGITS; count++)
		digits *= 10;
	rank = (uint64_t)(number.power + POWER_MAX) << 50 | digits; /* 10^15 is below 2^50 */
	return number.sign < 0 ? (UINT64_C(1) << 63) - rank : (UINT64_C(1) << 63) + rank;
}

static void put_integer(struct rt_put *key, const struct rt_finding *finding, enum rt_member m)
{
	struct rt_slice json = rt_finding_number(finding, m);

	put_byte(key, !json.ptr);
	if (json.ptr)
		put_number(key, decimal_rank(json));
}

/* Bytes of a key before the path at most. */
#define RANK_MAX 13u

/* What decides before the path: whether it is exploitable, and the score. Returns its bytes, at
 * most 10. */
static size_t rank_score(const struct rt_finding *finding, char *rank)
{
	struct rt_slice json = rt_finding_number(finding, RT_M_CVSS_SCORE);
	uint64_t score;

	rank[0] = rt_finding_flag(finding, RT_M_EXPLOITABLE) != 1;
	rank[1] = !json.ptr;
	if (!json.ptr)
		return 2;
	score = ~decimal_rank(json);
	for (size_t i = 0; i < 8; i++)
		rank[2 + i] = (char)(score >> (56 - 8 * i));
	return 10;
}

/* The place of its severity: what is no level is behind the one that it counts as. */
static unsigned rank_level(const struct rt_finding *finding, unsigned unknown_as)
{
	return finding->level == RT_LEVEL_OTHER ? 2 * unknown_as + 1 : 2 * finding->level;
}

void rt_triage_key(const struct rt_finding *finding, unsigned unknown_as, struct rt_put *room,
		   struct rt_put *key)
{
	char rank[RANK_MAX];

	put_byte(key, !finding->open);
	put_byte(key, !finding->is_new);
	put_byte(key, rank_level(finding, unknown_as));
	if (finding->level == RT_LEVEL_OTHER)
		put_member(key, finding, RT_M_SEVERITY, room);
	rt_put(key, rt_slice_make(rank, rank_score(finding, rank)));
	put_member(key, finding, RT_M_FILE_PATH, room);
	put_integer(key, finding, RT_M_LINE_NUMBER);
	put_integer(key, finding, RT_M_COLUMN_START);
	put_text(key, finding->record->id);
}

/*
 * Whether a finding may be kept beside those that are, told by its severity, exploitable and
 * cvss_score alone: most are not, and need no key.
 */
static bool may_be_kept(const struct rt_triage *t, const struct rt_finding *finding)
{
	char rank[RANK_MAX] = {(char)!finding->open, (char)!finding->is_new,
			       (char)rank_level(finding, t->unknown_as)};
	const struct entry *last;
	size_t len = 3;

	if (!t->cut || t->order)
		return t->max > 0;
	last = &entries(t)[t->max - 1];
	if (finding->level != RT_LEVEL_OTHER && memcmp(rank, last->key.ptr, len) == 0)
		len += rank_score(finding, rank + len);
	return memcmp(rank, last->key.ptr, len < last->key.len ? len : last->key.len) <= 0;
}

/* --- What is kept ------------------------------------------------------------------------ */

/* How a value is kept, its bytes following; member RT_MEMBER_COUNT: the notes, after it: how the
 * issue has changed. */
#define WAS (RT_MEMBER_COUNT + 1)
struct head {
	uint8_t member, type;
	uint64_t len;
};

static void keep_value(struct rt_put *put, uint8_t member, uint8_t type, struct rt_slice value)
{
	struct head head = {.member = member, .type = type, .len = value.len};

	rt_put(put, rt_slice_make((const char *)&head, sizeof(head)));
	rt_put(put, value);
}

/* Copy a finding to the spool. */
static enum rt_status keep_finding(struct rt_triage *t, const struct rt_finding *finding,
				   struct entry *entry, struct rt_error *err)
{
	const struct rt_record *record = finding->record;
	struct rt_sink sink = rt_spool_sink(&t->spool);
	struct rt_put put = {&t->pending, err, RT_OK};

	t->pending.len = 0;
	for (uint8_t m = 0; m < RT_ISSUE_MEMBERS; m++) {
		if (record->types[m])
			keep_value(&put, m, record->types[m], record->values[m]);
	}
	if (finding->notes.ptr)
		keep_value(&put, RT_MEMBER_COUNT, 0, finding->notes);
	if (finding->was.len)
		keep_value(&put, WAS, 0, finding->was);
	if (put.status != RT_OK)
		return put.status;
	entry->offset = t->kept;
	entry->bytes = t->pending.len;
	t->kept += t->pending.len;
	return sink.write(sink.ctx, t->pending.data, t->pending.len, err);
}

/* Negative: a is before b. */
static int compare(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = rt_slice_compare(a->key, b->key);

	return order ? order
		     : (a->finding.number > b->finding.number) -
			   (a->finding.number < b->finding.number);
}

static void key_free(const struct entry *entry)
{
	free((void *)(uintptr_t)entry->key.ptr);
}

void rt_triage_sort(struct rt_triage *t)
{
	if (t->count)
		qsort(entries(t), t->count, sizeof(struct entry), compare);
	t->cut = t->cut || t->count >= t->max;
	while (t->count > t->max)
		key_free(&entries(t)[--t->count]);
	t->entries.len = t->count * sizeof(struct entry);
}

static enum rt_status take(struct rt_triage *t, const struct rt_finding *finding,
			   struct entry entry, struct rt_error *err)
{
	struct rt_fault fault = {keep_finding(t, finding, &entry, err), err};
	char *key = malloc(entry.key.len + 1);

	if (!key)
		return rt_error_nomem(err);
	memcpy(key, entry.key.ptr, entry.key.len);
	entry.key.ptr = key;
	if (t->count / 2 >= t->max)
		rt_triage_sort(t);
	if (RT_STEP(&fault, rt_buf_append(&t->entries, &entry, sizeof(entry), err)) == RT_OK)
		t->count++;
	else
		key_free(&entry);
	return fault.status;
}

/* --- The interface ----------------------------------------------------------------------- */

enum rt_status rt_triage_new(uint64_t max, unsigned unknown_as, struct rt_triage **ret_triage,
			     struct rt_error *err)
{
	struct rt_triage *t = calloc(1, sizeof(*t));

	if (!t)
		return rt_error_nomem(err);
	t->max = max;
	t->unknown_as = unknown_as;
	rt_spool_init(&t->spool);
	t->window.exact = true;
	*ret_triage = t;
	return RT_OK;
}

void rt_triage_order(struct rt_triage *t, const struct rt_columns *order,
		     const struct rt_field_source *source)
{
	t->order = order;
	t->source = source;
}

/* Whether a field is put into order by its number. */
static bool is_number(unsigned field)
{
	return field == RT_F_AGE || (field < RT_ISSUE_MEMBERS &&
				     rt_member_rule(RT_KIND_ISSUE, (enum rt_member)field)->types &
					 (RT_TYPE_INTEGER | RT_TYPE_NUMBER));
}

/* Append what the fields of the order make of a finding. */
static void put_order(struct rt_triage *t, const struct rt_finding *finding, struct rt_put *room,
		      struct rt_put *key)
{
	for (size_t i = 0; t->order && i < t->order->count; i++) {
		unsigned field = t->order->fields[i];
		struct rt_slice text = {NULL, 0};
		size_t from = t->key.len;

		if (field == RT_M_SEVERITY) {
			put_byte(key, rank_level(finding, t->unknown_as));
		} else {
			text = rt_field_text(t->source, finding, field, 0, room);
			put_byte(key, !text.ptr);
			from = t->key.len;
		}
		if (text.ptr && is_number(field))
			put_number(key, decimal_rank(text));
		else if (text.ptr)
			put_text(key, text);
		for (; t->order->falling[i] && from < t->key.len; from++)
			t->key.data[from] = (char)~t->key.data[from];
	}
}

enum rt_status rt_triage_add(struct rt_triage *t, const struct rt_finding *finding,
			     struct rt_error *err)
{
	struct rt_put room = {&t->scratch, err, RT_OK}, key = {&t->key, err, RT_OK};
	struct entry entry = {.finding = *finding, .title_of = finding->record->title_of};

	if (!may_be_kept(t, finding))
		return RT_OK;
	t->key.len = 0;
	put_order(t, finding, &room, &key);
	rt_triage_key(finding, t->unknown_as, &room, &key);
	if (room.status != RT_OK || key.status != RT_OK)
		return RT_FATAL;
	entry.key = rt_buf_slice(&t->key);
	if (t->cut && compare(&entry, &entries(t)[t->max - 1]) >= 0)
		return RT_OK;
	return take(t, finding, entry, err);
}

uint64_t rt_triage_count(const struct rt_triage *t)
{
	return t->count;
}

/* Lay out what was read back as a record and what else the finding borrows. */
static void lay_out(struct rt_triage *t, struct rt_slice kept)
{
	const char *at = kept.ptr, *end = rt_slice_end(kept);
	struct head head;

	memset(t->record.types, 0, sizeof(t->record.types));
	t->record.kind = RT_KIND_ISSUE;
	t->finding.record = &t->record;
	t->finding.notes = t->finding.was = (struct rt_slice){0};
	t->finding.decided_at = t->finding.decided_by = (struct rt_slice){0};
	for (; at < end; at += head.len) {
		struct rt_slice value;

		memcpy(&head, at, sizeof(head));
		at += sizeof(head);
		value = rt_slice_make(at, head.len);
		if (head.member == WAS) {
			t->finding.was = value;
		} else if (head.member == RT_MEMBER_COUNT) {
			t->finding.notes = value;
		} else {
			t->record.types[head.member] = head.type;
			t->record.values[head.member] = value;
		}
	}
}

enum rt_status rt_triage_get(struct rt_triage *t, uint64_t place,
			     const struct rt_finding **ret_finding, struct rt_error *err)
{
	const struct entry *entry = &entries(t)[place];
	const char *bytes;

	if (rt_spool_read(&t->spool, entry->offset, (size_t)entry->bytes, &t->window, &bytes,
			  err) != RT_OK)
		return RT_FATAL;
	t->finding = entry->finding;
	lay_out(t, rt_slice_make(bytes, (size_t)entry->bytes));
	t->record.title_of = entry->title_of;
	*ret_finding = &t->finding;
	return rt_json_string_text(rt_record_string(&t->record, RT_M_ID), &t->id, &t->record.id,
				   err);
}

void rt_triage_free(struct rt_triage *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++)
		key_free(&entries(t)[i]);
	rt_buf_release(&t->entries);
	rt_buf_release(&t->pending);
	rt_buf_release(&t->key);
	rt_buf_release(&t->scratch);
	rt_buf_release(&t->id);
	rt_buf_release(&t->window.buf);
	rt_spool_release(&t->spool);
	free(t);
}
