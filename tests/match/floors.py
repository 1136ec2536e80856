"""Hold the matcher to what must not lose or confuse a finding: logs against themselves, changed in what
means nothing, and lock files whose vulnerabilities come and go.

Reads the logs of ../shared where they lie beside the project. Prints a line a floor and fails below it.
Environment: RETRIAGE or BUILD; FLOOR_SETS (default 1000), the random sets of lock files.
"""
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import reference  # noqa: E402
from truth import RETRIAGE, TRUTH  # noqa: E402

SETS = int(os.environ.get("FLOOR_SETS", "1000"))
SHARED = TRUTH.parent


def run(*arguments):
    return subprocess.run([RETRIAGE, arguments[0], "--quiet", "--failed-runs", "accept", "--duplicates", "equal",
                           *arguments[1:]], stdout=subprocess.PIPE, check=True).stdout


# --- Logs against themselves ----------------------------------------------------------------------

def results_of(log):
    return [result for run in log["runs"] for result in run.get("results") or []]


def raise_numbers(log):
    """Numbers that are words of their own, and name nothing, are one higher."""
    for result in results_of(log):
        text = result.get("message", {}).get("text")
        if text:
            named = {m.start(1) for m in reference.NUMBER_OF.finditer(text)}
            result["message"]["text"] = reference.WORD_NUMBER.sub(
                lambda m: m[0] if m.start() in named else str(int(m[0]) + 1), text)
    return json.dumps(log)


def change_severities(log):
    after = {"error": "warning", "warning": "note", "note": "error", "none": "error"}
    for result in results_of(log):
        result["level"] = after.get(result.get("level", "warning"), "error")
    return json.dumps(log)


def spell_otherwise(log):
    """The same strings by other escapes."""
    def spell(string):
        return re.sub(r"\\u....|\\.|[e/]", lambda m: {"e": "\\u0065", "/": "\\/"}.get(m[0], m[0]), string[0])
    return re.sub(r'"(?:[^"\\]|\\.)*"', spell, json.dumps(log))


def reword(log):
    for result in results_of(log):
        if result.get("message", {}).get("text"):
            result["message"] = {"text": "It was said in another way: " + result["message"]["text"][::-1]}
    return json.dumps(log)


def alike(findings):
    """What a finding must agree in with another one to be as good a partner."""
    return [(x["file_path"], x["line_number"], x["column_start"], x["column_end"], x["category"], x["description"],
             x["code_snippet"]) for x in findings]


def once(findings):
    """Those whose fingerprint, or code, stands once in their file for their rule."""
    found = collections.Counter()
    keys = []
    for x in findings:
        code = reference.squeeze(x["code_snippet"])
        code = code if len(code) >= reference.LONG_CODE and not reference.is_redacted(code) else None
        keys.append([(x["file_path"], x["category"], what) for what in ((x.get("prints") or {}).get("identity"), code) if what])
        found.update(keys[-1])
    return [any(found[k] == 1 for k in key) for key in keys]


def partners(folder, old, new):
    """How many findings have their right partner, and of how many; with what is told of them."""
    report = json.loads(run("diff", "--format", "json", old, new))
    findings = [json.loads(run("list", "--as", "json", path)) for path in (old, new)]
    at = [{x["id"]: n for n, x in enumerate(side)} for side in findings]
    got = {at[0][x["old_id"]]: at[1][x["new_id"]] for x in report["issues"] if x["old_id"] and x["new_id"]}
    twins = alike(findings[0])
    return findings[0], [n in got and (got[n] == n or (got[n] < len(twins) and twins[got[n]] == twins[n]))
                         for n in range(len(findings[0]))]


def logs(folder):
    for archive in sorted((TRUTH / "open").glob("*.tar.xz")):
        with tarfile.open(archive) as tar:
            tar.extractall(folder)
    yield from sorted(folder.glob("*/logs/*.sarif"))
    yield from sorted([*(SHARED / "real").rglob("*.sarif"), *(SHARED / "vulns").glob("*.sarif")])


def against_themselves(folder):
    counts = collections.defaultdict(collections.Counter)
    for path in logs(folder):
        try:
            run("list", "--as", "ids", path)
            log = json.loads(path.read_text(encoding="utf-8-sig"))
        except (subprocess.CalledProcessError, ValueError):
            continue   # not a log that is read, or empty
        for change in (raise_numbers, change_severities, spell_otherwise, reword):
            other = folder / "other.sarif"
            other.write_text(change(json.loads(json.dumps(log))), encoding="utf-8")
            findings, right = partners(folder, path, other)
            if change is reword:
                try:
                    findings = reference.load(findings, log)
                except (AssertionError, IndexError):
                    pass   # some results are no findings: their code alone counts
                chosen = once(findings)
                right = [r for r, c in zip(right, chosen) if c]
            counts[change.__name__].update(right=sum(right), of=len(right))
            if change is not reword and sum(right) < len(right):
                print(f"     {change.__name__}: {path.name}: {len(right) - sum(right)} of {len(right)} lost")
    for name, count in counts.items():
        least = 0.995 if name == "reword" else 1
        yield name, f"{count['right']} of {count['of']} matched", count["of"] and count["right"] >= least * count["of"]


# --- Lock files -----------------------------------------------------------------------------------

PACKAGES = ["lodash", "minimist", "axios", "openssl", "curl", "log4j-core", "jackson-databind", "requests", "urllib3", "zlib"]


def vulnerability(rng):
    package = rng.choice(PACKAGES)
    return (f"CVE-{rng.randint(2012, 2026)}-{rng.randint(1000, 99999)}", package, f"{rng.randint(0, 9)}.{rng.randint(0, 20)}.{rng.randint(0, 9)}")


def lock_file(rng, found, form):
    """Findings of dependencies as scanners write them: (cve, package, version) each."""
    wording, lined, by_rule = form["wording"], form["lined"], form["by_rule"]
    rows = []
    for n, (cve, package, version) in enumerate(found):
        message = wording.format(cve=cve, package=package, version=version, build=form["build"])
        rows.append((cve if by_rule else "vulnerable-dependency", message, 10 + 3 * n if lined else None))
    if form["shuffle"]:
        rng.shuffle(rows)
    return rows


WORDINGS = ["{cve} in {package}", "Package {package} {version} is affected by {cve}, build {build}",
            "Vulnerability {cve}: upgrade {package}, installed is {version}"]


def write(path, rows, log, mark):
    if log:
        results = [{"ruleId": rule, "level": "error", "message": {"text": message}, "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": "package-lock.json"}, **({"region": {"startLine": line}} if line else {})}}]}
            for rule, message, line in rows]
        content = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "scanner"}}, "results": results}]}
    else:
        content = [{"id": f"{mark}{n}", "file_path": "package-lock.json", "line_number": line, "category": rule,
                    "severity": "high", "title": "Vulnerable dependency", "description": message}
                   for n, (rule, message, line) in enumerate(rows)]
    path.write_text(json.dumps(content), encoding="utf-8")


def cves(path):
    return {x["id"]: reference.IDENTIFIER.search(x["description"])[0]
            for x in json.loads(run("list", "--as", "json", path))}


def lock_scans(rng):
    """Two scans of a lock file, of which one vulnerability is gone and one is new; and their form."""
    found = list({x[0]: x for x in (vulnerability(rng) for _ in range(rng.choice([10, 20, 50, 100, 200])))}.values())
    form = {"wording": rng.choice(WORDINGS), "lined": rng.random() < 0.5, "by_rule": rng.random() < 0.5,
            "build": 17, "shuffle": rng.random() < 0.3, "log": rng.random() < 0.5}
    later = found[:]
    later.pop(rng.randrange(len(later)))
    later.insert(rng.randrange(len(later) + 1), vulnerability(rng))
    return [lock_file(rng, found, form), lock_file(rng, later, dict(form, build=18))], form


def lock_files(folder):
    """One vulnerability is gone and one is new: no decision of one may go to another."""
    wrong = exact = 0
    for number in range(SETS):
        rng = random.Random(f"floor {number}")
        scans, form = lock_scans(rng)
        paths = [folder / f"{name}.{'sarif' if form['log'] else 'json'}" for name in ("old", "new")]
        for path, rows, mark in zip(paths, scans, "on"):
            write(path, rows, form["log"], mark)
        names = [cves(path) for path in paths]
        gone = set(names[0].values()) - set(names[1].values())
        dismissed = [ident for ident, cve in names[0].items() if cve in gone or rng.random() < 0.3]
        journal = folder / "journal.jsonl"
        journal.unlink(missing_ok=True)
        requests = folder / "requests.jsonl"
        requests.write_text("".join(json.dumps({"issue_ids": dismissed[n:n + 100], "false_positive": True}) + "\n"
                                    for n in range(0, len(dismissed), 100)), encoding="utf-8")
        run("apply", "--at", "2026-01-01", "--actor", "a", "--journal", journal, paths[0], requests)
        report = json.loads(run("carry", "--format", "json", "--old-journal", journal, *paths))
        carried = [(names[0][x["old_id"]], names[1][x["new_id"]]) for x in report["carried"]]
        wrong += sum(a != b for a, b in carried)
        wanted = {names[0][ident] for ident in dismissed} & set(names[1].values())
        exact += {a for a, _ in carried} == wanted
    yield "lock files", f"{wrong} decisions carried to another of {SETS} sets", not wrong
    yield "lock files", f"{exact} of {SETS} sets exact", exact >= 0.95 * SETS


def main():
    failed = count = 0
    with tempfile.TemporaryDirectory(prefix="retriage-floors.") as name:
        folder = pathlib.Path(name)
        for floors in (lock_files, against_themselves):
            for what, said, good in floors(folder):
                count += 1
                failed += not good
                print(f"{'ok  ' if good else 'FAIL'} {what}: {said}", flush=True)
    print(f"{count - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
