/*
 * Paths of files: artifactLocations, the bases that they begin at, and what absolute paths are
 * made relative to (SARIF.md S26, S27, S37). A location says its URI itself or names an artifact by
 * its index. Bases that loop, and artifacts that are not there, are faults.
 */
#include "sarif/tables.h"

#include <stdio.h>

#include "base/json_string.h"
#include "base/limits.h"

enum { URI, BASE, INDEX, LOCATION_MEMBERS };
static const struct rt_sarif_member location_members[LOCATION_MEMBERS] = {
    [URI] = {RT_SLICE("uri"), RT_SARIF_STRING, "artifactLocation.uri"},
    [BASE] = {RT_SLICE("uriBaseId"), RT_SARIF_STRING, "artifactLocation.uriBaseId"},
    [INDEX] = {RT_SLICE("index"), RT_SARIF_NUMBER, "artifactLocation.index"},
};

enum rt_status rt_sarif_location_take(struct rt_slice location,
				      struct rt_sarif_location *ret_location,
				      struct rt_sarif_fault *fault)
{
	struct rt_slice values[LOCATION_MEMBERS];
	int64_t index;
	enum rt_status status =
	    rt_sarif_cut(location, location_members, LOCATION_MEMBERS, values, fault);

	if (status != RT_OK)
		return status;
	*ret_location = (struct rt_sarif_location){values[URI], values[BASE]};
	return rt_sarif_index(values[INDEX], location_members[INDEX].field, &index, fault);
}

enum rt_status rt_sarif_location_check(struct rt_slice location, struct rt_sarif_fault *fault)
{
	struct rt_sarif_location said;

	return rt_sarif_location_take(location, &said, fault);
}

/* --- Bases ------------------------------------------------------------------------------------ */

/* The number of the base of that name, maybe absent. room: for the text of a name. */
static enum rt_status base_find(const struct rt_sarif_tables *tables, struct rt_slice string,
				struct rt_buf *room, uint32_t *ret_number,
				struct rt_sarif_fault *fault)
{
	struct rt_slice inside = rt_sarif_inside(string), name;
	enum rt_status status;

	*ret_number = RT_SARIF_NO_BASE;
	if (!inside.ptr || !tables->base_count)
		return RT_OK;
	status = rt_json_string_text(inside, room, &name, &fault->err);
	if (status == RT_OK)
		(void)rt_sarif_names_find(&tables->names, RT_SARIF_N_BASE, 0, name, ret_number);
	return status;
}

/* Whether a base ends the chain that leads to it. */
static bool is_outermost(const struct rt_sarif_base *base)
{
	return base->kind > RT_SARIF_PATH_RELATIVE;
}

/* Take the URI of a base. */
static enum rt_status base_path(struct rt_sarif_tables *tables, struct rt_sarif_base *base,
				struct rt_slice uri, struct rt_buf *room,
				struct rt_sarif_fault *fault)
{
	struct rt_buf path = {0};
	struct rt_slice text;
	enum rt_status status;

	if (!rt_sarif_filled(uri))
		return RT_OK;
	status = rt_json_string_text(rt_sarif_inside(uri), room, &text, &fault->err);
	if (status == RT_OK)
		status = rt_sarif_uri_path(text, &path, &base->kind, &fault->err);
	if (status == RT_OK && base->kind == RT_SARIF_PATH_RELATIVE && path.len &&
	    path.data[path.len - 1] != '/')
		status = rt_buf_append(&path, "/", 1, &fault->err);
	if (status == RT_OK)
		status =
		    rt_sarif_memory_copy(&tables->memory, rt_buf_slice(&path), &base->path, fault);
	rt_buf_release(&path);
	return status;
}

/* Take one base. */
static enum rt_status base_take(struct rt_sarif_tables *tables, const struct rt_item *item,
				struct rt_buf *room, struct rt_sarif_fault *fault)
{
	struct rt_sarif_base *base = &tables->bases[tables->base_count];
	struct rt_slice values[LOCATION_MEMBERS], name, object = {NULL, 0};
	enum rt_status status;
	bool added = true;

	/* Null is as good as absent, though its name counts as one that is there. */
	if (rt_sarif_type(item->value) != RT_TYPE_NULL)
		object = item->value;
	*base = (struct rt_sarif_base){.name = item->key, .parent = RT_SARIF_NO_BASE};
	status = rt_sarif_cut_object(object, "originalUriBaseIds", location_members,
				     LOCATION_MEMBERS, values, fault);

	if (status == RT_OK)
		status = base_path(tables, base, values[URI], room, fault);
	if (status == RT_OK)
		status = rt_json_string_text(item->key, room, &name, &fault->err);
	if (status == RT_OK)
		status = rt_sarif_names_add(&tables->names, RT_SARIF_N_BASE, 0, name,
					    (uint32_t)tables->base_count, &added, fault);
	if (status != RT_OK)
		return status;
	if (!added)
		return rt_sarif_refuse(fault, item->key.ptr - 1, "originalUriBaseIds",
				       "each base once", "this one twice");
	base->above = values[BASE];
	tables->base_count++;
	return RT_OK;
}

/* Refuse a chain that has too many steps, or no end. */
static enum rt_status chain_refuse(const struct rt_sarif_tables *tables, uint32_t number,
				   struct rt_sarif_fault *fault)
{
	const struct rt_sarif_base *base = &tables->bases[number];
	char want[80];

	for (size_t i = 0; i < tables->base_count && base->parent != RT_SARIF_NO_BASE; i++)
		base = &tables->bases[base->parent];
	(void)snprintf(want, sizeof(want), "bases that end after %u steps", RT_SARIF_BASE_STEPS);
	return rt_sarif_refuse(fault, base->name.ptr - 1, "originalUriBaseIds",
			       base->parent == RT_SARIF_NO_BASE ? want : "bases that end",
			       "%s at \"%.*s\"",
			       base->parent == RT_SARIF_NO_BASE ? "more" : "a loop",
			       rt_slice_shown(base->name, 100), base->name.ptr);
}

/* Link each base to the one above. */
static enum rt_status bases_link(struct rt_sarif_tables *tables, struct rt_buf *room,
				 struct rt_sarif_fault *fault)
{
	enum rt_status status = RT_OK;

	for (size_t i = 0; i < tables->base_count && status == RT_OK; i++)
		status = base_find(tables, tables->bases[i].above, room, &tables->bases[i].parent,
				   fault);
	for (uint32_t i = 0; i < tables->base_count && status == RT_OK; i++) {
		uint32_t at = i;
		unsigned steps = 0;

		while (at != RT_SARIF_NO_BASE && steps++ < RT_SARIF_BASE_STEPS)
			at = tables->bases[at].parent;
		if (at != RT_SARIF_NO_BASE)
			status = chain_refuse(tables, i, fault);
	}
	return status;
}

enum rt_status rt_sarif_bases_take(struct rt_sarif_tables *tables, struct rt_slice value,
				   struct rt_sarif_fault *fault)
{
	enum rt_status status = rt_sarif_is(value, RT_SARIF_OBJECT, "originalUriBaseIds", fault);
	struct rt_buf room = {0};
	struct rt_items items;
	struct rt_item item;

	if (status == RT_OK)
		status = rt_sarif_memory_take(&tables->memory, rt_sarif_count(value),
					      sizeof(*tables->bases), &tables->bases, fault);
	rt_items_init(&items, value);
	while (status == RT_OK && rt_items_next(&items, &item))
		status = base_take(tables, &item, &room, fault);
	if (status == RT_OK)
		status = bases_link(tables, &room, fault);
	rt_buf_release(&room);
	return status;
}

/* --- Locations -------------------------------------------------------------------------------- */

/* What a location says, after a look at the artifacts. */
static enum rt_status location_cut(const struct rt_sarif_tables *tables, struct rt_slice location,
				   struct rt_sarif_location *ret_said, struct rt_sarif_fault *fault)
{
	struct rt_slice values[LOCATION_MEMBERS];
	const char *field = location_members[INDEX].field;
	enum rt_status status =
	    rt_sarif_cut(location, location_members, LOCATION_MEMBERS, values, fault);
	int64_t index = -1;

	if (status == RT_OK)
		status = rt_sarif_index(values[INDEX], field, &index, fault);
	if (status != RT_OK)
		return status;
	*ret_said = (struct rt_sarif_location){values[URI], values[BASE]};
	if (rt_sarif_filled(values[URI]) || index == -1)
		return RT_OK;
	if ((uint64_t)index >= tables->artifact_count) {
		char want[40];

		(void)snprintf(want, sizeof(want), "less than %zu", tables->artifact_count);
		return rt_sarif_refuse(fault, values[INDEX].ptr, field, want, "%.*s",
				       rt_slice_shown(values[INDEX], 40), values[INDEX].ptr);
	}
	*ret_said = tables->artifacts[index];
	return RT_OK;
}

/* Put the paths of bases before what is in out from `from` on. number: the innermost base;
 * whole: with the outermost one, if that is a path of files, which *ret_kind then tells. */
static enum rt_status bases_put(const struct rt_sarif_run *run, uint32_t number, bool whole,
				struct rt_buf *out, size_t from, enum rt_sarif_path_kind *ret_kind,
				struct rt_sarif_fault *fault)
{
	const struct rt_sarif_tables *tables = run->tables;
	const struct rt_sarif_base *base = NULL;
	enum rt_status status = RT_OK;

	while (number != RT_SARIF_NO_BASE && status == RT_OK) {
		struct rt_slice part;
		bool slash;

		base = &tables->bases[number];
		number = is_outermost(base) ? RT_SARIF_NO_BASE : base->parent;
		if (is_outermost(base) && (!whole || base->kind == RT_SARIF_PATH_OTHER))
			break;
		part = base->path;
		slash = is_outermost(base) && part.ptr[part.len - 1] != '/';
		if (part.len > run->record_bytes ||
		    out->len - from > run->record_bytes - part.len) {
			fault->at = NULL;
			(void)rt_error_set(&fault->err, RT_E_LIMIT,
					   "the path exceeds --limit record");
			return RT_REJECT;
		}
		status = rt_buf_reserve(out, part.len + slash, &fault->err);
		if (status != RT_OK || !part.len)
			continue;
		memmove(out->data + from + part.len + slash, out->data + from, out->len - from);
		memcpy(out->data + from, part.ptr, part.len);
		if (slash)
			out->data[from + part.len] = '/';
		out->len += part.len + slash;
		if (is_outermost(base))
			*ret_kind = base->kind;
	}
	return status;
}

/* Append the path that a location says; whole: down from the outermost base. */
static enum rt_status said_path(const struct rt_sarif_run *run,
				const struct rt_sarif_location *said, bool whole,
				struct rt_buf *out, enum rt_sarif_path_kind *ret_kind,
				struct rt_sarif_fault *fault)
{
	size_t from = out->len;
	struct rt_buf room = {0};
	enum rt_status status = RT_OK;
	struct rt_slice text;
	uint32_t base;

	*ret_kind = RT_SARIF_PATH_NONE;
	if (rt_sarif_filled(said->uri)) {
		status = rt_json_string_text(rt_sarif_inside(said->uri), &room, &text, &fault->err);
		if (status == RT_OK)
			status = rt_sarif_uri_path(text, out, ret_kind, &fault->err);
	}
	if (status == RT_OK && *ret_kind <= RT_SARIF_PATH_RELATIVE) {
		status = base_find(run->tables, said->base, &room, &base, fault);
		if (status == RT_OK)
			status = bases_put(run, base, whole, out, from, ret_kind, fault);
	}
	rt_buf_release(&room);
	return status;
}

/* --- Roots ------------------------------------------------------------------------------------ */

/* The letter of a drive in lower case, so that both forms are equal. Returns the letter as it was.
 */
static char drive_fold(char *path, size_t len)
{
	char letter = len ? *path : '\0';

	if (rt_sarif_is_drive(rt_slice_make(path, len)))
		*path = (char)(*path | 0x20);
	return letter;
}

/* Keep the root that a location stands for; absent: it is no path of files. */
static enum rt_status root_keep(const struct rt_sarif_run *run,
				const struct rt_sarif_location *said, struct rt_slice *ret_root,
				struct rt_sarif_fault *fault)
{
	struct rt_buf path = {0};
	enum rt_sarif_path_kind kind;
	enum rt_status status = said_path(run, said, true, &path, &kind, fault);

	*ret_root = rt_slice_make(NULL, 0);
	if (status == RT_OK && kind == RT_SARIF_PATH_ABSOLUTE) {
		while (path.len && path.data[path.len - 1] == '/')
			path.len--;
		(void)drive_fold(path.data, path.len);
		status = rt_sarif_memory_copy(&run->tables->memory, rt_buf_slice(&path), ret_root,
					      fault);
	}
	rt_buf_release(&path);
	return status;
}

/* Whether a root is no more than that of a file system, a drive or a host. */
static bool is_bare(struct rt_slice root)
{
	if (rt_sarif_is_drive(root))
		return root.len == 2;
	if (root.len > 2 && root.ptr[1] == '/')
		return !memchr(root.ptr + 2, '/', root.len - 2);
	return root.len == 0;
}

static enum rt_status repositories_end(const struct rt_sarif_run *run, struct rt_sarif_fault *fault)
{
	struct rt_sarif_tables *tables = run->tables;
	enum rt_status status = RT_OK;
	struct rt_sarif_location said;

	tables->ends++;
	for (size_t i = 0; i < tables->repository_count && status == RT_OK; i++) {
		struct rt_sarif_repository *repository = &tables->repositories[i];

		if (!repository->mapped.ptr)
			continue;
		status = location_cut(tables, repository->mapped, &said, fault);
		if (status == RT_OK)
			status = root_keep(run, &said, &repository->root, fault);
		if (status == RT_OK)
			status = rt_sarif_names_add(&tables->names, RT_SARIF_N_MAPPED, tables->ends,
						    repository->root, (uint32_t)i, NULL, fault);
	}
	return status;
}

static enum rt_status bases_end(const struct rt_sarif_run *run, struct rt_sarif_fault *fault)
{
	struct rt_sarif_tables *tables = run->tables;
	enum rt_status status = RT_OK;

	for (size_t i = 0; i < tables->base_count && status == RT_OK; i++) {
		struct rt_sarif_base *base = &tables->bases[i];
		struct rt_slice path = base->path;

		if (base->kind != RT_SARIF_PATH_ABSOLUTE)
			continue;
		while (path.len && path.ptr[path.len - 1] == '/')
			path.len--;
		if (is_bare(path))
			continue;
		status = rt_sarif_memory_copy(&tables->memory, path, &base->root, fault);
		if (status != RT_OK)
			break;
		(void)drive_fold((char *)(uintptr_t)base->root.ptr, path.len);
		status = rt_sarif_names_add(&tables->names, RT_SARIF_N_ROOT, 0, base->root,
					    (uint32_t)i, NULL, fault);
	}
	return status;
}

enum rt_status rt_sarif_roots_end(const struct rt_sarif_run *run, enum rt_sarif_table *ret_table,
				  struct rt_sarif_fault *fault)
{
	struct rt_sarif_tables *tables = run->tables;
	enum rt_status status;
	struct rt_sarif_location said;

	*ret_table = RT_SARIF_PROVENANCE;
	status = repositories_end(run, fault);
	if (status != RT_OK)
		return status;
	*ret_table = RT_SARIF_INVOCATIONS;
	tables->directory_root = rt_slice_make(NULL, 0);
	if (tables->directory.ptr) {
		status = location_cut(tables, tables->directory, &said, fault);
		if (status == RT_OK)
			status = root_keep(run, &said, &tables->directory_root, fault);
		if (tables->directory_root.ptr && is_bare(tables->directory_root))
			tables->directory_root = rt_slice_make(NULL, 0);
	}
	if (status != RT_OK)
		return status;
	*ret_table = RT_SARIF_BASES;
	return bases_end(run, fault);
}

/* Roots that contain a path. */
struct containing {
	const struct rt_sarif_tables *tables;
	struct rt_slice path;
	uint32_t best; /* UINT32_MAX: none */
};

/* The first repository in the order of the log. */
static void mapped_found(void *ctx, uint32_t number)
{
	struct containing *c = ctx;

	if (number < c->best && c->tables->repositories[number].root.len + 1 < c->path.len)
		c->best = number;
}

/* The outermost base: shorter ones come first. */
static void base_found(void *ctx, uint32_t number)
{
	struct containing *c = ctx;

	if (c->tables->bases[number].root.len + 1 < c->path.len && c->best == UINT32_MAX)
		c->best = number;
}

/* The number of the repository that contains an absolute path; UINT32_MAX: none. */
static uint32_t mapped_find(const struct rt_sarif_tables *tables, struct rt_slice path)
{
	struct containing c = {tables, path, UINT32_MAX};

	if (tables->repository_count)
		rt_sarif_names_prefixes(&tables->names, RT_SARIF_N_MAPPED, tables->ends, path,
					mapped_found, &c);
	return c.best;
}

/* The root that a path is made relative to (S27); absent: none. */
static struct rt_slice root_find(const struct rt_sarif_tables *tables, struct rt_slice path)
{
	struct containing c = {tables, path, mapped_find(tables, path)};
	struct rt_slice root = tables->directory_root;

	if (c.best != UINT32_MAX)
		return tables->repositories[c.best].root;
	if (root.ptr && root.len + 1 < path.len && path.ptr[root.len] == '/' &&
	    rt_slice_equal(root, rt_slice_make(path.ptr, root.len)))
		return root;
	if (tables->base_count)
		rt_sarif_names_prefixes(&tables->names, RT_SARIF_N_ROOT, 0, path, base_found, &c);
	return c.best == UINT32_MAX ? rt_slice_make(NULL, 0) : tables->bases[c.best].root;
}

enum rt_status rt_sarif_path(const struct rt_sarif_run *run, struct rt_slice location,
			     struct rt_buf *out, bool *ret_any, struct rt_sarif_fault *fault)
{
	size_t from = out->len;
	enum rt_sarif_path_kind kind;
	enum rt_status status;
	struct rt_sarif_location said;

	*ret_any = false;
	status = location_cut(run->tables, location, &said, fault);
	if (status != RT_OK || !rt_sarif_filled(said.uri))
		return status;
	/* A file has one path, whether its address was written with bases or without. */
	status = said_path(run, &said, true, out, &kind, fault);
	if (status == RT_OK && kind == RT_SARIF_PATH_ABSOLUTE) {
		char *path = out->data + from, letter = drive_fold(path, out->len - from);
		struct rt_slice root = root_find(run->tables, rt_slice_make(path, out->len - from));

		*path = letter;
		if (root.ptr) {
			out->len -= root.len + 1;
			memmove(path, path + root.len + 1, out->len - from);
		} else {
			/* Below the root of a file system: what the bases say besides that. */
			out->len = from;
			status = said_path(run, &said, false, out, &kind, fault);
		}
	}
	if (status == RT_OK && out->len > from && run->strip.count) {
		struct rt_slice path = {out->data + from, out->len - from};
		struct rt_slice rest = rt_path_strip(path, run->strip);

		memmove(out->data + from, rest.ptr, rest.len);
		out->len = from + rest.len;
	}
	*ret_any = status == RT_OK && out->len > from;
	return status;
}

enum rt_status rt_sarif_repository(const struct rt_sarif_run *run, struct rt_slice location,
				   struct rt_slice *ret_repository, struct rt_sarif_fault *fault)
{
	const struct rt_sarif_tables *tables = run->tables;
	struct rt_buf path = {0};
	enum rt_status status = RT_OK;
	enum rt_sarif_path_kind kind;
	uint32_t number = UINT32_MAX;
	struct rt_sarif_location said;

	*ret_repository = rt_slice_make(NULL, 0);
	if (!tables->repository_count)
		return RT_OK;
	if (tables->repository_count > 1 && location.ptr) {
		status = location_cut(tables, location, &said, fault);
		if (status == RT_OK && rt_sarif_filled(said.uri)) {
			status = said_path(run, &said, true, &path, &kind, fault);
			if (status == RT_OK && kind > RT_SARIF_PATH_RELATIVE) {
				(void)drive_fold(path.data, path.len);
				number = mapped_find(tables, rt_buf_slice(&path));
			}
		}
	}
	rt_buf_release(&path);
	if (status == RT_OK)
		*ret_repository = tables->repositories[number == UINT32_MAX ? 0 : number].name;
	return status;
}
