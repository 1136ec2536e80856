/*
 * YAML is converted in the process of a fuzz target, not in a decoder's: so libyaml is part of what
 * is tried, and no process is started for each input. Linked with --wrap=rt_parts_converter.
 */
#include "source/parts.h"

struct rt_text_converter __wrap_rt_parts_converter(struct rt_parts *parts);

struct rt_text_converter __wrap_rt_parts_converter(struct rt_parts *parts)
{
	(void)parts;
	return (struct rt_text_converter){.open = NULL};
}
