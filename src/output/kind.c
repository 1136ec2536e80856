/*
 * The kinds of reports, by name.
 */
#include "output/kind.h"

/* In the order of --help. */
const struct rt_report_kind *const rt_report_kinds[] = {
    &rt_kind_html,   &rt_kind_md,          &rt_kind_csv,   &rt_kind_junit,     &rt_kind_codequality,
    &rt_kind_github, &rt_kind_gitlab_sast, &rt_kind_sarif, &rt_kind_sonarqube, NULL,
};

const struct rt_report_kind *rt_report_kind_find(struct rt_slice name)
{
	for (size_t i = 0; rt_report_kinds[i]; i++) {
		const char *known = rt_report_kinds[i]->name;

		if (rt_slice_equal(rt_slice_make(known, strlen(known)), name))
			return rt_report_kinds[i];
	}
	return NULL;
}
