/*
 * The source bytes that libyaml is at, for an editor: a pull that keeps what it passes on.
 * Included by yaml_edit*.c only.
 */
#ifndef RT_TEXT_YAML_EDIT_SOURCE_H
#define RT_TEXT_YAML_EDIT_SOURCE_H

#include "base/buf.h"
#include "text/text.h"

static inline bool rt_yaml_is_space(char c)
{
	return c == ' ' || c == '\t';
}

struct yaml_tee {
	struct rt_pull pull;
	struct rt_buf bytes; /* what has been read, from offset base */
	size_t given;        /* bytes of it that have been passed on */
	uint64_t base;
	bool ended; /* the pull has said RT_END */
};

/*
 * Read the part's first bytes, over a byte order mark and blanks. tee: to be released either way.
 * pull: copied. tee->base becomes the offset of the first byte that will be passed on.
 * Returns RT_OK, or what the pull said.
 */
enum rt_status rt_yaml_tee_init(struct yaml_tee *tee, struct rt_pull pull, struct rt_error *err);

/* The part from tee->base, as struct rt_pull has it; ctx is the tee. */
enum rt_status rt_yaml_tee_read(void *ctx, void *buf, size_t cap, size_t *ret_len,
				struct rt_error *err);

/* Bytes before offset will not be asked for again. */
void rt_yaml_tee_forget(struct yaml_tee *tee, uint64_t offset);

/* Bytes [from, to), as far as they are kept. Borrowed until the next read. */
struct rt_slice rt_yaml_tee_slice(const struct yaml_tee *tee, uint64_t from, uint64_t to);

/* The byte at offset; 0 for one that is not kept. */
char rt_yaml_tee_byte(const struct yaml_tee *tee, uint64_t offset);

/* Length of the line break at offset: CR, LF, CR LF; others are refused where one is read. 0: none.
 */
size_t rt_yaml_tee_break(const struct yaml_tee *tee, uint64_t offset);

/* The offset of the first line break at or after offset; of the end if there is none. */
uint64_t rt_yaml_tee_line_end(const struct yaml_tee *tee, uint64_t offset);

/* The offset of the first byte from offset on that is no blank, line break or comment. */
uint64_t rt_yaml_tee_skip_gap(const struct yaml_tee *tee, uint64_t offset);

/* Go back from end, not before `from`, over blanks and line breaks. */
uint64_t rt_yaml_tee_trim(const struct yaml_tee *tee, uint64_t from, uint64_t end);

/*
 * Go from a record's end to that of the last line, before `to`, that is its own: the line it ends
 * on with its comment, and lines of blanks and comments with more than column blanks, or tabs,
 * before them, which some values would take in.
 */
uint64_t rt_yaml_tee_own_lines(const struct yaml_tee *tee, uint64_t end, uint64_t to,
			       size_t column);

void rt_yaml_tee_release(struct yaml_tee *tee);

#endif
