/*
 * Writes generated records as JSON in the manner of common exporters, or as block-style YAML.
 *
 * Input: records of gen_record.c. Output: text on a stream; the caller checks the stream for
 * errors at the end. Strings are UTF-8 by construction.
 */
#include "gen_emit.h"

#include <string.h>

/* How double-quoted strings are spelled: raw UTF-8, or escapes for everything outside ASCII. */
enum spelling { SPELL_RAW, SPELL_JSON_ASCII, SPELL_YAML_ASCII };

/* Decode one code point of valid UTF-8; *used receives its bytes. */
static uint32_t code_point(const unsigned char *s, size_t *used)
{
	if (s[0] < 0xE0) {
		*used = 2;
		return (uint32_t)(s[0] & 0x1F) << 6 | (s[1] & 0x3F);
	}
	if (s[0] < 0xF0) {
		*used = 3;
		return (uint32_t)(s[0] & 0x0F) << 12 | (uint32_t)(s[1] & 0x3F) << 6 | (s[2] & 0x3F);
	}
	*used = 4;
	return (uint32_t)(s[0] & 0x07) << 18 | (uint32_t)(s[1] & 0x3F) << 12 |
	       (uint32_t)(s[2] & 0x3F) << 6 | (s[3] & 0x3F);
}

/* YAML has no surrogate pairs but eight digits. */
static size_t emit_escaped(FILE *out, const char *at, enum spelling spelling)
{
	size_t used;
	uint32_t point = code_point((const unsigned char *)at, &used);

	if (point < 0x10000)
		fprintf(out, "\\u%04x", (unsigned)point);
	else if (spelling == SPELL_YAML_ASCII)
		fprintf(out, "\\U%08x", (unsigned)point);
	else
		fprintf(out, "\\u%04x\\u%04x", (unsigned)(0xD800 + ((point - 0x10000) >> 10)),
			(unsigned)(0xDC00 + ((point - 0x10000) & 0x3FF)));
	return used;
}

/* A double-quoted string; the short escapes used mean the same in JSON and in YAML. */
static void emit_string(FILE *out, const char *text, enum spelling spelling)
{
	putc_unlocked('"', out);
	while (*text) {
		size_t plain = strcspn(text, "\"\\\n\t");

		for (size_t i = 0; spelling != SPELL_RAW && i < plain; i++)
			if ((unsigned char)text[i] >= 0x80)
				plain = i;
		fwrite_unlocked(text, 1, plain, out);
		text += plain;
		if (!*text)
			break;
		if ((unsigned char)*text >= 0x80) {
			text += emit_escaped(out, text, spelling);
			continue;
		}
		putc_unlocked('\\', out);
		putc_unlocked(*text == '\n' ? 'n' : *text == '\t' ? 't' : *text, out);
		text++;
	}
	putc_unlocked('"', out);
}

void gen_emit_string(FILE *out, const char *text)
{
	emit_string(out, text, SPELL_RAW);
}

static void emit_blanks(FILE *out, int count)
{
	while (count-- > 0)
		putc_unlocked(' ', out);
}

static void emit_break(FILE *out, int indent, int level)
{
	if (indent < 0)
		return;
	putc_unlocked('\n', out);
	emit_blanks(out, indent * level);
}

static void emit_list(FILE *out, const struct gen_member *member, enum spelling spelling,
		      int indent, int level)
{
	const char *text = member->text;

	putc_unlocked('[', out);
	for (size_t i = 0; i < member->count; i++) {
		if (i > 0)
			putc_unlocked(',', out);
		emit_break(out, indent, level + 1);
		emit_string(out, text, spelling);
		text += strlen(text) + 1;
	}
	if (member->count > 0)
		emit_break(out, indent, level);
	putc_unlocked(']', out);
}

void gen_emit_json(FILE *out, const struct gen_record *record, int indent, int level)
{
	enum spelling spelling = record->ascii ? SPELL_JSON_ASCII : SPELL_RAW;

	putc_unlocked('{', out);
	for (size_t i = 0; i < record->count; i++) {
		const struct gen_member *member = &record->members[i];

		if (i > 0)
			putc_unlocked(',', out);
		emit_break(out, indent, level + 1);
		fprintf(out, indent < 0 ? "\"%s\":" : "\"%s\": ", member->name);
		if (member->type == GEN_NULL)
			fputs("null", out);
		else if (member->type == GEN_PLAIN)
			fputs(member->text, out);
		else if (member->type == GEN_STRING)
			emit_string(out, member->text, spelling);
		else
			emit_list(out, member, spelling, indent, level + 1);
	}
	emit_break(out, indent, level);
	putc_unlocked('}', out);
}

/* Whether a string may stand without quotes: letters first, and nothing YAML gives a meaning. */
static bool is_plain(const char *text)
{
	static const char *const reserved[] = {"null", "true", "false", "y",  "n",
					       "yes",  "no",   "on",    "off"};

	if (!((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z')))
		return false;
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (strcmp(text, reserved[i]) == 0)
			return false;
	for (const char *c = text; *c; c++)
		if (strchr(":#\n\t\"'`{}[]&*!|>%@,\\", *c))
			return false;
	return text[strlen(text) - 1] != ' ';
}

/* A literal block: two columns deeper than its key, with the indentation said outright. */
static void emit_block(FILE *out, const char *text, int key_at)
{
	size_t len = strlen(text);
	const char *chomp = text[len - 1] != '\n'              ? "-"
			    : len > 1 && text[len - 2] == '\n' ? "+"
							       : "";

	fprintf(out, "|2%s\n", chomp);
	while (*text) {
		size_t line = strcspn(text, "\n");

		if (line > 0)
			emit_blanks(out, key_at + 2);
		fwrite_unlocked(text, 1, line, out);
		putc_unlocked('\n', out);
		text += line + (text[line] == '\n');
	}
}

static void emit_yaml_string(FILE *out, const char *text, bool ascii, int key_at)
{
	if (!ascii && strchr(text, '\n') && text[strspn(text, "\n ")]) {
		emit_block(out, text, key_at);
		return;
	}
	if (is_plain(text) && !ascii)
		fputs(text, out);
	else
		emit_string(out, text, ascii ? SPELL_YAML_ASCII : SPELL_RAW);
	putc_unlocked('\n', out);
}

static void emit_yaml_list(FILE *out, const struct gen_member *member, bool ascii, int key_at)
{
	const char *text = member->text;

	fputs(member->count > 0 ? "\n" : "[]\n", out);
	for (size_t i = 0; i < member->count; i++) {
		emit_blanks(out, key_at);
		fputs("- ", out);
		emit_yaml_string(out, text, ascii, key_at + 2);
		text += strlen(text) + 1;
	}
}

void gen_emit_yaml(FILE *out, const struct gen_record *record, int at)
{
	for (size_t i = 0; i < record->count; i++) {
		const struct gen_member *member = &record->members[i];

		emit_blanks(out, at);
		fputs(i > 0 ? "  " : "- ", out);
		fprintf(out, "%s:%s", member->name,
			member->type == GEN_LIST && member->count > 0 ? "" : " ");
		if (member->type == GEN_NULL)
			fputs("null\n", out);
		else if (member->type == GEN_PLAIN)
			fprintf(out, "%s\n", member->text);
		else if (member->type == GEN_STRING)
			emit_yaml_string(out, member->text, record->ascii, at + 2);
		else
			emit_yaml_list(out, member, record->ascii, at + 2);
	}
}
