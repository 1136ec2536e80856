"""diff gives the pairs of reference.py, on random scans of awkward pieces: many findings of few places,
vulnerabilities, numbers, hidden code, ids that are used again, fingerprints, renamed files and rules.

Environment: RETRIAGE or BUILD; PROPERTY_SEED (default 1), PROPERTY_ROUNDS (default 40).
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import reference  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build"))
RETRIAGE = pathlib.Path(os.environ.get("RETRIAGE", BUILD / "retriage")).resolve()
SEED = os.environ.get("PROPERTY_SEED", "1")
ROUNDS = int(os.environ.get("PROPERTY_ROUNDS", "40"))

CODES = ["return None", "os.system(q)", "REDACTED", "requires login", "x = y;", " \n ", "call(a, b, c, d, 17)", "}", "xxx",
         "f(1);", 'password = "****"', "\u2026\u2026\u2026", "t\u00e9 = 'secret';"]
MESSAGES = ["'x' was declared on line {}", "CVE-2021-{} in lodash", "advisory {} of it", "build {}, UTF-8, id={}", "found",
            "GHSA-aaaa-bbbb-{}; see no. {}", "a1-{} and b{}c", "SNYK-JS-LODASH-{}", "version 1.{}.2 has CVE-2020-1234{}",
            "issue #{}", "{} \u00e9{} -{}", "CVE-2021-{}, CVE-2021-{}", "RHSA-2021:{}", "x--{} no.{} cwe-{}", "DSA-{}-1, dsa-{}"]
PATHS = ["a/x.c", "a/b/bar.c", "a/b/car.c", "new/bar.c", "./lib/q.py", "package-lock.json"]
AROUND = [None, "int f(void)\n{", "static int parse_header(struct state *s)\n{"]


def run(*arguments):
    return subprocess.run([RETRIAGE, arguments[0], "--quiet", *arguments[1:]], stdout=subprocess.PIPE, check=True,
                          timeout=60).stdout


def differences(paths):
    """What diff says of two scans and the reference does not, and the reverse."""
    findings = [reference.read(run, path) for path in paths]
    pairs, groups = reference.match(*findings)
    report = json.loads(run("diff", "--format", "json", *paths))
    ids = [[x["id"] for x in side] for side in findings]
    want = {(ids[0][i], ids[1][j], by) for i, (j, by) in pairs.items()}
    have = {(x["old_id"], x["new_id"], x["by"]) for x in report["issues"] if x["by"]}
    want |= {(by, frozenset(ids[0][i] for i in a), frozenset(ids[1][j] for j in b)) for by, a, b in groups}
    have |= {(x["by"], frozenset(x["old"]), frozenset(x["new"])) for x in report["ambiguous"]}
    return want ^ have


class Reference(unittest.TestCase):
    def message(self, rng):
        text = rng.choice(MESSAGES)
        numbers = [rng.choice([rng.randint(1000, 1003), rng.randint(1, 12)]) for _ in range(text.count("{}"))]
        return text.format(*numbers) if rng.random() < 0.9 else rng.choice([None, ""])

    def finding(self, rng, ident, code):
        return {"id": ident, "file_path": rng.choice(PATHS), "category": rng.choice(["R1", "R2", "CVE-2020-12345"]),
                "line_number": rng.choice([rng.randint(1, 30), 5]) if rng.random() < 0.7 else rng.choice([None, 0]),
                "column_start": rng.choice([None, 1, 2]), "column_end": rng.choice([None, 9]), "severity": "high",
                "title": rng.choice([None, "t", "SQL injection", "CVE-2019-10744"]), "description": self.message(rng),
                "code_snippet": rng.choice(CODES) if rng.random() < code else None, "context_before": rng.choice(AROUND),
                "context_after": rng.choice([None, "}"]), "repo_name": rng.choice(["one", "one", "one", "two"])}

    def next(self, rng, old):
        for finding in old:
            if rng.random() < 0.15:
                continue
            new = dict(finding)
            if new["line_number"] and rng.random() < 0.3:
                new["line_number"] += rng.randint(0, 3)
            if rng.random() < 0.2:
                new["file_path"] = new["file_path"].replace("bar", "mar").replace("a/b", "c/b")
            if rng.random() < 0.1:
                new["description"] = self.message(rng)
            if rng.random() < 0.1:
                new["code_snippet"] = rng.choice(CODES)
            if rng.random() < 0.5:
                new["id"] = "n" + new["id"]
            yield new

    def scans(self, rng):
        code = [rng.choice([0, 0.5, 1]) for _ in range(2)]
        old = [self.finding(rng, rng.choice([f"o{n}", f"x{rng.randint(0, 60)}"]), code[0])
               for n in range(rng.choice([3, 10, 60, 150]))]
        new = [*self.next(rng, old), *[self.finding(rng, f"n{n}", code[1]) for n in range(rng.randint(0, 8))]]
        rng.shuffle(new)
        return [list({x["id"]: x for x in side}.values()) for side in (old, new)]

    def log(self, rng, findings):
        """The findings as a log, with fingerprints that go along with most of them."""
        results = []
        for x in findings:
            region = {"startLine": x["line_number"], "startColumn": x["column_start"], "endColumn": x["column_end"],
                      "snippet": x["code_snippet"] is not None and {"text": x["code_snippet"]}}
            value = f"{sum((x['code_snippet'] or '').encode()) % 7 + 1:016x}"
            prints = [{}, {}, {"partialFingerprints": {"primaryLocationLineHash": f"{value}:1"}},
                      {"fingerprints": {"contextHash/v1": value}}, {"partialFingerprints": {"a": value, "b/v2": f"line {x['line_number']}:{value}"}},
                      {"correlationGuid": f"6D339D17-4013-4edd-8e63-0000{value[8:]}"}]
            results.append({"ruleId": x["category"], "message": {"text": x["description"] or "none"}, "locations": [{
                "physicalLocation": {"artifactLocation": {"uri": x["file_path"]},
                                     "region": {k: v for k, v in region.items() if v}}}], **rng.choice(prints)})
        rules = [{"id": "R2", "deprecatedIds": ["R1"]}] if rng.random() < 0.3 else []
        return {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "T", "rules": rules}}, "results": results}]}

    def test_rounds(self):
        with tempfile.TemporaryDirectory(prefix="retriage-reference.") as name:
            folder = pathlib.Path(name)
            for number in range(ROUNDS):
                rng = random.Random(f"reference {SEED} {number}")
                scans = self.scans(rng)
                for form in ("json", "sarif"):
                    paths = [folder / f"{side}.{form}" for side in ("old", "new")]
                    for path, scan in zip(paths, scans):
                        path.write_text(json.dumps(scan if form == "json" else self.log(rng, scan)), encoding="utf-8")
                    with self.subTest(round=number, form=form):
                        self.assertEqual(differences(paths), set())


if __name__ == "__main__":
    unittest.main()
