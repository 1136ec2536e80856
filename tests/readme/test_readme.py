"""The recipes of the README run as they are pasted: a CI job, a report, an audit, the shim, the library.

Environment: BUILD, CC, RETRIAGE, SANITIZE.
"""
import csv
import gzip
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

import yaml

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = pathlib.Path(os.environ.get("RETRIAGE", BUILD / "retriage")).resolve()
SANITIZE = os.environ.get("SANITIZE", "")
README = (TOP / "README.md").read_text(encoding="utf-8")
SAMPLE = (TOP / "fixtures" / "good-sample.json").read_bytes()
HAS_SHIM = subprocess.run([RETRIAGE, "serve", "--help"], capture_output=True,
                          check=False).returncode == 0


def blocks(heading, language):
    """The code blocks of a section, in their order."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## )", README, re.M | re.S).group(1)
    return re.findall(rf"^```{language}\n(.*?)^```", section, re.M | re.S)


class Recipe(unittest.TestCase):
    """Runs what it is given in a folder with the files that the README names."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="retriage-readme."))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "scan").mkdir()
        (self.folder / "scan" / "findings.json").write_bytes(SAMPLE)
        (self.folder / "scan" / "log.txt").write_text("scanned\n", encoding="utf-8")
        for name in ("scan", "monday", "tuesday"):
            (self.folder / f"{name}.json.gz").write_bytes(gzip.compress(SAMPLE, mtime=0))

    def run_script(self, script, shell="sh", status=0):
        """Run a script that ends at its first failure; returns its standard output."""
        path = f"{RETRIAGE.parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run([shell, "-e", "-c", script], cwd=self.folder, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PATH": path,
                                   "GITHUB_STEP_SUMMARY": str(self.folder / "step")})
        self.assertEqual(done.returncode, status, f"{script}\n{done.stdout}{done.stderr}")
        return done.stdout


class CiJob(Recipe):
    """The two jobs: findings, none, and an artifact that is cut short."""

    def job(self, number):
        return yaml.safe_load(blocks("A CI job", "yaml")[number])

    def check(self, script, files):
        """Run the job on findings, without any, and on half an export."""
        out = self.run_script(script, "bash", status=1)
        for name in files:
            self.assertIn(b"SQL query built", (self.folder / name).read_bytes(), name)
        (self.folder / "scan" / "findings.json").write_text("[]", encoding="utf-8")
        self.run_script(script, "bash")
        before = [(self.folder / name).read_bytes() for name in files]
        (self.folder / "scan" / "findings.json").write_bytes(SAMPLE[:-9])
        self.run_script(script, "bash", status=2)
        self.assertEqual([(self.folder / name).read_bytes() for name in files], before)
        return out

    def test_github(self):
        steps = self.job(0)["jobs"]["findings"]["steps"]
        judge = next(step for step in steps if step.get("name") == "Judge the findings")
        out = self.check(judge["run"], ["step", "findings.html", "findings.csv"])
        self.assertIn("::error file=src/db/accounts.py,line=118,", out)

    def test_gitlab(self):
        job = self.job(1)["findings"]
        files = [*job["artifacts"]["paths"], *job["artifacts"]["reports"].values()]
        self.assertEqual(len(files), 4)
        self.check("\n".join(job["script"]), files)

    def test_gate(self):
        (script,) = blocks("A CI job", "sh")
        lines = self.run_script(script, status=1).splitlines()
        self.assertEqual([line.split()[0] for line in lines if line.startswith(("FAIL ", "PASS "))],
                         ["FAIL", "PASS", "PASS"])
        self.assertLess(len(lines), 20)

    def test_pull_request(self):
        """A first run passes, a backlog too, and one finding more does not."""
        script = blocks("What is new", "sh")[0]
        text = (TOP / "fixtures" / "good-sample.sarif").read_text(encoding="utf-8")
        (self.folder / "pr.sarif").write_text(text, encoding="utf-8")
        self.assertIn("since the baseline: 0 new", self.run_script(script))
        self.assertTrue((self.folder / "main.sarif").exists())
        (self.folder / "main.sarif").write_text(text, encoding="utf-8")
        self.assertIn("since the baseline: 0 new", self.run_script(script))
        log = json.loads(text)
        results = log["runs"][0]["results"]
        more = json.loads(json.dumps(results[0]).replace("payments", "ledger"))
        results.append(more | {"level": "error", "message": {"text": "A name goes into a shell"}})
        (self.folder / "pr.sarif").write_text(json.dumps(log), encoding="utf-8")
        verdict = self.run_script(script, status=1)
        self.assertIn("since the baseline: 1 new", verdict)
        self.assertIn("new high and above: 1 open, 0 allowed", verdict)


class Report(Recipe):
    """The page, filters, counts, and scans that overlap."""

    def test_report(self):
        page, look = blocks("A page and lists", "sh")
        _, both = blocks("What is new", "sh")
        changes, overlap = both.rsplit("retriage gate", 1)
        overlap = "retriage gate" + overlap
        self.run_script(page)
        html = (self.folder / "findings.html").read_text(encoding="utf-8")
        self.assertTrue("Payments, June</title>" in html)
        self.assertTrue("//git.example.com/acme/payments/blob/main/src/db/accounts.py#L118" in html)
        worst, counts = self.run_script(look).splitlines()
        self.assertEqual(len(json.loads(worst)), 5)
        self.assertIn("acme/payments", counts)
        with open(self.folder / "injection.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([row["id"] for row in rows], ["iss-0001", "iss-0002"])
        document, end = json.JSONDecoder().raw_decode(self.run_script(changes))
        self.assertEqual(document["counts"]["by_class"]["unchanged"]["total"], 12)
        self.assertEqual(self.run_script(changes)[end:].split(), ["[]"])
        log = (TOP / "fixtures" / "good-sample.sarif").read_text(encoding="utf-8")
        (self.folder / "linux.sarif").write_text(log, encoding="utf-8")
        (self.folder / "windows.sarif").write_text(log, encoding="utf-8")
        verdict = json.loads(self.run_script(overlap, status=1))
        self.assertEqual((verdict["open"], verdict["verdict"]), (3, "fail"))


class Machines(Recipe):
    """Two shares by hand; tests/cluster runs the others."""

    def test_shares(self):
        (self.folder / "monday.json.gz").write_bytes(gzip.compress(b"[]"))
        hand = blocks("Several machines", "sh")[0]
        self.run_script(hand.splitlines()[0].replace("1.partial monday", "2.partial tuesday"))
        self.assertEqual(self.run_script(hand), self.run_script("retriage summary tuesday.json.gz"))


class Sarif(Recipe):
    """A folder of logs, and a log decided."""

    def setUp(self):
        super().setUp()
        log = (TOP / "fixtures" / "good-sample.sarif").read_text(encoding="utf-8")
        (self.folder / "codeql.sarif").write_text(log, encoding="utf-8")
        (self.folder / "logs" / "job").mkdir(parents=True)
        (self.folder / "logs" / "a.sarif").write_text(log, encoding="utf-8")
        other = log.replace("payments/python/", "payments/worker/")
        (self.folder / "logs" / "job" / "b.sarif").write_text(other, encoding="utf-8")

    def test_triage(self):
        (script,) = blocks("SARIF in sixty seconds", "sh")
        before = (self.folder / "codeql.sarif").read_bytes()
        out = self.run_script(script)
        decoder = json.JSONDecoder()
        first, end = decoder.raw_decode(out)
        self.assertEqual((first["verdict"], first["open"]), ("fail", 6))
        self.assertIn("there is something to do", out[end:])
        self.assertIn("6 open", (self.folder / "findings.html").read_text(encoding="utf-8"))
        verdict = json.loads(out.splitlines()[-1])
        self.assertEqual((verdict["verdict"], verdict["open"]), ("pass", 2))
        self.assertEqual(len((self.folder / "triage.jsonl").read_text().splitlines()), 2)
        self.assertEqual((self.folder / "codeql.sarif").read_bytes(), before)


    def test_back(self):
        """The logs that are made of logs."""
        (script,) = blocks("Back to where people work", "sh")
        log = (self.folder / "codeql.sarif").read_bytes()
        (self.folder / "main.sarif").write_bytes(log)
        self.run_script(blocks("SARIF in sixty seconds", "sh")[0])
        self.run_script(script)
        triaged = json.loads((self.folder / "triaged.sarif").read_bytes())
        self.assertLessEqual({result.get("baselineState") for run in triaged["runs"]
                          for result in run["results"]}, {"unchanged", "updated", None})
        upload = json.loads((self.folder / "upload.sarif").read_bytes())
        self.assertEqual(len(upload["runs"]), 2 * len(triaged["runs"]))


class Audit(Recipe):
    """Decisions applied, a head signed, all of it checked; and not any more when it was touched."""

    def test_audit(self):
        (script,) = blocks("An audit", "sh")
        self.run_script(script.splitlines()[1])
        for number, level in enumerate(("low", "high")):
            request = {"issue_ids": ["iss-0003"], "severity": level}
            name = f"2026-w0{number + 3}.json"
            (self.folder / "decisions" / name).write_text(json.dumps(request))
            self.run_script("retriage apply --quiet --journal audit.jsonl scan.json.gz "
                            f"decisions/{name}")
        self.run_script("ssh-keygen -q -t ed25519 -N '' -f auditor")
        report = json.loads(self.run_script(script).splitlines()[-1])
        self.assertTrue(report["valid"])
        self.assertEqual(len((self.folder / "audit.jsonl").read_text().splitlines()), 4)
        self.assertEqual(len((self.folder / "results.jsonl").read_text().splitlines()), 1)
        self.assertIn("the importer is switched off", (self.folder / "findings.html").read_text())
        self.assertEqual(json.loads((self.folder / "carried.json").read_text())["counts"]["carried"], 2)
        entries = [json.loads(x) for x in (self.folder / "next.jsonl").read_text().splitlines()[1:]]
        self.assertEqual([(e["carried"]["seq"], e["carried"]["actor"]) for e in entries], [(3, "alice")])
        check = script[script.index("# to check"):]
        lines = (self.folder / "audit.jsonl").read_text().splitlines(keepends=True)
        (self.folder / "audit.jsonl").write_text("".join(lines[:-1]))
        self.run_script(check, status=1)
        (self.folder / "audit.jsonl").write_text("".join(lines))
        self.run_script(check)
        (self.folder / "head").write_text("1:" + "0" * 64 + "\n")
        self.run_script(check, status=255)


@unittest.skipUnless(HAS_SHIM, "built without the HTTP shim")
class Shim(Recipe):
    """A key, a service, a summary, an update."""

    def test_serve(self):
        (script,) = blocks("The HTTP shim", "sh")
        with socket.create_server(("127.0.0.1", 0)) as sock:
            port = sock.getsockname()[1]
        out = self.run_script(script.replace("8080", str(port)) + "wait\n")
        summary, result = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(summary["total_issues"], 12)
        self.assertEqual(result["updated_issues"][0]["severity"], "low")
        self.assertEqual(len((self.folder / "served.jsonl").read_text().splitlines()), 2)


class Library(Recipe):
    """The program of the README answers as the command line does."""

    def test_library(self):
        (source,) = blocks("The library", "c")
        (self.folder / "count.c").write_text(source, encoding="utf-8")
        libs = subprocess.run(["pkg-config", "--libs", "libarchive", "libzip", "libisal", "libseccomp",
                               "yaml-0.1", "jansson", "libcrypto", "libpcre2-8"], capture_output=True, text=True,
                              check=True).stdout.split()
        sanitize = [f"-fsanitize={SANITIZE}"] if SANITIZE else []
        subprocess.run([*(os.environ.get("CC") or "cc").split(), "-Wall", "-Wextra", "-Werror", *sanitize,
                        f"-I{TOP / 'include'}", "count.c", str(BUILD / "libretriage.a"), *libs,
                        "-lpthread", "-o", "count"], cwd=self.folder, check=True)
        self.assertEqual(self.run_script("./count scan.json.gz"),
                         self.run_script("retriage summary --pretty --recent 0 scan.json.gz"))
        self.run_script("./count", status=2)


if __name__ == "__main__":
    unittest.main()
