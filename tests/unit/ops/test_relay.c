/*
 * The relay: findings and writes come in order, findings with the members that were asked for,
 * though what they were made of is gone; and the error of one ends it.
 */
#include "ops/relay.h"

#include <stdio.h>

#include "record_make.h"

#define COUNT 3000u

static struct rt_error err;

/* What has been taken; bad: the number that is refused; seen: how many had been at a pause. */
struct taken {
	uint64_t count, bad, wrong, seen, pauses;
};

/* The members of finding N that are handed over: one in four has few. */
static uint64_t members_of(uint64_t number)
{
	return number % 4 == 3 ? RT_MEMBER_BIT(RT_M_SEVERITY) | RT_MEMBER_BIT(RT_M_LINE_NUMBER)
			       : RT_MEMBER_BIT(RT_ISSUE_MEMBERS) - 1;
}

/* The text of finding N: one in 500 is longer than a batch. */
static char *text_of(uint64_t number)
{
	size_t pad = number % 500 == 498 ? 600000 : (size_t)(number * 37 % 5000);
	char *text = malloc(pad + 256);

	ck_assert_ptr_nonnull(text);
	snprintf(text, pad + 256,
		 "{\"id\":\"a\\u00%02x%d\",\"line_number\":%d,\"title\":\"%0*d\",\"tags\":null}",
		 (unsigned)(0x20 + number % 64), (int)number, (int)number, (int)pad + 1, 0);
	return text;
}

/* Whether a copy has no title, or that of want. */
static bool has_title(const struct rt_record *record, const struct rt_record *want, bool any)
{
	if (!any)
		return record->types[RT_M_TITLE] == 0;
	return record->types[RT_M_TITLE] == RT_TYPE_STRING &&
	       rt_slice_equal(record->values[RT_M_TITLE], want->values[RT_M_TITLE]);
}

static enum rt_status take(void *ctx, const struct rt_finding *finding, uint64_t members,
			   struct rt_error *own)
{
	struct taken *taken = ctx;
	char *text = text_of(taken->count), severity[16], notes[32];
	const struct rt_record *record = finding->record;
	struct made want;

	if (taken->count == taken->bad) {
		free(text);
		*own = (struct rt_error){.code = RT_E_IO};
		return RT_FATAL;
	}
	made_init(&want, RT_KIND_ISSUE, text);
	snprintf(severity, sizeof(severity), "\"s%d\"", (int)taken->count);
	snprintf(notes, sizeof(notes), "[\"%d\"]", (int)taken->count);
	taken->wrong +=
	    finding->number != taken->count || !rt_slice_equal(record->id, want.record.id) ||
	    members != members_of(taken->count) ||
	    !has_title(record, &want.record, taken->count % 4 != 3) ||
	    !rt_slice_equal(record->values[RT_M_LINE_NUMBER],
			    want.record.values[RT_M_LINE_NUMBER]) ||
	    record->types[RT_M_TAGS] != (taken->count % 4 == 3 ? 0 : RT_TYPE_NULL) ||
	    record->types[RT_M_CATEGORY] != 0 ||
	    !rt_slice_equal(record->values[RT_M_SEVERITY],
			    rt_slice_make(severity, strlen(severity))) ||
	    (taken->count % 3
		 ? finding->notes.ptr != NULL
		 : !rt_slice_equal(finding->notes, rt_slice_make(notes, strlen(notes))));
	made_release(&want);
	free(text);
	taken->count++;
	return RT_OK;
}

static void look(void *ctx)
{
	struct taken *taken = ctx;

	taken->seen = taken->count;
	taken->pauses++;
}

static struct rt_relay *relay_make(struct taken *taken)
{
	const struct rt_relay_ends ends = {take, look, taken};
	struct rt_relay *relay;

	ck_assert_int_eq(rt_relay_new(&ends, &relay, &err), RT_OK);
	return relay;
}

/* Add finding N, with a severity and notes that stand elsewhere. */
static enum rt_status add(struct rt_relay *relay, uint64_t number)
{
	char *text = text_of(number), severity[16], notes[32];
	struct rt_finding finding;
	enum rt_status status;
	struct made made;

	made_init(&made, RT_KIND_ISSUE, text);
	snprintf(severity, sizeof(severity), "\"s%d\"", (int)number);
	snprintf(notes, sizeof(notes), "[\"%d\"]", (int)number);
	made.record.values[RT_M_SEVERITY] = rt_slice_make(severity, strlen(severity));
	made.record.types[RT_M_SEVERITY] = RT_TYPE_STRING;
	finding = rt_finding_of(
	    &made.record, number % 3 ? (struct rt_slice){0} : rt_slice_make(notes, strlen(notes)),
	    number);
	status = rt_relay_add(relay, &finding, members_of(number), &err);
	memset(severity, '#', sizeof(severity));
	memset(notes, '#', sizeof(notes));
	made_release(&made);
	free(text);
	return status;
}

START_TEST(in_order)
{
	struct taken taken = {.bad = COUNT};
	struct rt_relay *relay = relay_make(&taken);

	for (uint64_t i = 0; i < (uint64_t)_i; i++)
		ck_assert_int_eq(add(relay, i), RT_OK);
	ck_assert_int_eq(rt_relay_finish(relay, &err), RT_OK);
	ck_assert_uint_eq(taken.count, (uint64_t)_i);
	ck_assert_uint_eq(taken.wrong, 0);
	ck_assert_uint_ge(taken.pauses, (taken.count + 255) / 256);
	ck_assert_uint_ge(taken.seen + 256, taken.count);
	rt_relay_free(relay);
}
END_TEST

/* It is told by a later call, and nothing more is taken. */
START_TEST(refused)
{
	static const uint64_t bads[] = {0, 255, 256, 1000, COUNT - 1};
	struct taken taken = {.bad = bads[_i]};
	enum rt_status status = RT_OK;
	struct rt_relay *relay = relay_make(&taken);

	for (uint64_t i = 0; status == RT_OK && i < COUNT; i++)
		status = add(relay, i);
	if (status == RT_OK)
		status = rt_relay_finish(relay, &err);
	ck_assert_int_eq(status, RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_uint_eq(taken.count, bads[_i]);
	rt_relay_free(relay);
}
END_TEST

START_TEST(left_alone)
{
	struct taken taken = {.bad = COUNT};
	struct rt_relay *relay = relay_make(&taken);

	for (uint64_t i = 0; i < 700; i++)
		ck_assert_int_eq(add(relay, i), RT_OK);
	rt_relay_free(relay);
	rt_relay_free(NULL);
	ck_assert_uint_eq(taken.wrong, 0);
}
END_TEST

/* --- Writes ------------------------------------------------------------------------------- */

#define PIECES 2000u

/* Where the second thread writes; both count in one, which tells their order. */
struct target {
	struct rt_buf got;
	uint64_t *pieces;
	uint64_t bad; /* the piece that is refused */
};

static enum rt_status target_write(void *ctx, const void *data, size_t len, struct rt_error *own)
{
	struct target *target = ctx;

	if ((*target->pieces)++ == target->bad) {
		*own = (struct rt_error){.code = RT_E_IO};
		return RT_FATAL;
	}
	return rt_buf_append(&target->got, data, len, own);
}

/* Piece N is its number, again and again: one in 300 is longer than a batch. */
static size_t piece_make(uint64_t number, char **ret_data)
{
	size_t len = number % 300 == 299 ? 1500000 : (size_t)(number * 7919 % 70000);

	*ret_data = malloc(len + 1);
	ck_assert_ptr_nonnull(*ret_data);
	memset(*ret_data, (int)('a' + number % 26), len);
	return len;
}

/* Send pieces until one is refused, to one target and the other; want: what each is to get. */
static enum rt_status send_pieces(struct rt_relay *relay, struct rt_relay_sink *sinks,
				  struct rt_buf *want)
{
	enum rt_status status = RT_OK;

	for (uint64_t i = 0; status == RT_OK && i < PIECES; i++) {
		struct rt_sink sink = rt_relay_sink(&sinks[i % 2]);
		char *data;
		size_t len = piece_make(i, &data);

		status = sink.write(sink.ctx, data, len, &err);
		ck_assert_int_eq(rt_buf_append(&want[i % 2], data, len, &err), RT_OK);
		memset(data, '#', len);
		free(data);
		if (status == RT_OK && i % 5 == 0)
			status = add(relay, i / 5);
	}
	return status;
}

START_TEST(writes_in_order)
{
	struct taken taken = {.bad = COUNT};
	struct rt_relay *relay = relay_make(&taken);
	uint64_t pieces = 0;
	struct target targets[2] = {{.pieces = &pieces, .bad = PIECES},
				    {.pieces = &pieces, .bad = PIECES}};
	struct rt_relay_sink sinks[2];
	struct rt_buf want[2] = {{0}};

	for (size_t i = 0; i < 2; i++)
		sinks[i] = (struct rt_relay_sink){relay, {target_write, &targets[i]}};
	ck_assert_int_eq(send_pieces(relay, sinks, want), RT_OK);
	ck_assert_int_eq(rt_relay_finish(relay, &err), RT_OK);
	ck_assert_uint_eq(pieces, PIECES);
	ck_assert_uint_eq(taken.count, PIECES / 5);
	ck_assert_uint_eq(taken.wrong, 0);
	for (size_t i = 0; i < 2; i++) {
		ck_assert(rt_slice_equal(rt_buf_slice(&targets[i].got), rt_buf_slice(&want[i])));
		rt_buf_release(&targets[i].got);
		rt_buf_release(&want[i]);
	}
	rt_relay_free(relay);
}
END_TEST

/* As of a finding: a later call tells it, and nothing more is written or taken. */
START_TEST(write_refused)
{
	static const uint64_t bads[] = {0, 20, 299, 1000, PIECES - 1};
	struct taken taken = {.bad = COUNT};
	struct rt_relay *relay = relay_make(&taken);
	uint64_t pieces = 0, bad = bads[_i];
	struct target target = {.pieces = &pieces, .bad = bad};
	struct rt_relay_sink sinks[2];
	struct rt_buf want[2] = {{0}};
	enum rt_status status;

	for (size_t i = 0; i < 2; i++)
		sinks[i] = (struct rt_relay_sink){relay, {target_write, &target}};
	status = send_pieces(relay, sinks, want);
	if (status == RT_OK)
		status = rt_relay_finish(relay, &err);
	ck_assert_int_eq(status, RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_uint_eq(pieces, bad + 1);
	rt_relay_free(relay);
	rt_buf_release(&target.got);
	rt_buf_release(&want[0]);
	rt_buf_release(&want[1]);
}
END_TEST

/* What is refused before a long piece, or before the end, is told there; the piece is not written.
 */
START_TEST(refused_before)
{
	struct taken taken = {.bad = 3};
	struct rt_relay *relay = relay_make(&taken);
	uint64_t pieces = 0;
	struct target target = {.pieces = &pieces, .bad = PIECES};
	struct rt_relay_sink later = {relay, {target_write, &target}};
	struct rt_sink sink = rt_relay_sink(&later);
	char *data;
	size_t len = piece_make(299, &data);

	/* More than one batch, and fewer than two. */
	for (uint64_t i = 0; i < 257; i++)
		ck_assert_int_eq(add(relay, i), RT_OK);
	err = (struct rt_error){0};
	if (_i)
		ck_assert_int_eq(sink.write(sink.ctx, data, len, &err), RT_FATAL);
	else
		ck_assert_int_eq(rt_relay_finish(relay, &err), RT_FATAL);
	ck_assert_int_eq(err.code, RT_E_IO);
	ck_assert_uint_eq(taken.count, 3);
	ck_assert_uint_eq(pieces, 0);
	rt_relay_free(relay);
	free(data);
}
END_TEST

static Suite *suite_make(void)
{
	Suite *suite = suite_create("relay");
	TCase *tcase = tcase_create("relay");

	tcase_set_timeout(tcase, 60);
	for (int count = 0; count < 4; count++)
		tcase_add_loop_test(tcase, in_order, 255 + count, 256 + count);
	tcase_add_loop_test(tcase, in_order, 0, 2);
	tcase_add_loop_test(tcase, in_order, COUNT, COUNT + 1);
	tcase_add_loop_test(tcase, refused, 0, 5);
	tcase_add_test(tcase, left_alone);
	tcase_add_test(tcase, writes_in_order);
	tcase_add_loop_test(tcase, write_refused, 0, 5);
	tcase_add_loop_test(tcase, refused_before, 0, 2);
	suite_add_tcase(suite, tcase);
	return suite;
}

RT_UNIT_MAIN(suite_make)
