"""Make the pages that check.js opens: pages.py FOLDER. Environment: RETRIAGE or BUILD.

many, of 57,312 findings, with a failed gate; real, of the exports in ../shared/real or, where they
are not, of 1,971 made-up ones; decided, of 400 with a journal and every kind of member; good, of the
sample of 12, picture with a gate; none; expired, with dismissals that are over; judged, all false
positives; hostile; names, of 3,000 categories; compared, of 400
with a baseline; whole, of those with a baseline, a journal and dismissals that are over; prose, texts as
people type them, and a path that is written from the right.
"""
import json
import os
import pathlib
import random
import subprocess
import sys

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")
REAL = sorted((TOP.parent / "shared" / "real").glob("*.issues.json"))
FOLDER = pathlib.Path(sys.argv[1])
LEVELS = ["critical", "high", "medium", "low", "info"]


def issue(rng, number):
    """A finding with most of its members, or few."""
    line = rng.randrange(1, 900)
    made = {
        "id": f"f{number:05d}-{rng.randrange(1 << 32):08x}", "scan_id": "scan-7",
        "file_path": f"src/{rng.choice('abcdefgh')}/module_{rng.randrange(40)}.c",
        "line_number": line, "category": f"c/rule-{min(rng.randrange(30), rng.randrange(30)):02d}",
        "severity": rng.choices(LEVELS, [1, 6, 20, 40, 10])[0],
        "title": f"Value {number % 97} reaches a call that trusts it",
        "description": f"The value comes from request {number}.\nNothing checks it.",
        "created_at": f"2025-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}T10:00:00Z",
        "scan_created_at": "2025-12-31T23:00:00Z", "repo_name": f"acme/{rng.choice(['web', 'api', 'jobs'])}",
        "false_positive": rng.random() < 0.08, "tags": ["security"], "cwe_ids": ["CWE-89"],
    }
    if rng.random() < 0.7:
        made.update(code_snippet="\tcall(value, 0);", context_before="int f(char *value)\n{",
                    context_after="}", column_start=7, column_end=12)
    if rng.random() < 0.1:
        made.update(exploitable=True, remediation_code="check(value);", notes=["Seen on staging."])
    if rng.random() < 0.03:
        made.update(severity=rng.choice(["BLOCKER", "High", None]), file_path=None, created_at=None)
    return made


HOSTILE = [
    {"id": "a b/ü\"", "severity": "High", "title": "</script><img src=x onerror=alert(1)>",
     "description": "<b>x</b> \u202egpj.exe \u001b[31m \u0000", "file_path": "a/<svg onload=alert(1)>/x.c",
     "line_number": 3, "code_snippet": "</pre><script>alert(1)</script>", "category": "\"><script>alert(1)//",
     "repo_name": "o/\u0007", "tags": ["<i>"], "notes": ["javascript:alert(1)"]},
    {"id": "\u0001'--><!--", "severity": "critical", "title": "<!-- <script>", "description": "]]>",
     "file_path": "../a", "remediation_code": "{{constructor.constructor('alert(1)')()}}",
     "repo_name": "<h1>", "explanation": "\n::error::x"},
    {"id": "__proto__", "severity": "low", "title": "constructor", "category": "__proto__",
     "repo_name": "toString", "file_path": "hasOwnProperty/**/[a"},
]


PROSE = [{
    "id": "p1", "scan_id": "s", "severity": "high", "title": "Typed", "model_used": "Semgrep 1.70",
    "scan_created_at": "2026-06-15T08:00:00Z", "file_path": "src/\u0642\u0627\u0639\u062f\u0629/\u0645\u0644\u0641.py",
    "line_number": 7, "category": "java.lang.security.audit.cookie-missing-httponly.cookie-missing-httponly",
    "description": "This line was broken by hand near its eightieth column, which is why it\n"
                   "goes on here. See `call(x)` and https://example.com/a.\n"
                   "Same line.\nSame line.\nSame line.\n```\nif (x)\n\treturn <b>;\n```\n- one\n- two",
}]


def report(name, issues, *options, status=0):
    """One page; issues: made here, or paths of exports."""
    paths = issues
    if not issues or isinstance(issues[0], dict):
        paths = [FOLDER / f"{name}.json"]
        paths[0].write_text(json.dumps(issues))
    done = subprocess.run([RETRIAGE, "report", "--quiet", "--to", f"html={FOLDER / name}.html", *options,
                           *paths], check=False)
    if done.returncode != status:
        sys.exit(f"pages: {name}: exit {done.returncode}")


def main():
    rng = random.Random(7)
    FOLDER.mkdir(parents=True, exist_ok=True)
    few = [issue(rng, number) for number in range(400)]
    journal = FOLDER / "decided.jsonl"
    for old in FOLDER.glob("decided.jsonl*"):
        old.unlink()
    export = FOLDER / "decided.json"
    export.write_text(json.dumps(few))
    for hour, level in enumerate(LEVELS):
        ids = [one["id"] for one in few if one["severity"] == level and not one["false_positive"]]
        request = {"issue_ids": ids[:3], "false_positive": hour % 2 == 0, "notes": f"Looked at, {level}."}
        subprocess.run([RETRIAGE, "apply", "--quiet", "--journal", journal, "--actor", "appsec",
                        "--at", f"2025-12-31T0{hour}:00:00Z", export, "-"], check=True,
                       input=json.dumps(request).encode(), stdout=subprocess.DEVNULL)
    silent = {"issue_ids": [few[3]["id"]], "false_positive": False, "severity": "low"}
    subprocess.run([RETRIAGE, "apply", "--quiet", "--journal", journal, "--actor", "mallory",
                    "--at", "2025-12-31T09:00:00Z", export, "-"], check=True,
                   input=json.dumps(silent).encode(), stdout=subprocess.DEVNULL)
    report("decided", [export], "--journal", journal, "--fail-on", "high", "--max", "medium=5000",
           "--sla", "critical=7,high=30", "--link", "https://git.example.com/{repo}/{path}#L{line}",
           status=1)
    before = [{**one, "id": "b" + one["id"], "line_number": one["line_number"] + 3 * (number % 2),
               "severity": "low" if number % 10 == 0 else one["severity"]}
              for number, one in enumerate(few[:360])] + [issue(rng, number) for number in range(900, 920)]
    (FOLDER / "before.json").write_text(json.dumps(before))
    report("compared", [export], "--baseline", FOLDER / "before.json", "--fail-on-new", "info", status=1)
    report("expired", [{**one, "false_positive": number % 5 == 0 or one["false_positive"],
                        "notes": ["looked at exp:2025-11-01"] if number % 10 == 0 else []}
                       for number, one in enumerate(few[:200])],
           "--at", "2026-01-05", "--fail-on", "high", "--max", "low=3", status=1)
    whole = FOLDER / "whole.json"
    whole.write_text(json.dumps([{**one, "notes": ["looked at exp:2025-11-01"]} if one["false_positive"] else one
                                 for one in few]))
    decisions = FOLDER / "whole.jsonl"
    decisions.unlink(missing_ok=True)
    for level, reason in ("low", "wont_fix"), ("info", "accepted_risk"), ("High", "mitigated"):
        subprocess.run([RETRIAGE, "decide", "--quiet", "--journal", decisions, "--actor", "eve", "--at",
                        "2025-12-30T00:00:00Z", "--where", f"severity={level}", "--where", "path=src/[a-d]/**",
                        "--dismiss", reason, "--expires", "2026-06-30", whole], check=level != "High")
    report("whole", [whole], "--journal", decisions, "--baseline", FOLDER / "before.json", "--fail-on-new", "low",
           "--fail-on", "high", "--at", "2026-06-25", "--sla", "critical=7,high=30", status=1)
    report("good", [TOP / "fixtures" / "good-sample.json"])
    report("picture", [TOP / "fixtures" / "good-sample.json"], "--fail-on", "high",
           "--at", "2025-06-04T00:00:00Z", status=1)
    report("none", [], "--fail-on", "info")
    report("judged", [{**one, "false_positive": True} for one in few[:30]], "--fail-on", "info")
    report("hostile", HOSTILE)
    report("prose", PROSE)
    report("names", [{**issue(rng, n), "category": f"c {n}" + " x" * (n != 5), "repo_name": f"r {n}"}
                     for n in range(3000)])
    report("real", REAL or [issue(rng, number) for number in range(1971)])
    report("many", [issue(rng, number) for number in range(57312)], "--fail-on", "critical", status=1)


if __name__ == "__main__":
    main()
