/*
 * YAML as JSON text by a process of its own (base/forker.h), for libyaml reads strangers' bytes: it
 * pulls the YAML from here, and hands over the text with the places of its bytes.
 */
#ifndef RT_FORMATS_YAML_CHILD_H
#define RT_FORMATS_YAML_CHILD_H

#include "formats/text.h"

struct rt_yaml_child;

/*
 * As rt_yaml_open(). ret_marks: as struct rt_text has them, good until rt_yaml_child_free().
 * Returns RT_OK; RT_REJECT or RT_FATAL with err set, also where the process cannot be started.
 */
enum rt_status rt_yaml_child_open(struct rt_pull pull, uint64_t start,
				  const struct rt_text_hints *hints, const struct rt_limits *limits,
				  struct rt_yaml_child **ret_child, struct rt_marks **ret_marks,
				  struct rt_error *err);

/* As rt_text_read(). */
enum rt_status rt_yaml_child_read(struct rt_yaml_child *child, void *buf, size_t cap,
				  size_t *ret_len, struct rt_error *err);

/* Ends the process; NULL is allowed. */
void rt_yaml_child_free(struct rt_yaml_child *child);

#endif
