/*
 * YAML is read in the process of a test, not in a child: so libyaml is part of what is tried, and
 * no process is started for each input. Linked with --wrap for each of these.
 */
#include <stdlib.h>

#include "base/error.h"
#include "formats/yaml.h"
#include "formats/yaml_child.h"

struct rt_yaml_child {
	struct rt_yaml *yaml;
	struct rt_marks marks;
};

static enum rt_status add_mark(void *ctx, uint64_t at, struct rt_place place, struct rt_error *err)
{
	return rt_marks_add(ctx, at, place, err);
}

enum rt_status __wrap_rt_yaml_child_open(struct rt_pull pull, uint64_t start,
					 const struct rt_text_hints *hints,
					 const struct rt_limits *limits,
					 struct rt_yaml_child **ret_child,
					 struct rt_marks **ret_marks, struct rt_error *err);
enum rt_status __wrap_rt_yaml_child_read(struct rt_yaml_child *child, void *buf, size_t cap,
					 size_t *ret_len, struct rt_error *err);
void __wrap_rt_yaml_child_free(struct rt_yaml_child *child);

enum rt_status __wrap_rt_yaml_child_open(struct rt_pull pull, uint64_t start,
					 const struct rt_text_hints *hints,
					 const struct rt_limits *limits,
					 struct rt_yaml_child **ret_child,
					 struct rt_marks **ret_marks, struct rt_error *err)
{
	struct rt_yaml_child *child = calloc(1, sizeof(*child));
	enum rt_status status;

	if (!child)
		return rt_error_nomem(err);
	status =
	    rt_yaml_open(pull, start, hints, add_mark, &child->marks, limits, &child->yaml, err);
	*ret_marks = &child->marks;
	if (status == RT_OK)
		*ret_child = child;
	else
		__wrap_rt_yaml_child_free(child);
	return status;
}

enum rt_status __wrap_rt_yaml_child_read(struct rt_yaml_child *child, void *buf, size_t cap,
					 size_t *ret_len, struct rt_error *err)
{
	return rt_yaml_read(child->yaml, buf, cap, ret_len, err);
}

void __wrap_rt_yaml_child_free(struct rt_yaml_child *child)
{
	if (!child)
		return;
	rt_yaml_free(child->yaml);
	rt_marks_release(&child->marks);
	free(child);
}
