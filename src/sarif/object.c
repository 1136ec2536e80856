/*
 * Cuts SARIF's objects into the members that are read: slices of checked JSON text. A member of a
 * wrong type, or one that occurs twice, is a fault.
 */
#include "sarif/object.h"

#include <stdarg.h>
#include <stdio.h>

void rt_sarif_refuse(struct rt_sarif_fault *fault, const char *at, const char *field,
		     const char *want, const char *have_fmt, ...)
{
	char have[512];
	va_list args;

	if (fault->status != RT_OK)
		return;
	va_start(args, have_fmt);
	(void)vsnprintf(have, sizeof(have), have_fmt, args);
	va_end(args);
	(void)rt_error_set(&fault->err, RT_E_INPUT, "want %s, have %s", want, have);
	if (field)
		rt_error_text(fault->err.field, sizeof(fault->err.field),
			      rt_slice_make(field, strlen(field)));
	fault->at = at;
	fault->status = RT_REJECT;
}

void rt_sarif_refuse_limit(struct rt_sarif_fault *fault, const char *message)
{
	if (fault->status != RT_OK)
		return;
	(void)rt_error_set(&fault->err, RT_E_LIMIT, "%s", message);
	fault->at = NULL;
	fault->status = RT_REJECT;
}

uint8_t rt_sarif_type(struct rt_slice value)
{
	uint8_t type = value.ptr ? rt_type_of(value) : 0;

	if (type == RT_TYPE_NUMBER)
		return RT_SARIF_NUMBER;
	return type == RT_TYPE_ARRAY ? RT_SARIF_ARRAY : type;
}

/* A set of types in words. */
static const char *types_name(uint8_t types)
{
	static const struct {
		uint8_t types;
		const char *name;
	} names[] = {
	    {RT_SARIF_STRING, "a string"},
	    {RT_SARIF_BOOL, "a boolean"},
	    {RT_SARIF_NUMBER, "a number"},
	    {RT_SARIF_ARRAY, "an array"},
	    {RT_SARIF_OBJECT, "an object"},
	    {RT_TYPE_NULL, "null"},
	    {RT_SARIF_STRING | RT_SARIF_OBJECT, "a string or an object"},
	    {RT_SARIF_STRING | RT_SARIF_ARRAY, "a string or an array"},
	    {RT_SARIF_STRING | RT_SARIF_ARRAY | RT_TYPE_NULL, "a string, an array or null"},
	};
	size_t i = 0;

	while (i + 1 < sizeof(names) / sizeof(names[0]) && names[i].types != types)
		i++;
	return names[i].name;
}

void rt_sarif_is(struct rt_slice value, uint8_t types, const char *field,
		 struct rt_sarif_fault *fault)
{
	uint8_t type = rt_sarif_type(value);

	if (type && !(type & types))
		rt_sarif_refuse(fault, value.ptr, field, types_name(types), "%s", types_name(type));
}

void rt_sarif_take(const struct rt_item *item, uint8_t types, const char *owner, const char *name,
		   struct rt_slice *value, struct rt_sarif_fault *fault)
{
	bool fits = *item->value.ptr == 'n' || (rt_sarif_type(item->value) & types);
	char field[128];

	if (value->ptr || !fits) {
		(void)snprintf(field, sizeof(field), "%s%s%s", owner ? owner : "", owner ? "." : "",
			       name);
		if (value->ptr)
			rt_sarif_refuse(fault, item->key.ptr - 1, field, "each field once",
					"this one twice");
		else
			rt_sarif_is(item->value, types, field, fault);
	}
	*value = item->value;
}

/* Whether two texts are the same, of which most differ in length or in the first byte. */
static inline bool is_same(struct rt_slice a, struct rt_slice b)
{
	return a.len == b.len && a.len && *a.ptr == *b.ptr && memcmp(a.ptr, b.ptr, a.len) == 0;
}

/* The member with a key that may be escaped; NULL: none. */
static const struct rt_cut_member *member_find(const struct rt_cut *cut, struct rt_slice key)
{
	for (size_t i = 0; i < cut->count; i++) {
		if (is_same(key, cut->members[i].name))
			return &cut->members[i];
	}
	/* No name has a backslash. */
	for (size_t i = 0; rt_json_string_is_escaped(key) && i < cut->count; i++) {
		if (rt_items_key_is(key, cut->members[i].name))
			return &cut->members[i];
	}
	return NULL;
}

void rt_sarif_cut_members(struct rt_slice object, const struct rt_cut *cut, struct rt_slice *values,
			  struct rt_sarif_fault *fault)
{
	struct rt_items items;
	struct rt_item item;

	if (cut->slot != RT_CUT_NO_SLOT)
		values[cut->slot] = rt_slice_make(object.ptr, 1);
	rt_items_init(&items, object);
	while (rt_sarif_next_item(&items, &item, fault)) {
		const struct rt_cut_member *member = member_find(cut, item.key);

		if (member)
			rt_sarif_take(&item, member->types, cut->owner, member->name.ptr,
				      &values[member->slot], fault);
	}
}

void rt_sarif_cut_inside(const struct rt_cut *cut, struct rt_slice *values,
			 struct rt_sarif_fault *fault)
{
	for (size_t i = 0; i < cut->count && fault->status == RT_OK; i++) {
		const struct rt_cut_member *member = &cut->members[i];
		struct rt_item item = {.value = values[member->slot]};
		struct rt_items items;

		if (!member->inside || !item.value.ptr || *item.value.ptr == 'n')
			continue;
		rt_items_init(&items, item.value);
		if (*item.value.ptr == '[' && !rt_items_next(&items, &item))
			continue;
		rt_sarif_is(item.value, RT_SARIF_OBJECT, member->name.ptr, fault);
		if (fault->status != RT_OK)
			return;
		rt_sarif_cut_members(item.value, member->inside, values, fault);
		rt_sarif_cut_inside(member->inside, values, fault);
	}
}

struct rt_slice rt_sarif_member(struct rt_slice object, struct rt_slice name)
{
	const struct rt_cut_member member = {name, 0, RT_SARIF_ANY, NULL};
	const struct rt_cut cut = {&member, 1, RT_CUT_NO_SLOT, NULL};
	struct rt_slice value = {NULL, 0};
	struct rt_sarif_fault fault;

	rt_sarif_fault_clear(&fault);
	if (rt_sarif_type(object) == RT_SARIF_OBJECT)
		rt_sarif_cut(object, NULL, &cut, &value, 1, &fault);
	return value;
}

void rt_sarif_drop_nulls(struct rt_slice *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (values[i].ptr && *values[i].ptr == 'n')
			values[i] = rt_slice_make(NULL, 0);
	}
}

void rt_sarif_cut(struct rt_slice value, const char *field, const struct rt_cut *cut,
		  struct rt_slice *ret_values, size_t count, struct rt_sarif_fault *fault)
{
	memset(ret_values, 0, count * sizeof(*ret_values));
	if (!value.ptr)
		return;
	rt_sarif_is(value, RT_SARIF_OBJECT, field, fault);
	rt_sarif_cut_members(value, cut, ret_values, fault);
	rt_sarif_cut_inside(cut, ret_values, fault);
	rt_sarif_drop_nulls(ret_values, count);
	if (fault->status != RT_OK)
		memset(ret_values, 0, count * sizeof(*ret_values));
}

size_t rt_sarif_count(struct rt_slice list)
{
	struct rt_items items;
	struct rt_item item;
	size_t count = 0;

	rt_items_init(&items, list);
	while (rt_items_next(&items, &item))
		count++;
	return count;
}

struct rt_slice rt_sarif_decode(struct rt_slice string, struct rt_buf *room,
				struct rt_sarif_fault *fault)
{
	struct rt_slice text = rt_sarif_inside(string);

	if (text.ptr && fault->status == RT_OK)
		fault->status = rt_json_string_text(text, room, &text, &fault->err);
	return fault->status == RT_OK ? text : rt_slice_make(NULL, 0);
}

void rt_sarif_text(struct rt_slice string, struct rt_buf *out, struct rt_sarif_fault *fault)
{
	struct rt_slice inside = rt_sarif_inside(string);

	if (fault->status == RT_OK)
		fault->status = rt_buf_reserve(out, inside.len, &fault->err);
	if (fault->status == RT_OK && inside.len)
		out->len += rt_json_string_decode(inside, out->data + out->len);
}

bool rt_sarif_equals(struct rt_slice string, struct rt_slice text)
{
	return string.ptr && rt_items_key_is(rt_sarif_inside(string), text);
}

int64_t rt_sarif_index(struct rt_slice value, const char *field, struct rt_sarif_fault *fault)
{
	const char *at = value.ptr, *end = rt_slice_end(value);
	int64_t number = 0;

	if (!value.ptr || fault->status != RT_OK)
		return -1;
	for (at += *at == '-'; at < end && *at >= '0' && *at <= '9'; at++) {
		/* What is too large stays too large. */
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *at - '0', &number))
			number = INT64_MAX;
	}
	if (at < end && *at == '.') {
		while (++at < end && *at == '0')
			;
	}
	if (at < end)
		rt_sarif_refuse(fault, value.ptr, field, "an integer", "%.*s",
				rt_slice_shown(value, 64), value.ptr);
	return *value.ptr == '-' ? -1 : number;
}
