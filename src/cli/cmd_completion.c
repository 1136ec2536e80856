/*
 * `retriage completion`: a script that completes command lines of retriage in bash, made of the
 * tables of commands and options. Every text is in single quotes, so that no shell finds a
 * meaning in it.
 */
#include <string.h>

#include "cli/command.h"

static const char *const shell_words[] = {"bash", NULL};

/* All words of a value, each after a blank but the first; those of a limit wait for a number. */
static void put_words(struct cli *cli, const struct cli_option *value)
{
	bool pairs = strchr(cli_option_ends(value), '=');
	const char *word;

	for (size_t i = 0; (word = cli_option_word(value, i)); i++)
		cli_say(cli, "%s%s%s", i ? " " : "", word, pairs ? "=" : "");
}

static bool is_path(const struct cli_option *value)
{
	return value->type == CLI_PATH || value->type == CLI_PATHS ||
	       value->type == CLI_PATH_OUTPUT;
}

/* What the function goes on with once the word is known to be such a value. */
static void bash_value(struct cli *cli, const struct cli_option *value)
{
	if (is_path(value)) {
		cli_put(cli, "return ;;\n");
		return;
	}
	if (value->type == CLI_TO)
		cli_put(cli, "[[ $cur == *=* ]] && return; ");
	cli_put(cli, "words='");
	put_words(cli, value);
	cli_put(cli, value->type == CLI_TERM ? "'; _retriage_values ;;\n" : "' ;;\n");
}

/* Of FIELD=VALUE the values of fields that have few. */
static void bash_values(struct cli *cli)
{
	static const struct {
		const char *field, *values;
	} rows[] = {
	    {"severity", "critical high medium low info"},
	    {"status", "open dismissed expired"},
	    {"reason",
	     "false_positive accepted_risk wont_fix used_in_tests mitigated duplicate other"},
	    {"baseline", "new unchanged moved changed ambiguous"},
	    {"false_positive", "true false"},
	    {"exploitable", "true false"},
	};

	cli_put(cli, "_retriage_values()\n{\n\tcase $cur in\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		cli_say(cli, "\t'%s='*) words='%s' ;;\n", rows[i].field, rows[i].values);
	cli_put(cli, "\t*) return ;;\n\tesac\n\tcur=${cur#*=}\n}\n");
}

/* One command: what may follow an option that takes a value, its options, its operands. */
static void bash_command(struct cli *cli, const struct cli_command *command)
{
	const struct cli_option *rows[CLI_OPTIONS_MAX];
	size_t count = cli_option_rows(command, rows);

	for (size_t i = 0; i < count; i++) {
		if (!rows[i]->value)
			continue;
		cli_say(cli, "\t'%s --%s'", command->name, rows[i]->name);
		if (rows[i]->letter)
			cli_say(cli, " | '%s -%c'", command->name, rows[i]->letter);
		cli_put(cli, ") ");
		bash_value(cli, rows[i]);
	}
	cli_say(cli, "\t'%s '*)\n\t\tcase $ended$cur in\n\t\t-*) words='", command->name);
	for (size_t i = 0; i < count; i++)
		cli_say(cli, "%s--%s", i ? " " : "", rows[i]->name);
	cli_put(cli, "' ;;\n\t\t*) ");
	bash_value(cli, &command->operand);
	cli_put(cli, "\t\tesac ;;\n");
}

/*
 * Readline cuts a line at `=` and `:` as well, so that words are put together again first; it
 * replaces what is after the last cut, which is why a word with one in it is completed no further.
 * Where the function returns without words, readline completes file names, which it also quotes.
 */
static void put_bash(struct cli *cli)
{
	struct cli_option commands = {.type = CLI_COMMAND};

	bash_values(cli);
	cli_put(cli, "_retriage()\n{\n"
		     "\tlocal IFS=$' \\t\\n' cur prev= command= words= ended= glue= i line=()\n"
		     "\tCOMPREPLY=()\n"
		     "\tfor ((i = 1; i <= COMP_CWORD; i++)); do\n"
		     "\t\tcur=${COMP_WORDS[i]}\n"
		     "\t\tif [[ ${#line[@]} -gt 0 && ($glue || $cur == [=:]*) ]]; then\n"
		     "\t\t\tline[${#line[@]} - 1]+=$cur\n"
		     "\t\telse\n"
		     "\t\t\tline+=(\"$cur\")\n"
		     "\t\tfi\n"
		     "\t\tglue=\n"
		     "\t\t[[ $cur == *[=:] ]] && glue=1\n"
		     "\tdone\n");
	cli_put(cli, "\tcur=${line[${#line[@]} - 1]}\n"
		     "\t[[ ${#line[@]} -gt 1 ]] && command=${line[0]}\n"
		     "\t[[ ${#line[@]} -gt 2 ]] && prev=${line[${#line[@]} - 2]}\n"
		     "\tfor ((i = 1; i < ${#line[@]} - 1; i++)); do\n"
		     "\t\t[[ ${line[i]} == -- ]] && ended=1 prev=\n"
		     "\tdone\n"
		     "\tif [[ ! $ended && $cur == --*=* ]]; then\n"
		     "\t\tprev=${cur%%=*} cur=${cur#*=}\n"
		     "\tfi\n"
		     "\tcase \"$command $prev\" in\n"
		     "\t' ') words='");
	put_words(cli, &commands);
	cli_put(cli, " --help --version' ;;\n");
	for (size_t i = 0; cli_commands[i]; i++)
		bash_command(cli, cli_commands[i]);
	cli_put(cli, "\tesac\n"
		     "\tcompopt +o default +o bashdefault 2>/dev/null\n"
		     "\t[[ $cur == *[=:]* ]] && return\n"
		     "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
		     "\t[[ ${COMPREPLY-} == *= ]] && compopt -o nospace 2>/dev/null\n"
		     "\treturn 0\n"
		     "}\n"
		     "complete -o bashdefault -o default -F _retriage retriage\n");
}

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;

	if (strcmp(options->operands[0], shell_words[0]) != 0) {
		cli_option_refuse(&cli_completion.operand, options->operands[0], &cli->messages);
		return CLI_EXIT_USAGE;
	}
	put_bash(cli);
	return cli_finish(cli, cli->put);
}

const struct cli_command cli_completion = {
    .name = "completion",
    .least = 1,
    .most = 1,
    .wanted = "one SHELL",
    .operand = {.type = CLI_WORD, .words = shell_words, .value = "SHELL"},
    .operands = "SHELL",
    .group = "other",
    .brief = "a script that completes command lines in bash",
    .help = "Prints a script for bash that completes commands, options, their values and\n"
	    "files. `make install` puts it where bash looks for it; else a bash that reads\n"
	    "the script has its completions.\n",
    .example = "retriage completion bash >~/.local/share/bash-completion/completions/retriage",
    .run = run,
};
