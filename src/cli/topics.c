/*
 * What `retriage help` says that is not about one command: filters, inputs, exit statuses, the
 * environment, limits.
 */
#include "cli/help.h"

#include <string.h>

const struct cli_topic cli_topics[] = {
    {"filters", "Filters: --where EXPR, --not EXPR, --or\n"
		"\n"
		"An issue is selected if every --where holds for it and no --not does; --or\n"
		"begins another group of them, of which one has to hold. EXPR is one of\n"
		"  FIELD             the field is there and not null; a boolean is true\n"
		"  FIELD=VALUE,...   it is one of the values\n"
		"  FIELD=FROM..TO    it is in the range; either end may be left out\n"
		"  FIELD~REGEX       a regular expression (PCRE2) matches part of it; (?i) in\n"
		"                    front ignores case\n"
		"\n"
		"Fields, with their short names:\n"
		"  severity          critical, high, medium, low, info; ranges by rank: high..\n"
		"  status            open, dismissed, or expired: its dismissal is over\n"
		"  reason            why it is dismissed: false_positive, accepted_risk,\n"
		"                    wont_fix, used_in_tests, mitigated, duplicate, other\n"
		"  expires, until    when the dismissal ends: expires=..30d\n"
		"  baseline          new, unchanged, moved, changed or ambiguous since\n"
		"                    --baseline, or as a SARIF log itself says\n"
		"  file_path, path   path; with * ? [ it is a glob: 'src/**'\n"
		"  line_number, line, column_start, column_end\n"
		"  category, rule    the rule that found it\n"
		"  model_used, tool  the scanner\n"
		"  cwe_ids, cwe      by number: cwe=79\n"
		"  owasp_category, owasp\n"
		"  repo_name, repo   repository\n"
		"  scan_id, scan     and scan_status, scan_created_at\n"
		"  created_at, created, updated_at, updated\n"
		"                    dates: a day, a time, or days before now: created=-30d..\n"
		"  age               days since created_at: age=90..\n"
		"  overdue           whether it is older than --sla high=30,... allows\n"
		"  folder            the path without its last part: 'folder=src/**'\n"
		"  owner             any of those that own the path, by --owners CODEOWNERS\n"
		"  confidence, cvss_score\n"
		"                    numbers: cvss_score=7..\n"
		"  exploitable, false_positive\n"
		"                    booleans; false_positive is true while a dismissal lasts\n"
		"  notes             the text of any note\n"
		"  tags              any of its tags\n"
		"  id, title, description, explanation, remediation, remediation_code,\n"
		"  code_snippet, context_before, context_after\n"
		"                    texts, compared byte by byte\n"
		"\n"
		"A backslash takes one of , \\ .. * ? [ literally. Quote EXPR for the shell.\n"
		"\n"
		"Examples:\n"
		"  retriage list --where severity=high.. --not status=dismissed scan.sarif\n"
		"  retriage list --where 'path=src/**' --where 'title~(?i)sql|shell' scan.sarif\n"},
    {"input", "Input: what an EXPORT is, and how it is read\n"
	      "\n"
	      "An EXPORT is a file, a directory or - for standard input, which is also read\n"
	      "where none is named. It holds JSON, JSON Lines, YAML or a SARIF log, plain or\n"
	      "compressed (gz, zst, xz, bz2, lz4), by itself or in an archive (tar, zip, 7z,\n"
	      "cpio). Several are read as one data set. 7z and cpio are read, not written.\n"
	      "\n"
	      "In directories and archives *.json *.ndjson *.jsonl *.yaml *.yml *.sarif are\n"
	      "read, also with the ending of a compression; a note counts what was skipped.\n"
	      "\n"
	      "Input options:\n"},
    {"exit", "Exit status:\n"
	     "  0  done\n"
	     "  1  the answer is no: a condition fails, validate or lint found faults, a\n"
	     "     journal does not verify, list or decide selected nothing, diff --exit-code\n"
	     "     found a difference, carry --strict left a decision behind, or apply\n"
	     "     --strict has an id that is not in the export\n"
	     "  2  wrong usage or bad input; nothing was written on standard output\n"
	     "  3  the system failed: input or output, memory\n"
	     "\n"
	     "An error is one line on standard error:\n"
	     "  retriage: PATH[NAME]:LINE:COLUMN: issue \"ID\": FIELD: what is wrong\n"
	     "NAME is that of a file in an archive; columns count bytes.\n"},
    {"environment",
     "Environment:\n"
     "  RETRIAGE_ACTOR     who updates, where --actor is not given\n"
     "  RETRIAGE_API_KEY   serve: a key that is accepted besides those of the key file\n"
     "  SOURCE_DATE_EPOCH  the present and the time of updates, in seconds since 1970,\n"
     "                     where --at is not given\n"
     "  TMPDIR             where temporary files are (default /var/tmp, then /tmp)\n"
     "  COLUMNS            the width of tables, 10 to 1000 (default: of the terminal,\n"
     "                     else 120)\n"
     "  NO_COLOR, TERM     no colour where NO_COLOR is set, or TERM is dumb\n"},
    {"limits", "Limits: --limit NAME=SIZE\n"
	       "\n"
	       "An input beyond a limit is refused. SIZE is a number, with KiB, MiB or GiB after\n"
	       "it or without.\n"
	       "  name       default  what it limits\n"
	       "  record     16 MiB   one record, and one run of white space\n"
	       "  depth      128      nesting of arrays and objects; at most 1024\n"
	       "  members    100000   files in one archive\n"
	       "  expanded   64 GiB   bytes decompressed in a run\n"
	       "  decoder    256 MiB  memory that decompression may take\n"
	       "  alias      16 MiB   what YAML aliases expand to in a record\n"
	       "  distinct   256 MiB  distinct severities, rules, files and values counted\n"
	       "  recent     256 MiB  the newest issues while they are held\n"
	       "  request    1 MiB    one request document\n"
	       "  requests   1000000  requests in one run\n"
	       "  md         65000    bytes of a report in Markdown\n"
	       "  metadata   256 MiB  rules, artifacts and the like of a SARIF log\n"
	       "  temporary  4 GiB    a temporary file that an input is copied to\n"},
    {0},
};

const struct cli_topic *cli_topic_find(const char *name)
{
	const struct cli_topic *topic = cli_topics;

	while (topic->name && strcmp(topic->name, name) != 0)
		topic++;
	return topic->name ? topic : NULL;
}
