/*
 * YAML text as JSON text (SPEC D18): the part of rt_text that deals with YAML.
 * Included by text.c and yaml*.c only.
 */
#ifndef RT_FORMATS_YAML_H
#define RT_FORMATS_YAML_H

#include "formats/text.h"

struct rt_yaml;

/*
 * Start on YAML text and read as far as its first document.
 *
 * pull: copied; its ctx is borrowed until rt_yaml_free(). UTF-8 without a BOM.
 * start: offset of its first byte in the part.
 * hints: copied.
 * limits: borrowed likewise.
 * ret_yaml: on RT_OK owned by the caller.
 * Returns RT_OK; RT_REJECT or RT_FATAL with err set, place included. Text without a document is
 * RT_E_INPUT.
 */
enum rt_status rt_yaml_open(struct rt_pull pull, uint64_t start, const struct rt_text_hints *hints,
			    const struct rt_limits *limits, struct rt_yaml **ret_yaml,
			    struct rt_error *err);

/* As rt_text_read() and rt_text_marks(). */
enum rt_status rt_yaml_read(struct rt_yaml *yaml, void *buf, size_t cap, size_t *ret_len,
			    struct rt_error *err);
struct rt_marks *rt_yaml_marks(struct rt_yaml *yaml);

/* NULL is allowed. */
void rt_yaml_free(struct rt_yaml *yaml);

#endif
