/*
 * Paths of files: artifactLocations, the bases that they begin at, and what absolute paths are
 * made relative to (SARIF.md S26, S27, S37). A location says its URI itself or names an artifact by
 * its index. Bases that loop, and artifacts that are not there, are faults.
 */
#include "sarif/run.h"

#include <stdio.h>

#include "base/json_string.h"
#include "base/limits.h"

static const struct rt_cut_member location_members[] = {RT_SARIF_LOCATION_ROWS(0)};
static const struct rt_cut location_table = RT_SARIF_CUT(location_members, "artifactLocation");

/* The index that a location says. */
static int64_t index_of(const struct rt_slice *said, struct rt_sarif_fault *fault)
{
	return rt_sarif_index(said[RT_SARIF_LOCATION_INDEX], "artifactLocation.index", fault);
}

void rt_sarif_location_cut(struct rt_slice location,
			   struct rt_slice ret_said[RT_SARIF_LOCATION_MEMBERS],
			   struct rt_sarif_fault *fault)
{
	rt_sarif_cut(location, NULL, &location_table, ret_said, RT_SARIF_LOCATION_MEMBERS, fault);
	(void)index_of(ret_said, fault);
}

/* --- Bases ------------------------------------------------------------------------------------ */

/* The number of the base of that name, maybe absent. room: for the text of a name. */
static uint32_t base_find(const struct rt_sarif_run *run, struct rt_slice string,
			  struct rt_buf *room, struct rt_sarif_fault *fault)
{
	uint32_t number = RT_SARIF_NO_BASE;
	struct rt_slice name = {NULL, 0};

	if (run->base_count)
		name = rt_sarif_decode(string, room, fault);
	if (name.ptr)
		(void)rt_sarif_names_find(run, RT_SARIF_N_BASE, 0, name, &number);
	return number;
}

/* Whether a base ends the chain that leads to it. */
static bool is_outermost(const struct rt_sarif_base *base)
{
	return base->kind > RT_SARIF_PATH_RELATIVE;
}

/* Take "." and ".." out of the path that begins at `from`. Ids of version 0.1 have them. */
static void resolve(const struct rt_sarif_run *run, struct rt_buf *path, size_t from,
		    enum rt_sarif_path_kind kind)
{
	if (!run->old_ids && path->len > from && kind != RT_SARIF_PATH_OTHER)
		path->len = from + rt_path_resolve(path->data + from, path->len - from);
}

/* Take the URI of a base. */
static void base_path(struct rt_sarif_run *run, struct rt_sarif_base *base, struct rt_slice uri,
		      struct rt_buf *room, struct rt_sarif_fault *fault)
{
	struct rt_buf path = {0};
	struct rt_slice text;

	if (!rt_sarif_filled(uri))
		return;
	text = rt_sarif_decode(uri, room, fault);
	if (fault->status == RT_OK)
		fault->status = rt_sarif_uri_path(text, &path, &base->kind, &fault->err);
	resolve(run, &path, 0, base->kind);
	if (base->kind == RT_SARIF_PATH_RELATIVE && path.len && path.data[path.len - 1] != '/')
		(void)rt_sarif_goes(fault, rt_buf_append(&path, "/", 1, &fault->err));
	base->path = rt_sarif_memory_copy(run, rt_buf_slice(&path), fault);
	rt_buf_release(&path);
}

/* Take one base. */
static void base_take(struct rt_sarif_run *run, const struct rt_item *item, struct rt_buf *room,
		      struct rt_sarif_fault *fault)
{
	struct rt_sarif_base *base = &run->bases[run->base_count];
	struct rt_slice said[RT_SARIF_LOCATION_MEMBERS], name = {NULL, 0}, object = {NULL, 0};

	/* Null is as good as absent, though its name counts as one that is there. */
	if (rt_sarif_type(item->value) != RT_TYPE_NULL)
		object = item->value;
	*base = (struct rt_sarif_base){.name = item->key, .parent = RT_SARIF_NO_BASE};
	rt_sarif_cut(object, "originalUriBaseIds", &location_table, said, RT_SARIF_LOCATION_MEMBERS,
		     fault);
	base_path(run, base, said[RT_SARIF_LOCATION_URI], room, fault);
	if (fault->status == RT_OK)
		fault->status = rt_json_string_text(item->key, room, &name, &fault->err);
	if (!rt_sarif_names_add(run, RT_SARIF_N_BASE, 0, name, (uint32_t)run->base_count, fault))
		rt_sarif_refuse(fault, item->key.ptr - 1, "originalUriBaseIds", "each base once",
				"this one twice");
	base->above = said[RT_SARIF_LOCATION_BASE];
	run->base_count += fault->status == RT_OK;
}

/* Refuse a chain that has too many steps, or no end. */
static void chain_refuse(const struct rt_sarif_run *run, uint32_t number,
			 struct rt_sarif_fault *fault)
{
	const struct rt_sarif_base *base = &run->bases[number];
	char want[80];

	for (size_t i = 0; i < run->base_count && base->parent != RT_SARIF_NO_BASE; i++)
		base = &run->bases[base->parent];
	(void)snprintf(want, sizeof(want), "bases that end after %u steps", RT_SARIF_BASE_STEPS);
	rt_sarif_refuse(fault, base->name.ptr - 1, "originalUriBaseIds",
			base->parent == RT_SARIF_NO_BASE ? want : "bases that end",
			"%s at \"%.*s\"", base->parent == RT_SARIF_NO_BASE ? "more" : "a loop",
			rt_slice_shown(base->name, 100), base->name.ptr);
}

/* Link each base to the one above. */
static void bases_link(struct rt_sarif_run *run, struct rt_buf *room, struct rt_sarif_fault *fault)
{
	for (size_t i = 0; i < run->base_count; i++)
		run->bases[i].parent = base_find(run, run->bases[i].above, room, fault);
	for (uint32_t i = 0; i < run->base_count && fault->status == RT_OK; i++) {
		uint32_t at = i;
		unsigned steps = 0;

		while (at != RT_SARIF_NO_BASE && steps++ < RT_SARIF_BASE_STEPS)
			at = run->bases[at].parent;
		if (at != RT_SARIF_NO_BASE)
			chain_refuse(run, i, fault);
	}
}

void rt_sarif_bases_take(struct rt_sarif_run *run, struct rt_slice value,
			 struct rt_sarif_fault *fault)
{
	struct rt_buf room = {0};
	struct rt_items items;
	struct rt_item item;

	rt_sarif_is(value, RT_SARIF_OBJECT, "originalUriBaseIds", fault);
	if (fault->status != RT_OK)
		return;
	run->bases = rt_sarif_memory_take(run, rt_sarif_count(value), sizeof(*run->bases), fault);
	rt_items_init(&items, value);
	while (rt_sarif_next_item(&items, &item, fault))
		base_take(run, &item, &room, fault);
	if (fault->status == RT_OK)
		bases_link(run, &room, fault);
	/* What is looked at after a fault has no bases: they may be a loop. */
	if (fault->status != RT_OK)
		run->base_count = 0;
	rt_buf_release(&room);
}

/* --- Locations -------------------------------------------------------------------------------- */

/* What a location says, after a look at the artifacts. */
static struct rt_sarif_location location_find(const struct rt_sarif_run *run,
					      const struct rt_slice *said,
					      struct rt_sarif_fault *fault)
{
	const struct rt_sarif_location own = {said[RT_SARIF_LOCATION_URI],
					      said[RT_SARIF_LOCATION_BASE]};
	struct rt_slice at = said[RT_SARIF_LOCATION_INDEX];
	int64_t index = index_of(said, fault);

	if (rt_sarif_filled(own.uri) || index == -1)
		return own;
	if ((uint64_t)index >= run->artifact_count) {
		char want[40];

		(void)snprintf(want, sizeof(want), "less than %zu", run->artifact_count);
		rt_sarif_refuse(fault, at.ptr, "artifactLocation.index", want, "%.*s",
				rt_slice_shown(at, 40), at.ptr);
		return own;
	}
	return run->artifacts[index];
}

/* Put the paths of bases before what is in out from `from` on. number: the innermost base;
 * whole: with the outermost one, if that is a path of files, which *ret_kind then tells. */
static void bases_put(const struct rt_sarif_run *run, uint32_t number, bool whole,
		      struct rt_buf *out, size_t from, enum rt_sarif_path_kind *ret_kind,
		      struct rt_sarif_fault *fault)
{
	while (number != RT_SARIF_NO_BASE) {
		const struct rt_sarif_base *base = &run->bases[number];
		struct rt_slice part = base->path;
		bool slash = is_outermost(base) && part.len && part.ptr[part.len - 1] != '/';

		number = is_outermost(base) ? RT_SARIF_NO_BASE : base->parent;
		if (is_outermost(base) && (!whole || base->kind == RT_SARIF_PATH_OTHER))
			return;
		if (part.len > run->record_bytes || out->len - from > run->record_bytes - part.len)
			rt_sarif_refuse_limit(fault, "the path exceeds --limit record");
		if (fault->status == RT_OK)
			fault->status = rt_buf_reserve(out, part.len + slash, &fault->err);
		if (fault->status != RT_OK)
			return;
		if (!part.len)
			continue;
		memmove(out->data + from + part.len + slash, out->data + from, out->len - from);
		memcpy(out->data + from, part.ptr, part.len);
		if (slash)
			out->data[from + part.len] = '/';
		out->len += part.len + slash;
		if (is_outermost(base))
			*ret_kind = base->kind;
	}
}

/* Append the path that a location says; whole: down from the outermost base. Returns its kind. */
static enum rt_sarif_path_kind said_path(const struct rt_sarif_run *run,
					 const struct rt_sarif_location *said, bool whole,
					 struct rt_buf *out, struct rt_sarif_fault *fault)
{
	enum rt_sarif_path_kind kind = RT_SARIF_PATH_NONE;
	size_t from = out->len;
	struct rt_buf room = {0};

	if (rt_sarif_filled(said->uri)) {
		struct rt_slice text = rt_sarif_decode(said->uri, &room, fault);

		(void)rt_sarif_goes(fault, rt_sarif_uri_path(text, out, &kind, &fault->err));
	}
	if (fault->status == RT_OK && kind <= RT_SARIF_PATH_RELATIVE)
		bases_put(run, base_find(run, said->base, &room, fault), whole, out, from, &kind,
			  fault);
	resolve(run, out, from, kind);
	rt_buf_release(&room);
	return kind;
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

/* Whether a root is no more than that of a file system, a drive or a host. */
static bool is_bare(struct rt_slice root)
{
	if (rt_sarif_is_drive(root))
		return root.len == 2;
	if (root.len > 2 && root.ptr[1] == '/')
		return !memchr(root.ptr + 2, '/', root.len - 2);
	return root.len == 0;
}

/* Keep an absolute path as a root. bare: even if it is no more than that of a file system. */
static void root_add(struct rt_sarif_run *run, struct rt_slice path, uint32_t order, bool bare,
		     struct rt_sarif_fault *fault)
{
	struct rt_sarif_root root = {.order = order};

	while (path.len && path.ptr[path.len - 1] == '/')
		path.len--;
	if (!bare && is_bare(path))
		return;
	root.path = rt_sarif_memory_copy(run, path, fault);
	if (root.path.ptr)
		(void)drive_fold((char *)(uintptr_t)root.path.ptr, path.len);
	(void)rt_sarif_names_add(run, RT_SARIF_N_ROOT, run->ends, root.path,
				 (uint32_t)(run->roots.len / sizeof(root)), fault);
	rt_sarif_memory_add(run, &run->roots, &root, sizeof(root), fault);
}

/* The same of a location, maybe absent, if that is an absolute path of files. */
static void root_take(struct rt_sarif_run *run, struct rt_slice location, uint32_t order, bool bare,
		      struct rt_sarif_fault *fault)
{
	struct rt_slice members[RT_SARIF_LOCATION_MEMBERS];
	struct rt_sarif_location said;
	struct rt_buf path = {0};

	rt_sarif_location_cut(location, members, fault);
	said = location_find(run, members, fault);
	if (fault->status == RT_OK &&
	    said_path(run, &said, true, &path, fault) == RT_SARIF_PATH_ABSOLUTE)
		root_add(run, rt_buf_slice(&path), order, bare, fault);
	rt_buf_release(&path);
}

/* Of two roots that contain a path, the one with the lesser number counts; of bases the outermost.
 * Those of repositories have their numbers. */
#define ORDER_DIRECTORY (UINT32_MAX - 1)
#define ORDER_BASE UINT32_MAX

void rt_sarif_roots_end(struct rt_sarif_run *run, enum rt_sarif_table *ret_table,
			struct rt_sarif_fault *fault)
{
	rt_sarif_memory_count(run, -(int64_t)run->roots.len, fault);
	run->roots.len = 0;
	run->ends++;
	*ret_table = RT_SARIF_PROVENANCE;
	for (uint32_t i = 0; i < run->repository_count; i++)
		root_take(run, run->repositories[i].mapped, i, true, fault);
	if (fault->status == RT_OK)
		*ret_table = RT_SARIF_INVOCATIONS;
	root_take(run, run->directory, ORDER_DIRECTORY, false, fault);
	if (fault->status == RT_OK)
		*ret_table = RT_SARIF_BASES;
	for (size_t i = 0; i < run->base_count && fault->status == RT_OK; i++) {
		if (run->bases[i].kind == RT_SARIF_PATH_ABSOLUTE)
			root_add(run, run->bases[i].path, ORDER_BASE, false, fault);
	}
}

/* A search for the root of a path. */
struct containing {
	const struct rt_sarif_root *roots;
	struct rt_slice path;
	const struct rt_sarif_root *best; /* NULL: none */
};

static void root_found(void *ctx, uint32_t number)
{
	struct containing *c = ctx;
	const struct rt_sarif_root *root = &c->roots[number];

	if (root->path.len + 1 < c->path.len && (!c->best || root->order < c->best->order))
		c->best = root;
}

/* The root that a path, whose drive is folded, is made relative to (S27); NULL: none. */
static const struct rt_sarif_root *root_find(const struct rt_sarif_run *run, struct rt_slice path)
{
	struct containing c = {(const struct rt_sarif_root *)(void *)run->roots.data, path, NULL};

	if (run->roots.len)
		rt_sarif_names_prefixes(run, RT_SARIF_N_ROOT, run->ends, path, root_found, &c);
	return c.best;
}

enum rt_status rt_sarif_path(const struct rt_sarif_run *run, const struct rt_slice *members,
			     struct rt_buf *out, bool *ret_any, uint32_t *ret_repository,
			     struct rt_sarif_fault *fault)
{
	struct rt_sarif_location said = location_find(run, members, fault);
	enum rt_sarif_path_kind kind;
	size_t from = out->len;

	*ret_repository = 0;
	*ret_any = false;
	if (fault->status != RT_OK || !rt_sarif_filled(said.uri))
		return fault->status;
	/* A file has one path, whether its address was written with bases or without. */
	kind = said_path(run, &said, true, out, fault);
	if (fault->status == RT_OK && kind == RT_SARIF_PATH_ABSOLUTE) {
		char *path = out->data + from, letter = drive_fold(path, out->len - from);
		const struct rt_sarif_root *root =
		    root_find(run, rt_slice_make(path, out->len - from));

		*path = letter;
		if (root && root->order < run->repository_count)
			*ret_repository = root->order;
		if (root) {
			out->len -= root->path.len + 1;
			memmove(path, path + root->path.len + 1, out->len - from);
		} else {
			/* Below the root of a file system: what the bases say besides that. */
			out->len = from;
			(void)said_path(run, &said, false, out, fault);
		}
	}
	if (fault->status == RT_OK && out->len > from && run->strip.count) {
		struct rt_slice path = {out->data + from, out->len - from};
		struct rt_slice rest = rt_path_strip(path, run->strip);

		memmove(out->data + from, rest.ptr, rest.len);
		out->len = from + rest.len;
	}
	*ret_any = fault->status == RT_OK && out->len > from;
	return fault->status;
}
