/*
 * Which rule a result means (SARIF.md S11 to S13), and which taxon (S32): by guid, then by index if
 * the id agrees, then by the id or its longest part before a '/'. Two ids that differ are a fault,
 * and so is an index that leads nowhere where there is no id.
 */
#include "sarif/tables.h"

#include <stdio.h>

#include "base/json_string.h"

enum { ID, INDEX, GUID, COMPONENT, REFERENCE_MEMBERS };
static const struct rt_sarif_member reference_members[REFERENCE_MEMBERS] = {
    [ID] = {RT_SLICE("id"), RT_SARIF_STRING, "reportingDescriptorReference.id"},
    [INDEX] = {RT_SLICE("index"), RT_SARIF_NUMBER, "reportingDescriptorReference.index"},
    [GUID] = {RT_SLICE("guid"), RT_SARIF_STRING, "reportingDescriptorReference.guid"},
    [COMPONENT] = {RT_SLICE("toolComponent"), RT_SARIF_OBJECT,
		   "reportingDescriptorReference.toolComponent"},
};

enum { COMPONENT_NAME, COMPONENT_INDEX, COMPONENT_GUID, COMPONENT_MEMBERS };
static const struct rt_sarif_member component_members[COMPONENT_MEMBERS] = {
    [COMPONENT_NAME] = {RT_SLICE("name"), RT_SARIF_STRING, "toolComponentReference.name"},
    [COMPONENT_INDEX] = {RT_SLICE("index"), RT_SARIF_NUMBER, "toolComponentReference.index"},
    [COMPONENT_GUID] = {RT_SLICE("guid"), RT_SARIF_STRING, "toolComponentReference.guid"},
};

/* What a reference says. Indexes as rt_sarif_index() gives them. */
struct reference {
	struct rt_slice values[REFERENCE_MEMBERS];
	struct rt_slice component[COMPONENT_MEMBERS];
	int64_t index, component_index;
};

static enum rt_status reference_cut(struct rt_slice object, struct reference *ret_reference,
				    struct rt_sarif_fault *fault)
{
	struct reference *r = ret_reference;
	enum rt_status status =
	    rt_sarif_cut(object, reference_members, REFERENCE_MEMBERS, r->values, fault);

	if (status == RT_OK)
		status = rt_sarif_index(r->values[INDEX], reference_members[INDEX].field, &r->index,
					fault);
	if (status == RT_OK)
		status = rt_sarif_cut(r->values[COMPONENT], component_members, COMPONENT_MEMBERS,
				      r->component, fault);
	if (status == RT_OK)
		status = rt_sarif_index(r->component[COMPONENT_INDEX],
					component_members[COMPONENT_INDEX].field,
					&r->component_index, fault);
	return status;
}

enum rt_status rt_sarif_reference_check(struct rt_slice reference, struct rt_sarif_fault *fault)
{
	struct reference cut;

	return reference_cut(reference, &cut, fault);
}

/* --- Components ------------------------------------------------------------------------------- */

/* The component that a reference names by guid, else by name. Returns RT_OK, *ret_any; RT_FATAL. */
static enum rt_status component_named(const struct rt_sarif_tables *tables,
				      const struct reference *r, enum rt_sarif_kind by_guid,
				      enum rt_sarif_kind by_name, struct rt_buf *room,
				      uint32_t *ret_number, bool *ret_any,
				      struct rt_sarif_fault *fault)
{
	char folded[RT_SARIF_GUID_MAX];
	struct rt_slice guid = rt_sarif_guid(r->component[COMPONENT_GUID], folded), name;
	enum rt_status status;

	*ret_any = guid.ptr && rt_sarif_names_find(&tables->names, by_guid, 0, guid, ret_number);
	if (*ret_any || !r->component[COMPONENT_NAME].ptr)
		return RT_OK;
	status = rt_json_string_text(rt_sarif_inside(r->component[COMPONENT_NAME]), room, &name,
				     &fault->err);
	if (status == RT_OK)
		*ret_any = rt_sarif_names_find(&tables->names, by_name, 0, name, ret_number);
	return status;
}

/* The component that a rule is looked for in first (S12): its number; *ret_named: it is named. */
static enum rt_status component_find(const struct rt_sarif_tables *tables,
				     const struct reference *r, struct rt_buf *room,
				     uint32_t *ret_number, bool *ret_named,
				     struct rt_sarif_fault *fault)
{
	*ret_number = 0;
	*ret_named =
	    r->component_index >= 0 && (uint64_t)r->component_index < tables->component_count - 1;
	if (*ret_named) {
		*ret_number = (uint32_t)r->component_index + 1;
		return RT_OK;
	}
	return component_named(tables, r, RT_SARIF_N_COMPONENT_GUID, RT_SARIF_N_COMPONENT, room,
			       ret_number, ret_named, fault);
}

/* --- Rules ------------------------------------------------------------------------------------ */

/* A rule that is being looked for. */
struct search {
	const struct rt_sarif_tables *tables;
	const struct rt_sarif_component *component;
	bool named; /* it is in that component, or nowhere */
	const struct rt_sarif_rule *rule;
	const struct rt_sarif_rule *indexed; /* that of the index, whatever its id */
};

static void prefix_found(void *ctx, uint32_t number)
{
	struct search *s = ctx;
	const struct rt_sarif_rule *rule = &rt_sarif_rules(s->tables)[number];

	/* Longer ones come later. The first of all is that of the driver, if it has one. */
	if (!s->named || rule->component == s->component->number)
		s->rule = rule;
}

/* Names of the driver's rules are kept among those of all, where they come first. */
static uint32_t owner_of(const struct search *s)
{
	return s->named && s->component->number ? s->component->number : RT_SARIF_ANY_OWNER;
}

static void guid_find(struct search *s, struct rt_slice string)
{
	char folded[RT_SARIF_GUID_MAX];
	struct rt_slice guid = rt_sarif_guid(string, folded);
	uint32_t number;

	if (guid.ptr && rt_sarif_names_find(&s->tables->names, RT_SARIF_N_RULE_GUID, owner_of(s),
					    guid, &number))
		prefix_found(s, number);
}

/* Whether an id is another one, or that one up to a '/'. */
static bool is_prefix(struct rt_slice id, struct rt_slice of)
{
	return id.ptr && id.len <= of.len && rt_slice_equal(id, rt_slice_make(of.ptr, id.len)) &&
	       (id.len == of.len || of.ptr[id.len] == '/');
}

/* Refuse an index that leads to no rule. */
static enum rt_status index_refuse(const struct search *s, const struct rt_sarif_rule_says *says,
				   const struct reference *r, struct rt_sarif_fault *fault)
{
	bool own = r->index == -1;
	struct rt_slice value = own ? says->rule_index : r->values[INDEX];
	size_t count = s->component->count;
	char rules[24] = "no";

	if (count)
		(void)snprintf(rules, sizeof(rules), "%zu", count);
	(void)rt_sarif_refuse(fault, value.ptr, own ? "ruleIndex" : "rule.index", "", "%s", "");
	(void)snprintf(fault->err.message, sizeof(fault->err.message),
		       "is %.*s, but the %s has %s rule%s", rt_slice_shown(value, 40), value.ptr,
		       s->component->number ? "extension" : "driver", rules, RT_S(count));
	return RT_REJECT;
}

/* The rule of an index that is in range: it counts unless the id, where there is one, contradicts.
 */
static enum rt_status index_find(struct search *s, const struct rt_sarif_rule_says *says,
				 const struct reference *r, struct rt_slice id, bool strict,
				 struct rt_sarif_fault *fault)
{
	int64_t index = r->index;
	enum rt_status status;

	if (index == -1) {
		status = rt_sarif_index(says->rule_index, "ruleIndex", &index, fault);
		if (status != RT_OK)
			return status;
	}
	if (s->rule || index == -1)
		return RT_OK;
	if ((uint64_t)index < s->component->count) {
		const struct rt_sarif_rule *rule =
		    &rt_sarif_rules(s->tables)[s->component->first + (size_t)index];

		if (!id.ptr || is_prefix(rule->id, id))
			s->rule = rule;
		s->indexed = rule;
		return RT_OK;
	}
	return id.ptr || !strict || s->component->refused ? RT_OK : index_refuse(s, says, r, fault);
}

/* The id that is said (S11): decoded, maybe in room; absent: none. An empty one names nothing. */
static enum rt_status id_find(const struct rt_sarif_rule_says *says, const struct reference *r,
			      struct rt_buf *room, struct rt_slice *ret_id,
			      struct rt_sarif_fault *fault)
{
	struct rt_slice own = rt_sarif_inside(says->rule_id),
			other = rt_sarif_inside(r->values[ID]), text;
	struct rt_slice string = own.len ? own : other;
	struct rt_buf second = {0};
	enum rt_status status;
	char want[128];

	*ret_id = rt_slice_make(NULL, 0);
	if (!string.len)
		return RT_OK;
	status = rt_json_string_text(string, room, ret_id, &fault->err);
	if (status != RT_OK || !own.len || !other.len)
		return status;
	status = rt_json_string_text(other, &second, &text, &fault->err);
	if (status == RT_OK && !rt_slice_equal(*ret_id, text)) {
		(void)snprintf(want, sizeof(want), "the ruleId \"%.*s\"",
			       rt_slice_shown(*ret_id, 100), ret_id->ptr);
		status = rt_sarif_refuse(fault, other.ptr - 1, "rule.id", want, "\"%.*s\"",
					 rt_slice_shown(text, 100), text.ptr);
	}
	rt_buf_release(&second);
	return status;
}

/* As rt_sarif_rule_find(); strict: an index that leads nowhere is a fault where no id is there. */
static enum rt_status look(const struct rt_sarif_tables *tables,
			   const struct rt_sarif_rule_says *says, bool strict, struct rt_buf *room,
			   struct rt_sarif_rule_found *ret_found, struct rt_sarif_fault *fault)
{
	struct search s = {.tables = tables};
	struct reference r;
	struct rt_slice id;
	uint32_t number;
	enum rt_status status = reference_cut(says->rule, &r, fault);

	if (status == RT_OK)
		status = component_find(tables, &r, room, &number, &s.named, fault);
	if (status == RT_OK)
		status = id_find(says, &r, room, &id, fault);
	if (status != RT_OK)
		return status;
	s.component = &tables->components[number];
	guid_find(&s, r.values[GUID]);
	status = index_find(&s, says, &r, id, strict, fault);
	if (status != RT_OK)
		return status;
	if (!s.rule && id.ptr)
		rt_sarif_names_prefixes(&tables->names, RT_SARIF_N_RULE, owner_of(&s), id,
					prefix_found, &s);
	/* Where no rule has the id, the index is all there is (3.52.3). */
	ret_found->by_index = !s.rule && s.indexed;
	if (!s.rule)
		s.rule = s.indexed;
	ret_found->rule = s.rule;
	ret_found->component = s.rule ? &tables->components[s.rule->component] : s.component;
	ret_found->id = id.ptr || !s.rule ? id : s.rule->id;
	return RT_OK;
}

enum rt_status rt_sarif_rule_find(const struct rt_sarif_run *run,
				  const struct rt_sarif_rule_says *says, struct rt_buf *room,
				  struct rt_sarif_rule_found *ret_found,
				  struct rt_sarif_fault *fault)
{
	return look(run->tables, says, true, room, ret_found, fault);
}

/* The bytes of a rule's number, as a name. */
static struct rt_slice rule_name(const uint32_t *number)
{
	return rt_slice_make((const char *)number, sizeof(*number));
}

static enum rt_status override_name(struct rt_sarif_tables *tables, uint32_t which,
				    struct rt_buf *room, struct rt_sarif_fault *fault)
{
	const struct rt_sarif_override *override = &rt_sarif_overrides(tables)[which];
	const struct rt_sarif_rule_says says = {.rule = override->descriptor};
	struct rt_sarif_rule_found found;
	enum rt_status status = look(tables, &says, false, room, &found, fault);
	uint32_t number;

	if (status != RT_OK || !found.rule)
		return status;
	number = (uint32_t)(found.rule - rt_sarif_rules(tables));
	return rt_sarif_names_add(&tables->names, RT_SARIF_N_OVERRIDE, override->invocation,
				  rule_name(&number), which, NULL, fault);
}

enum rt_status rt_sarif_overrides_end(struct rt_sarif_tables *tables, struct rt_sarif_fault *fault)
{
	enum rt_status status = RT_OK;
	struct rt_buf room = {0};
	const size_t count = tables->overrides.len / sizeof(struct rt_sarif_override);

	for (uint32_t i = 0; i < count && status == RT_OK; i++)
		status = override_name(tables, i, &room, fault);
	rt_buf_release(&room);
	return status;
}

struct rt_slice rt_sarif_override(const struct rt_sarif_run *run, size_t invocation,
				  const struct rt_sarif_rule *rule)
{
	const struct rt_sarif_tables *tables = run->tables;
	uint32_t number, which;

	if (!rule)
		return rt_slice_make(NULL, 0);
	number = (uint32_t)(rule - rt_sarif_rules(tables));
	if (!rt_sarif_names_find(&tables->names, RT_SARIF_N_OVERRIDE, (uint32_t)invocation,
				 rule_name(&number), &which))
		return rt_slice_make(NULL, 0);
	return rt_sarif_overrides(tables)[which].level;
}

/* --- Taxa ------------------------------------------------------------------------------------- */

/* The taxonomy that a reference is to; NULL: none of the run. */
static enum rt_status taxonomy_find(const struct rt_sarif_tables *tables, const struct reference *r,
				    struct rt_buf *room,
				    const struct rt_sarif_component **ret_taxonomy,
				    struct rt_sarif_fault *fault)
{
	enum rt_status status = RT_OK;
	uint32_t number = 0;
	bool any = true;

	*ret_taxonomy = NULL;
	if (r->component_index >= 0 && (uint64_t)r->component_index < tables->taxonomy_count)
		number = (uint32_t)r->component_index;
	else
		status = component_named(tables, r, RT_SARIF_N_TAXONOMY_GUID, RT_SARIF_N_TAXONOMY,
					 room, &number, &any, fault);
	if (status == RT_OK && any)
		*ret_taxonomy = &tables->taxonomies[number];
	return status;
}

static bool is_cwe(struct rt_slice name)
{
	return name.len == 3 && (name.ptr[0] | 0x20) == 'c' && (name.ptr[1] | 0x20) == 'w' &&
	       (name.ptr[2] | 0x20) == 'e';
}

enum rt_status rt_sarif_taxon(const struct rt_sarif_run *run, struct rt_slice reference,
			      struct rt_buf *room, bool *ret_cwe, struct rt_slice *ret_id,
			      struct rt_sarif_fault *fault)
{
	const struct rt_sarif_component *taxonomy;
	struct rt_slice name;
	struct reference r;
	enum rt_status status = reference_cut(reference, &r, fault);

	if (status == RT_OK)
		status = taxonomy_find(run->tables, &r, room, &taxonomy, fault);
	if (status != RT_OK)
		return status;
	*ret_id = rt_slice_make(NULL, 0);
	name = taxonomy ? taxonomy->name : rt_slice_make("", 0);
	if (r.component[COMPONENT_NAME].ptr)
		status = rt_json_string_text(rt_sarif_inside(r.component[COMPONENT_NAME]), room,
					     &name, &fault->err);
	if (status != RT_OK)
		return status;
	*ret_cwe = is_cwe(name);
	if (rt_sarif_filled(r.values[ID]))
		return rt_json_string_text(rt_sarif_inside(r.values[ID]), room, ret_id,
					   &fault->err);
	if (taxonomy && r.index >= 0 && (uint64_t)r.index < taxonomy->taxon_count)
		*ret_id = taxonomy->taxa[r.index];
	return RT_OK;
}
