/*
 * Which rule a result means (SARIF.md S11 to S13), and which taxon (S32): by guid, then by index if
 * the id agrees, then by the id or its longest part before a '/'. Two ids that differ are a fault,
 * and so is an index that leads nowhere where there is no id.
 */
#include "sarif/run.h"

#include <stdio.h>

enum {
	ID,
	INDEX,
	GUID,
	COMPONENT,
	COMPONENT_NAME,
	COMPONENT_INDEX,
	COMPONENT_GUID,
	REFERENCE_MEMBERS
};
static const struct rt_cut_member component_members[] = {
    {RT_SLICE("name"), COMPONENT_NAME, RT_SARIF_STRING, NULL},
    {RT_SLICE("index"), COMPONENT_INDEX, RT_SARIF_NUMBER, NULL},
    {RT_SLICE("guid"), COMPONENT_GUID, RT_SARIF_STRING, NULL},
};
static const struct rt_cut component_cut =
    RT_SARIF_CUT(component_members, "toolComponentReference");
static const struct rt_cut_member reference_members[] = {
    {RT_SLICE("id"), ID, RT_SARIF_STRING, NULL},
    {RT_SLICE("index"), INDEX, RT_SARIF_NUMBER, NULL},
    {RT_SLICE("guid"), GUID, RT_SARIF_STRING, NULL},
    {RT_SLICE("toolComponent"), COMPONENT, RT_SARIF_OBJECT, &component_cut},
};
static const struct rt_cut reference_table =
    RT_SARIF_CUT(reference_members, "reportingDescriptorReference");

/* What a reference says. Indexes as rt_sarif_index() gives them. */
struct reference {
	struct rt_slice values[REFERENCE_MEMBERS];
	int64_t index, component_index;
};

static void reference_cut(struct rt_slice object, struct reference *r, struct rt_sarif_fault *fault)
{
	rt_sarif_cut(object, NULL, &reference_table, r->values, REFERENCE_MEMBERS, fault);
	r->index = rt_sarif_index(r->values[INDEX], "reportingDescriptorReference.index", fault);
	r->component_index =
	    rt_sarif_index(r->values[COMPONENT_INDEX], "toolComponentReference.index", fault);
}

void rt_sarif_reference_check(struct rt_slice reference, struct rt_sarif_fault *fault)
{
	struct reference cut;

	reference_cut(reference, &cut, fault);
}

/* --- Components ------------------------------------------------------------------------------- */

/* The component that a reference is to, by its index, else by guid, else by name: whether there is
 * one, its number. An extension has the number after its index, for the driver has the first. */
static bool component_find(const struct rt_sarif_run *run, const struct reference *r,
			   enum rt_sarif_among among, struct rt_buf *room, uint32_t *ret_number,
			   struct rt_sarif_fault *fault)
{
	const uint32_t first = among == RT_SARIF_OF_TOOL;
	const size_t count = first ? run->component_count : run->taxonomy_count;
	char folded[RT_SARIF_GUID_MAX];
	struct rt_slice guid = rt_sarif_guid(r->values[COMPONENT_GUID], folded), name;

	*ret_number = 0;
	if (r->component_index >= 0 && (uint64_t)r->component_index < count - first) {
		*ret_number = (uint32_t)r->component_index + first;
		return true;
	}
	if (guid.ptr &&
	    rt_sarif_names_find(run, RT_SARIF_N_COMPONENT_GUID, among, guid, ret_number))
		return true;
	name = rt_sarif_decode(r->values[COMPONENT_NAME], room, fault);
	return name.ptr && rt_sarif_names_find(run, RT_SARIF_N_COMPONENT, among, name, ret_number);
}

/* --- Rules ------------------------------------------------------------------------------------ */

/* A rule that is being looked for. */
struct search {
	const struct rt_sarif_run *run;
	const struct rt_sarif_component *component;
	bool named; /* it is in that component, or nowhere */
	const struct rt_sarif_rule *rule;
	const struct rt_sarif_rule *indexed; /* that of the index, whatever its id */
};

static void prefix_found(void *ctx, uint32_t number)
{
	struct search *s = ctx;
	const struct rt_sarif_rule *rule = &rt_sarif_rules(s->run)[number];

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

	if (guid.ptr &&
	    rt_sarif_names_find(s->run, RT_SARIF_N_RULE_GUID, owner_of(s), guid, &number))
		prefix_found(s, number);
}

/* Whether an id is another one, or that one up to a '/'. */
static bool is_prefix(struct rt_slice id, struct rt_slice of)
{
	return id.ptr && id.len <= of.len && rt_slice_equal(id, rt_slice_make(of.ptr, id.len)) &&
	       (id.len == of.len || of.ptr[id.len] == '/');
}

/* Refuse an index that leads to no rule. */
static void index_refuse(const struct search *s, const struct rt_sarif_rule_says *says,
			 const struct reference *r, struct rt_sarif_fault *fault)
{
	bool own = r->index == -1;
	struct rt_slice value = own ? says->rule_index : r->values[INDEX];
	size_t count = s->component->count;
	char rules[24] = "no";

	if (count)
		(void)snprintf(rules, sizeof(rules), "%zu", count);
	rt_sarif_refuse(fault, value.ptr, own ? "ruleIndex" : "rule.index", "", "%s", "");
	(void)snprintf(fault->err.message, sizeof(fault->err.message),
		       "is %.*s, but the %s has %s rule%s", rt_slice_shown(value, 40), value.ptr,
		       s->component->number ? "extension" : "driver", rules, RT_S(count));
}

/* The rule of an index that is in range: it counts unless the id, where there is one, contradicts.
 */
static void index_find(struct search *s, const struct rt_sarif_rule_says *says,
		       const struct reference *r, struct rt_slice id, bool strict,
		       struct rt_sarif_fault *fault)
{
	int64_t index = r->index;

	if (index == -1)
		index = rt_sarif_index(says->rule_index, "ruleIndex", fault);
	if (s->rule || index == -1 || fault->status != RT_OK)
		return;
	if ((uint64_t)index < s->component->count) {
		s->indexed = &rt_sarif_rules(s->run)[s->component->first + (size_t)index];
		if (!id.ptr || is_prefix(s->indexed->id, id))
			s->rule = s->indexed;
	} else if (!id.ptr && strict && !s->component->refused) {
		index_refuse(s, says, r, fault);
	}
}

/* The id that is said (S11): decoded, maybe in room; absent: none. An empty one names nothing. */
static struct rt_slice id_find(const struct rt_sarif_rule_says *says, const struct reference *r,
			       struct rt_buf *room, struct rt_sarif_fault *fault)
{
	bool own = rt_sarif_filled(says->rule_id), other = rt_sarif_filled(r->values[ID]);
	struct rt_slice id = {NULL, 0}, text;
	struct rt_buf second = {0};
	char want[128];

	if (own || other)
		id = rt_sarif_decode(own ? says->rule_id : r->values[ID], room, fault);
	if (!own || !other)
		return id;
	text = rt_sarif_decode(r->values[ID], &second, fault);
	if (!rt_slice_equal(id, text)) {
		(void)snprintf(want, sizeof(want), "the ruleId \"%.*s\"", rt_slice_shown(id, 100),
			       id.ptr);
		rt_sarif_refuse(fault, r->values[ID].ptr, "rule.id", want, "\"%.*s\"",
				rt_slice_shown(text, 100), text.ptr);
	}
	rt_buf_release(&second);
	return id;
}

/* As rt_sarif_rule_find(); strict: an index that leads nowhere is a fault where no id is there. */
static enum rt_status look(const struct rt_sarif_run *run, const struct rt_sarif_rule_says *says,
			   bool strict, struct rt_buf *room, struct rt_sarif_rule_found *ret_found,
			   struct rt_sarif_fault *fault)
{
	struct search s = {.run = run};
	struct reference r;
	struct rt_slice id;
	uint32_t number;

	reference_cut(says->rule, &r, fault);
	s.named = component_find(run, &r, RT_SARIF_OF_TOOL, room, &number, fault);
	s.component = &run->components[number];
	id = id_find(says, &r, room, fault);
	if (fault->status != RT_OK)
		return fault->status;
	guid_find(&s, r.values[GUID]);
	index_find(&s, says, &r, id, strict, fault);
	if (fault->status != RT_OK)
		return fault->status;
	if (!s.rule && id.ptr)
		rt_sarif_names_prefixes(run, RT_SARIF_N_RULE, owner_of(&s), id, prefix_found, &s);
	/* Where no rule has the id, the index is all there is (3.52.3). */
	ret_found->by_index = !s.rule && s.indexed;
	if (!s.rule)
		s.rule = s.indexed;
	ret_found->rule = s.rule;
	ret_found->component = s.rule ? &run->components[s.rule->component] : s.component;
	ret_found->id = id.ptr || !s.rule ? id : s.rule->id;
	return RT_OK;
}

enum rt_status rt_sarif_rule_find(const struct rt_sarif_run *run,
				  const struct rt_sarif_rule_says *says, struct rt_buf *room,
				  struct rt_sarif_rule_found *ret_found,
				  struct rt_sarif_fault *fault)
{
	return look(run, says, true, room, ret_found, fault);
}

/* The bytes of a rule's number, as a name. */
static struct rt_slice rule_name(const uint32_t *number)
{
	return rt_slice_make((const char *)number, sizeof(*number));
}

static void override_name(struct rt_sarif_run *run, uint32_t which, struct rt_buf *room,
			  struct rt_sarif_fault *fault)
{
	const struct rt_sarif_override *override = &rt_sarif_overrides(run)[which];
	const struct rt_sarif_rule_says says = {.rule = override->descriptor};
	struct rt_sarif_rule_found found;
	uint32_t number;

	if (look(run, &says, false, room, &found, fault) != RT_OK || !found.rule)
		return;
	number = (uint32_t)(found.rule - rt_sarif_rules(run));
	(void)rt_sarif_names_add(run, RT_SARIF_N_OVERRIDE, override->invocation, rule_name(&number),
				 which, fault);
}

void rt_sarif_overrides_end(struct rt_sarif_run *run, struct rt_sarif_fault *fault)
{
	const size_t count = run->overrides.len / sizeof(struct rt_sarif_override);
	struct rt_buf room = {0};

	for (uint32_t i = 0; i < count && fault->status == RT_OK; i++)
		override_name(run, i, &room, fault);
	rt_buf_release(&room);
}

struct rt_slice rt_sarif_override(const struct rt_sarif_run *run, size_t invocation,
				  const struct rt_sarif_rule *rule)
{
	uint32_t number, which;

	if (!rule)
		return rt_slice_make(NULL, 0);
	number = (uint32_t)(rule - rt_sarif_rules(run));
	if (!rt_sarif_names_find(run, RT_SARIF_N_OVERRIDE, (uint32_t)invocation, rule_name(&number),
				 &which))
		return rt_slice_make(NULL, 0);
	return rt_sarif_overrides(run)[which].level;
}

/* --- Taxa ------------------------------------------------------------------------------------- */

static bool is_cwe(struct rt_slice name)
{
	return name.ptr && name.len == 3 && (name.ptr[0] | 0x20) == 'c' &&
	       (name.ptr[1] | 0x20) == 'w' && (name.ptr[2] | 0x20) == 'e';
}

struct rt_slice rt_sarif_taxon(const struct rt_sarif_run *run, struct rt_slice reference,
			       struct rt_buf *room, bool *ret_cwe, struct rt_sarif_fault *fault)
{
	const struct rt_sarif_component *taxonomy = NULL;
	struct rt_slice name;
	struct reference r;
	uint32_t number;

	reference_cut(reference, &r, fault);
	if (component_find(run, &r, RT_SARIF_OF_TAXONOMIES, room, &number, fault))
		taxonomy = &run->taxonomies[number];
	name = rt_sarif_decode(r.values[COMPONENT_NAME], room, fault);
	if (!name.ptr && taxonomy)
		name = taxonomy->name;
	*ret_cwe = is_cwe(name);
	if (rt_sarif_filled(r.values[ID]))
		return rt_sarif_decode(r.values[ID], room, fault);
	if (taxonomy && r.index >= 0 && (uint64_t)r.index < taxonomy->taxon_count)
		return taxonomy->taxa[r.index];
	return rt_slice_make(NULL, 0);
}
