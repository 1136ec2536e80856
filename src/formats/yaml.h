/*
 * YAML text as JSON text (SPEC D18): the part of rt_text that deals with YAML.
 * Included by yaml*.c only.
 */
#ifndef RT_FORMATS_YAML_H
#define RT_FORMATS_YAML_H

#include "formats/text.h"

struct rt_yaml;

/* What rt_marks_add() takes. Returns RT_OK, or RT_FATAL with err set. */
typedef enum rt_status rt_yaml_mark(void *ctx, uint64_t at, struct rt_place place,
				    struct rt_error *err);

/*
 * Start on YAML text and read as far as its first document.
 *
 * pull: copied; its ctx is borrowed until rt_yaml_free(). UTF-8 without a BOM.
 * start: offset of its first byte in the part.
 * hints: copied.
 * mark: told each mark, with mark_ctx, which is borrowed likewise.
 * limits: borrowed likewise.
 * ret_yaml: on RT_OK owned by the caller.
 * Returns RT_OK; RT_REJECT or RT_FATAL with err set, place included. Text without a document is
 * RT_E_INPUT.
 */
enum rt_status rt_yaml_open(struct rt_pull pull, uint64_t start, const struct rt_text_hints *hints,
			    rt_yaml_mark *mark, void *mark_ctx, const struct rt_limits *limits,
			    struct rt_yaml **ret_yaml, struct rt_error *err);

/* As rt_text_read(). */
enum rt_status rt_yaml_read(struct rt_yaml *yaml, void *buf, size_t cap, size_t *ret_len,
			    struct rt_error *err);

/* NULL is allowed. */
void rt_yaml_free(struct rt_yaml *yaml);

#endif
