/*
 * Floor for YAML input: libyaml delivers every event of a file, and nothing looks at them.
 *
 * Input: one YAML file. Output: the number of events.
 * Refuses what libyaml refuses.
 */
#include <stdbool.h>
#include <stdio.h>

#include <yaml.h>

static bool drain(yaml_parser_t *parser, unsigned long long *ret_events)
{
	yaml_event_t event;
	bool end;

	do {
		if (!yaml_parser_parse(parser, &event))
			return false;
		end = event.type == YAML_STREAM_END_EVENT;
		yaml_event_delete(&event);
		++*ret_events;
	} while (!end);
	return true;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	unsigned long long events = 0;
	yaml_parser_t parser;
	bool whole;

	if (!file || !yaml_parser_initialize(&parser)) {
		fputs("usage: drain_yaml FILE\n", stderr);
		if (file)
			fclose(file);
		return 2;
	}
	yaml_parser_set_input_file(&parser, file);
	whole = drain(&parser, &events);
	if (!whole)
		fprintf(stderr, "drain_yaml: %s:%zu: %s\n", argv[1], parser.problem_mark.line + 1,
			parser.problem ? parser.problem : "cannot be read");
	yaml_parser_delete(&parser);
	fclose(file);
	printf("%llu\n", events);
	return whole ? 0 : 2;
}
