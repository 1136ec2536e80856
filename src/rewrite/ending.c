/*
 * Compares a name with what is written under it, for a note where they do not go together. Content
 * decides what a file is (SPEC D1).
 */
#include "rewrite/ending.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "files/files.h"
#include "source/parts.h"

/* The inside of a file, after its compression: a container, or one of these. */
enum { INSIDE_UNKNOWN = -1, INSIDE_JSON = -2, INSIDE_YAML = -3, INSIDE_CONTAINER = -4 };

struct ending {
	const char *text;
	enum rt_magic outer; /* the compression that it says; NONE: none, but inside is known */
	int inside;          /* enum rt_magic of a container, or as above */
};

static const struct ending endings[] = {
    {".gz", RT_MAGIC_GZIP, INSIDE_UNKNOWN},  {".zst", RT_MAGIC_ZSTD, INSIDE_UNKNOWN},
    {".xz", RT_MAGIC_XZ, INSIDE_UNKNOWN},    {".bz2", RT_MAGIC_BZIP2, INSIDE_UNKNOWN},
    {".lz4", RT_MAGIC_LZ4, INSIDE_UNKNOWN},  {".tgz", RT_MAGIC_GZIP, RT_MAGIC_TAR},
    {".tzst", RT_MAGIC_ZSTD, RT_MAGIC_TAR},  {".txz", RT_MAGIC_XZ, RT_MAGIC_TAR},
    {".tbz2", RT_MAGIC_BZIP2, RT_MAGIC_TAR}, {".tar", RT_MAGIC_NONE, RT_MAGIC_TAR},
    {".zip", RT_MAGIC_NONE, RT_MAGIC_ZIP},   {".7z", RT_MAGIC_NONE, RT_MAGIC_7ZIP},
    {".cpio", RT_MAGIC_NONE, RT_MAGIC_CPIO}, {".json", RT_MAGIC_NONE, INSIDE_JSON},
    {".ndjson", RT_MAGIC_NONE, INSIDE_JSON}, {".jsonl", RT_MAGIC_NONE, INSIDE_JSON},
    {".sarif", RT_MAGIC_NONE, INSIDE_JSON},  {".yaml", RT_MAGIC_NONE, INSIDE_YAML},
    {".yml", RT_MAGIC_NONE, INSIDE_YAML},
};

/* The ending that a name of len bytes has; NULL: none of those above. */
static const struct ending *ending_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		size_t cut = strlen(endings[i].text);

		if (len >= cut && strncasecmp(name + len - cut, endings[i].text, cut) == 0)
			return &endings[i];
	}
	return NULL;
}

static int inside_of(const struct rt_form *form)
{
	if (rt_magic_is_container(form->outer))
		return (int)form->outer;
	if (!form->has_record)
		return INSIDE_UNKNOWN;
	if (form->is_member)
		return INSIDE_CONTAINER;
	return form->is_yaml ? INSIDE_YAML : INSIDE_JSON;
}

static bool inside_fits(int said, int inside)
{
	if (said == INSIDE_UNKNOWN || inside == INSIDE_UNKNOWN)
		return true;
	/* Which container a compression holds is not known here. */
	return inside == INSIDE_CONTAINER ? said >= 0 : said == inside;
}

/*
 * Whether a name may be that of a file of this form: it may where none of its endings says another
 * compression, container or format, in any case of letters. What is not known is no contradiction.
 */
static bool name_fits(const char *name, const struct rt_form *form)
{
	size_t len = strlen(name);
	const struct ending *last = ending_of(name, len), *before = NULL;
	enum rt_magic outer = rt_magic_is_compression(form->outer) ? form->outer : RT_MAGIC_NONE;

	if (!last)
		return true;
	if (form->is_directory || last->outer != outer)
		return false;
	if (last->inside == INSIDE_UNKNOWN)
		before = ending_of(name, len - strlen(last->text));
	return inside_fits(before ? before->inside : last->inside, inside_of(form));
}

void rt_form_see(struct rt_form *form, const struct rt_origin *origin)
{
	if (form->has_record)
		return;
	form->has_record = true;
	form->is_member = origin->member != NULL;
	form->is_yaml = origin->form == RT_TEXT_YAML;
}

/* Look at the export's own file. Returns false where it cannot be looked at. */
static bool look_at(const struct rt_options *options, struct rt_form *form)
{
	const struct rt_file *file;
	struct rt_files *files = NULL;
	struct rt_plain plain;
	struct rt_error err;
	bool is_seen = rt_files_open(options, &files, &err) == RT_OK &&
		       rt_files_next(files, &file, &err) == RT_OK;

	if (is_seen) {
		form->is_directory = file->name != NULL;
		is_seen = rt_plain_open(&plain, file, &err) == RT_OK;
	}
	if (is_seen && !form->is_directory)
		form->outer = rt_magic_find(plain.head, plain.head_len);
	rt_files_free(files);
	return is_seen;
}

/* What a form is, in words. */
static void describe(const struct rt_form *form, char text[64])
{
	int inside = inside_of(form);
	const char *what = "";

	if (form->is_directory)
		what = "a directory";
	else if (inside == INSIDE_CONTAINER)
		what = "an archive";
	else if (inside == INSIDE_JSON || inside == INSIDE_YAML)
		what = inside == INSIDE_YAML ? "YAML" : "JSON";
	else if (inside != INSIDE_UNKNOWN)
		what = rt_magic_name(form->outer);
	if (rt_magic_is_compression(form->outer))
		(void)snprintf(text, 64, "%s%s%s", what, *what ? " in " : "",
			       rt_magic_name(form->outer));
	else
		(void)snprintf(text, 64, "%s", what);
}

/* Whether the endings of two names say the same. */
static bool says_same(const char *one, const char *other)
{
	size_t one_len = strlen(one), other_len = strlen(other);

	for (;;) {
		const struct ending *a = ending_of(one, one_len), *b = ending_of(other, other_len);

		if (!a || !b)
			return a == b;
		if (a->outer != b->outer || a->inside != b->inside)
			return false;
		one_len -= strlen(a->text);
		other_len -= strlen(b->text);
	}
}

void rt_ending_note(const struct rt_options *options, const char *output, struct rt_form *form)
{
	char what[64];

	if (!options->notice || !look_at(options, form) || name_fits(rt_name_base(output), form) ||
	    says_same(rt_name_base(output), rt_name_base(options->paths[0])))
		return;
	describe(form, what);
	rt_notice(options, "%s is %s, as the export is; its name says otherwise", output, what);
}
