/*
 * Tools of a run: components with their rules, taxa and messages. Tables of slices of the JSON text
 * of `tool` and `taxonomies`, which the run keeps, and the names that they are found by.
 */
#include "sarif/severity.h"
#include "sarif/tables.h"

#include "base/json_string.h"

/* --- Members ---------------------------------------------------------------------------------- */

enum { TOOL_DRIVER, TOOL_EXTENSIONS, TOOL_MEMBERS };
static const struct rt_sarif_member tool_members[TOOL_MEMBERS] = {
    [TOOL_DRIVER] = {RT_SLICE("driver"), RT_SARIF_OBJECT, "tool.driver"},
    [TOOL_EXTENSIONS] = {RT_SLICE("extensions"), RT_SARIF_ARRAY, "tool.extensions"},
};

enum { NAME, GUID, SEMANTIC, VERSION, DOTTED, RULES, TAXA, GLOBAL, COMPONENT_MEMBERS };
static const struct rt_sarif_member component_members[COMPONENT_MEMBERS] = {
    [NAME] = {RT_SLICE("name"), RT_SARIF_STRING, "toolComponent.name"},
    [GUID] = {RT_SLICE("guid"), RT_SARIF_STRING, "toolComponent.guid"},
    [SEMANTIC] = {RT_SLICE("semanticVersion"), RT_SARIF_STRING, "toolComponent.semanticVersion"},
    [VERSION] = {RT_SLICE("version"), RT_SARIF_STRING, "toolComponent.version"},
    [DOTTED] = {RT_SLICE("dottedQuadFileVersion"), RT_SARIF_STRING,
		"toolComponent.dottedQuadFileVersion"},
    [RULES] = {RT_SLICE("rules"), RT_SARIF_ARRAY, "toolComponent.rules"},
    [TAXA] = {RT_SLICE("taxa"), RT_SARIF_ARRAY, "toolComponent.taxa"},
    [GLOBAL] = {RT_SLICE("globalMessageStrings"), RT_SARIF_OBJECT,
		"toolComponent.globalMessageStrings"},
};

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
	RULE_MESSAGES,
	RULE_PROPERTIES,
	RULE_MEMBERS
};
static const struct rt_sarif_member rule_members[RULE_MEMBERS] = {
    [RULE_ID] = {RT_SLICE("id"), RT_SARIF_STRING, "reportingDescriptor.id"},
    [RULE_GUID] = {RT_SLICE("guid"), RT_SARIF_STRING, "reportingDescriptor.guid"},
    [RULE_NAME] = {RT_SLICE("name"), RT_SARIF_STRING, "reportingDescriptor.name"},
    [RULE_SHORT] = {RT_SLICE("shortDescription"), RT_SARIF_OBJECT,
		    "reportingDescriptor.shortDescription"},
    [RULE_FULL] = {RT_SLICE("fullDescription"), RT_SARIF_OBJECT,
		   "reportingDescriptor.fullDescription"},
    [RULE_HELP] = {RT_SLICE("help"), RT_SARIF_OBJECT, "reportingDescriptor.help"},
    [RULE_HELP_URI] = {RT_SLICE("helpUri"), RT_SARIF_STRING, "reportingDescriptor.helpUri"},
    [RULE_CONFIGURATION] = {RT_SLICE("defaultConfiguration"), RT_SARIF_OBJECT,
			    "reportingDescriptor.defaultConfiguration"},
    [RULE_RELATIONSHIPS] = {RT_SLICE("relationships"), RT_SARIF_ARRAY,
			    "reportingDescriptor.relationships"},
    [RULE_MESSAGES] = {RT_SLICE("messageStrings"), RT_SARIF_OBJECT,
		       "reportingDescriptor.messageStrings"},
    [RULE_PROPERTIES] = {RT_SLICE("properties"), RT_SARIF_OBJECT, "reportingDescriptor.properties"},
};

const struct rt_sarif_member rt_sarif_relationship_members[RT_SARIF_RELATIONSHIPS] = {
    [RT_SARIF_TARGET] = {RT_SLICE("target"), RT_SARIF_OBJECT, "relationship.target"},
    [RT_SARIF_KINDS] = {RT_SLICE("kinds"), RT_SARIF_ARRAY, "relationship.kinds"},
};

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

static enum rt_status texts_take(struct rt_sarif_rule *rule, const struct rt_slice *values,
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
	enum rt_status status = RT_OK;

	for (size_t i = 0; status == RT_OK && i < 3; i++) {
		status = rt_sarif_cut(texts[i].object, rt_sarif_form_members, RT_SARIF_FORMS, forms,
				      fault);
		if (status == RT_OK)
			*texts[i].text =
			    first_filled(forms[RT_SARIF_FORM_TEXT],
					 texts[i].markdown ? forms[RT_SARIF_FORM_MARKDOWN] : none,
					 texts[i].other);
	}
	return status;
}

static enum rt_status relationships_check(struct rt_slice list, struct rt_sarif_fault *fault)
{
	struct rt_slice values[RT_SARIF_RELATIONSHIPS];
	enum rt_status status = RT_OK;
	struct rt_items items, kinds;
	struct rt_item item;

	rt_items_init(&items, list);
	while (list.ptr && status == RT_OK && rt_items_next(&items, &item)) {
		status = rt_sarif_cut_object(item.value, "reportingDescriptor.relationships",
					     rt_sarif_relationship_members, RT_SARIF_RELATIONSHIPS,
					     values, fault);

		if (status == RT_OK)
			status = rt_sarif_reference_check(values[RT_SARIF_TARGET], fault);
		if (status != RT_OK)
			break;
		rt_items_init(&kinds, values[RT_SARIF_KINDS]);
		while (values[RT_SARIF_KINDS].ptr && status == RT_OK &&
		       rt_items_next(&kinds, &item))
			status =
			    rt_sarif_is(item.value, RT_SARIF_STRING, "relationship.kinds", fault);
	}
	return status;
}

static enum rt_status properties_take(struct rt_sarif_tables *tables, struct rt_slice bag,
				      struct rt_sarif_rule *rule, struct rt_sarif_fault *fault)
{
	struct rt_slice values[RT_SARIF_PROPERTY_COUNT], *kept;
	enum rt_status status = rt_sarif_properties(bag, values, fault);
	bool any = false;

	if (status == RT_OK)
		status = rt_sarif_tags_check(values[RT_SARIF_TAGS], fault);
	for (size_t i = 0; status == RT_OK && i < RT_SARIF_PROPERTY_COUNT; i++)
		any = any || values[i].ptr;
	if (status != RT_OK || !any)
		return status;
	status = rt_sarif_memory_take(&tables->memory, 1, sizeof(values), &kept, fault);
	if (status != RT_OK)
		return status;
	rt_sarif_rule_scores(rule, values);
	memcpy(kept, values, sizeof(values));
	rule->properties = kept;
	return RT_OK;
}

/* Keep one message and its id. */
static enum rt_status message_take(struct rt_sarif_tables *tables, enum rt_sarif_kind kind,
				   uint32_t owner, const struct rt_item *item, struct rt_buf *room,
				   struct rt_sarif_fault *fault)
{
	uint32_t number = (uint32_t)(tables->messages.len / sizeof(struct rt_sarif_forms));
	struct rt_slice id, object = {NULL, 0};
	struct rt_sarif_forms forms;
	enum rt_status status;
	bool added;

	/* Null is as good as absent, though its id counts as one that is there. */
	if (rt_sarif_type(item->value) != RT_TYPE_NULL)
		object = item->value;
	status = rt_sarif_cut_object(object, "multiformatMessageString", rt_sarif_form_members,
				     RT_SARIF_FORMS, forms.strings, fault);
	if (status == RT_OK)
		status = rt_sarif_memory_add(&tables->memory, &tables->messages, &forms,
					     sizeof(forms), fault);
	if (status == RT_OK)
		status = rt_json_string_text(item->key, room, &id, &fault->err);
	if (status == RT_OK)
		status = rt_sarif_names_add(&tables->names, kind, owner, id, number, &added, fault);
	if (status == RT_OK && !added)
		return rt_sarif_refuse(fault, item->key.ptr - 1, "messageStrings",
				       "each message once", "this one twice");
	return status;
}

/* Keep the messages of a rule or a component. */
static enum rt_status messages_take(struct rt_sarif_tables *tables, enum rt_sarif_kind kind,
				    uint32_t owner, struct rt_slice object,
				    struct rt_sarif_fault *fault)
{
	enum rt_status status = RT_OK;
	struct rt_buf room = {0};
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, object);
	while (object.ptr && status == RT_OK && rt_items_next(&items, &item))
		status = message_take(tables, kind, owner, &item, &room, fault);
	rt_buf_release(&room);
	return status;
}

/* Make a rule findable. */
static enum rt_status rule_names(struct rt_sarif_tables *tables, const struct rt_sarif_rule *rule,
				 uint32_t number, struct rt_slice guid,
				 struct rt_sarif_fault *fault)
{
	const enum rt_sarif_kind kinds[] = {RT_SARIF_N_RULE, RT_SARIF_N_RULE_GUID};
	char folded[RT_SARIF_GUID_MAX];
	const struct rt_slice texts[] = {rule->id, rt_sarif_guid(guid, folded)};
	enum rt_status status = RT_OK;

	for (size_t i = 0; i < 2 && status == RT_OK; i++) {
		status = rt_sarif_names_add(&tables->names, kinds[i], RT_SARIF_ANY_OWNER, texts[i],
					    number, NULL, fault);
		/* The driver is looked at first anyway. */
		if (status == RT_OK && rule->component)
			status = rt_sarif_names_add(&tables->names, kinds[i], rule->component,
						    texts[i], number, NULL, fault);
	}
	return status;
}

static enum rt_status rule_take(struct rt_sarif_tables *tables,
				const struct rt_sarif_component *component, struct rt_slice value,
				struct rt_sarif_fault *fault)
{
	struct rt_sarif_rule rule = {.component = component->number, .properties = no_properties};
	uint32_t number = (uint32_t)(tables->rules.len / sizeof(rule));
	struct rt_slice values[RULE_MEMBERS];
	enum rt_status status = rt_sarif_cut_object(value, "toolComponent.rules", rule_members,
						    RULE_MEMBERS, values, fault);

	if (status == RT_OK && rt_sarif_filled(values[RULE_ID]))
		status = rt_sarif_keep(tables, values[RULE_ID], &rule.id, fault);
	if (status == RT_OK)
		status = texts_take(&rule, values, fault);
	if (status == RT_OK)
		status = rt_sarif_level_take(values[RULE_CONFIGURATION], &rule.level, fault);
	if (status == RT_OK)
		status = relationships_check(values[RULE_RELATIONSHIPS], fault);
	if (status == RT_OK)
		status = properties_take(tables, values[RULE_PROPERTIES], &rule, fault);
	if (status == RT_OK)
		status =
		    messages_take(tables, RT_SARIF_N_MESSAGE, number, values[RULE_MESSAGES], fault);
	rule.relationships = values[RULE_RELATIONSHIPS];
	/* What is found by a name is there. */
	if (status == RT_OK)
		status = rt_sarif_memory_add(&tables->memory, &tables->rules, &rule, sizeof(rule),
					     fault);
	return status == RT_OK ? rule_names(tables, &rule, number, values[RULE_GUID], fault)
			       : status;
}

/* --- Components ------------------------------------------------------------------------------- */

static enum rt_status rules_take(struct rt_sarif_tables *tables,
				 struct rt_sarif_component *component, struct rt_slice list,
				 struct rt_sarif_fault *fault)
{
	enum rt_status status = RT_OK;
	struct rt_items items;
	struct rt_item item;

	component->first = tables->rules.len / sizeof(struct rt_sarif_rule);
	rt_items_init(&items, list);
	while (list.ptr && status == RT_OK && rt_items_next(&items, &item))
		status = rule_take(tables, component, item.value, fault);
	component->count = tables->rules.len / sizeof(struct rt_sarif_rule) - component->first;
	component->refused = status != RT_OK;
	return status;
}

/* The ids of a component's taxa. */
static enum rt_status taxa_take(struct rt_sarif_tables *tables,
				struct rt_sarif_component *component, struct rt_slice list,
				struct rt_sarif_fault *fault)
{
	enum rt_status status;
	struct rt_slice *taxa, id;
	struct rt_items items;
	struct rt_item item;

	status = rt_sarif_memory_take(&tables->memory, rt_sarif_count(list), sizeof(*taxa), &taxa,
				      fault);
	if (status != RT_OK)
		return status;
	component->taxa = taxa;
	rt_items_init(&items, list);
	while (list.ptr && status == RT_OK && rt_items_next(&items, &item)) {
		status = rt_sarif_cut_object(item.value, "toolComponent.taxa",
					     &rule_members[RULE_ID], 1, &id, fault);

		if (status == RT_OK)
			status = rt_sarif_keep(tables, id, &taxa[component->taxon_count], fault);
		component->taxon_count++;
	}
	return status;
}

/* Make a component findable, by name and guid. */
static enum rt_status component_names(struct rt_sarif_tables *tables,
				      const struct rt_sarif_component *component,
				      enum rt_sarif_kind by_name, struct rt_slice guid,
				      struct rt_sarif_fault *fault)
{
	enum rt_sarif_kind by_guid =
	    by_name == RT_SARIF_N_COMPONENT ? RT_SARIF_N_COMPONENT_GUID : RT_SARIF_N_TAXONOMY_GUID;
	char folded[RT_SARIF_GUID_MAX];
	enum rt_status status = rt_sarif_names_add(&tables->names, by_name, 0, component->name,
						   component->number, NULL, fault);

	if (status == RT_OK)
		status = rt_sarif_names_add(&tables->names, by_guid, 0, rt_sarif_guid(guid, folded),
					    component->number, NULL, fault);
	return status;
}

/* Take a component. values: its members; by_name: the kind of its name. */
static enum rt_status component_take(struct rt_sarif_tables *tables,
				     struct rt_sarif_component *component,
				     const struct rt_slice *values, enum rt_sarif_kind by_name,
				     struct rt_sarif_fault *fault)
{
	enum rt_status status = rt_sarif_keep(tables, values[NAME], &component->name, fault);

	if (status == RT_OK)
		status = component_names(tables, component, by_name, values[GUID], fault);
	if (status == RT_OK)
		status = taxa_take(tables, component, values[TAXA], fault);
	if (status != RT_OK || by_name == RT_SARIF_N_TAXONOMY)
		return status;
	status = messages_take(tables, RT_SARIF_N_GLOBAL, component->number, values[GLOBAL], fault);
	if (status == RT_OK)
		status = rules_take(tables, component, values[RULES], fault);
	return status;
}

/* model_used: name and version of the driver. */
static enum rt_status model_take(struct rt_sarif_tables *tables, const struct rt_slice *values,
				 struct rt_sarif_fault *fault)
{
	struct rt_slice version = first_filled(values[SEMANTIC], values[VERSION], values[DOTTED]);
	struct rt_buf plain = {0};
	enum rt_status status;

	tables->driver = tables->components[0].name;
	if (!tables->driver.len)
		return RT_OK;
	status = rt_buf_append(&plain, tables->driver.ptr, tables->driver.len, &fault->err);
	if (status == RT_OK && version.ptr)
		status = rt_buf_append(&plain, " ", 1, &fault->err);
	if (status == RT_OK && version.ptr)
		status = rt_sarif_text(version, &plain, fault);
	if (status == RT_OK)
		status = rt_sarif_keep_json(tables, rt_buf_slice(&plain), &tables->model, fault);
	rt_buf_release(&plain);
	return status;
}

/* Take each component of a list. */
static enum rt_status components_each(struct rt_sarif_tables *tables, struct rt_slice list,
				      const char *field, struct rt_sarif_component *components,
				      enum rt_sarif_kind by_name, struct rt_sarif_fault *fault)
{
	struct rt_slice values[COMPONENT_MEMBERS];
	enum rt_status status = RT_OK;
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, list);
	while (list.ptr && status == RT_OK && rt_items_next(&items, &item)) {
		status = rt_sarif_cut_object(item.value, field, component_members,
					     COMPONENT_MEMBERS, values, fault);
		if (status == RT_OK)
			status = component_take(tables, components++, values, by_name, fault);
	}
	return status;
}

static enum rt_status components_new(struct rt_sarif_tables *tables, size_t count,
				     struct rt_sarif_component **ret_components,
				     struct rt_sarif_fault *fault)
{
	enum rt_status status = rt_sarif_memory_take(
	    &tables->memory, count, sizeof(**ret_components), ret_components, fault);

	for (size_t i = 0; status == RT_OK && i < count; i++)
		(*ret_components)[i].number = (uint32_t)i;
	return status;
}

enum rt_status rt_sarif_tool_take(struct rt_sarif_tables *tables, struct rt_slice value,
				  struct rt_sarif_fault *fault)
{
	struct rt_slice tool[TOOL_MEMBERS], driver[COMPONENT_MEMBERS];
	enum rt_status status =
	    rt_sarif_cut_object(value, "tool", tool_members, TOOL_MEMBERS, tool, fault);
	size_t count = 1;

	if (status == RT_OK)
		status = rt_sarif_cut(tool[TOOL_DRIVER], component_members, COMPONENT_MEMBERS,
				      driver, fault);
	if (status != RT_OK)
		return status;
	count += rt_sarif_count(tool[TOOL_EXTENSIONS]);
	status = components_new(tables, count, &tables->components, fault);
	if (status != RT_OK)
		return status;
	tables->component_count = count;
	status =
	    component_take(tables, &tables->components[0], driver, RT_SARIF_N_COMPONENT, fault);
	if (status == RT_OK)
		status = model_take(tables, driver, fault);
	if (status == RT_OK)
		status = components_each(tables, tool[TOOL_EXTENSIONS], "tool.extensions",
					 tables->components + 1, RT_SARIF_N_COMPONENT, fault);
	return status;
}

enum rt_status rt_sarif_taxonomies_take(struct rt_sarif_tables *tables, struct rt_slice value,
					struct rt_sarif_fault *fault)
{
	enum rt_status status = rt_sarif_is(value, RT_SARIF_ARRAY, "taxonomies", fault);

	if (status == RT_OK)
		status = components_new(tables, rt_sarif_count(value), &tables->taxonomies, fault);
	if (status != RT_OK)
		return status;
	tables->taxonomy_count = rt_sarif_count(value);
	return components_each(tables, value, "taxonomies", tables->taxonomies, RT_SARIF_N_TAXONOMY,
			       fault);
}
