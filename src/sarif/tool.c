/*
 * Tools of a run: components with their rules, taxa and messages. Tables of slices of the JSON text
 * of `tool` and `taxonomies`, which the run keeps, and the names that they are found by.
 */
#include "sarif/run.h"
#include "sarif/severity.h"

#include "base/buf.h"
#include "base/json_string.h"

/* --- Members ---------------------------------------------------------------------------------- */

enum { TOOL_DRIVER, TOOL_EXTENSIONS, TOOL_MEMBERS };
static const struct rt_cut_member tool_members[] = {
    {RT_SLICE("driver"), TOOL_DRIVER, RT_SARIF_OBJECT, NULL},
    {RT_SLICE("extensions"), TOOL_EXTENSIONS, RT_SARIF_ARRAY, NULL},
};
static const struct rt_cut tool_cut = RT_SARIF_CUT(tool_members, "tool");

enum { NAME, GUID, SEMANTIC, VERSION, DOTTED, RULES, TAXA, GLOBAL, COMPONENT_MEMBERS };
static const struct rt_cut_member component_members[] = {
    {RT_SLICE("name"), NAME, RT_SARIF_STRING, NULL},
    {RT_SLICE("guid"), GUID, RT_SARIF_STRING, NULL},
    {RT_SLICE("semanticVersion"), SEMANTIC, RT_SARIF_STRING, NULL},
    {RT_SLICE("version"), VERSION, RT_SARIF_STRING, NULL},
    {RT_SLICE("dottedQuadFileVersion"), DOTTED, RT_SARIF_STRING, NULL},
    {RT_SLICE("rules"), RULES, RT_SARIF_ARRAY, NULL},
    {RT_SLICE("taxa"), TAXA, RT_SARIF_ARRAY, NULL},
    {RT_SLICE("globalMessageStrings"), GLOBAL, RT_SARIF_OBJECT, NULL},
};
static const struct rt_cut component_cut = RT_SARIF_CUT(component_members, "toolComponent");

enum {
	RULE_ID,
	RULE_GUID,
	RULE_NAME,
	RULE_SHORT,
	RULE_FULL,
	RULE_HELP,
	RULE_HELP_URI,
	RULE_CONFIGURATION,
	RULE_RELATIONSHIPS,
	RULE_DEPRECATED,
	RULE_MESSAGES,
	RULE_PROPERTIES,
	RULE_MEMBERS
};
static const struct rt_cut_member rule_members[] = {
    {RT_SLICE("id"), RULE_ID, RT_SARIF_STRING, NULL},
    {RT_SLICE("guid"), RULE_GUID, RT_SARIF_STRING, NULL},
    {RT_SLICE("name"), RULE_NAME, RT_SARIF_STRING, NULL},
    {RT_SLICE("shortDescription"), RULE_SHORT, RT_SARIF_OBJECT, NULL},
    {RT_SLICE("fullDescription"), RULE_FULL, RT_SARIF_OBJECT, NULL},
    {RT_SLICE("help"), RULE_HELP, RT_SARIF_OBJECT, NULL},
    {RT_SLICE("helpUri"), RULE_HELP_URI, RT_SARIF_STRING, NULL},
    {RT_SLICE("defaultConfiguration"), RULE_CONFIGURATION, RT_SARIF_OBJECT, NULL},
    {RT_SLICE("relationships"), RULE_RELATIONSHIPS, RT_SARIF_ARRAY, NULL},
    {RT_SLICE("deprecatedIds"), RULE_DEPRECATED, RT_SARIF_ARRAY, NULL},
    {RT_SLICE("messageStrings"), RULE_MESSAGES, RT_SARIF_OBJECT, NULL},
    {RT_SLICE("properties"), RULE_PROPERTIES, RT_SARIF_OBJECT, NULL},
};
static const struct rt_cut rule_cut = RT_SARIF_CUT(rule_members, "reportingDescriptor");

static const struct rt_cut_member relationship_members[] = {
    {RT_SLICE("target"), RT_SARIF_TARGET, RT_SARIF_OBJECT, NULL},
    {RT_SLICE("kinds"), RT_SARIF_KINDS, RT_SARIF_ARRAY, NULL},
};
const struct rt_cut rt_sarif_relationship_cut = RT_SARIF_CUT(relationship_members, "relationship");

static const struct rt_slice no_properties[RT_SARIF_PROPERTY_COUNT];

/* --- Rules ------------------------------------------------------------------------------------ */

/* The first of three strings that has something in it. */
static struct rt_slice first_filled(struct rt_slice a, struct rt_slice b, struct rt_slice c)
{
	return rt_sarif_filled(a)   ? a
	       : rt_sarif_filled(b) ? b
	       : rt_sarif_filled(c) ? c
				    : rt_slice_make(NULL, 0);
}

static void texts_take(struct rt_sarif_rule *rule, const struct rt_slice *values,
		       struct rt_sarif_fault *fault)
{
	const struct rt_slice none = rt_slice_make(NULL, 0);
	const struct {
		struct rt_slice object, other; /* both forms of a text; what is shown for it */
		bool markdown;                 /* its markdown does, too */
		struct rt_slice *text;
	} texts[] = {
	    {values[RULE_SHORT], values[RULE_NAME], false, &rule->title},
	    {values[RULE_FULL], none, true, &rule->explanation},
	    {values[RULE_HELP], values[RULE_HELP_URI], true, &rule->help},
	};
	struct rt_slice forms[RT_SARIF_FORMS];

	for (size_t i = 0; i < 3; i++) {
		rt_sarif_cut(texts[i].object, NULL, &rt_sarif_forms_cut, forms, RT_SARIF_FORMS,
			     fault);
		*texts[i].text = first_filled(
		    forms[RT_SARIF_FORM_TEXT],
		    texts[i].markdown ? forms[RT_SARIF_FORM_MARKDOWN] : none, texts[i].other);
	}
}

static void relationships_check(struct rt_slice list, struct rt_sarif_fault *fault)
{
	struct rt_slice values[RT_SARIF_RELATIONSHIPS];
	struct rt_items items, kinds;
	struct rt_item item;

	rt_items_init(&items, list);
	while (rt_sarif_next_item(&items, &item, fault)) {
		rt_sarif_cut(item.value, "reportingDescriptor.relationships",
			     &rt_sarif_relationship_cut, values, RT_SARIF_RELATIONSHIPS, fault);
		rt_sarif_reference_check(values[RT_SARIF_TARGET], fault);
		rt_items_init(&kinds, values[RT_SARIF_KINDS]);
		while (rt_sarif_next_item(&kinds, &item, fault))
			rt_sarif_is(item.value, RT_SARIF_STRING, "relationship.kinds", fault);
	}
}

static void properties_take(struct rt_sarif_run *run, struct rt_slice bag,
			    struct rt_sarif_rule *rule, struct rt_sarif_fault *fault)
{
	struct rt_slice values[RT_SARIF_PROPERTY_COUNT], *kept;
	bool any = false;

	rt_sarif_properties(bag, values, fault);
	rt_sarif_tags_check(values[RT_SARIF_TAGS], fault);
	for (size_t i = 0; i < RT_SARIF_PROPERTY_COUNT; i++)
		any = any || values[i].ptr;
	if (!any)
		return;
	kept = rt_sarif_memory_take(run, 1, sizeof(values), fault);
	if (!kept)
		return;
	rt_sarif_rule_scores(rule, values);
	memcpy(kept, values, sizeof(values));
	rule->properties = kept;
}

/* Keep one message and its id. */
static void message_take(struct rt_sarif_run *run, enum rt_sarif_kind kind, uint32_t owner,
			 const struct rt_item *item, struct rt_buf *room,
			 struct rt_sarif_fault *fault)
{
	uint32_t number = (uint32_t)(run->messages.len / sizeof(struct rt_sarif_forms));
	struct rt_slice id = {NULL, 0}, object = {NULL, 0};
	struct rt_sarif_forms forms;

	/* Null is as good as absent, though its id counts as one that is there. */
	if (rt_sarif_type(item->value) != RT_TYPE_NULL)
		object = item->value;
	rt_sarif_cut(object, "multiformatMessageString", &rt_sarif_forms_cut, forms.strings,
		     RT_SARIF_FORMS, fault);
	rt_sarif_memory_add(run, &run->messages, &forms, sizeof(forms), fault);
	if (fault->status == RT_OK)
		fault->status = rt_json_string_text(item->key, room, &id, &fault->err);
	if (!rt_sarif_names_add(run, kind, owner, id, number, fault))
		rt_sarif_refuse(fault, item->key.ptr - 1, "messageStrings", "each message once",
				"this one twice");
}

/* Keep the messages of a rule or a component. */
static void messages_take(struct rt_sarif_run *run, enum rt_sarif_kind kind, uint32_t owner,
			  struct rt_slice object, struct rt_sarif_fault *fault)
{
	struct rt_buf room = {0};
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, object);
	while (rt_sarif_next_item(&items, &item, fault))
		message_take(run, kind, owner, &item, &room, fault);
	rt_buf_release(&room);
}

/* Make a rule findable. */
static void rule_names(struct rt_sarif_run *run, const struct rt_sarif_rule *rule, uint32_t number,
		       struct rt_slice guid, struct rt_sarif_fault *fault)
{
	const enum rt_sarif_kind kinds[] = {RT_SARIF_N_RULE, RT_SARIF_N_RULE_GUID};
	char folded[RT_SARIF_GUID_MAX];
	const struct rt_slice texts[] = {rule->id, rt_sarif_guid(guid, folded)};

	for (size_t i = 0; i < 2; i++) {
		(void)rt_sarif_names_add(run, kinds[i], RT_SARIF_ANY_OWNER, texts[i], number,
					 fault);
		/* The driver is looked at first anyway. */
		if (rule->component)
			(void)rt_sarif_names_add(run, kinds[i], rule->component, texts[i], number,
						 fault);
	}
}

static void rule_take(struct rt_sarif_run *run, const struct rt_sarif_component *component,
		      struct rt_slice value, struct rt_sarif_fault *fault)
{
	struct rt_sarif_rule rule = {.component = component->number, .properties = no_properties};
	uint32_t number = (uint32_t)(run->rules.len / sizeof(rule));
	struct rt_slice values[RULE_MEMBERS];

	rt_sarif_cut(value, "toolComponent.rules", &rule_cut, values, RULE_MEMBERS, fault);
	if (rt_sarif_filled(values[RULE_ID]))
		rule.id = rt_sarif_keep(run, values[RULE_ID], fault);
	texts_take(&rule, values, fault);
	rule.level = rt_sarif_level_take(values[RULE_CONFIGURATION], fault);
	relationships_check(values[RULE_RELATIONSHIPS], fault);
	properties_take(run, values[RULE_PROPERTIES], &rule, fault);
	messages_take(run, RT_SARIF_N_MESSAGE, number, values[RULE_MESSAGES], fault);
	rule.relationships = values[RULE_RELATIONSHIPS];
	rule.deprecated = values[RULE_DEPRECATED];
	/* What is found by a name is there. */
	rt_sarif_memory_add(run, &run->rules, &rule, sizeof(rule), fault);
	rule_names(run, &rule, number, values[RULE_GUID], fault);
}

/* --- Components ------------------------------------------------------------------------------- */

static void rules_take(struct rt_sarif_run *run, struct rt_sarif_component *component,
		       struct rt_slice list, struct rt_sarif_fault *fault)
{
	struct rt_items items;
	struct rt_item item;

	component->first = run->rules.len / sizeof(struct rt_sarif_rule);
	if (fault->status != RT_OK)
		return;
	rt_items_init(&items, list);
	while (rt_sarif_next_item(&items, &item, fault))
		rule_take(run, component, item.value, fault);
	component->count = run->rules.len / sizeof(struct rt_sarif_rule) - component->first;
	component->refused = fault->status != RT_OK;
}

static const struct rt_cut_member taxon_members[] = {
    {RT_SLICE("id"), 0, RT_SARIF_STRING, NULL},
};
static const struct rt_cut taxon_cut = RT_SARIF_CUT(taxon_members, "reportingDescriptor");

/* The ids of a component's taxa. */
static void taxa_take(struct rt_sarif_run *run, struct rt_sarif_component *component,
		      struct rt_slice list, struct rt_sarif_fault *fault)
{
	struct rt_slice *taxa =
	    rt_sarif_memory_take(run, rt_sarif_count(list), sizeof(*taxa), fault);
	struct rt_slice id;
	struct rt_items items;
	struct rt_item item;

	component->taxa = taxa;
	rt_items_init(&items, list);
	while (rt_sarif_next_item(&items, &item, fault)) {
		rt_sarif_cut(item.value, "toolComponent.taxa", &taxon_cut, &id, 1, fault);
		taxa[component->taxon_count++] = rt_sarif_keep(run, id, fault);
	}
}

/* Take a component, and make it findable by name and guid. values: its members. */
static void component_take(struct rt_sarif_run *run, struct rt_sarif_component *component,
			   const struct rt_slice *values, enum rt_sarif_among among,
			   struct rt_sarif_fault *fault)
{
	char folded[RT_SARIF_GUID_MAX];

	component->name = rt_sarif_keep(run, values[NAME], fault);
	(void)rt_sarif_names_add(run, RT_SARIF_N_COMPONENT, among, component->name,
				 component->number, fault);
	(void)rt_sarif_names_add(run, RT_SARIF_N_COMPONENT_GUID, among,
				 rt_sarif_guid(values[GUID], folded), component->number, fault);
	taxa_take(run, component, values[TAXA], fault);
	if (among == RT_SARIF_OF_TAXONOMIES)
		return;
	messages_take(run, RT_SARIF_N_GLOBAL, component->number, values[GLOBAL], fault);
	rules_take(run, component, values[RULES], fault);
}

/* model_used: name and version of the driver. */
static void model_take(struct rt_sarif_run *run, const struct rt_slice *values,
		       struct rt_sarif_fault *fault)
{
	struct rt_slice version = first_filled(values[SEMANTIC], values[VERSION], values[DOTTED]);
	struct rt_buf plain = {0};
	struct rt_put put = {&plain, &fault->err, fault->status};

	if (fault->status != RT_OK)
		return;
	run->driver = run->components[0].name;
	if (!run->driver.len)
		return;
	rt_put(&put, run->driver);
	if (version.ptr)
		RT_PUT(&put, " ");
	fault->status = put.status;
	rt_sarif_text(version, &plain, fault);
	run->model = rt_sarif_keep_json(run, rt_buf_slice(&plain), fault);
	rt_buf_release(&plain);
}

/* Take each component of a list. */
static void components_each(struct rt_sarif_run *run, struct rt_slice list, const char *field,
			    struct rt_sarif_component *components, enum rt_sarif_among among,
			    struct rt_sarif_fault *fault)
{
	struct rt_slice values[COMPONENT_MEMBERS];
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, list);
	while (rt_sarif_next_item(&items, &item, fault)) {
		rt_sarif_cut(item.value, field, &component_cut, values, COMPONENT_MEMBERS, fault);
		component_take(run, components++, values, among, fault);
	}
}

static struct rt_sarif_component *components_new(struct rt_sarif_run *run, size_t count,
						 struct rt_sarif_fault *fault)
{
	struct rt_sarif_component *components =
	    rt_sarif_memory_take(run, count, sizeof(*components), fault);

	for (size_t i = 0; components && i < count; i++)
		components[i].number = (uint32_t)i;
	return components;
}

void rt_sarif_tool_take(struct rt_sarif_run *run, struct rt_slice value,
			struct rt_sarif_fault *fault)
{
	struct rt_slice tool[TOOL_MEMBERS], driver[COMPONENT_MEMBERS];
	struct rt_sarif_component *components;
	size_t count;

	rt_sarif_cut(value, "tool", &tool_cut, tool, TOOL_MEMBERS, fault);
	rt_sarif_cut(tool[TOOL_DRIVER], NULL, &component_cut, driver, COMPONENT_MEMBERS, fault);
	count = 1 + rt_sarif_count(tool[TOOL_EXTENSIONS]);
	components = components_new(run, count, fault);
	if (!components)
		return;
	run->components = components;
	run->component_count = count;
	component_take(run, &components[0], driver, RT_SARIF_OF_TOOL, fault);
	model_take(run, driver, fault);
	components_each(run, tool[TOOL_EXTENSIONS], "tool.extensions", components + 1,
			RT_SARIF_OF_TOOL, fault);
}

void rt_sarif_taxonomies_take(struct rt_sarif_run *run, struct rt_slice value,
			      struct rt_sarif_fault *fault)
{
	size_t count;

	rt_sarif_is(value, RT_SARIF_ARRAY, "taxonomies", fault);
	count = fault->status == RT_OK ? rt_sarif_count(value) : 0;
	run->taxonomies = components_new(run, count, fault);
	if (!run->taxonomies)
		return;
	run->taxonomy_count = count;
	components_each(run, value, "taxonomies", run->taxonomies, RT_SARIF_OF_TAXONOMIES, fault);
}
