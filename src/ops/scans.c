/*
 * Reads two data sets, hands their issues to the matcher, and keeps beside that only what is shown
 * of them, in a temporary file.
 */
#include "ops/scans.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/json_string.h"
#include "base/put.h"
#include "engine/counts.h"
#include "output/issue_table.h"
#include "scan/items.h"

#define NEAR 100u    /* issues, of which the next one is read along with one */
#define RULE_MIN 10u /* issues of a rule, for it to be told that all are gone */

static const enum rt_member members[RT_SCAN_FIELDS] = {
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

/* Make the line of an issue: its fields. ret_hash: of those that are compared. */
static enum rt_status put_fields(struct rt_scans *scans, const struct rt_record *record,
				 uint64_t *ret_hash, struct rt_error *err)
{
	struct rt_buf *line = &scans->line;
	size_t room = 0;
	char *at, *from = NULL, *to = NULL;

	for (size_t i = 0; i < scans->fields; i++)
		room += RT_BYTES_VARINT +
			(rt_record_has(record, members[i]) ? record->values[members[i]].len : 0);
	line->len = 0;
	if (rt_buf_reserve(line, room, err) != RT_OK)
		return RT_FATAL;
	at = line->data;
	for (size_t i = 0; i < scans->fields; i++) {
		from = i == RT_SCAN_SEVERITY ? at : from;
		at = put_field(record, members[i], at);
		to = i == RT_SCAN_TITLE ? at : to;
	}
	line->len = (size_t)(at - line->data);
	*ret_hash = rt_siphash(&scans->key, rt_slice_make(from, (size_t)(to - from))).low;
	return RT_OK;
}

/* The member of a record that is its fingerprint, as text; ptr NULL: it has none. */
static enum rt_status find_print(struct rt_scans *scans, const struct rt_record *record,
				 const char *name, struct rt_slice *ret_print, struct rt_error *err)
{
	struct rt_items items;
	struct rt_item item;
	struct rt_slice found = {0};

	*ret_print = found;
	if (!name)
		return RT_OK;
	rt_items_init(&items, record->text);
	while (rt_items_next(&items, &item)) {
		if (rt_items_key_is(item.key, rt_slice_of(name)))
			found = item.value;
	}
	if (!found.ptr || strchr("nt{[f", *found.ptr))
		return RT_OK;
	*ret_print = found;
	if (*found.ptr != '"')
		return RT_OK;
	return rt_json_string_text(rt_slice_make(found.ptr + 1, found.len - 2), &scans->scratch,
				   ret_print, err);
}

static enum rt_status take(struct rt_scans *scans, enum rt_match_side side,
			   const struct rt_state *state, const struct rt_finding *finding,
			   uint8_t picked, struct rt_error *err)
{
	const char *print_name = rt_state_options(state)->fingerprint;
	struct rt_scan_side *scan = &scans->side[side];
	struct rt_sink into = rt_spool_sink(&scan->spool);
	struct rt_scan_kept kept = {
	    .offset = scan->spool.filed + scan->spool.buf.len,
	    .level = (uint8_t)finding->level,
	    .picked = picked,
	    .open = finding->open,
	    .partner = RT_MATCH_NONE,
	};
	struct rt_slice print;

	if (find_print(scans, finding->record, print_name, &print, err) != RT_OK ||
	    rt_match_add(scans->match, side, rt_state_base(state), print, err) != RT_OK ||
	    put_fields(scans, finding->record, &kept.hash, err) != RT_OK ||
	    rt_buf_append(&scan->kept, &kept, sizeof(kept), err) != RT_OK)
		return RT_FATAL;
	scan->issues = (void *)scan->kept.data;
	scan->count++;
	return into.write(into.ctx, scans->line.data, scans->line.len, err);
}

/* What becomes of an issue is not known yet, and the filter may ask for it: try all. */
static enum rt_status pick(struct rt_state *state, struct rt_filter *filter,
			   struct rt_finding *finding, uint8_t *ret_picked, struct rt_error *err)
{
	enum rt_status status = RT_OK;

	*ret_picked = 0;
	for (enum rt_class class = RT_CLASS_NEW; status == RT_OK && class < RT_CLASSES; class ++) {
		bool picked = false;

		finding->class = class;
		finding->is_new = class == RT_CLASS_NEW;
		status = rt_state_pick(state, filter, false, finding, &picked, err);
		if (picked && !rt_filter_wants_class(filter))
			*ret_picked = UINT8_MAX;
		if (!rt_filter_wants_class(filter))
			break;
		*ret_picked |= (uint8_t)(picked << class);
	}
	return status;
}

static enum rt_status add_side(struct rt_scans *scans, enum rt_match_side side,
			       struct rt_state *state, struct rt_filter *filter,
			       struct rt_error *err)
{
	const struct rt_record *record;
	enum rt_status status;

	while ((status = rt_state_next(state, &record, err)) == RT_OK) {
		struct rt_finding finding;
		uint8_t picked;

		if (record->kind != RT_KIND_ISSUE)
			continue;
		finding = rt_finding_of(record, (struct rt_slice){0}, scans->side[side].count);
		status = pick(state, filter, &finding, &picked, err);
		if (status == RT_OK)
			status = take(scans, side, state, &finding, picked, err);
		if (status == RT_OK && scans->look)
			status = scans->look(scans->ctx, side, state, &finding, err);
		if (status != RT_OK)
			return status;
	}
	return status == RT_END ? RT_OK : status;
}

static enum rt_status read_side(struct rt_scans *scans, enum rt_match_side side,
				const struct rt_options *options, struct rt_filter *filter,
				struct rt_error *err)
{
	struct rt_state **state = &scans->state[side];
	enum rt_status status = rt_state_open(options, &scans->extras[side], state, err);

	if (status == RT_OK)
		status = add_side(scans, side, *state, filter, err);
	if (status == RT_OK)
		rt_state_end(*state);
	return status;
}

/* --- What became of them --------------------------------------------------------------------- */

enum rt_status rt_scans_issue(struct rt_scans *scans, enum rt_match_side side, uint32_t index,
			      struct rt_scan_issue *ret_issue, struct rt_error *err)
{
	struct rt_scan_side *scan = &scans->side[side];
	uint64_t from = scan->issues[index].offset;
	uint64_t to = index + 1 < scan->count ? scan->issues[index + 1].offset
					      : scan->spool.filed + scan->spool.buf.len;
	const unsigned char *at, *end;
	const char *line;

	/* Much at once only where they are asked for one after another. */
	scan->window.exact = index - scan->asked > NEAR;
	scan->asked = index;
	if (rt_spool_read(&scan->spool, from, (size_t)(to - from), &scan->window, &line, err) !=
	    RT_OK)
		return RT_FATAL;
	*ret_issue = (struct rt_scan_issue){0};
	at = (const unsigned char *)line;
	end = at + (to - from);
	for (size_t i = 0; i < scans->fields; i++) {
		uint64_t len = 0;

		at = rt_bytes_get_varint(at, end, &len);
		if (!at || len == 0)
			continue;
		ret_issue->fields[i] = rt_slice_make((const char *)at, (size_t)len - 1);
		at += len - 1;
	}
	return RT_OK;
}

enum rt_status rt_scans_cells(const struct rt_scan_issue *issue, struct rt_table *table,
			      struct rt_buf *text, struct rt_error *err)
{
	struct rt_slice severity = issue->fields[RT_SCAN_SEVERITY];
	struct rt_slice title = issue->fields[RT_SCAN_TITLE], line = issue->fields[RT_SCAN_LINE];
	struct rt_put put = {text, err, RT_OK};

	text->len = 0;
	rt_put(&put, issue->fields[RT_SCAN_PATH]);
	if (text->len && line.ptr) {
		rt_put(&put, RT_SLICE(":"));
		rt_put(&put, line);
	}
	rt_table_cell(table, severity.len ? severity : RT_TABLE_NOTHING,
		      rt_tone_of_severity(severity));
	rt_table_cell(table, text->len ? rt_buf_slice(text) : RT_TABLE_NOTHING, RT_TONE_PLAIN);
	rt_table_cell_line(table, title.len ? title : RT_TABLE_NOTHING, RT_TONE_PLAIN);
	return put.status;
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

void rt_scans_describe(enum rt_class class, bool code, const struct rt_scan_issue *old,
		       const struct rt_scan_issue *new, char text[RT_SCAN_CHANGE])
{
	struct rt_slice was = old->fields[RT_SCAN_SEVERITY];
	bool dismissed = rt_slice_equal(new->fields[RT_SCAN_FALSE_POSITIVE], RT_SLICE("true"));
	size_t used = 0;

	text[0] = '\0';
	if (class == RT_CLASS_MOVED)
		describe_move(old, new, text);
	if (class != RT_CLASS_CHANGED)
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
	if (code || !used)
		(void)snprintf(text + used, RT_SCAN_CHANGE - used, "%sother code",
			       used ? ", " : "");
}

bool rt_scans_shown(const struct rt_scans *scans, enum rt_match_side side, uint32_t index)
{
	const struct rt_scan_kept *issue = &scans->side[side].issues[index];
	unsigned class = issue->class;
	uint32_t partner = issue->partner;

	if (issue->picked >> class & 1)
		return true;
	return partner != RT_MATCH_NONE && (scans->side[!side].issues[partner].picked >> class & 1);
}

static enum rt_status class_of_pair(struct rt_scans *scans, uint32_t old, uint32_t new,
				    enum rt_class *ret_class, struct rt_error *err)
{
	struct rt_scan_issue a, b;
	bool other_code = rt_match_code_changed(scans->match, old);

	*ret_class = other_code ? RT_CLASS_CHANGED : RT_CLASS_UNCHANGED;
	if (other_code || scans->side[RT_MATCH_OLD].issues[old].hash ==
			      scans->side[RT_MATCH_NEW].issues[new].hash)
		return RT_OK;
	if (rt_scans_issue(scans, RT_MATCH_OLD, old, &a, err) != RT_OK ||
	    rt_scans_issue(scans, RT_MATCH_NEW, new, &b, err) != RT_OK)
		return RT_FATAL;
	if (rt_scans_differ(&a, &b, RT_SCAN_SEVERITY) ||
	    rt_scans_differ(&a, &b, RT_SCAN_FALSE_POSITIVE) ||
	    rt_scans_differ(&a, &b, RT_SCAN_EXPLOITABLE))
		*ret_class = RT_CLASS_CHANGED;
	else if (rt_scans_differ(&a, &b, RT_SCAN_PATH) || rt_scans_differ(&a, &b, RT_SCAN_LINE) ||
		 rt_scans_differ(&a, &b, RT_SCAN_TITLE))
		*ret_class = RT_CLASS_MOVED;
	return RT_OK;
}

static enum rt_status classify(struct rt_scans *scans, struct rt_error *err)
{
	struct rt_scan_side *old = &scans->side[RT_MATCH_OLD], *new = &scans->side[RT_MATCH_NEW];
	enum rt_match_by by;

	for (uint32_t i = 0; i < new->count; i++) {
		uint32_t partner = rt_match_partner(scans->match, RT_MATCH_NEW, i);
		enum rt_class class = RT_CLASS_NEW;

		if (partner != RT_MATCH_NONE) {
			if (class_of_pair(scans, partner, i, &class, err) != RT_OK)
				return RT_FATAL;
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
	return RT_OK;
}

void rt_scans_init(struct rt_scans *scans)
{
	*scans = (struct rt_scans){.match = NULL};
	rt_spool_init(&scans->side[0].spool);
	rt_spool_init(&scans->side[1].spool);
}

static enum rt_status begin(struct rt_scans *scans, size_t fields, struct rt_error *err)
{
	scans->fields = fields;
	if (rt_siphash_key_init(&scans->key, err) != RT_OK)
		return RT_FATAL;
	return rt_match_new(&scans->match, err);
}

enum rt_status rt_scans_read(struct rt_scans *scans, const struct rt_options *old,
			     const struct rt_options *new, struct rt_filter *filter,
			     struct rt_error *err)
{
	if (begin(scans, RT_SCAN_CREATED_AT, err) != RT_OK ||
	    read_side(scans, RT_MATCH_OLD, old, filter, err) != RT_OK ||
	    read_side(scans, RT_MATCH_NEW, new, filter, err) != RT_OK ||
	    rt_match_run(scans->match, err) != RT_OK)
		return RT_FATAL;
	return classify(scans, err);
}

enum rt_status rt_scans_compare(struct rt_scans *scans, const struct rt_options *old,
				struct rt_state *new, struct rt_filter *filter,
				struct rt_error *err)
{
	if (begin(scans, RT_SCAN_FIELDS, err) != RT_OK ||
	    read_side(scans, RT_MATCH_OLD, old, filter, err) != RT_OK ||
	    add_side(scans, RT_MATCH_NEW, new, filter, err) != RT_OK ||
	    rt_match_run(scans->match, err) != RT_OK || classify(scans, err) != RT_OK)
		return RT_FATAL;
	scans->stamp = rt_parts_stamp(rt_dataset_reader(rt_state_dataset(new))->view.parts);
	return rt_state_again(new, err);
}

/* Tell that a rule with issues enough has lost all of them: the first one, and how many more. */
static enum rt_status tell_lost(struct rt_scans *scans, const struct rt_options *options,
				struct rt_error *err)
{
	const struct rt_scan_side *old = &scans->side[RT_MATCH_OLD];
	struct rt_counts_limit limit = {.max = options->limits.distinct_bytes};
	struct rt_counts rules; /* all, and those that are gone */
	const struct rt_count *first = NULL;
	char number[RT_COUNT_ROOM], more[64] = "";
	enum rt_status status = RT_OK;
	size_t lost = 0;

	rt_counts_init(&rules, &scans->key, &limit);
	for (uint32_t i = 0; status == RT_OK && i < old->count; i++) {
		struct rt_scan_issue issue;

		status = rt_scans_issue(scans, RT_MATCH_OLD, i, &issue, err);
		if (status == RT_OK)
			status = rt_counts_put(&rules, issue.fields[RT_SCAN_CATEGORY], 1,
					       old->issues[i].class == RT_CLASS_GONE, err);
	}
	for (size_t i = rules.used; status == RT_OK && i-- > 0;) {
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
	return status != RT_OK && err->code == RT_E_LIMIT ? RT_OK : status;
}

static void tell_reused(const struct rt_options *options, uint32_t count, const char *what)
{
	char number[RT_COUNT_ROOM];

	if (count)
		rt_notice(options, "%s %s%s used again for another issue, and not taken as a sign",
			  rt_count_text(count, number), what, count == 1 ? " is" : "s are");
}

enum rt_status rt_scans_tell(struct rt_scans *scans, const struct rt_options *options,
			     struct rt_error *err)
{
	const struct rt_scan_side *old = &scans->side[RT_MATCH_OLD];
	const struct rt_match_reused reused = rt_match_reused(scans->match);
	uint64_t gone = 0;
	char numbers[2][RT_COUNT_ROOM];

	if (!options->notice)
		return RT_OK;
	for (uint32_t i = 0; i < old->count; i++)
		gone += old->issues[i].class == RT_CLASS_GONE;
	/* That may be a scan of half the code (W33), or without a part of the rules. */
	if (old->count >= 20 && gone * 2 > old->count) {
		rt_notice(options,
			  "%s of %s old issues are gone: was the new scan of all the code?",
			  rt_count_text(gone, numbers[0]), rt_count_text(old->count, numbers[1]));
	} else if (gone >= RULE_MIN && tell_lost(scans, options, err) != RT_OK) {
		return RT_FATAL;
	}
	tell_reused(options, reused.ids, "id");
	tell_reused(options, reused.fingerprints, "fingerprint");
	if (reused.shared)
		rt_notice(options,
			  "%s fingerprint%s of several issues of a scan, and not taken as a sign",
			  rt_count_text(reused.shared, numbers[0]),
			  reused.shared == 1 ? " is that" : "s are those");
	if (options->fingerprint && reused.none)
		rt_notice(options, "no issue has the field %.100s that --fingerprint names",
			  options->fingerprint);
	return RT_OK;
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

static size_t count_ambiguous(const struct rt_scans *scans)
{
	size_t count = 0;

	for (int side = 0; side < 2; side++) {
		for (uint32_t i = 0; i < scans->side[side].count; i++)
			count += scans->side[side].issues[i].class == RT_CLASS_AMBIGUOUS;
	}
	return count;
}

/* The first issue of each group decides the order of groups: renumber them by that. */
enum rt_status rt_scans_groups(const struct rt_scans *scans, bool whole,
			       struct rt_scans_grouped **ret_groups, size_t *ret_count,
			       struct rt_error *err)
{
	uint32_t groups = rt_match_groups(scans->match), named = 0;
	uint32_t *names = malloc(((size_t)groups + 1) * sizeof(*names));
	struct rt_scans_grouped *all = malloc((1 + count_ambiguous(scans)) * sizeof(*all));
	size_t used = 0;

	if (!names || !all) {
		free(names);
		free(all);
		return rt_error_nomem(err);
	}
	for (uint32_t i = 0; i < groups; i++)
		names[i] = RT_MATCH_NONE;
	for (uint8_t side = 0; side < 2; side++) {
		const struct rt_scan_side *scan = &scans->side[side];

		for (uint32_t i = 0; i < scan->count; i++) {
			enum rt_match_by by;
			uint32_t group;

			if (scan->issues[i].class != RT_CLASS_AMBIGUOUS ||
			    !(whole || rt_scans_shown(scans, side, i)))
				continue;
			group = rt_match_group(scans->match, side, i, &by);
			if (names[group] == RT_MATCH_NONE)
				names[group] = named++;
			all[used++] = (struct rt_scans_grouped){names[group], i, side, (uint8_t)by};
		}
	}
	free(names);
	qsort(all, used, sizeof(*all), compare_grouped);
	*ret_groups = all;
	*ret_count = used;
	return RT_OK;
}

struct rt_scans_grouped *rt_scans_next_group(struct rt_scans_grouped *groups, size_t count,
					     size_t *at, size_t *ret_old, size_t *ret_new)
{
	struct rt_scans_grouped *first = groups + *at;

	*ret_old = *ret_new = 0;
	if (*at >= count)
		return NULL;
	for (; *at < count && groups[*at].group == first->group; ++*at)
		++*(groups[*at].side == RT_MATCH_OLD ? ret_old : ret_new);
	return first;
}

void rt_scans_release(struct rt_scans *scans)
{
	for (int side = 0; side < 2; side++) {
		struct rt_scan_side *scan = &scans->side[side];

		rt_spool_release(&scan->spool);
		rt_buf_release(&scan->window.buf);
		rt_buf_release(&scan->kept);
		rt_state_free(scans->state[side]);
	}
	rt_match_free(scans->match);
	rt_buf_release(&scans->scratch);
	rt_buf_release(&scans->line);
}
