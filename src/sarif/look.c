/*
 * Tells SARIF logs from other JSON by the members at the top (SARIF.md S1, S2): first by as much as
 * has been read, then by what the first pass has met. Versions other than 2.1.0 are refused.
 */
#include "base/limits.h"
#include "sarif/log.h"

int rt_log_member(struct rt_slice key)
{
	static const struct rt_slice names[LOG_MEMBERS] = {
	    [LOG_VERSION] = {"version", 7}, [LOG_SCHEMA] = {"$schema", 7},
	    [LOG_RUNS] = {"runs", 4},       [LOG_INLINE] = {"inlineExternalProperties", 24},
	    [LOG_ISSUES] = {"issues", 6},   [LOG_RULESETS] = {"rulesets", 8},
	};
	int member = 0;

	while (member < LOG_MEMBERS && !rt_items_key_is(key, names[member]))
		member++;
	return member;
}

enum rt_sarif_verdict rt_sarif_look(struct rt_slice head, bool final)
{
	struct rt_items items;
	struct rt_item item;

	rt_items_init(&items, head);
	while (rt_items_next(&items, &item)) {
		int member = rt_log_member(item.key);

		if (member == LOG_RUNS)
			return RT_SARIF_MAYBE;
		if ((member == LOG_ISSUES || member == LOG_RULESETS) && *item.value.ptr == '[')
			return RT_SARIF_NO;
	}
	return final || rt_items_ended(&items) ? RT_SARIF_NO : RT_SARIF_OPEN;
}

bool rt_log_top_is(const struct log_top *top)
{
	return top->has[LOG_RUNS] && (top->says_version || top->says_sarif) &&
	       !top->has[LOG_ISSUES] && !top->has[LOG_RULESETS];
}

void rt_log_check_version(struct rt_slice value, struct rt_sarif_fault *fault)
{
	static const char want[] = "\"2.1.0\"";
	static const char words[] = "; convert it first, e.g. with sarif-multitool transform";
	bool is_string = rt_sarif_type(value) == RT_SARIF_STRING;

	if (!value.ptr)
		rt_sarif_refuse(fault, NULL, "version", want, "none");
	else if (!is_string || !rt_sarif_equals(value, RT_SLICE("2.1.0")))
		rt_sarif_refuse(fault, value.ptr, "version", want, "%.*s%s",
				rt_slice_shown(value, 100), value.ptr, is_string ? words : "");
}
