/*
 * Reads two data sets, hands their issues to the matcher, and keeps beside that only what is shown
 * of them, in a temporary file.
 */
#include "ops/scans.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/json_string.h"
#include "engine/counts.h"
#include "engine/headline.h"
#include "output/issue_table.h"
#include "scan/items.h"

#define NEAR 100u    /* issues, of which the next one is read along with one */
#define RULE_MIN 10u /* issues of a rule, for it to be told that all are gone */
/* The bit of `picked` for a changed issue whose code is known to be other, which counts as new. */
#define OTHER_CODE_BIT RT_CLASS_NONE

static const enum rt_member members[RT_SCAN_MEMBERS] = {
    RT_M_ID,          RT_M_SEVERITY, RT_M_FALSE_POSITIVE, RT_M_EXPLOITABLE, RT_M_FILE_PATH,
    RT_M_LINE_NUMBER, RT_M_TITLE,    RT_M_CATEGORY,       RT_M_CREATED_AT,  RT_M_SCAN_CREATED_AT,
};

struct rt_slice rt_scan_field_name(enum rt_scan_field field)
{
	return rt_member_name(members[field]);
}

/* --- Keeping --------------------------------------------------------------------------------- */

/* Append a member: its length and 1, 0 where it is missing, then its bytes. Returns what follows.
 */
static char *put_field(const struct rt_record *record, enum rt_member m, char *out)
{
	struct rt_slice text = {0};
	bool escaped = false;
	char *decoded = out + RT_BYTES_VARINT;
	size_t len;

	if (!rt_record_has(record, m)) {
		*out = 0;
		return out + 1;
	}
	text = record->values[m];
	if (record->types[m] == RT_TYPE_STRING) {
		text = rt_record_string(record, m);
		escaped = rt_json_string_is_escaped(text);
	}
	/* What is decoded gets shorter; the length goes in front of it. */
	len = escaped ? rt_json_string_decode(text, decoded) : text.len;
	out += rt_bytes_put_varint((unsigned char *)out, len + 1);
	if (len)
		memmove(out, escaped ? decoded : text.ptr, len);
	return out + len;
}

/* Append the headline, as put_field() does. Returns what follows. */
static char *put_headline(struct rt_slice text, char *out)
{
	out += rt_bytes_put_varint((unsigned char *)out, text.len + 1);
	if (text.len)
		memcpy(out, text.ptr, text.len);
	return out + text.len;
}

/* Make the line of an issue: its fields. Returns a hash of those that are compared. */
static uint64_t put_fields(struct rt_scans *scans, const struct rt_finding *finding)
{
	const struct rt_record *record = finding->record;
	struct rt_put text = {&scans->scratch, scans->fault->err, scans->fault->status};
	struct rt_slice headline = rt_finding_headline(finding, &text).text;
	struct rt_buf *line = &scans->line;
	size_t room = RT_BYTES_VARINT + headline.len;
	char *at, *from = NULL, *to = NULL;

	scans->fault->status = text.status;
	for (size_t i = 0; i < RT_SCAN_MEMBERS; i++)
		room += RT_BYTES_VARINT +
			(rt_record_has(record, members[i]) ? record->values[members[i]].len : 0);
	line->len = 0;
	if (RT_STEP(scans->fault, rt_buf_reserve(line, room, scans->fault->err)) != RT_OK)
		return 0;
	at = line->data;
	for (size_t i = 0; i < RT_SCAN_MEMBERS; i++) {
		from = i == RT_SCAN_SEVERITY ? at : from;
		at = put_field(record, members[i], at);
		to = i == RT_SCAN_TITLE ? at : to;
	}
	line->len = (size_t)(put_headline(headline, at) - line->data);
	return rt_siphash(&scans->key, rt_slice_make(from, (size_t)(to - from))).low;
}

/* The member of a record that is its fingerprint, as text; ptr NULL: it has none. */
static struct rt_slice find_print(struct rt_scans *scans, const struct rt_record *record,
				  const char *name)
{
	struct rt_items items;
	struct rt_item item;
	struct rt_slice found = {0};

	if (!name)
		return found;
	rt_items_init(&items, record->text);
	while (rt_items_next(&items, &item)) {
		if (rt_items_key_is(item.key, rt_slice_of(name)))
			found = item.value;
	}
	if (!found.ptr || strchr("nt{[f", *found.ptr))
		return (struct rt_slice){0};
	if (*found.ptr == '"')
		RT_STEP(scans->fault,
			rt_json_string_text(rt_slice_make(found.ptr + 1, found.len - 2),
					    &scans->scratch, &found, scans->fault->err));
	return found;
}

static void take(struct rt_scans *scans, enum rt_match_side side, const struct rt_finding *finding,
		 uint8_t picked)
{
	struct rt_scan_side *scan = &scans->side[side];
	struct rt_fault *fault = scans->fault;
	struct rt_sink into = rt_spool_sink(&scan->spool);
	struct rt_scan_kept kept = {
	    .offset = scan->spool.filed + scan->spool.buf.len,
	    .level = (uint8_t)finding->level,
	    .picked = picked,
	    .open = finding->open,
	    .partner = RT_MATCH_NONE,
	};
	struct rt_slice print =
	    find_print(scans, finding->record, rt_state_options(scan->state)->fingerprint);

	RT_STEP(fault,
		rt_match_add(scans->match, side, rt_state_base(scan->state), print, fault->err));
	kept.hash = put_fields(scans, finding);
	RT_STEP(fault, rt_buf_append(&scan->kept, &kept, sizeof(kept), fault->err));
	RT_STEP(fault, into.write(into.ctx, scans->line.data, scans->line.len, fault->err));
	scan->issues = (void *)scan->kept.data;
	scan->count = (uint32_t)(scan->kept.len / sizeof(kept));
}

/* What becomes of an issue is not known yet, and the filter may ask for it: try all. */
static uint8_t pick(struct rt_scans *scans, struct rt_state *state, struct rt_filter *filter,
		    struct rt_finding *finding)
{
	struct rt_fault *fault = scans->fault;
	bool wants_class = rt_filter_wants_class(filter), picked = false;
	uint8_t all = 0;

	for (unsigned bit = 0; bit < RT_CLASSES; bit++) {
		finding->class = bit == OTHER_CODE_BIT ? RT_CLASS_CHANGED : (enum rt_class)bit;
		finding->is_new = bit == OTHER_CODE_BIT || bit == RT_CLASS_NEW;
		if (RT_STEP(fault, rt_state_pick(state, filter, false, finding, &picked,
						 fault->err)) != RT_OK)
			return 0;
		if (!wants_class)
			return picked ? UINT8_MAX : 0;
		all |= (uint8_t)(picked << bit);
	}
	return all;
}

static void read_side(struct rt_scans *scans, enum rt_match_side side,
		      const struct rt_options *options, struct rt_filter *filter, int64_t at)
{
	struct rt_scan_side *scan = &scans->side[side];
	struct rt_fault *fault = scans->fault;
	const struct rt_record *record;

	if (!scan->state)
		RT_STEP(fault, rt_state_open(options, &scan->extras, &scan->state, fault->err));
	while (RT_STEP(fault, rt_state_next(scan->state, &record, fault->err)) == RT_OK) {
		struct rt_finding finding;

		if (record->kind != RT_KIND_ISSUE)
			continue;
		finding = rt_finding_of(record, (struct rt_slice){0}, scan->count);
		take(scans, side, &finding, pick(scans, scan->state, filter, &finding));
		if (scan->decided)
			rt_decided_add(scan->decided, scan->state, &finding, at);
	}
	if (fault->status != RT_END)
		return;
	fault->status = RT_OK;
	scans->stamp = rt_parts_stamp(rt_dataset_reader(rt_state_dataset(scan->state))->view.parts);
	rt_state_end(scan->state);
}

/* --- What became of them --------------------------------------------------------------------- */

struct rt_scan_issue rt_scans_issue(struct rt_scans *scans, enum rt_match_side side, uint32_t index)
{
	struct rt_scan_side *scan = &scans->side[side];
	uint64_t from = scan->issues[index].offset;
	uint64_t to = index + 1 < scan->count ? scan->issues[index + 1].offset
					      : scan->spool.filed + scan->spool.buf.len;
	struct rt_scan_issue issue = {0};
	const unsigned char *at, *end;
	const char *line;

	/* Much at once only where they are asked for one after another. */
	scan->window.exact = index - scan->asked > NEAR;
	scan->asked = index;
	if (RT_STEP(scans->fault, rt_spool_read(&scan->spool, from, (size_t)(to - from),
						&scan->window, &line, scans->fault->err)) != RT_OK)
		return issue;
	at = (const unsigned char *)line;
	end = at + (to - from);
	for (size_t i = 0; i < RT_SCAN_FIELDS; i++) {
		uint64_t len = 0;

		at = rt_bytes_get_varint(at, end, &len);
		if (!at || len == 0)
			continue;
		issue.fields[i] = rt_slice_make((const char *)at, (size_t)len - 1);
		at += len - 1;
	}
	return issue;
}

struct rt_slice rt_scans_place(struct rt_scans *scans, const struct rt_scan_issue *issue)
{
	struct rt_put put = {&scans->line, scans->fault->err, scans->fault->status};

	scans->line.len = 0;
	rt_put(&put, issue->fields[RT_SCAN_PATH]);
	if (scans->line.len && issue->fields[RT_SCAN_LINE].ptr) {
		RT_PUT(&put, ":");
		rt_put(&put, issue->fields[RT_SCAN_LINE]);
	}
	scans->fault->status = put.status;
	return rt_buf_slice(&scans->line);
}

void rt_scans_cells(struct rt_scans *scans, const struct rt_scan_issue *issue,
		    struct rt_table *table)
{
	struct rt_slice severity = issue->fields[RT_SCAN_SEVERITY];
	struct rt_slice text = issue->fields[RT_SCAN_HEADLINE];
	struct rt_slice place = rt_scans_place(scans, issue);

	rt_table_cell(table, severity.len ? severity : RT_TABLE_NOTHING,
		      rt_tone_of_severity(severity));
	rt_table_cell(table, place.len ? place : RT_TABLE_NOTHING, RT_TONE_PLAIN);
	rt_table_cell(table, text.len ? text : RT_TABLE_NOTHING, RT_TONE_PLAIN);
}

bool rt_scans_differ(const struct rt_scan_issue *old, const struct rt_scan_issue *new,
		     enum rt_scan_field field)
{
	struct rt_slice a = old->fields[field], b = new->fields[field];

	if (field == RT_SCAN_FALSE_POSITIVE) {
		a = a.ptr ? a : RT_SLICE("false");
		b = b.ptr ? b : RT_SLICE("false");
	}
	return a.ptr && b.ptr ? !rt_slice_equal(a, b) : a.ptr != b.ptr;
}

/* Where it was, or how its title. */
static void describe_move(const struct rt_scan_issue *old, const struct rt_scan_issue *new,
			  char text[RT_SCAN_CHANGE])
{
	struct rt_slice path = old->fields[RT_SCAN_PATH], line = old->fields[RT_SCAN_LINE];

	if (rt_scans_differ(old, new, RT_SCAN_PATH))
		(void)snprintf(text, RT_SCAN_CHANGE, "from %.*s", rt_slice_shown(path, 100),
			       path.ptr ? path.ptr : "no file");
	else if (rt_scans_differ(old, new, RT_SCAN_LINE))
		(void)snprintf(text, RT_SCAN_CHANGE, "from line %.*s", rt_slice_shown(line, 20),
			       line.ptr ? line.ptr : "none");
	else
		(void)snprintf(text, RT_SCAN_CHANGE, "worded anew");
}

const char *rt_scans_difference(enum rt_match_difference difference)
{
	static const char *const words[] = {
	    [RT_MATCH_OTHER_CODE] = "other code",
	    [RT_MATCH_OTHER_LINE_HASH] = "line hash differs",
	    [RT_MATCH_OTHER_CONTEXT_HASH] = "context hash differs",
	};

	return words[difference];
}

void rt_scans_describe(const struct rt_scan_kept *issue, const struct rt_scan_issue *old,
		       const struct rt_scan_issue *new, char text[RT_SCAN_CHANGE])
{
	struct rt_slice was = old->fields[RT_SCAN_SEVERITY];
	bool dismissed = rt_slice_equal(new->fields[RT_SCAN_FALSE_POSITIVE], RT_SLICE("true"));
	size_t used = 0;

	text[0] = '\0';
	if (issue->class == RT_CLASS_MOVED)
		describe_move(old, new, text);
	if (issue->class != RT_CLASS_CHANGED)
		return;
	if (rt_scans_differ(old, new, RT_SCAN_SEVERITY))
		used = (size_t)snprintf(text, RT_SCAN_CHANGE, "was %.*s",
					was.ptr ? rt_slice_shown(was, 20) : 4,
					was.ptr ? was.ptr : "none");
	if (rt_scans_differ(old, new, RT_SCAN_FALSE_POSITIVE))
		used += (size_t)snprintf(text + used, RT_SCAN_CHANGE - used, "%s%s",
					 used ? ", " : "", dismissed ? "dismissed" : "reopened");
	if (rt_scans_differ(old, new, RT_SCAN_EXPLOITABLE))
		used += (size_t)snprintf(text + used, RT_SCAN_CHANGE - used, "%sexploitable",
					 used ? ", " : "");
	if (issue->difference != RT_MATCH_SAME)
		(void)snprintf(text + used, RT_SCAN_CHANGE - used, "%s%s", used ? ", " : "",
			       rt_scans_difference((enum rt_match_difference)issue->difference));
}

bool rt_scans_shown(const struct rt_scans *scans, enum rt_match_side side, uint32_t index)
{
	const struct rt_scan_kept *issue = &scans->side[side].issues[index];
	unsigned bit = issue->difference == RT_MATCH_SAME ? issue->class : OTHER_CODE_BIT;
	uint32_t partner = issue->partner;

	if (issue->picked >> bit & 1)
		return true;
	return partner != RT_MATCH_NONE && (scans->side[!side].issues[partner].picked >> bit & 1);
}

/* What became of a pair. Notes at both how they are known to be about other code. */
static enum rt_class class_of_pair(struct rt_scans *scans, uint32_t old, uint32_t new)
{
	enum rt_match_difference difference = rt_match_difference(scans->match, RT_MATCH_NEW, new);
	struct rt_scan_issue a, b;

	scans->side[RT_MATCH_OLD].issues[old].difference = difference & 3;
	scans->side[RT_MATCH_NEW].issues[new].difference = difference & 3;
	if (difference != RT_MATCH_SAME)
		return RT_CLASS_CHANGED;
	if (scans->side[RT_MATCH_OLD].issues[old].hash ==
	    scans->side[RT_MATCH_NEW].issues[new].hash)
		return RT_CLASS_UNCHANGED;
	a = rt_scans_issue(scans, RT_MATCH_OLD, old);
	b = rt_scans_issue(scans, RT_MATCH_NEW, new);
	if (rt_scans_differ(&a, &b, RT_SCAN_SEVERITY) ||
	    rt_scans_differ(&a, &b, RT_SCAN_FALSE_POSITIVE) ||
	    rt_scans_differ(&a, &b, RT_SCAN_EXPLOITABLE))
		return RT_CLASS_CHANGED;
	if (rt_scans_differ(&a, &b, RT_SCAN_PATH) || rt_scans_differ(&a, &b, RT_SCAN_LINE) ||
	    rt_scans_differ(&a, &b, RT_SCAN_TITLE))
		return RT_CLASS_MOVED;
	return RT_CLASS_UNCHANGED;
}

static void classify(struct rt_scans *scans)
{
	struct rt_scan_side *old = &scans->side[RT_MATCH_OLD], *new = &scans->side[RT_MATCH_NEW];
	enum rt_match_by by;

	for (uint32_t i = 0; scans->fault->status == RT_OK && i < new->count; i++) {
		uint32_t partner = rt_match_partner(scans->match, RT_MATCH_NEW, i);
		enum rt_class class = RT_CLASS_NEW;

		if (partner != RT_MATCH_NONE) {
			class = class_of_pair(scans, partner, i);
			old->issues[partner].class = (uint8_t) class;
			old->issues[partner].partner = i;
		} else if (rt_match_group(scans->match, RT_MATCH_NEW, i, &by) != RT_MATCH_NONE) {
			class = RT_CLASS_AMBIGUOUS;
		}
		new->issues[i].class = (uint8_t) class;
		new->issues[i].partner = partner;
	}
	for (uint32_t i = 0; i < old->count; i++) {
		if (old->issues[i].partner != RT_MATCH_NONE)
			continue;
		if (rt_match_group(scans->match, RT_MATCH_OLD, i, &by) != RT_MATCH_NONE)
			old->issues[i].class = RT_CLASS_AMBIGUOUS;
		else if (rt_match_scanned(scans->match, i))
			old->issues[i].class = RT_CLASS_GONE;
		else
			old->issues[i].class = RT_CLASS_NOT_SCANNED;
	}
}

static struct rt_slice path_of(void *ctx, enum rt_match_side side, uint32_t index)
{
	return rt_scans_issue(ctx, side, index).fields[RT_SCAN_PATH];
}

void rt_scans_init(struct rt_scans *scans, struct rt_fault *fault)
{
	*scans = (struct rt_scans){.fault = fault};
	rt_spool_init(&scans->side[0].spool);
	rt_spool_init(&scans->side[1].spool);
}

void rt_scans_read(struct rt_scans *scans, const struct rt_options *old,
		   const struct rt_options *new, struct rt_filter *filter, int64_t at)
{
	struct rt_fault *fault = scans->fault;

	RT_STEP(fault, rt_siphash_key_init(&scans->key, fault->err));
	RT_STEP(fault, rt_match_new(&scans->match, fault->err));
	read_side(scans, RT_MATCH_OLD, old, filter, at);
	read_side(scans, RT_MATCH_NEW, new, filter, at);
	if (RT_STEP(fault, rt_match_run(scans->match, path_of, scans, fault->err)) == RT_OK)
		classify(scans);
}

/* Tell that a rule with issues enough has lost all of them: the first one, and how many more. */
static void tell_lost(struct rt_scans *scans, const struct rt_options *options)
{
	const struct rt_scan_side *old = &scans->side[RT_MATCH_OLD];
	struct rt_counts_limit limit = {.max = options->limits.distinct_bytes};
	struct rt_fault *fault = scans->fault;
	struct rt_counts rules; /* all, and those that are gone */
	const struct rt_count *first = NULL;
	char number[RT_COUNT_ROOM], more[64] = "";
	size_t lost = 0;

	rt_counts_init(&rules, &scans->key, &limit);
	for (uint32_t i = 0; fault->status == RT_OK && i < old->count; i++) {
		struct rt_scan_issue issue = rt_scans_issue(scans, RT_MATCH_OLD, i);

		RT_STEP(fault, rt_counts_put(&rules, issue.fields[RT_SCAN_CATEGORY], 1,
					     old->issues[i].class == RT_CLASS_GONE, fault->err));
	}
	for (size_t i = rules.used; fault->status == RT_OK && i-- > 0;) {
		if (rules.slots[i].count < RULE_MIN || rules.slots[i].open < rules.slots[i].count)
			continue;
		first = &rules.slots[i];
		lost++;
	}
	if (lost > 1)
		(void)snprintf(more, sizeof(more), ", and all of %s more",
			       rt_count_text(lost - 1, number));
	if (lost)
		rt_notice(options,
			  "all %" PRIu64 " old issues of rule %.*s are gone%s: was the new scan of "
			  "all the code?",
			  first->count, first->text.len ? rt_slice_shown(first->text, 100) : 4,
			  first->text.len ? first->text.ptr : "none", more);
	rt_counts_release(&rules);
	/* Not even as many rules as that end a comparison for the sake of a note. */
	if (fault->status != RT_OK && fault->err->code == RT_E_LIMIT)
		fault->status = RT_OK;
}

static void tell_reused(const struct rt_options *options, uint32_t count, const char *what)
{
	char number[RT_COUNT_ROOM];

	if (count)
		rt_notice(options, "%s %s%s used again for another issue, and not taken as a sign",
			  rt_count_text(count, number), what, count == 1 ? " is" : "s are");
}

void rt_scans_tell(struct rt_scans *scans, const struct rt_options *options)
{
	const struct rt_scan_side *old = &scans->side[RT_MATCH_OLD];
	struct rt_match_reused reused;
	uint64_t gone = 0;
	char numbers[2][RT_COUNT_ROOM];

	if (scans->fault->status != RT_OK || !options->notice)
		return;
	for (uint32_t i = 0; i < old->count; i++)
		gone += old->issues[i].class == RT_CLASS_GONE;
	/* That may be a scan of half the code (W33), or without a part of the rules. */
	if (old->count >= 20 && gone * 2 > old->count)
		rt_notice(options,
			  "%s of %s old issues are gone: was the new scan of all the code?",
			  rt_count_text(gone, numbers[0]), rt_count_text(old->count, numbers[1]));
	else if (gone >= RULE_MIN)
		tell_lost(scans, options);
	if (scans->fault->status != RT_OK)
		return;
	reused = rt_match_reused(scans->match);
	tell_reused(options, reused.ids, "id");
	tell_reused(options, reused.fingerprints, "fingerprint");
	if (reused.shared)
		rt_notice(options,
			  "%s fingerprint%s of several issues of a scan, and not taken as a sign",
			  rt_count_text(reused.shared, numbers[0]),
			  reused.shared == 1 ? " is that" : "s are those");
	if (reused.renumbered)
		rt_notice(
		    options,
		    "%s gone issue%s %s as new under another rule, at the same place with the "
		    "same message; a log whose rules have deprecatedIds matches them",
		    rt_count_text(reused.renumbered, numbers[0]), RT_S(reused.renumbered),
		    reused.renumbered == 1 ? "is back" : "are back");
	if (options->fingerprint && reused.none)
		rt_notice(options, "no issue has the field %.100s that --fingerprint names",
			  options->fingerprint);
}

static int compare_grouped(const void *left, const void *right)
{
	const struct rt_scans_grouped *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->side != b->side)
		return a->side < b->side ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* The first issue of each group decides the order of groups: renumber them by that. */
void rt_scans_find_groups(struct rt_scans *scans, bool whole)
{
	struct rt_fault *fault = scans->fault;
	struct rt_buf *all = &scans->grouped;
	uint32_t *names, named = 0;

	if (fault->status != RT_OK)
		return;
	names = calloc((size_t)rt_match_groups(scans->match) + 1, sizeof(*names));
	fault->status = names ? RT_OK : rt_error_nomem(fault->err);
	for (uint8_t side = 0; side < 2; side++) {
		const struct rt_scan_side *scan = &scans->side[side];

		for (uint32_t i = 0; fault->status == RT_OK && i < scan->count; i++) {
			struct rt_scans_grouped one = {.index = i, .side = side};
			enum rt_match_by by;
			uint32_t *name;

			if (scan->issues[i].class != RT_CLASS_AMBIGUOUS ||
			    !(whole || rt_scans_shown(scans, side, i)))
				continue;
			name = &names[rt_match_group(scans->match, side, i, &by)];
			if (!*name)
				*name = ++named;
			one.group = *name - 1;
			one.by = (uint8_t)by;
			RT_STEP(fault, rt_buf_append(all, &one, sizeof(one), fault->err));
		}
	}
	free(names);
	if (all->len)
		qsort(all->data, all->len / sizeof(struct rt_scans_grouped),
		      sizeof(struct rt_scans_grouped), compare_grouped);
}

bool rt_scans_next_group(const struct rt_scans *scans, size_t *at, struct rt_scans_group *ret_group)
{
	struct rt_scans_grouped *all = (struct rt_scans_grouped *)(void *)scans->grouped.data;
	size_t count = scans->grouped.len / sizeof(*all), first = *at;

	if (scans->fault->status != RT_OK || first >= count)
		return false;
	*ret_group = (struct rt_scans_group){.old = all + first};
	for (; *at < count && all[*at].group == all[first].group; ++*at)
		++*(all[*at].side == RT_MATCH_OLD ? &ret_group->old_count : &ret_group->new_count);
	ret_group->new = ret_group->old + ret_group->old_count;
	return true;
}

void rt_scans_release(struct rt_scans *scans)
{
	for (int side = 0; side < 2; side++) {
		struct rt_scan_side *scan = &scans->side[side];

		rt_spool_release(&scan->spool);
		rt_buf_release(&scan->window.buf);
		rt_buf_release(&scan->kept);
		rt_state_free(scan->state);
	}
	rt_match_free(scans->match);
	rt_buf_release(&scans->grouped);
	rt_buf_release(&scans->scratch);
	rt_buf_release(&scans->line);
}
