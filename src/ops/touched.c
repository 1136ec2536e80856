/*
 * Keeps the updated members of issues. Input: states after updates. Output: the same, laid over
 * the export's records. Memory follows the number of updated issues.
 */
#include "ops/touched.h"

#include <stdlib.h>

#include "base/error.h"
#include "engine/summary.h"

/* Level names as JSON text. */
static const struct rt_slice quoted_levels[RT_SEVERITY_LEVELS] = {
    {"\"critical\"", 10}, {"\"high\"", 6}, {"\"medium\"", 8}, {"\"low\"", 5}, {"\"info\"", 6},
};

/* The slot of a number: its own, or the free one where it belongs. */
static struct rt_touched *find_slot(const struct rt_touches *touches, uint32_t number)
{
	/* Numbers are dense: an odd factor spreads them, and nobody can choose them freely. */
	size_t mask = touches->cap - 1, slot = (size_t)(number * UINT64_C(2654435769)) & mask;

	while (touches->slots[slot].number != UINT32_MAX && touches->slots[slot].number != number)
		slot = (slot + 1) & mask;
	return &touches->slots[slot];
}

struct rt_touched *rt_touches_find(const struct rt_touches *touches, uint32_t number)
{
	struct rt_touched *slot = touches->cap ? find_slot(touches, number) : NULL;

	return slot && slot->number == number ? slot : NULL;
}

enum rt_status rt_touches_reserve(struct rt_touches *touches, uint32_t count, struct rt_error *err)
{
	struct rt_touches grown = {.cap = touches->cap ? touches->cap : 64, .used = touches->used};

	while (grown.cap / 4 * 3 < grown.used + count)
		grown.cap *= 2;
	if (grown.cap == touches->cap)
		return RT_OK;
	grown.slots = malloc(grown.cap * sizeof(*grown.slots));
	if (!grown.slots)
		return rt_error_nomem(err);
	for (size_t i = 0; i < grown.cap; i++)
		grown.slots[i].number = UINT32_MAX;
	for (size_t i = 0; i < touches->cap; i++) {
		if (touches->slots[i].number != UINT32_MAX)
			*find_slot(&grown, touches->slots[i].number) = touches->slots[i];
	}
	free(touches->slots);
	*touches = grown;
	return RT_OK;
}

void rt_touches_set(struct rt_touches *touches, uint32_t number, const struct rt_issue_state *state,
		    const struct rt_note_sum *notes, struct rt_slice at)
{
	struct rt_touched *slot = find_slot(touches, number);
	struct rt_instant instant = {0};

	(void)rt_instant_parse(at, &instant);

	touches->used += slot->number != number;
	slot->number = number;
	slot->severity = state->severity;
	slot->false_positive = state->flag_stands ? state->false_positive : RT_STATE_OTHER;
	slot->exploitable = state->exploitable;
	slot->notes = *notes;
	slot->updated_at = instant.seconds;
}

static void lay(struct rt_record *record, enum rt_member m, struct rt_slice text, uint8_t type)
{
	record->values[m] = text;
	record->types[m] = type;
}

static struct rt_slice flag(int8_t value)
{
	return value ? RT_SLICE("true") : RT_SLICE("false");
}

void rt_touched_lay_over(const struct rt_touched *touched, struct rt_touched_text *text,
			 struct rt_record *record)
{
	if (touched->severity != RT_STATE_OTHER)
		lay(record, RT_M_SEVERITY, quoted_levels[touched->severity], RT_TYPE_STRING);
	if (touched->false_positive != RT_STATE_OTHER)
		lay(record, RT_M_FALSE_POSITIVE, flag(touched->false_positive), RT_TYPE_BOOL);
	if (touched->exploitable != RT_STATE_OTHER)
		lay(record, RT_M_EXPLOITABLE, flag(touched->exploitable), RT_TYPE_BOOL);
	text->updated_at[0] = text->updated_at[RT_INSTANT_CHARS + 1] = '"';
	(void)rt_instant_format(touched->updated_at, text->updated_at + 1);
	lay(record, RT_M_UPDATED_AT, rt_slice_make(text->updated_at, sizeof(text->updated_at)),
	    RT_TYPE_STRING);
}

void rt_touches_release(struct rt_touches *touches)
{
	free(touches->slots);
	*touches = (struct rt_touches){0};
}
