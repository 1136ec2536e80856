/*
 * What people may ask of an issue by name: its documented fields and those that follow from them.
 * Filters, columns, orders and counts name the same fields.
 */
#ifndef RT_ENGINE_FIELD_H
#define RT_ENGINE_FIELD_H

#include "engine/finding.h"
#include "engine/owners.h"

/* After the members of an issue, which have their own numbers. */
enum rt_field {
	RT_F_NOTES = RT_ISSUE_MEMBERS,
	RT_F_AGE, /* in days */
	RT_F_STATUS,
	RT_F_BASELINE,
	RT_F_REASON,
	RT_F_EXPIRES,
	RT_F_OVERDUE,
	RT_F_FOLDER,
	RT_F_OWNER,
	RT_FILTER_FIELDS, /* filters know those before */
	RT_F_DECIDED_BY = RT_FILTER_FIELDS,
	RT_F_DECIDED_AT,
	RT_F_NOTE, /* the newest one */
	RT_F_LINK,
	RT_F_LOCATION,
	RT_F_FINDING, /* what it says in one line */
	RT_F_MESSAGE, /* and whole */
	RT_F_SINCE,   /* the day from which on it is known */
	RT_FIELDS,
};

/* What the texts of fields depend on besides the issue; {0}: of nothing. */
struct rt_field_source {
	int64_t at;          /* the present, for ages */
	const uint32_t *sla; /* days by level as in struct rt_report_settings; NULL: none */
	const struct rt_owners *owners; /* NULL: none */
	const char *link;               /* template of RT_F_LINK; NULL: none */
};

/* Whether there is what a field is made from; if not, an error names the option that gives it.
 * Returns RT_OK or RT_FATAL (RT_E_USAGE). */
enum rt_status rt_field_check(const struct rt_field_source *source, unsigned field,
			      struct rt_error *err);

/* The name of a field. */
struct rt_slice rt_field_name(unsigned field);

/* Find a field by its name, or by a short one: rule, tool, path, line, cwe, owasp, repo, scan,
 * created, updated, until. limit: fields from this number on are none. Returns whether it is one.
 */
bool rt_field_find(struct rt_slice name, unsigned limit, unsigned *ret_field);

/* What a column is called: the short name, if any, but expires, which is also until. */
struct rt_slice rt_field_title(unsigned field);

/* The short names, one for each index from 0 on; NULL after the last. */
const char *rt_field_short_name(size_t index);

/* Columns that a table or a CSV may have. */
#define RT_COLUMNS_MAX 64u

struct rt_columns {
	size_t count;
	unsigned fields[RT_COLUMNS_MAX];
	struct rt_slice names[RT_COLUMNS_MAX]; /* as they were given; borrowed */
	bool falling[RT_COLUMNS_MAX];          /* of an order: "-FIELD" */
};

/*
 * Read "NAME,..."; triage stands for what people sort out findings by, as far as source has it.
 * orders: "-NAME" is allowed. option: for the message. Returns RT_OK or RT_FATAL (RT_E_USAGE).
 */
enum rt_status rt_columns_read(const char *text, bool orders, const char *option,
			       const struct rt_field_source *source, struct rt_columns *ret_columns,
			       struct rt_error *err);

/*
 * A field as a text; ptr NULL: the issue has none. Lists and notes have "; " between them. Of
 * RT_F_LINK there is none: it takes a template. depth: of RT_F_FOLDER, how many parts; 0: all.
 * Borrowed from the finding or from room, as rt_finding_string() has it.
 */
struct rt_slice rt_field_text(const struct rt_field_source *source,
			      const struct rt_finding *finding, unsigned field, unsigned depth,
			      struct rt_put *room);

#endif
