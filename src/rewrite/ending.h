/*
 * What the ending of a file's name says of its content, as people read it.
 */
#ifndef RT_REWRITE_ENDING_H
#define RT_REWRITE_ENDING_H

#include "formats/reader.h"
#include "source/magic.h"

/* What an export is, as far as its own file and its first record show. */
struct rt_form {
	enum rt_magic outer; /* of the file; RT_MAGIC_NONE: a document, or a directory */
	bool is_directory;
	bool has_record; /* else what follows is not known */
	bool is_member;  /* the record's document is in a container, or below a directory */
	bool is_yaml;
};

/* Take from the first record's place what it shows; later ones change nothing. */
void rt_form_see(struct rt_form *form, const struct rt_origin *origin);

/*
 * Tell options->notice where the name of an output, which has the form of the export, says that it
 * has another one, and that of the export does not say the same. options: paths[0] is the export;
 * form: its records were seen; the rest is found here. output: a path.
 */
void rt_ending_note(const struct rt_options *options, const char *output, struct rt_form *form);

#endif
