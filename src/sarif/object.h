/*
 * The objects of a SARIF log, cut into the members that issues are made from. The text has been
 * checked by the scanner; a wrong type or a repeated member is a fault here (SARIF.md S6, S7).
 */
#ifndef RT_SARIF_OBJECT_H
#define RT_SARIF_OBJECT_H

#include "base/error.h"
#include "base/json_string.h"
#include "scan/items.h"
#include "scan/record.h"

/*
 * What is wrong with a log: err has code, message and field, not yet a place; at is the byte that
 * it is about, in the text of the value that was handed in, or NULL: its first byte.
 *
 * A fault sticks: a function that is handed one whose status is not RT_OK does nothing, and returns
 * an empty value.
 */
struct rt_sarif_fault {
	enum rt_status status; /* RT_OK: nothing is wrong so far */
	const char *at;
	struct rt_error err;
};

/* Nothing is wrong yet. */
static inline void rt_sarif_fault_clear(struct rt_sarif_fault *fault)
{
	fault->status = RT_OK;
	fault->at = NULL;
}

/* Whether all has gone well, this step included. */
static inline bool rt_sarif_goes(struct rt_sarif_fault *fault, enum rt_status status)
{
	if (fault->status == RT_OK)
		fault->status = status;
	return fault->status == RT_OK;
}

/* The types that a member may have; enum rt_type bits in one set are "any of them". */
#define RT_SARIF_STRING RT_TYPE_STRING
#define RT_SARIF_BOOL RT_TYPE_BOOL
#define RT_SARIF_NUMBER (RT_TYPE_INTEGER | RT_TYPE_NUMBER)
#define RT_SARIF_ARRAY (RT_TYPE_STRINGS | RT_TYPE_ARRAY)
#define RT_SARIF_OBJECT RT_TYPE_OBJECT
#define RT_SARIF_ANY 0xffu

/* A table of the members that are read of an object. */
#define RT_SARIF_CUT(members, owner)                                                               \
	{                                                                                          \
		members, sizeof(members) / sizeof((members)[0]), RT_CUT_NO_SLOT, owner             \
	}

/* Take one member that is read; messages name it OWNER.NAME; owner: NULL for none. A fault: its
 * value has been taken, or is of a type that it may not have. */
void rt_sarif_take(const struct rt_item *item, uint8_t types, const char *owner, const char *name,
		   struct rt_slice *value, struct rt_sarif_fault *fault);

/*
 * Cut an object, and what is inside of its members. value: JSON text without blanks around it,
 * absent (ptr NULL) for none; field: how messages name it.
 * ret_values: count slices, the JSON text of each slot's value, quotes included; absent where the
 * member is not there or null. A fault: a member twice, or of a type that it may not have.
 */
void rt_sarif_cut(struct rt_slice value, const char *field, const struct rt_cut *cut,
		  struct rt_slice *ret_values, size_t count, struct rt_sarif_fault *fault);

/* Cut an object into the members that a table names, but not what is inside of them. values: slots,
 * absent at first. Faults as before. */
void rt_sarif_cut_members(struct rt_slice object, const struct rt_cut *cut, struct rt_slice *values,
			  struct rt_sarif_fault *fault);

/* The same for what is inside of members that were cut: of an array its first element. */
void rt_sarif_cut_inside(const struct rt_cut *cut, struct rt_slice *values,
			 struct rt_sarif_fault *fault);

/* A member of what may be an object; absent: not there, null, or it is none. */
struct rt_slice rt_sarif_member(struct rt_slice object, struct rt_slice name);

/* Null is as good as absent. */
void rt_sarif_drop_nulls(struct rt_slice *values, size_t count);

/* How many elements an array or object has. */
size_t rt_sarif_count(struct rt_slice list);

/* A fault: a value, maybe absent, is of none of these types. field: how to name it. */
void rt_sarif_is(struct rt_slice value, uint8_t types, const char *field,
		 struct rt_sarif_fault *fault);

/* The next item of an array or object that was found to be one. Returns false after the last, or
 * where something is wrong. */
static inline bool rt_sarif_next_item(struct rt_items *items, struct rt_item *ret_item,
				      const struct rt_sarif_fault *fault)
{
	return fault->status == RT_OK && rt_items_next(items, ret_item);
}

/* The set of types of a value by its first byte: numbers are RT_SARIF_NUMBER, arrays
 * RT_SARIF_ARRAY. 0: absent. */
uint8_t rt_sarif_type(struct rt_slice value);

/* The bytes between a string's quotes, maybe escaped; absent stays absent. */
static inline struct rt_slice rt_sarif_inside(struct rt_slice string)
{
	return string.ptr ? rt_slice_make(string.ptr + 1, string.len - 2) : string;
}

/* A string that is there and not empty. */
static inline bool rt_sarif_filled(struct rt_slice string)
{
	return string.ptr && string.len > 2;
}

/* The text that a string, maybe absent, stands for; room: for one with escapes. */
struct rt_slice rt_sarif_decode(struct rt_slice string, struct rt_buf *room,
				struct rt_sarif_fault *fault);

/* Append the text that a string stands for. */
void rt_sarif_text(struct rt_slice string, struct rt_buf *out, struct rt_sarif_fault *fault);

/* Whether a string, maybe absent, stands for just that text of at most RT_ITEMS_NAME_MAX bytes. */
bool rt_sarif_equals(struct rt_slice string, struct rt_slice text);

/*
 * A number that is an index, maybe absent: -1 where there is none or one below 0, as -1 is the
 * default of SARIF; INT64_MAX also for more. A fault: no integer.
 */
int64_t rt_sarif_index(struct rt_slice value, const char *field, struct rt_sarif_fault *fault);

/* A fault, RT_REJECT: "want WANT, have HAVE" about at, in field. */
void rt_sarif_refuse(struct rt_sarif_fault *fault, const char *at, const char *field,
		     const char *want, const char *have_fmt, ...) RT_PRINTF(5, 6);

/* The same for what exceeds a limit, of nothing nearer than the whole. */
void rt_sarif_refuse_limit(struct rt_sarif_fault *fault, const char *message);

#endif
