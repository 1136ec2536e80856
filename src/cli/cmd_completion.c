/*
 * `retriage completion`: a script that completes command lines of retriage in bash, made of the
 * tables of commands and options. Every text is in single quotes, so that no shell finds a
 * meaning in it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/stdout.h"

static const char *const shell_words[] = {"bash", NULL};

/* Whether a value is a word, '=' and something else. */
static bool has_pairs(const struct cli_option *value)
{
	return value->type == CLI_LIMIT || value->type == CLI_MAX || value->type == CLI_DAYS ||
	       value->type == CLI_TO || value->type == CLI_TERM;
}

/* All words of a value, each after a blank but the first; those of a limit wait for a number. */
static void put_words(FILE *out, const struct cli_option *value)
{
	const char *word;

	for (size_t i = 0; (word = cli_option_word(value, i)); i++)
		(void)fprintf(out, "%s%s%s", i ? " " : "", word, has_pairs(value) ? "=" : "");
}

static bool is_path(const struct cli_option *value)
{
	return value->type == CLI_PATH || value->type == CLI_PATHS ||
	       value->type == CLI_PATH_OUTPUT;
}

/* What the function goes on with once the word is known to be such a value. */
static void bash_value(FILE *out, const struct cli_option *value)
{
	if (is_path(value)) {
		(void)fputs("return ;;\n", out);
		return;
	}
	if (value->type == CLI_TO)
		(void)fputs("[[ $cur == *=* ]] && return; ", out);
	(void)fputs("words='", out);
	put_words(out, value);
	(void)fputs(value->type == CLI_TERM ? "'; _retriage_values ;;\n" : "' ;;\n", out);
}

/* Of FIELD=VALUE the values of fields that have few. */
static void bash_values(FILE *out)
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

	(void)fputs("_retriage_values()\n{\n\tcase $cur in\n", out);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		(void)fprintf(out, "\t'%s='*) words='%s' ;;\n", rows[i].field, rows[i].values);
	(void)fputs("\t*) return ;;\n\tesac\n\tcur=${cur#*=}\n}\n", out);
}

/* One command: what may follow an option that takes a value, its options, its operands. */
static void bash_command(FILE *out, const struct cli_command *command)
{
	const struct cli_option *rows[CLI_OPTIONS_MAX];
	size_t count = cli_option_rows(command, rows);

	for (size_t i = 0; i < count; i++) {
		if (!rows[i]->value)
			continue;
		(void)fprintf(out, "\t'%s --%s'", command->name, rows[i]->name);
		if (rows[i]->letter)
			(void)fprintf(out, " | '%s -%c'", command->name, rows[i]->letter);
		(void)fputs(") ", out);
		bash_value(out, rows[i]);
	}
	(void)fprintf(out, "\t'%s '*)\n\t\tcase $ended$cur in\n\t\t-*) words='", command->name);
	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "%s--%s", i ? " " : "", rows[i]->name);
	(void)fputs("' ;;\n\t\t*) ", out);
	bash_value(out, &command->operand);
	(void)fputs("\t\tesac ;;\n", out);
}

/*
 * Readline cuts a line at `=` and `:` as well, so that words are put together again first; it
 * replaces what is after the last cut, which is why a word with one in it is completed no further.
 * Where the function returns without words, readline completes file names, which it also quotes.
 */
static void put_bash(FILE *out)
{
	struct cli_option commands = {.type = CLI_COMMAND};

	bash_values(out);
	(void)fputs("_retriage()\n{\n"
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
		    "\tdone\n",
		    out);
	(void)fputs("\tcur=${line[${#line[@]} - 1]}\n"
		    "\t[[ ${#line[@]} -gt 1 ]] && command=${line[0]}\n"
		    "\t[[ ${#line[@]} -gt 2 ]] && prev=${line[${#line[@]} - 2]}\n"
		    "\tfor ((i = 1; i < ${#line[@]} - 1; i++)); do\n"
		    "\t\t[[ ${line[i]} == -- ]] && ended=1 prev=\n"
		    "\tdone\n"
		    "\tif [[ ! $ended && $cur == --*=* ]]; then\n"
		    "\t\tprev=${cur%%=*} cur=${cur#*=}\n"
		    "\tfi\n"
		    "\tcase \"$command $prev\" in\n"
		    "\t' ') words='",
		    out);
	put_words(out, &commands);
	(void)fputs(" --help --version' ;;\n", out);
	for (size_t i = 0; cli_commands[i]; i++)
		bash_command(out, cli_commands[i]);
	(void)fputs("\tesac\n"
		    "\tcompopt +o default +o bashdefault 2>/dev/null\n"
		    "\t[[ $cur == *[=:]* ]] && return\n"
		    "\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
		    "\t[[ ${COMPREPLY-} == *= ]] && compopt -o nospace 2>/dev/null\n"
		    "\treturn 0\n"
		    "}\n"
		    "complete -o bashdefault -o default -F _retriage retriage\n",
		    out);
}

/* How writing to standard output goes; what comes after a failure is dropped. */
struct script {
	enum rt_status status;
	struct rt_error *err;
};

static ssize_t script_write(void *cookie, const char *data, size_t len)
{
	struct script *script = cookie;

	if (script->status == RT_OK)
		script->status = cli_stdout.write(cli_stdout.ctx, data, len, script->err);
	return (ssize_t)len;
}

/* Not over open_memstream(): glibc's loses bytes in silence where memory is short. */
static enum rt_status write_script(struct rt_error *err)
{
	struct script script = {RT_OK, err};
	FILE *out = fopencookie(&script, "w", (cookie_io_functions_t){.write = script_write});

	if (!out) {
		*err = (struct rt_error){.code = RT_E_NOMEM, .message = "out of memory"};
		return RT_FATAL;
	}
	put_bash(out);
	(void)fclose(out);
	return script.status;
}

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	struct rt_error err;

	if (strcmp(options->operands[0], shell_words[0]) != 0) {
		cli_option_refuse(&cli_completion.operand, options->operands[0], &cli->messages);
		return CLI_EXIT_USAGE;
	}
	return cli_finish(cli, write_script(&err), &err);
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
