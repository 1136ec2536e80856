/*
 * Prints the tables of documented members, for the test that holds schemas/ to them.
 *
 * Input: nothing. Output: one line a member, TABLE NAME TYPE NULLABLE, in table order; blanks in
 * a type are written as '-'.
 */
#include <stdio.h>

#include "scan/member.h"

static void print_word(const char *word)
{
	for (; *word; word++)
		putchar(*word == ' ' ? '-' : *word);
}

static void dump(const char *table, enum rt_kind kind)
{
	size_t count;
	const struct rt_member_rule *rules = rt_member_rules(kind, &count);

	for (size_t i = 0; i < count; i++) {
		printf("%s %s ", table, rt_member_name(rules[i].member).ptr);
		print_word(rules[i].type);
		puts(rules[i].types & RT_TYPE_NULL ? " yes" : " no");
	}
}

int main(void)
{
	dump("issue", RT_KIND_ISSUE);
	dump("ruleset", RT_KIND_RULESET);
	return fflush(stdout) == 0 ? 0 : 1;
}
