"""Documents that each schema must accept, and documents that it must refuse at one place.

TABLE maps a schema's name to rows (what, document, pointer): the pointer names the only place where
the document is at fault, None stands for a document without fault, and "" is the document itself.
"""

import copy

ISSUE = {
    "id": "a1", "scan_id": "s1", "file_path": "src/a.c", "line_number": 12, "category": "c",
    "severity": "high", "confidence": 0.5, "title": "t", "description": "d", "column_start": 1,
    "column_end": 2, "explanation": "e", "code_snippet": "x\n", "context_before": "",
    "context_after": "", "remediation": "r", "remediation_code": "y", "cwe_ids": ["CWE-79"],
    "owasp_category": "A03", "cvss_score": 9.8, "tags": [], "model_used": "m",
    "false_positive": False, "exploitable": True, "created_at": "2025-01-02T03:04:05Z",
    "updated_at": "2025-01-02", "repo_name": "org/repo", "scan_status": "completed",
    "scan_created_at": "2025-01-01T00:00:00Z",
}
BARE_ISSUE = {name: None for name in ISSUE} | {"id": "a1", "false_positive": False}
RULESET = {
    "id": "r1", "name": "n", "description": None, "rules_text": "text", "org_id": "o",
    "repo_ids": None, "created_at": "2025-01-02T03:04:05Z", "updated_at": "2025-01-02T03:04:05Z",
    "created_by": None,
}
SUMMARY = {
    "total_issues": 1,
    "issues_by_severity": {"critical": 0, "high": 1, "medium": 0, "low": 0, "info": 0},
    "issues_by_category": {"c": 1}, "false_positive_count": 0, "recent_issues": [ISSUE],
}
REQUEST = {"issue_ids": ["a1"], "severity": "low", "false_positive": True, "exploitable": False,
           "notes": "seen"}
RESULT = {
    "updated_count": 1, "failed_count": 1,
    "failed_issues": [{"issue_id": "b", "error": "not_found", "message": "no such issue"}],
    "updated_issues": [ISSUE],
}
FAULT = {"path": "a.json", "member": None, "line": 1, "column": 7, "record": 'issue "a1"',
         "field": "severity", "code": "input", "message": "want string, have number"}
WARNING = {"path": "a.tar", "member": "a.sarif", "record": None,
           "message": "1 result is no finding (pass 1)"}
NOT_READ = {"path": "a.tar", "member": "a.txt", "reason": "name"}
REPORT = {"valid": False, "issues": 1, "rulesets": 0, "requests": 0, "fault_count": 1,
          "faults": [FAULT], "warning_count": 1, "warnings": [WARNING], "not_read_count": 1, "not_read": [NOT_READ]}
CLEAN_REPORT = {"valid": True, "issues": 0, "rulesets": 0, "requests": 2, "fault_count": 0,
                "faults": [], "warning_count": 0, "warnings": [], "not_read_count": 0,
                "not_read": []}
HEADER = {
    "retriage_journal": 1, "base": {"name": "a.json", "sha256": "0a" * 32, "issues": 3},
    "created_at": "2025-01-02T03:04:05Z", "hash": "1b" * 32,
}
PARTIAL = {
    "retriage_partial": 2, "version": "0.2.0",
    "options": {"recent": 10, "failed_runs": "refuse", "include": [], "exclude": ["old/**"]},
}
ENTRY = {
    "seq": 1, "at": "2025-01-02T03:04:05Z", "actor": None, "request": REQUEST,
    "result": {"updated_count": 1, "failed_count": 0, "sha256": "2c" * 32},
    "prev": "1b" * 32, "hash": "3d" * 32,
}
CARRIED = {"base": "0a" * 32, "seq": 7, "at": "2025-01-02T03:04:05Z", "actor": None}
VERIFIED = {
    "valid": True, "base": HEADER["base"], "entries": 1, "head": {"seq": 1, "hash": "3d" * 32},
    "torn_bytes": 0, "remark_count": 0, "remarks": [], "differences": None, "fault": None,
}
REMARK = {"remark": "equal_request", "entry": 2, "message": "equal to that of entry 1"}
COUNTS = {"different": 1, "missing": 0, "extra": 0}
BROKEN = VERIFIED | {
    "valid": False, "fault": {"check": "journal", "entry": 2} | FAULT | {"record": "entry 2"},
}
LOG = {
    "base": HEADER["base"], "created_at": "2025-01-02T03:04:05Z", "entry_count": 2,
    "torn_bytes": 0, "entries": [{
        "seq": 1, "at": "2025-01-02T03:04:05Z", "actor": "jane", "request": REQUEST,
        "updated_count": 1, "failed_count": 0, "result_sha256": "2c" * 32, "hash": "3d" * 32,
        "changed_count": None, "issues": None,
    }],
}
LIST_COUNT = {
    "total_issues": 4, "selected": 3, "open": 2, "false_positives": 1, "by": ["severity", "tags"],
    "counts": [{"severity": "high", "tags": None, "open": 2, "all": 2},
               {"severity": None, "tags": "a", "open": 0, "all": 1}],
}
ONE_COUNT = LIST_COUNT | {"by": ["exploitable"], "counts": [{"open": 2, "all": 3}]}
PROBLEM = {"type": "about:blank", "title": "Not Found", "status": 404, "detail": "no such path"}
RULES_BROKEN = PROBLEM | {
    "title": "Unprocessable Content", "status": 422,
    "errors": [{"pointer": "/issue_ids/0", "detail": "want string, have number"},
               {"pointer": "", "detail": "want issue_ids, have none"}],
}
WRAPPED = {"issues": [ISSUE], "rulesets": [RULESET], "exported_by": "x"}


def change(document, *path, to):
    """A copy with the member at path set."""
    copied = copy.deepcopy(document)
    target = copied
    for part in path[:-1]:
        target = target[part]
    target[path[-1]] = to
    return copied


def drop(document, *path):
    """A copy without the member at path."""
    copied = copy.deepcopy(document)
    target = copied
    for part in path[:-1]:
        target = target[part]
    del target[path[-1]]
    return copied


ISSUE_ROWS = [
    ("all members", ISSUE, None),
    ("everything null that may be", BARE_ISSUE, None),
    ("a severity beyond the five levels", change(ISSUE, "severity", to="catastrophic"), None),
    ("the smallest integer", change(ISSUE, "line_number", to=-2**63), None),
    ("a time that is none", change(ISSUE, "created_at", to="yesterday"), None),
    ("a number of 40 digits", change(ISSUE, "cvss_score", to=10**40), None),
    ("an integer beyond int64", change(ISSUE, "line_number", to=2**63), "/line_number"),
    ("an integer with a fraction", change(ISSUE, "column_end", to=1.5), "/column_end"),
    ("an id that is empty", change(ISSUE, "id", to=""), "/id"),
    ("an id that is null", change(ISSUE, "id", to=None), "/id"),
    ("false_positive null", change(ISSUE, "false_positive", to=None), "/false_positive"),
    ("a string for a boolean", change(ISSUE, "exploitable", to="no"), "/exploitable"),
    ("a string for a number", change(ISSUE, "confidence", to="0.5"), "/confidence"),
    ("a string for strings", change(ISSUE, "tags", to="a"), "/tags"),
    ("null among strings", change(ISSUE, "cwe_ids", to=["a", None]), "/cwe_ids/1"),
    ("a number for a string", change(ISSUE, "title", to=1), "/title"),
    ("an unknown member", ISSUE | {"notes": []}, ""),
    ("not an object", [ISSUE], ""),
] + [(f"without {name}", drop(ISSUE, name), "") for name in ISSUE]

DATES_GOOD = ["2025-01-02T03:04Z", "2025-01-02 03:04:05", "2025-01-02T03:04:05.123456789+0130",
              "2025-12-31T23:59:60-05", "2025-01-02T03:04:05+01:30", "2025-01-02T03:04"]
DATES_BAD = ["2025-01-02", "2025-13-02T03:04:05Z", "2025-01-32T03:04:05Z", "2025-01-02T24:00:00Z",
             "2025-01-02T03:60:00Z", "2025-01-02T03:04:61Z", "2025-01-02T03:04:05.Z",
             "2025-01-02T03:04:05+24", "2025-01-02T03:04:05+1", "2025-01-02T03:04:05Zx",
             "2025-1-2T03:04:05Z", "", "yesterday"]

RULESET_ROWS = [
    ("all members", RULESET, None),
    ("bound to repositories", change(RULESET, "repo_ids", to=["a", "b"]), None),
    ("bound to none", change(RULESET, "repo_ids", to=[]), None),
    ("texts that are empty", change(RULESET, "rules_text", to=""), None),
    ("an id that is empty", change(RULESET, "id", to=""), "/id"),
    ("a name that is null", change(RULESET, "name", to=None), "/name"),
    ("rules that are null", change(RULESET, "rules_text", to=None), "/rules_text"),
    ("no organization", change(RULESET, "org_id", to=None), "/org_id"),
    ("a number for an author", change(RULESET, "created_by", to=1), "/created_by"),
    ("a number among repositories", change(RULESET, "repo_ids", to=["a", 1]), "/repo_ids/1"),
    ("a date that is null", change(RULESET, "updated_at", to=None), "/updated_at"),
    ("an unknown member", RULESET | {"x": 1}, ""),
] + [(f"without {name}", drop(RULESET, name), "") for name in RULESET] + [
    (f"the date {date}", change(RULESET, "created_at", to=date), None) for date in DATES_GOOD
] + [
    (f"the date {date!r}", change(RULESET, "updated_at", to=date), "/updated_at")
    for date in DATES_BAD
]

SUMMARY_ROWS = [
    ("one issue", SUMMARY, None),
    ("a severity beyond the five", change(SUMMARY, "issues_by_severity", "unknown", to=3), None),
    ("no category", change(SUMMARY, "issues_by_category", to={}), None),
    ("no recent issue", change(SUMMARY, "recent_issues", to=[]), None),
    ("a level is missing", drop(SUMMARY, "issues_by_severity", "info"), "/issues_by_severity"),
    ("a severity that does not occur", change(SUMMARY, "issues_by_severity", "odd", to=0),
     "/issues_by_severity/odd"),
    ("a category that does not occur", change(SUMMARY, "issues_by_category", "odd", to=0),
     "/issues_by_category/odd"),
    ("a category with a pointer's marks", change(SUMMARY, "issues_by_category", "py/a~b", to="1"),
     "/issues_by_category/py~1a~0b"),
    ("a negative total", change(SUMMARY, "total_issues", to=-1), "/total_issues"),
    ("a count with a fraction", change(SUMMARY, "false_positive_count", to=0.5),
     "/false_positive_count"),
    ("a recent issue at fault", change(SUMMARY, "recent_issues", 0, "title", to=1),
     "/recent_issues/0/title"),
    ("a recent issue as stored", change(SUMMARY, "recent_issues", to=[{"id": "a1"}]),
     "/recent_issues/0"),
    ("1001 recent issues", change(SUMMARY, "recent_issues", to=[BARE_ISSUE] * 1001),
     "/recent_issues"),
    ("an unknown member", SUMMARY | {"x": 1}, ""),
] + [(f"without {name}", drop(SUMMARY, name), "") for name in SUMMARY]

LIST_ROWS = [
    ("none", [], None),
    ("two", [RULESET, RULESET | {"id": "r2"}], None),
    ("an object around them", {"rulesets": []}, ""),
    ("the second at fault", [RULESET, change(RULESET, "name", to=1)], "/1/name"),
    ("null among them", [None], "/0"),
]

REQUEST_ROWS = [
    ("all members", REQUEST, None),
    ("ids only", {"issue_ids": ["a1"]}, None),
    ("all optional members null", REQUEST | {"severity": None, "false_positive": None,
                                             "exploitable": None, "notes": None}, None),
    ("100 ids", change(REQUEST, "issue_ids", to=[str(i) for i in range(100)]), None),
    ("a repeated id", change(REQUEST, "issue_ids", to=["a", "a"]), None),
    ("1000 code points of four bytes", change(REQUEST, "notes", to="\U0001F512" * 1000), None),
    ("an empty note", change(REQUEST, "notes", to=""), None),
    ("no ids", change(REQUEST, "issue_ids", to=[]), "/issue_ids"),
    ("101 ids", change(REQUEST, "issue_ids", to=[str(i) for i in range(101)]), "/issue_ids"),
    ("ids missing", drop(REQUEST, "issue_ids"), ""),
    ("ids null", change(REQUEST, "issue_ids", to=None), "/issue_ids"),
    ("an empty id", change(REQUEST, "issue_ids", to=["a", ""]), "/issue_ids/1"),
    ("a number among the ids", change(REQUEST, "issue_ids", to=["a", 1]), "/issue_ids/1"),
    ("a severity beyond the five", change(REQUEST, "severity", to="unknown"), "/severity"),
    ("a severity in capitals", change(REQUEST, "severity", to="High"), "/severity"),
    ("a string for a boolean", change(REQUEST, "false_positive", to="true"), "/false_positive"),
    ("a number for a boolean", change(REQUEST, "exploitable", to=1), "/exploitable"),
    ("1001 code points", change(REQUEST, "notes", to="x" * 1001), "/notes"),
    ("1001 code points of four bytes", change(REQUEST, "notes", to="\U0001F512" * 1001), "/notes"),
    ("notes in an array", change(REQUEST, "notes", to=["x"]), "/notes"),
    ("an unknown member", REQUEST | {"status": "open"}, ""),
    ("an array of requests", [REQUEST], ""),
]

RESULT_ROWS = [
    ("one updated, one failed", RESULT, None),
    ("nothing", {"updated_count": 0, "failed_count": 0, "failed_issues": [],
                 "updated_issues": []}, None),
    ("a code of a later version", change(RESULT, "failed_issues", 0, "error", to="is_locked"), None),
    ("a code for people", change(RESULT, "failed_issues", 0, "error", to="Not found"),
     "/failed_issues/0/error"),
    ("a failure without its id", drop(RESULT, "failed_issues", 0, "issue_id"), "/failed_issues/0"),
    ("a failure without its code", drop(RESULT, "failed_issues", 0, "error"), "/failed_issues/0"),
    ("a failure without words", drop(RESULT, "failed_issues", 0, "message"), "/failed_issues/0"),
    ("a failure with more", change(RESULT, "failed_issues", 0, "x", to=1), "/failed_issues/0"),
    ("a failure as a string", change(RESULT, "failed_issues", to=["b"]), "/failed_issues/0"),
    ("an issue with notes", change(RESULT, "updated_issues", 0, "notes", to=[]),
     "/updated_issues/0"),
    ("a count beyond 100", change(RESULT, "updated_count", to=101), "/updated_count"),
    ("a negative count", change(RESULT, "failed_count", to=-1), "/failed_count"),
    ("an unknown member", RESULT | {"x": 1}, ""),
] + [(f"without {name}", drop(RESULT, name), "") for name in RESULT]

EXPORT_ROWS = [
    ("an empty array", [], None),
    ("issues and rulesets in an array", [ISSUE, RULESET], None),
    ("one issue", ISSUE, None),
    ("one ruleset", RULESET, None),
    ("arrays in an object", WRAPPED, None),
    ("empty arrays", {"issues": [], "rulesets": []}, None),
    ("only rulesets", {"rulesets": [RULESET]}, None),
    ("null beside an array", {"issues": [ISSUE], "rulesets": None}, None),
    ("an issue with nothing but a path", [{"id": "a", "file_path": "x"}], None),
    ("an issue that only its place tells", {"issues": [{"id": "a"}]}, None),
    ("a member that is not documented", [ISSUE | {"x": {"y": [1]}}], None),
    ("notes of updates", [ISSUE | {"notes": [{"added_at": None, "text": "x"}]}], None),
    ("nulls", [BARE_ISSUE | {"false_positive": None}], None),
    ("a record of issues", {"id": "a", "scan_id": "s", "issues": 3}, None),
    ("a number", 1, ""),
    ("null", None, ""),
    ("a record of no kind", [{"id": "a"}], "/0"),
    ("an object of no kind", {"id": "a"}, ""),
    ("issues in an object", {"issues": {}}, ""),
    ("rulesets in an object beside an array", {"issues": [], "rulesets": {}}, "/rulesets"),
    ("a number among records", [1], "/0"),
    ("a number among issues", {"issues": [1]}, "/issues/0"),
    ("an issue without an id", [drop(ISSUE, "id")], "/0"),
    ("an issue with an empty id", [change(ISSUE, "id", to="")], "/0/id"),
    ("an integer as a string", [change(ISSUE, "line_number", to="12")], "/0/line_number"),
    ("a boolean as a string", [change(ISSUE, "false_positive", to="no")], "/0/false_positive"),
    ("a ruleset without a name", {"rulesets": [drop(RULESET, "name")]}, "/rulesets/0"),
    ("a ruleset whose name is null", [change(RULESET, "name", to=None)], "/0/name"),
    ("a ruleset with a bare date", [change(RULESET, "created_at", to="2025-01-02")],
     "/0/created_at"),
    ("a ruleset without a date", [drop(RULESET, "updated_at")], "/0"),
    ("a ruleset among issues", {"issues": [drop(RULESET, "id")]}, "/issues/0"),
]

REPORT_ROWS = [
    ("a fault", REPORT, None),
    ("no fault", CLEAN_REPORT, None),
    ("a fault without a place", change(REPORT, "faults", 0, to=FAULT | {
        "line": None, "column": None, "record": None, "field": None}), None),
    ("more faults than listed", change(REPORT, "fault_count", to=20000), None),
    ("valid with a count", change(CLEAN_REPORT, "fault_count", to=1), "/fault_count"),
    ("valid with a fault", change(CLEAN_REPORT, "faults", to=[FAULT]), "/faults"),
    ("not valid without a count", change(REPORT, "fault_count", to=0), "/fault_count"),
    ("not valid without a fault", change(REPORT, "faults", to=[]), "/faults"),
    ("line 0", change(REPORT, "faults", 0, "line", to=0), "/faults/0/line"),
    ("column 0", change(REPORT, "faults", 0, "column", to=0), "/faults/0/column"),
    ("another code", change(REPORT, "faults", 0, "code", to="bug"), "/faults/0/code"),
    ("no path", change(REPORT, "faults", 0, "path", to=None), "/faults/0/path"),
    ("no message", change(REPORT, "faults", 0, "message", to=""), "/faults/0/message"),
    ("more warnings than listed", change(CLEAN_REPORT, "warning_count", to=20000), None),
    ("a warning of a whole log", change(REPORT, "warnings", 0, "record", to=None), None),
    ("a warning without words", change(REPORT, "warnings", 0, "message", to=""),
     "/warnings/0/message"),
    ("an unknown member of a warning", change(REPORT, "warnings", 0, "x", to=1), "/warnings/0"),
    ("more not read than listed", change(CLEAN_REPORT, "not_read_count", to=20000), None),
    ("a negative count of what was not read", change(REPORT, "not_read_count", to=-1),
     "/not_read_count"),
    ("too many that were not read", change(REPORT, "not_read", to=[NOT_READ] * 1001), "/not_read"),
    ("not read for another reason", change(REPORT, "not_read", 0, "reason", to="bug"),
     "/not_read/0/reason"),
    ("an unknown member of what was not read", change(REPORT, "not_read", 0, "x", to=1),
     "/not_read/0"),
    ("an unknown member", REPORT | {"x": 1}, ""),
    ("an unknown member of a fault", change(REPORT, "faults", 0, "x", to=1), "/faults/0"),
] + [(f"without {name}", drop(REPORT, name), "") for name in REPORT] + [
    (f"a fault without {name}", drop(REPORT, "faults", 0, name), "/faults/0") for name in FAULT
] + [
    (f"a warning without {name}", drop(REPORT, "warnings", 0, name), "/warnings/0")
    for name in WARNING
] + [
    (f"not read without {name}", drop(REPORT, "not_read", 0, name), "/not_read/0")
    for name in NOT_READ
]

PARTIAL_ROWS = [
    ("a head", PARTIAL, None),
    ("another form", change(PARTIAL, "retriage_partial", to=1), "/retriage_partial"),
    ("too many recent issues", change(PARTIAL, "options", "recent", to=1001), "/options/recent"),
    ("a negative count", change(PARTIAL, "options", "recent", to=-1), "/options/recent"),
    ("a count with a fraction", change(PARTIAL, "options", "recent", to=0.5), "/options/recent"),
    ("a way with failed runs that there is not",
     change(PARTIAL, "options", "failed_runs", to="skip"), "/options/failed_runs"),
    ("a glob that is none", change(PARTIAL, "options", "exclude", to=[1]), "/options/exclude/0"),
    ("an unknown option", change(PARTIAL, "options", "x", to=1), "/options"),
    ("an unknown member", PARTIAL | {"x": 1}, ""),
] + [(f"without {name}", drop(PARTIAL, name), "") for name in PARTIAL] + [
    (f"options without {name}", drop(PARTIAL, "options", name), "/options")
    for name in PARTIAL["options"]
]

HEADER_ROWS = [
    ("line 1", HEADER, None),
    ("no name, no issues", change(change(HEADER, "base", "name", to=""), "base", "issues", to=0),
     None),
    ("version 2", HEADER | {"retriage_journal": 2, "options": {}}, None),
    ("its options", HEADER | {"retriage_journal": 2, "options": {
        "duplicates": "worst", "failed_runs": "accept", "severity_from": "level",
        "strip_prefix": ["/w", "C:/w"]}}, None),
    ("a prefix that is empty", HEADER | {"retriage_journal": 2, "options": {
        "strip_prefix": [""]}}, "/options/strip_prefix/0"),
    ("version 2 without options", change(HEADER, "retriage_journal", to=2), ""),
    ("version 1 with options", HEADER | {"options": {}}, "/options"),
    ("an unknown option", HEADER | {"retriage_journal": 2, "options": {"x": 1}}, "/options"),
    ("another version", change(HEADER, "retriage_journal", to=3), "/retriage_journal"),
    ("a name that is null", change(HEADER, "base", "name", to=None), "/base/name"),
    ("a digest in capitals", change(HEADER, "base", "sha256", to="0A" * 32), "/base/sha256"),
    ("a digest of 63 digits", change(HEADER, "hash", to="0" * 63), "/hash"),
    ("a negative count", change(HEADER, "base", "issues", to=-1), "/base/issues"),
    ("a time with an offset", change(HEADER, "created_at", to="2025-01-02T03:04:05+00:00"),
     "/created_at"),
    ("an unknown member", HEADER | {"x": 1}, ""),
    ("an unknown member of base", change(HEADER, "base", "x", to=1), "/base"),
] + [(f"without {name}", drop(HEADER, name), "") for name in HEADER] + [
    (f"base without {name}", drop(HEADER, "base", name), "/base") for name in HEADER["base"]
]

ENTRY_ROWS = [
    ("an entry", ENTRY, None),
    ("an actor", change(ENTRY, "actor", to="jane"), None),
    ("ids only", change(ENTRY, "request", to={"issue_ids": ["a"]}), None),
    ("a digest of notes", change(ENTRY, "result", "notes_sha256", to="4e" * 32), None),
    ("no digest of notes", change(ENTRY, "result", "notes_sha256", to="4e"),
     "/result/notes_sha256"),
    ("a carried entry", ENTRY | {"carried": CARRIED}, None),
    ("carried without a base", ENTRY | {"carried": drop(CARRIED, "base")}, "/carried"),
    ("seq 0", change(ENTRY, "seq", to=0), "/seq"),
    ("seq as a string", change(ENTRY, "seq", to="1"), "/seq"),
    ("a time with a fraction", change(ENTRY, "at", to="2025-01-02T03:04:05.5Z"), "/at"),
    ("a bare date", change(ENTRY, "at", to="2025-01-02"), "/at"),
    ("an actor that is a number", change(ENTRY, "actor", to=1), "/actor"),
    ("a request at fault", change(ENTRY, "request", "issue_ids", to=[]), "/request/issue_ids"),
    ("101 updated", change(ENTRY, "result", "updated_count", to=101), "/result/updated_count"),
    ("-1 failed", change(ENTRY, "result", "failed_count", to=-1), "/result/failed_count"),
    ("a result that is null", change(ENTRY, "result", to=None), "/result"),
    ("a digest in capitals", change(ENTRY, "prev", to="1B" * 32), "/prev"),
    ("a digest of 65 digits", change(ENTRY, "result", "sha256", to="0" * 65), "/result/sha256"),
    ("an unknown member", ENTRY | {"x": 1}, ""),
    ("an unknown member of result", change(ENTRY, "result", "x", to=1), "/result"),
] + [(f"without {name}", drop(ENTRY, name), "") for name in ENTRY] + [
    (f"result without {name}", drop(ENTRY, "result", name), "/result")
    for name in ENTRY["result"]
]

VERIFY_ROWS = [
    ("all is well", VERIFIED, None),
    ("no entries", change(VERIFIED, "head", "seq", to=0) | {"entries": 0}, None),
    ("a torn tail", VERIFIED | {"torn_bytes": 17}, None),
    ("remarks", VERIFIED | {"remark_count": 7, "remarks": [REMARK, REMARK | {"entry": None}]}, None),
    ("another remark", VERIFIED | {"remarks": [REMARK | {"remark": "odd"}]}, "/remarks/0/remark"),
    ("a remark on entry 0", VERIFIED | {"remarks": [REMARK | {"entry": 0}]}, "/remarks/0/entry"),
    ("a remark without words", VERIFIED | {"remarks": [REMARK | {"message": ""}]},
     "/remarks/0/message"),
    ("too many remarks", VERIFIED | {"remarks": [REMARK] * 1001}, "/remarks"),
    ("another export", BROKEN | {"differences": {"issues": COUNTS, "rulesets": COUNTS}}, None),
    ("differences of issues alone", BROKEN | {"differences": {"issues": COUNTS}}, "/differences"),
    ("a difference that is not counted",
     BROKEN | {"differences": {"issues": COUNTS, "rulesets": COUNTS | {"extra": None}}},
     "/differences/rulesets/extra"),
    ("valid with differences",
     VERIFIED | {"differences": {"issues": COUNTS, "rulesets": COUNTS}}, "/differences"),
    ("other requests", change(BROKEN, "fault", "check", to="requests"), None),
    ("a damaged entry", BROKEN, None),
    ("a damaged first line", BROKEN | {"base": None, "head": None, "entries": 0}, None),
    ("another base", change(BROKEN, "fault", to=BROKEN["fault"] | {
        "check": "base", "entry": None, "line": None, "column": None}), None),
    ("valid with a fault", VERIFIED | {"fault": BROKEN["fault"]}, "/fault"),
    ("valid without a base", VERIFIED | {"base": None}, "/base"),
    ("valid without a head", VERIFIED | {"head": None}, "/head"),
    ("not valid without a fault", BROKEN | {"fault": None}, "/fault"),
    ("another check", change(BROKEN, "fault", "check", to="chain"), "/fault/check"),
    ("entry 0", change(BROKEN, "fault", "entry", to=0), "/fault/entry"),
    ("line 0", change(BROKEN, "fault", "line", to=0), "/fault/line"),
    ("a failure of the system", change(BROKEN, "fault", "code", to="io"), "/fault/code"),
    ("no message", change(BROKEN, "fault", "message", to=""), "/fault/message"),
    ("a hash in capitals", change(VERIFIED, "head", "hash", to="3D" * 32), "/head/hash"),
    ("a short digest", change(VERIFIED, "base", "sha256", to="0a"), "/base/sha256"),
    ("-1 bytes", VERIFIED | {"torn_bytes": -1}, "/torn_bytes"),
    ("an unknown member", VERIFIED | {"x": 1}, ""),
    ("an unknown member of a fault", change(BROKEN, "fault", "x", to=1), "/fault"),
] + [(f"without {name}", drop(VERIFIED, name), "") for name in VERIFIED if name != "valid"] + [
    (f"a fault without {name}", drop(BROKEN, "fault", name), "/fault") for name in BROKEN["fault"]
]

HISTORY = change(change(LOG, "entries", 0, "changed_count", to=1), "entries", 0, "issues", to=[{
    "issue_id": "a1", "found": True, "changes": [
        {"member": "severity", "old": "BLOCKER", "new": "high"},
        {"member": "exploitable", "old": None, "new": True},
        {"member": "notes", "old": None, "new": "seen"},
    ],
}, {"issue_id": "a2", "found": False, "changes": []}])
LOG_ROWS = [
    ("an entry", LOG, None),
    ("no entries", LOG | {"entries": []}, None),
    ("nobody named", change(LOG, "entries", 0, "actor", to=None), None),
    ("seq 0", change(LOG, "entries", 0, "seq", to=0), "/entries/0/seq"),
    ("a time with an offset", change(LOG, "entries", 0, "at", to="2025-01-02T03:04:05+00:00"),
     "/entries/0/at"),
    ("a request at fault", change(LOG, "entries", 0, "request", "issue_ids", to=[]),
     "/entries/0/request/issue_ids"),
    ("101 updated", change(LOG, "entries", 0, "updated_count", to=101),
     "/entries/0/updated_count"),
    ("a base without a name", drop(LOG, "base", "name"), "/base"),
    ("an unknown member", LOG | {"x": 1}, ""),
    ("an unknown member of an entry", change(LOG, "entries", 0, "x", to=1), "/entries/0"),
    ("executed again", change(LOG, "entries", 0, "changed_count", to=0), None),
    ("a history", HISTORY, None),
    ("a history of nothing", change(HISTORY, "entries", 0, "issues", to=[]), None),
    ("101 changed", change(LOG, "entries", 0, "changed_count", to=101),
     "/entries/0/changed_count"),
    ("another member changed", change(HISTORY, "entries", 0, "issues", 0, "changes", 0, "member",
                                      to="title"), "/entries/0/issues/0/changes/0/member"),
    ("a change to nothing", change(HISTORY, "entries", 0, "issues", 0, "changes", 0, "new",
                                   to=None), "/entries/0/issues/0/changes/0/new"),
    ("an issue without changes", drop(HISTORY, "entries", 0, "issues", 0, "changes"),
     "/entries/0/issues/0"),
    ("an unknown member of an issue", change(HISTORY, "entries", 0, "issues", 0, "x", to=1),
     "/entries/0/issues/0"),
] + [(f"without {name}", drop(LOG, name), "") for name in LOG] + [
    (f"an entry without {name}", drop(LOG, "entries", 0, name), "/entries/0")
    for name in LOG["entries"][0]
]

LEVEL_COUNTS = {"critical": 0, "high": 1, "medium": 0, "low": 0, "info": 0, "unknown": 0, "total": 1}
DIFF = {
    "counts": {"old": 3, "new": 3, "ambiguous_old": 2,
               "by_class": {name: LEVEL_COUNTS for name in ("new", "changed", "gone", "moved", "ambiguous",
                                                            "not_scanned", "unchanged")}},
    "issues": [{"class": "changed", "old_id": "a", "new_id": "b", "by": "context",
                "changes": [{"field": "severity", "old": "low", "new": None}, {"field": "code_snippet"}]},
               {"class": "gone", "old_id": "c", "new_id": None, "by": None, "changes": []}],
    "ambiguous": [{"by": "code", "old": ["d", "e"], "old_count": 2, "new": ["f"], "new_count": 1}],
}
DIFF_ROWS = [
    ("a pair, a lone issue, a group", DIFF, None),
    ("an unknown class", change(DIFF, "issues", 0, "class", to="fixed"), "/issues/0/class"),
    ("an unknown reason", change(DIFF, "issues", 0, "by", to="guess"), "/issues/0/by"),
    ("a field that is not compared", change(DIFF, "issues", 0, "changes", 0, "field", to="tags"),
     "/issues/0/changes/0/field"),
    ("an empty id", change(DIFF, "issues", 0, "old_id", to=""), "/issues/0/old_id"),
    ("a group by nothing", change(DIFF, "ambiguous", 0, "by", to=None), "/ambiguous/0/by"),
    ("a class without counts", drop(DIFF, "counts", "by_class", "gone"), "/counts/by_class"),
    ("an unknown member", DIFF | {"x": 1}, ""),
] + [(f"without {name}", drop(DIFF, name), "") for name in DIFF]
CARRY_COUNTS = {name: 0 for name in ("carried", "already", "held", "conflict", "changed", "ambiguous", "gone", "expired")}
CARRY_LEVELS = tuple(f"{file}{sign}" for file in ("", "renamed-") for sign in (
    "context", "code", "column", "changed", "fingerprint", "identifier", "id", "reworded")) + ("across", "unanimous")
CARRY = {name: [] for name in CARRY_COUNTS} | {
    "counts": {"old": 3, "new": 3, "decisions": 3, **CARRY_COUNTS, "in_part": 1,
               "carried_by": {name: 0 for name in CARRY_LEVELS}},
    "held": [{"old_id": "a", "new_id": "b", "by": "unanimous", "decision": {"severity": "low", "notes": 1},
              "carried": {"notes": 1}, "kept": {"severity": None}, "why": "the scanner changed the severity",
              "agree": ["title"], "differ": ["code_snippet"]}],
    "carried": [{"old_id": "g", "new_id": "h", "by": "code", "decision": {"false_positive": False},
                 "carried": {"false_positive": False}, "kept": {}, "why": None, "agree": ["title"], "differ": []}],
    "gone": [{"old_id": "c", "new_id": None, "by": None, "decision": {"false_positive": True}, "scanned": False}],
    "ambiguous": [{"by": "code", "old": [{"id": "d", "decision": None}, {"id": "e", "decision": {"exploitable": False}}],
                   "old_count": 2, "new": ["f"], "new_count": 1, "agree": [], "differ": ["line_number"]}],
}
CARRY_ROWS = [
    ("a pair, a lone issue, a group", CARRY, None),
    ("an unknown reason", change(CARRY, "held", 0, "by", to="guess"), "/held/0/by"),
    ("neither dismissed nor reopened", change(CARRY, "gone", 0, "decision", "false_positive", to=None),
     "/gone/0/decision/false_positive"),
    ("why without words", change(CARRY, "held", 0, "why", to=False), "/held/0/why"),
    ("nothing said of parts", drop(CARRY, "counts", "in_part"), "/counts"),
    ("no notes", change(CARRY, "held", 0, "carried", "notes", to=0), "/held/0/carried/notes"),
    ("a severity that is no level", change(CARRY, "held", 0, "decision", "severity", to="High"),
     "/held/0/decision/severity"),
    ("a field that is not compared", change(CARRY, "held", 0, "differ", to=["tags"]), "/held/0/differ/0"),
    ("an entry without its issue", drop(CARRY, "gone", 0, "old_id"), "/gone/0"),
    ("a level without a count", drop(CARRY, "counts", "carried_by", "id"), "/counts/carried_by"),
    ("an unknown member", CARRY | {"x": 1}, ""),
] + [(f"without {name}", drop(CARRY, name), "") for name in CARRY]
LIST_COUNT_ROWS = [
    ("two members", LIST_COUNT, None),
    ("three values", change(LIST_COUNT, "counts", 0, "category", to="c"), "/counts/0"),
    ("totals alone", LIST_COUNT | {"by": [], "counts": []}, None),
    ("nobody has said", change(ONE_COUNT, "counts", 0, "exploitable", to=None), None),
    ("a false positive is one or not", change(ONE_COUNT, "counts", 0, "false_positive", to=None),
     "/counts/0/false_positive"),
    ("three fields", change(LIST_COUNT, "by", to=["folder:2", "severity", "rule"]), None),
    ("four fields", change(LIST_COUNT, "by", to=["tags", "severity", "category", "status"]), "/by"),
    ("one member twice", change(LIST_COUNT, "by", to=["tags", "tags"]), "/by"),
    ("a member with a value of its own for each issue", change(LIST_COUNT, "by", 0, to="id"),
     "/by/0"),
    ("a number for a text", change(LIST_COUNT, "counts", 0, "tags", to=1), "/counts/0/tags"),
    ("a value that nothing has", change(LIST_COUNT, "counts", 1, "all", to=0), "/counts/1/all"),
    ("fewer than none", change(LIST_COUNT, "counts", 1, "open", to=-1), "/counts/1/open"),
    ("values without a number", drop(LIST_COUNT, "counts", 0, "open"), "/counts/0"),
    ("an unknown member of a value", change(LIST_COUNT, "counts", 0, "id", to="a"), "/counts/0"),
    ("an unknown member", LIST_COUNT | {"x": 1}, ""),
    ("a fraction", change(LIST_COUNT, "selected", to=1.5), "/selected"),
] + [(f"without {name}", drop(LIST_COUNT, name), "") for name in LIST_COUNT]

ISSUE_LIST_ROWS = [
    ("none", [], None),
    ("two", [ISSUE, BARE_ISSUE], None),
    ("a ruleset", [ISSUE, RULESET], "/1"),
    ("an id that is null", [change(ISSUE, "id", to=None)], "/0/id"),
    ("not an array", {"issues": [ISSUE]}, ""),
]

PROBLEM_ROWS = [
    ("a path that is none", PROBLEM, None),
    ("broken rules", RULES_BROKEN, None),
    ("a type that is a link", PROBLEM | {"type": "urn:example:problem"}, None),
    ("a status that is no error", PROBLEM | {"status": 302}, "/status"),
    ("a status as text", PROBLEM | {"status": "404"}, "/status"),
    ("no detail to read", PROBLEM | {"detail": ""}, "/detail"),
    ("errors with another status", PROBLEM | {"errors": RULES_BROKEN["errors"]}, "/errors"),
    ("broken rules, none named", RULES_BROKEN | {"errors": []}, "/errors"),
    ("broken rules without errors", drop(RULES_BROKEN, "errors"), ""),
    ("a pointer without a slash", change(RULES_BROKEN, "errors", 0, "pointer", to="notes"),
     "/errors/0/pointer"),
    ("a fault without a pointer", drop(RULES_BROKEN, "errors", 1, "pointer"), "/errors/1"),
    ("a fault without a detail", drop(RULES_BROKEN, "errors", 1, "detail"), "/errors/1"),
    ("an unknown member of a fault", change(RULES_BROKEN, "errors", 0, "x", to=1), "/errors/0"),
    ("an unknown member", PROBLEM | {"instance": "/x"}, ""),
    ("not an object", [PROBLEM], ""),
] + [(f"without {name}", drop(PROBLEM, name), "") for name in PROBLEM]

VERDICT = {
    "verdict": "fail",
    "conditions": [
        {"condition": "fail-on", "level": "critical", "allowed": 0, "found": 2, "pass": False,
         "issues": ["iss-0001", "iss-0002"]},
        {"condition": "max", "name": "high", "allowed": 5, "found": 3, "pass": True, "issues": []},
        {"condition": "at-least", "wanted": 20, "found": 12, "pass": False, "issues": []},
        {"condition": "selected", "wanted": 1, "found": 0, "pass": False, "issues": []},
        {"condition": "failed-runs", "tool": "x", "allowed": 0, "found": 1, "pass": False,
         "issues": []},
    ],
    "open": 11, "false_positives": 1, "expired": 0, "unknown_severity": 0, "baseline": None,
}
COMPARED = VERDICT | {"baseline": {
    "old": 3, "new": 4, "by_class": {"new": 1, "changed": 0, "gone": 2, "moved": 0, "ambiguous": 2,
                                     "not_scanned": 0, "unchanged": 1},
    "counted_as_new": 2, "ids_reused": 0, "ambiguous_groups": 1,
    "ambiguous": [{"by": "code", "old_count": 1, "new_count": 2, "issues": ["a", "b"]}]}}
NEW = COMPARED | {"conditions": [COMPARED["conditions"][0] | {
    "condition": "fail-on-new", "new": 1, "risen": 0, "changed": 0}, *COMPARED["conditions"][1:]]}
VERDICT_ROWS = [
    ("all kinds of conditions", VERDICT, None),
    ("pass", VERDICT | {"verdict": "pass", "conditions": VERDICT["conditions"][1:2]}, None),
    ("another verdict", VERDICT | {"verdict": "maybe"}, "/verdict"),
    ("no condition", VERDICT | {"conditions": []}, "/conditions"),
    ("20 conditions", VERDICT | {"conditions": VERDICT["conditions"][1:2] * 20}, "/conditions"),
    ("compared", COMPARED, None),
    ("of new issues", NEW, None),
    ("of new issues without a reason", drop(NEW, "conditions", 0, "risen"), "/conditions/0"),
    ("a reason of others", change(COMPARED, "conditions", 0, "risen", to=0), "/conditions/0"),
    ("max-new with a level", change(NEW, "conditions", 0, "condition", to="max-new"), "/conditions/0"),
    ("another class", change(COMPARED, "baseline", "by_class", "fixed", to=1),
     "/baseline/by_class"),
    ("a group of none", change(COMPARED, "baseline", "ambiguous", 0, "old_count", to=0),
     "/baseline/ambiguous/0/old_count"),
    ("six of a group", change(COMPARED, "baseline", "ambiguous", 0, "issues", to=list("abcdef")),
     "/baseline/ambiguous/0/issues"),
    ("failed-runs without a tool", drop(VERDICT, "conditions", 4, "tool"), "/conditions/4"),
    ("at-least of a tool", change(VERDICT, "conditions", 2, "tool", to="x"), "/conditions/2"),
    ("another condition", change(VERDICT, "conditions", 1, to={
        "condition": "min", "allowed": 1, "found": 1, "pass": True, "issues": []}),
     "/conditions/1/condition"),
    ("another level", change(VERDICT, "conditions", 0, "level", to="blocker"),
     "/conditions/0/level"),
    ("fail-on total", change(VERDICT, "conditions", 0, "level", to="total"),
     "/conditions/0/level"),
    ("max of another name", change(VERDICT, "conditions", 1, "name", to="all"),
     "/conditions/1/name"),
    ("fail-on with a name", change(VERDICT, "conditions", 0, "name", to="high"), "/conditions/0"),
    ("max with a level", change(VERDICT, "conditions", 1, "level", to="high"), "/conditions/1"),
    ("at-least with allowed", change(VERDICT, "conditions", 2, "allowed", to=1), "/conditions/2"),
    ("at least none", change(VERDICT, "conditions", 2, "wanted", to=0), "/conditions/2/wanted"),
    ("max with wanted", change(VERDICT, "conditions", 1, "wanted", to=1), "/conditions/1"),
    ("expect-tool without a tool", change(VERDICT, "conditions", 2, "condition", to="expect-tool"),
     "/conditions/2"),
    ("a fraction found", change(VERDICT, "conditions", 1, "found", to=1.5),
     "/conditions/1/found"),
    ("issues of one that passes", change(VERDICT, "conditions", 1, "issues", to=["a"]),
     "/conditions/1/issues"),
    ("six issues", change(VERDICT, "conditions", 0, "issues", to=list("abcdef")),
     "/conditions/0/issues"),
    ("an empty id", change(VERDICT, "conditions", 0, "issues", to=[""]),
     "/conditions/0/issues/0"),
    ("-1 open", VERDICT | {"open": -1}, "/open"),
    ("a baseline", VERDICT | {"baseline": {}}, "/baseline"),
    ("an unknown member", VERDICT | {"x": 1}, ""),
    ("an unknown member of a condition", change(VERDICT, "conditions", 1, "x", to=1),
     "/conditions/1"),
] + [(f"without {name}", drop(VERDICT, name), "") for name in VERDICT] + [
    (f"a condition without {name}", drop(VERDICT, "conditions", 1, name), "/conditions/1")
    for name in VERDICT["conditions"][1] if name != "condition"
]

LINT_RULES = ("reason", "expired", "expires_soon", "flip", "both", "no_effect", "no_actor", "time",
              "bulk", "reason_word", "expires_form", "duplicate_note", "no_expiry")
LINT = {
    "errors": 1, "warnings": 1, "counts": {rule: 0 for rule in LINT_RULES},
    "findings": [{"rule": "reason", "level": "error", "issue_id": "a", "entry": None,
                  "message": "dismissed without a note that says why"},
                 {"rule": "no_actor", "level": "warning", "issue_id": None, "entry": 3,
                  "message": "no actor is named"}],
}
LINT_ROWS = [
    ("the example", LINT, None),
    ("nothing found", LINT | {"findings": []}, None),
    ("-1 errors", LINT | {"errors": -1}, "/errors"),
    ("another rule", change(LINT, "findings", 0, "rule", to="none"), "/findings/0/rule"),
    ("a rule that is off", change(LINT, "findings", 0, "level", to="off"), "/findings/0/level"),
    ("entry 0", change(LINT, "findings", 1, "entry", to=0), "/findings/1/entry"),
    ("an unknown member", LINT | {"x": 1}, ""),
] + [(f"without {name}", drop(LINT, name), "") for name in LINT] + [
    (f"a finding without {name}", drop(LINT, "findings", 0, name), "/findings/0")
    for name in LINT["findings"][0]
]

LOSSES = {
    "losses": [{"what": "path", "count": 2, "example": "a", "why": "GitHub wants one"},
               {"what": "rulesets", "count": 1, "example": None, "why": "none"}],
    "invented": [{"what": "startLine", "count": 1, "example": "a", "why": "w"}],
    "limits": [{"name": "results", "limit": 25000, "have": 25001}],
}
LOSSES_ROWS = [
    ("the example", LOSSES, None),
    ("nothing lost", {name: [] for name in LOSSES}, None),
    ("another loss", change(LOSSES, "losses", 0, "what", to="x"), "/losses/0/what"),
    ("none of a kind", change(LOSSES, "losses", 0, "count", to=0), "/losses/0/count"),
    ("an unknown member", LOSSES | {"x": 1}, ""),
] + [(f"without {name}", drop(LOSSES, name), "") for name in LOSSES]

TREND = {"at": "2026-01-01T00:00:00Z", "scanned": None, "issues": 12, "open": 11, "critical": 2,
         "high": 3, "medium": 3, "low": 2, "info": 1, "unknown": 0, "dismissed": 1, "expired": 0,
         "new": None, "gone": 3}
TREND_ROWS = [
    ("the example", TREND, None),
    ("-1 open", TREND | {"open": -1}, "/open"),
    ("a new text", TREND | {"new": "1"}, "/new"),
    ("an unknown member", TREND | {"x": 1}, ""),
] + [(f"without {name}", drop(TREND, name), "") for name in TREND]

FINDING = ISSUE | {
    "status": "expired", "reason": "wont_fix", "until": "2026-02-01", "decided_by": "alice",
    "decided_at": "2026-01-01T00:00:00Z", "note": "later", "baseline": "new", "since": "2026-01-01",
    "age": 3, "overdue": True, "owner": "@a @b", "folder": "src", "tool": "t 1",
    "location": "src/a.c:12", "message": "d",
}
FINDING_ROWS = [
    ("the example", FINDING, None),
    ("everything null that may be", {name: None for name in FINDING} | BARE_ISSUE | {"status": "open"}, None),
    ("another status", FINDING | {"status": "closed"}, "/status"),
    ("another reason", FINDING | {"reason": "none"}, "/reason"),
    ("a time as the end", FINDING | {"until": "2026-02-01T00:00:00Z"}, "/until"),
    ("another class", FINDING | {"baseline": "fixed"}, "/baseline"),
    ("an age below 0", FINDING | {"age": -1}, "/age"),
    ("overdue as a text", FINDING | {"overdue": "true"}, "/overdue"),
    ("an unknown member", FINDING | {"x": 1}, ""),
] + [(f"without {name}", drop(FINDING, name), "") for name in FINDING]

TABLE = {
    "finding": FINDING_ROWS,
    "losses": LOSSES_ROWS,
    "trend-line": TREND_ROWS,
    "lint-report": LINT_ROWS,
    "gate-verdict": VERDICT_ROWS,
    "issue": ISSUE_ROWS,
    "ruleset": RULESET_ROWS,
    "issues-summary": SUMMARY_ROWS,
    "ruleset-list": LIST_ROWS,
    "bulk-update-request": REQUEST_ROWS,
    "bulk-update-result": RESULT_ROWS,
    "export": EXPORT_ROWS,
    "validate-report": REPORT_ROWS,
    "journal-header": HEADER_ROWS,
    "partial-head": PARTIAL_ROWS,
    "journal-entry": ENTRY_ROWS,
    "verify-report": VERIFY_ROWS,
    "journal-log": LOG_ROWS,
    "problem": PROBLEM_ROWS,
    "issue-list": ISSUE_LIST_ROWS,
    "diff-report": DIFF_ROWS,
    "carry-report": CARRY_ROWS,
    "list-count": LIST_COUNT_ROWS,
}
