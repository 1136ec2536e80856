/*
 * The limits that may be set, by their names, and what they are where nobody sets them.
 */
#include "base/limits.h"

#include <string.h>

static const struct limit_entry {
	const char *name;
	size_t at; /* offset in struct rt_limits */
	uint64_t preset;
	uint64_t max;
} limit_table[] = {
    {"record", offsetof(struct rt_limits, record_bytes), RT_LIMIT_RECORD, RT_GIB},
    {"depth", offsetof(struct rt_limits, depth), RT_LIMIT_DEPTH, RT_LIMIT_DEPTH_MAX},
    {"members", offsetof(struct rt_limits, archive_members), RT_LIMIT_MEMBERS, UINT64_MAX},
    {"expanded", offsetof(struct rt_limits, expanded_bytes), RT_LIMIT_EXPANDED, UINT64_MAX},
    {"decoder", offsetof(struct rt_limits, decoder_bytes), RT_LIMIT_DECODER, UINT64_MAX},
    {"alias", offsetof(struct rt_limits, alias_bytes), RT_LIMIT_ALIAS, RT_GIB},
    {"distinct", offsetof(struct rt_limits, distinct_bytes), RT_LIMIT_DISTINCT, UINT64_MAX},
    {"recent", offsetof(struct rt_limits, recent_bytes), RT_LIMIT_RECENT, UINT64_MAX},
    {"request", offsetof(struct rt_limits, request_bytes), RT_LIMIT_REQUEST, RT_GIB},
    {"requests", offsetof(struct rt_limits, requests), RT_LIMIT_REQUESTS, UINT64_MAX},
    {"md", offsetof(struct rt_limits, md_bytes), RT_LIMIT_MD, RT_GIB},
    {"metadata", offsetof(struct rt_limits, metadata_bytes), RT_LIMIT_METADATA, 64 * RT_GIB},
    {"temporary", offsetof(struct rt_limits, temporary_bytes), RT_LIMIT_TEMPORARY, UINT64_MAX},
};

#define LIMIT_COUNT (sizeof(limit_table) / sizeof(limit_table[0]))

static void limit_store(struct rt_limits *limits, const struct limit_entry *entry, uint64_t value)
{
	memcpy((char *)limits + entry->at, &value, sizeof(value));
}

void rt_limits_init(struct rt_limits *limits)
{
	for (size_t i = 0; i < LIMIT_COUNT; i++)
		limit_store(limits, &limit_table[i], limit_table[i].preset);
}

const char *rt_limits_name(size_t index)
{
	return index < LIMIT_COUNT ? limit_table[index].name : NULL;
}

/* A decimal number with an optional unit; false when text is anything else. */
static bool limit_parse(const char *text, uint64_t *ret_value)
{
	static const struct {
		const char *name;
		uint64_t factor;
	} units[] = {{"", 1}, {"KiB", RT_KIB}, {"MiB", RT_MIB}, {"GiB", RT_GIB}};
	uint64_t value = 0;
	const char *at = text;

	for (; *at >= '0' && *at <= '9'; at++) {
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
			return false;
	}
	if (at == text)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(at, units[i].name) == 0)
			return !__builtin_mul_overflow(value, units[i].factor, ret_value);
	}
	return false;
}

bool rt_limits_set(struct rt_limits *limits, const char *name, const char *text)
{
	uint64_t value;

	if (!limit_parse(text, &value) || value == 0)
		return false;
	for (size_t i = 0; i < LIMIT_COUNT; i++) {
		if (strcmp(limit_table[i].name, name) == 0) {
			if (value > limit_table[i].max)
				return false;
			limit_store(limits, &limit_table[i], value);
			return true;
		}
	}
	return false;
}
