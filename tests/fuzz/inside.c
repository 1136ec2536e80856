/*
 * YAML is read in the process of a fuzz target, not in a child: so libyaml is part of what is
 * tried, and no process is started for each input. Linked with --wrap=rt_text_open.
 */
#include "formats/text.h"

enum rt_status __real_rt_text_open(struct rt_text *text, struct rt_pull pull,
				   const struct rt_text_hints *hints,
				   const struct rt_limits *limits, struct rt_error *err);
enum rt_status __wrap_rt_text_open(struct rt_text *text, struct rt_pull pull,
				   const struct rt_text_hints *hints,
				   const struct rt_limits *limits, struct rt_error *err);

enum rt_status __wrap_rt_text_open(struct rt_text *text, struct rt_pull pull,
				   const struct rt_text_hints *hints,
				   const struct rt_limits *limits, struct rt_error *err)
{
	struct rt_text_hints inside = {.child = false};

	if (hints)
		inside = *hints;
	inside.child = false;
	return __real_rt_text_open(text, pull, &inside, limits, err);
}
