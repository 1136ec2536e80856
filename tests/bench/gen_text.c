/*
 * Random numbers and random text for the export generator.
 *
 * Input: a seed and a stream number. Output: bytes that are the same on every machine: only
 * integer arithmetic of fixed width is used, no locale and no library generator.
 * Refuses to write beyond its buffer: it ends the program.
 */
#include "gen_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof((table)[0])))

static const char *const titles[] = {"$W in $f",
				     "Possible $w through `$v`",
				     "$W: $s reaches $k",
				     "Unchecked $s used in $k",
				     "$W in \"$f\" when $v is empty",
				     "$k is called with data from $s",
				     "Missing check of $v before $k"};

static const char *const sentences[] = {
    "The value of `$v` comes from $s and reaches $k without any check.",
    "$f() passes $v on to $k, which leads to $w.",
    "An attacker who controls $s can choose $v freely.",
    "Found $n similar places in this module; only the first is reported.",
    "The call is reachable from $f() without authentication.",
    "Neither the length nor the encoding of \"$v\" is limited before $k runs.",
    "On Windows the same path is built as \"C:\\temp\\$v\" and is affected too.",
    "The pattern /^\\w+=$v$/ does not anchor every alternative of the expression.",
    "Depending on the configuration, $k may run with the rights of the service account.",
    "The rule tracks data from $s over $n steps; see the path in the report.",
    "A previous change removed the check that $f() used to make.",
    "This is a known source of $w."};

static const char *const advice[] = {
    "Validate $v against an allow-list before $k is called.",
    "Use a parameterised form of $k instead of joining strings.",
    "Limit the length of $v and refuse anything outside [A-Za-z0-9_].",
    "Let $f() return an error when $v is missing.",
    "Move the check into $f() so that every caller gets it.",
    "Prefer the library's own encoder over a hand-written one."};

static const char *const code[] = {
    "    $v = request.args.get(\"$v\", \"\")\n",
    "\tif ($v == NULL || $v->len > $n)\n",
    "\t\treturn $f($v, \"%s\\n\", $n);\n",
    "    cursor.execute(\"SELECT * FROM items WHERE name = '\" + $v + \"'\")\n",
    "        String $v = req.getParameter(\"$v\");\n",
    "        response.getWriter().println(\"<b>\" + $v + \"</b>\");\n",
    "  const $v = await $f(req.query.$v, { retries: $n });\n",
    "\t$v, err := $f(r.URL.Query().Get(\"$v\"))\n",
    "    logger.info('processed %s of %s in $f', $v, total)\n",
    "  // $f must refuse $v when it is longer than $n bytes\n",
    "        final List<Item> items = repository.findAllByOwner($v, PageRequest.of(0, $n));\n",
    "    assert isinstance($v, str) and len($v) < $n\n",
    "    return connection.execute(select(items).where(items.c.name == $v))\n",
    "\tif err != nil {\n",
    "\t}\n",
    "    for $v in $f(range($n)):\n",
    "  return `${$v}/$n/files`;\n",
    "    $v = normalise($f($v), limit=$n, strict=True)\n",
    "\tsnprintf($v, sizeof($v), \"%s\\\\%s\", dir, name);\n",
    "    # $v is checked by the caller of $f\n",
    "        }\n",
    "\n"};

static const char *const variables[] = {
    "user_id", "name", "path",   "token",   "payload", "buf",    "query", "filename",
    "row",     "key",  "target", "session", "header",  "amount", "url",   "options"};

static const char *const functions[] = {
    "parse_request", "load_profile", "renderTemplate", "copy_field",  "openArchive",
    "verify_token",  "handleUpload", "build_query",    "exec_report", "readConfig"};

static const char *const sources[] = {
    "a request parameter", "an HTTP header",  "the upload's file name", "an environment variable",
    "the session cookie",  "a queue message", "the database",           "a configuration file"};

static const char *const sinks[] = {
    "a shell command", "an SQL statement", "the file system", "an HTML template", "memcpy()",
    "a redirect",      "the log",          "an XML parser",   "eval()",           "an LDAP filter"};

static const char *const weaknesses[] = {
    "path traversal",   "SQL injection",          "command injection",  "cross-site scripting",
    "a buffer overrun", "an open redirect",       "weak randomness",    "a hard-coded secret",
    "a race condition", "unsafe deserialisation", "a null dereference", "XML entity expansion"};

static const char *const foreign[] = {
    "Les données de l'utilisateur ne sont pas vérifiées à l'entrée.",
    "Überprüfung fehlt: Größe und Länge werden nicht begrenzt.",
    "ユーザー入力が検証されずにSQL文へ渡されています。",
    "用户输入未经验证就被写入日志。",
    "Проверка длины отсутствует.",
    "Contraseña en el código fuente 🔑 — véase la guía.",
    "사용자 입력이 검증되지 않았습니다.",
    "Release blocker 🚨 reported by 👩‍💻 on the naïve path."};

static const char *const families[] = {"py/",
				       "js/",
				       "cpp/",
				       "go/",
				       "java.lang.security.audit.",
				       "python.flask.security.",
				       "javascript.express.security.",
				       "ruby.rails.security.",
				       "csharp.dotnet.security.",
				       "generic.secrets.security."};

static const char *const rules[] = {"sql-injection",
				    "path-injection",
				    "command-line-injection",
				    "reflected-xss",
				    "weak-crypto",
				    "empty-except",
				    "hardcoded-credentials",
				    "unsafe-deserialization",
				    "open-redirect",
				    "xxe",
				    "insecure-randomness",
				    "missing-rate-limiting",
				    "unchecked-cast",
				    "log-injection",
				    "stack-trace-exposure"};

static const char *const folders[] = {"src/",
				      "lib/",
				      "app/controllers/",
				      "internal/server/",
				      "services/billing/",
				      "src/main/java/org/example/",
				      "packages/web/src/",
				      "tools/"};

static const char *const files[] = {"auth",    "upload",  "report_export",  "UserProfileController",
				    "db_init", "session", "archive_reader", "payment",
				    "index",   "config"};

static const char *const suffixes[] = {".py", ".c", ".java", ".ts", ".go", ".rb", ".cc", ".js"};

struct gen_random gen_random_make(uint64_t seed, uint64_t stream)
{
	struct gen_random random = {seed};

	random.state = gen_random_next(&random) ^ (stream * UINT64_C(0xD1342543DE82EF95));
	random.state = gen_random_next(&random);
	return random;
}

uint64_t gen_random_next(struct gen_random *random)
{
	uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

uint32_t gen_below(struct gen_random *random, uint32_t count)
{
	return (uint32_t)(((gen_random_next(random) >> 32) * count) >> 32);
}

bool gen_chance(struct gen_random *random, uint32_t in)
{
	return gen_below(random, 1000) < in;
}

static void add_bytes(struct gen_text *text, const char *bytes, size_t len)
{
	if (len > GEN_TEXT_MAX - text->len) {
		fputs("gen: a record is larger than its buffer\n", stderr);
		exit(EXIT_FAILURE);
	}
	memcpy(text->data + text->len, bytes, len);
	text->len += len;
}

void gen_text_add(struct gen_text *text, const char *string)
{
	add_bytes(text, string, strlen(string));
}

void gen_text_format(struct gen_text *text, const char *fmt, ...)
{
	char line[256];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (len > 0 && (size_t)len < sizeof(line))
		add_bytes(text, line, (size_t)len);
}

void gen_text_end(struct gen_text *text)
{
	add_bytes(text, "", 1);
}

static void add_capitalised(struct gen_text *text, const char *word)
{
	size_t start = text->len;

	gen_text_add(text, word);
	if (text->data[start] >= 'a' && text->data[start] <= 'z')
		text->data[start] = (char)(text->data[start] - 'a' + 'A');
}

#define PICK(random, table) ((table)[gen_below(random, COUNT(table))])

/* One placeholder of a template; false for a '$' that stands for itself. */
static bool add_placeholder(struct gen_text *text, struct gen_random *random, char which)
{
	switch (which) {
	case 'v':
		gen_text_add(text, PICK(random, variables));
		return true;
	case 'f':
		gen_text_add(text, PICK(random, functions));
		return true;
	case 's':
		gen_text_add(text, PICK(random, sources));
		return true;
	case 'k':
		gen_text_add(text, PICK(random, sinks));
		return true;
	case 'w':
		gen_text_add(text, PICK(random, weaknesses));
		return true;
	case 'W':
		add_capitalised(text, PICK(random, weaknesses));
		return true;
	case 'n':
		gen_text_format(text, "%u", 2 + gen_below(random, 1000));
		return true;
	default:
		return false;
	}
}

static void add_template(struct gen_text *text, struct gen_random *random, const char *form)
{
	while (*form) {
		size_t plain = strcspn(form, "$");

		add_bytes(text, form, plain);
		form += plain;
		if (!*form)
			break;
		if (add_placeholder(text, random, form[1])) {
			form += 2;
		} else {
			add_bytes(text, form, 1);
			form += 1;
		}
	}
}

void gen_title(struct gen_text *text, struct gen_random *random)
{
	add_template(text, random, PICK(random, titles));
}

void gen_sentences(struct gen_text *text, struct gen_random *random, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			gen_text_add(text, gen_chance(random, 300) ? "\n" : " ");
		if (gen_chance(random, 250))
			add_template(text, random, PICK(random, advice));
		else
			add_template(text, random, PICK(random, sentences));
	}
}

void gen_code(struct gen_text *text, struct gen_random *random, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		add_template(text, random, PICK(random, code));
}

void gen_foreign(struct gen_text *text, struct gen_random *random)
{
	gen_text_add(text, PICK(random, foreign));
}

void gen_path(struct gen_text *text, struct gen_random *random)
{
	gen_text_add(text, PICK(random, folders));
	gen_text_add(text, PICK(random, files));
	if (gen_chance(random, 400))
		gen_text_format(text, "_%05u", gen_below(random, 3000));
	gen_text_add(text, PICK(random, suffixes));
}

void gen_category(struct gen_text *text, struct gen_random *random)
{
	uint32_t family = gen_below(random, COUNT(families));
	uint32_t first = gen_below(random, COUNT(rules));
	uint32_t second = gen_below(random, COUNT(rules));

	if (gen_chance(random, 6)) {
		gen_text_add(text, gen_chance(random, 500) ? "entrée-non-vérifiée" : "入力検証");
		return;
	}
	gen_text_add(text, families[family]);
	gen_text_add(text, rules[first < second ? first : second]);
}
