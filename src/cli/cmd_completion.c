/*
 * `retriage completion`: scripts that complete command lines of retriage in a shell.
 * Input: the tables of commands and options. Output: the script for the shell that is named.
 * Refuses shells it does not know. Every text stands in single quotes, so that no shell finds a
 * meaning in it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/stdout.h"

enum shell { SHELL_BASH, SHELL_ZSH, SHELL_FISH };

static const char *const shell_words[] = {"bash", "zsh", "fish", NULL}; /* enum shell */

/* A text for inside single quotes, as one line. special: gets a backslash before it as well. */
static void put_text(FILE *out, enum shell shell, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\n')
			(void)fputc(' ', out);
		else if (*text == '\'')
			(void)fputs(shell == SHELL_FISH ? "\\'" : "'\\''", out);
		else if (strchr(special, *text))
			(void)fprintf(out, "\\%c", *text);
		else
			(void)fputc(*text, out);
	}
}

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
	(void)fputs("words='", out);
	put_words(out, value);
	(void)fputs("' ;;\n", out);
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

/* What _arguments does for a value: the part of a specification after its second colon. */
static void zsh_value(FILE *out, const struct cli_option *value)
{
	if (is_path(value)) {
		(void)fputs("_files", out);
	} else if (has_pairs(value)) {
		(void)fputs(" compadd -S \"\" -- ", out);
		put_words(out, value);
	} else if (cli_option_word(value, 0)) {
		(void)fputc('(', out);
		put_words(out, value);
		(void)fputc(')', out);
	} else {
		(void)fputc(' ', out); /* there is one, and nothing to offer for it */
	}
}

/* '(-o --output)'{-o+,--output=}'[TEXT]:OUT:_files' */
static void zsh_option(FILE *out, const struct cli_option *row)
{
	const char *repeated = cli_option_is_repeated(row) ? "*" : "";

	(void)fputs("\t\t\t", out);
	if (row->letter)
		(void)fprintf(out, "'(-%c --%s)'{-%c%s,--%s%s}'", row->letter, row->name,
			      row->letter, row->value ? "+" : "", row->name, row->value ? "=" : "");
	else
		(void)fprintf(out, "'%s--%s%s", repeated, row->name, row->value ? "=" : "");
	(void)fputc('[', out);
	put_text(out, SHELL_ZSH, row->help, "[]\\");
	(void)fputc(']', out);
	if (row->value) {
		(void)fputc(':', out);
		put_text(out, SHELL_ZSH, row->value, ":\\");
		(void)fputc(':', out);
		zsh_value(out, row);
	}
	(void)fputs("' \\\n", out);
}

static void zsh_command(FILE *out, const struct cli_command *command)
{
	const struct cli_option *rows[CLI_OPTIONS_MAX];
	size_t count = cli_option_rows(command, rows);

	(void)fprintf(out, "\t\t%s)\n\t\t_arguments -s -S \\\n", command->name);
	if (command->operand.type != CLI_FLAG) {
		(void)fputs("\t\t\t'*:", out);
		put_text(out, SHELL_ZSH, command->operands, ":\\");
		(void)fputc(':', out);
		zsh_value(out, &command->operand);
		(void)fputs("' \\\n", out);
	}
	for (size_t i = 0; i < count; i++)
		zsh_option(out, rows[i]);
	(void)fputs("\t\t\t;;\n", out);
}

static void put_zsh(FILE *out)
{
	(void)fputs("#compdef retriage\n"
		    "_retriage()\n{\n"
		    "\tlocal curcontext=$curcontext state line commands\n"
		    "\tcommands=(\n",
		    out);
	for (size_t i = 0; cli_commands[i]; i++) {
		(void)fprintf(out, "\t\t'%s:", cli_commands[i]->name);
		put_text(out, SHELL_ZSH, cli_commands[i]->brief, ":\\");
		(void)fputs("'\n", out);
	}
	(void)fputs("\t)\n"
		    "\t_arguments -C '(- : *)'{-h,--help}'[show help]' \\\n"
		    "\t\t'(- : *)'{-V,--version}'[show the version]' \\\n"
		    "\t\t'1:command:->command' '*:: :->argument'\n"
		    "\tcase $state in\n"
		    "\tcommand) _describe command commands ;;\n"
		    "\targument)\n"
		    "\t\tcurcontext=${curcontext%:*:*}:retriage-$words[1]:\n"
		    "\t\tcase $words[1] in\n",
		    out);
	for (size_t i = 0; cli_commands[i]; i++)
		zsh_command(out, cli_commands[i]);
	(void)fputs("\t\tesac ;;\n"
		    "\tesac\n"
		    "}\n"
		    "if [[ $funcstack[1] == _retriage ]]; then\n"
		    "\t_retriage \"$@\"\n"
		    "else\n"
		    "\tcompdef _retriage retriage\n"
		    "fi\n",
		    out);
}

/* What `complete` does for a value, and for what stands alone. */
static void fish_value(FILE *out, const struct cli_option *value)
{
	if (is_path(value)) {
		(void)fputs(" -r -F", out);
		return;
	}
	(void)fputs(" -x", out);
	if (cli_option_word(value, 0)) {
		(void)fputs(" -a '", out);
		put_words(out, value);
		(void)fputc('\'', out);
	}
}

static void fish_command(FILE *out, const struct cli_command *command)
{
	const struct cli_option *rows[CLI_OPTIONS_MAX];
	size_t count = cli_option_rows(command, rows);

	for (size_t i = 0; i < count; i++) {
		(void)fprintf(out, "complete -c retriage -n '__retriage_in %s' -l %s",
			      command->name, rows[i]->name);
		if (rows[i]->letter)
			(void)fprintf(out, " -s %c", rows[i]->letter);
		if (rows[i]->value)
			fish_value(out, rows[i]);
		(void)fputs(" -d '", out);
		put_text(out, SHELL_FISH, rows[i]->help, "\\");
		(void)fputs("'\n", out);
	}
	(void)fprintf(out, "complete -c retriage -n '__retriage_in %s'", command->name);
	fish_value(out, &command->operand);
	(void)fputc('\n', out);
}

static void put_fish(FILE *out)
{
	(void)fputs(
	    "function __retriage_in\n"
	    "\tset -l line (commandline -opc)\n"
	    "\ttest (count $line) -gt 1; and test \"$line[2]\" = $argv[1]\n"
	    "end\n"
	    "function __retriage_begins\n"
	    "\ttest (count (commandline -opc)) -eq 1\n"
	    "end\n"
	    "complete -c retriage -f\n"
	    "complete -c retriage -n __retriage_begins -l help -s h -d 'show help'\n"
	    "complete -c retriage -n __retriage_begins -l version -s V -d 'show the version'\n",
	    out);
	for (size_t i = 0; cli_commands[i]; i++) {
		(void)fprintf(out, "complete -c retriage -n __retriage_begins -a %s -d '",
			      cli_commands[i]->name);
		put_text(out, SHELL_FISH, cli_commands[i]->brief, "\\");
		(void)fputs("'\n", out);
	}
	for (size_t i = 0; cli_commands[i]; i++)
		fish_command(out, cli_commands[i]);
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
static enum rt_status write_script(enum shell shell, struct rt_error *err)
{
	struct script script = {RT_OK, err};
	FILE *out = fopencookie(&script, "w", (cookie_io_functions_t){.write = script_write});

	if (!out) {
		*err = (struct rt_error){.code = RT_E_NOMEM, .message = "out of memory"};
		return RT_FATAL;
	}
	if (shell == SHELL_BASH)
		put_bash(out);
	else if (shell == SHELL_ZSH)
		put_zsh(out);
	else
		put_fish(out);
	(void)fclose(out);
	return script.status;
}

static int run(struct cli *cli)
{
	const struct cli_options *options = &cli->options;
	struct rt_error err;
	size_t shell = 0;

	if (options->operand_count != 1) {
		cli_message_usage(&cli->messages, "SHELL",
				  "want one of bash, zsh and fish, have %zu",
				  options->operand_count);
		return CLI_EXIT_USAGE;
	}
	while (shell_words[shell] && strcmp(shell_words[shell], options->operands[0]) != 0)
		shell++;
	if (!shell_words[shell]) {
		cli_option_refuse(&cli_completion, &cli_completion.operand, options->operands[0],
				  &cli->messages);
		return CLI_EXIT_USAGE;
	}
	return cli_finish(cli, write_script((enum shell)shell, &err), &err);
}

const struct cli_command cli_completion = {
    .name = "completion",
    .operand = {.type = CLI_WORD, .words = shell_words, .value = "SHELL"},
    .operands = "SHELL",
    .brief = "a script that completes command lines in a shell",
    .help = "Prints a script for bash, zsh or fish that completes commands, options, their\n"
	    "values and files. `make install` puts the three where the shells look for them;\n"
	    "else a shell that reads the script has its completions.\n",
    .example = "retriage completion bash >~/.local/share/bash-completion/completions/retriage",
    .run = run,
};
