/*
 * Memory of the tables of ids. Input: tables. Output: larger ones, with the same entries.
 */
#include "engine/id_table.h"

#include <stdlib.h>

#define TABLE_FIRST 16u

enum rt_status rt_id_grow(struct rt_id_table *table, struct rt_id_shape shape, struct rt_error *err)
{
	struct rt_id_table grown = {.used = table->used};
	size_t bytes = shape.entry_bytes;

	grown.cap = table->cap < shape.doubled ? table->cap * 2 : table->cap + table->cap / 4;
	if (grown.cap < TABLE_FIRST)
		grown.cap = TABLE_FIRST;
	grown.entries = calloc(grown.cap, bytes);
	if (!grown.entries)
		return rt_error_nomem(err);
	for (size_t i = 0; i < table->cap; i++) {
		const unsigned char *entry = table->entries + i * bytes;
		uint64_t key;

		memcpy(&key, entry, sizeof(key));
		if (key)
			memcpy(rt_id_find(&grown, key, entry[sizeof(key)], bytes), entry, bytes);
	}
	free(table->entries);
	*table = grown;
	return RT_OK;
}

void rt_id_tables_release(struct rt_id_tables *tables)
{
	for (size_t i = 0; i < RT_ID_TABLES; i++)
		free(tables->each[i].entries);
	*tables = (struct rt_id_tables){0};
}
