/*
 * YAML is read in the process of a test, not in a child: so libyaml is part of what is tried, and
 * no process is started for each input. Linked with --wrap for each of these.
 */
#include "formats/yaml.h"
#include "formats/yaml_child.h"

/* What stands for a child here. */
static struct rt_yaml *yaml_of(struct rt_yaml_child *child)
{
	return (struct rt_yaml *)(void *)child;
}

enum rt_status __wrap_rt_yaml_child_open(struct rt_pull pull, uint64_t start,
					 const struct rt_text_hints *hints,
					 const struct rt_limits *limits,
					 struct rt_yaml_child **ret_child, struct rt_error *err);
enum rt_status __wrap_rt_yaml_child_read(struct rt_yaml_child *child, void *buf, size_t cap,
					 size_t *ret_len, struct rt_error *err);
struct rt_marks *__wrap_rt_yaml_child_marks(struct rt_yaml_child *child);
void __wrap_rt_yaml_child_free(struct rt_yaml_child *child);

enum rt_status __wrap_rt_yaml_child_open(struct rt_pull pull, uint64_t start,
					 const struct rt_text_hints *hints,
					 const struct rt_limits *limits,
					 struct rt_yaml_child **ret_child, struct rt_error *err)
{
	struct rt_yaml *yaml = NULL;
	enum rt_status status = rt_yaml_open(pull, start, hints, limits, &yaml, err);

	*ret_child = (struct rt_yaml_child *)(void *)yaml;
	return status;
}

enum rt_status __wrap_rt_yaml_child_read(struct rt_yaml_child *child, void *buf, size_t cap,
					 size_t *ret_len, struct rt_error *err)
{
	return rt_yaml_read(yaml_of(child), buf, cap, ret_len, err);
}

struct rt_marks *__wrap_rt_yaml_child_marks(struct rt_yaml_child *child)
{
	return rt_yaml_marks(yaml_of(child));
}

void __wrap_rt_yaml_child_free(struct rt_yaml_child *child)
{
	rt_yaml_free(yaml_of(child));
}
