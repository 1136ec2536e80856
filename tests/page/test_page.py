"""The HTML report without a browser: its structure, its policy, its bounds, and that nothing of an
export gets into it but as text. What it does in a browser is `make check-page`'s.

Environment: RETRIAGE or BUILD.
"""
import base64
import hashlib
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build")).resolve()
RETRIAGE = os.environ.get("RETRIAGE", BUILD / "retriage")
REAL = TOP.parent / "shared" / "real"
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
LEVELS = ["critical", "high", "medium", "low", "info", "other"]
VOID = {"meta", "br", "img", "input", "link", "hr"}
# What would parse text as markup, run it, or ask the network.
FORBIDDEN = re.compile(
    r"innerHTML|outerHTML|insertAdjacent|createContextualFragment|DOMParser|srcdoc|document\.write"
    r"|\beval\b|\bFunction\b|setTimeout\(\s*['\"]|\bimport\b|\bfetch\b|XMLHttp|WebSocket|EventSource"
    r"|sendBeacon|localStorage|cookie|\.style\b|\.src\b|\.open\(|['\"]on[a-z]+['\"]|javascript:")

HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "<!--<script>",
    "]]>--><h1 onclick='a'>",
    "\" onmouseover=\"alert(1)",
    "' style='x",
    "&lt;b&gt;&amp;",
    "\u202egpj.exe\u0000\u001b[31m\u2028\ufffe",
    "{{7*7}}${7*7}`\\u003c\\",
    "::error::x\n::warning::y ##[group]z",
    "javascript:alert(1)",
]


def masked(text):
    """A text as every output shows it (REPORTS R6)."""
    bad = "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]"
    return re.sub(bad, lambda m: f"⟨U+{ord(m[0]):04X}⟩", text)


def one_line(text):
    """A title on a row; one of a single word is an id, and the description, with " d", is there."""
    return masked((text if " " in text or "\n" in text or not text.isascii() else text + " d").replace("\n", " "))


class Page(html.parser.HTMLParser):
    """A page, taken apart; what is not well-formed fails."""

    def __init__(self, data):
        super().__init__(convert_charrefs=True)
        self.source = data
        self.open, self.elements, self.raw = [], [], {}
        self.feed(data.decode("utf-8"))
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), (tag, attrs)
        element = {"tag": tag, "attrs": dict(attrs), "text": "", "path": [e["tag"] for e in self.open]}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1]["tag"] == tag, (tag, [e["tag"] for e in self.open])
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def handle_comment(self, data):
        raise AssertionError("a comment: " + data)

    def all(self, tag=None, **attrs):
        return [e for e in self.elements if (tag is None or e["tag"] == tag)
                and all(e["attrs"].get(k.rstrip("_")) == v for k, v in attrs.items())]

    def one(self, tag=None, **attrs):
        found = self.all(tag, **attrs)
        assert len(found) == 1, (tag, attrs, len(found))
        return found[0]

    def data(self):
        found = self.all("script", id="data")
        return json.loads(found[0]["text"]) if found else None

    def script(self):
        return [e for e in self.all("script") if "type" not in e["attrs"]][0]["text"]


def finding(number, **members):
    return {"id": f"id-{number:05d}", "scan_id": "s", "severity": "low", "title": f"title {number}",
            **members}


class PageTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir=MEMORY)
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def export(self, issues, name="export.json"):
        path = self.path / name
        path.write_text(json.dumps(issues))
        return path

    def report(self, *arguments, status=0, **environment):
        out = self.path / "report.html"
        done = subprocess.run(
            [RETRIAGE, "report", "--quiet", "--to", f"html={out}", *map(str, arguments)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
            env={**os.environ, **environment})
        self.assertEqual(done.returncode, status, done.stderr)
        return out.read_bytes()

    def page(self, issues, *arguments, status=0):
        return Page(self.report(*arguments, self.export(issues), status=status))

    def check_inert(self, page):
        """No element or attribute acts, but the one style and the one script."""
        for element in page.elements:
            for name, value in element["attrs"].items():
                self.assertFalse(name.startswith("on"), element)
                self.assertNotIn(name, ("style", "src", "srcset", "srcdoc", "action", "formaction",
                                        "background", "ping", "data", "xlink:href"))
                if name == "href":
                    self.assertRegex(value, r"^(#|https://)", element)
                    if not value.startswith("#"):
                        self.assertEqual(element["attrs"]["rel"], "noreferrer")
            self.assertNotIn(element["tag"], ("iframe", "object", "embed", "base", "form", "link",
                                              "img", "input", "button", "select", "template"))
        self.assertLessEqual(len(page.all("script")), 2)
        self.assertEqual(len(page.all("style")), 1)

    def check_policy(self, page):
        """The policy comes before everything, and names the digests of what stands in the page."""
        def digest(text):
            return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

        self.assertRegex(page.source, rb"^<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
                                      rb"http-equiv=\"Content-Security-Policy\"")
        self.assertIn(b'<meta charset="utf-8">', page.source[:1024])
        policy = page.one("meta", **{"http-equiv": "Content-Security-Policy"})
        self.assertEqual(policy["attrs"]["content"],
                         f"default-src 'none'; script-src '{digest(page.script())}'; "
                         f"style-src '{digest(page.one('style')['text'])}'; base-uri 'none'; "
                         "form-action 'none'")

    def check_structure(self, page):
        """What readers by ear need: landmarks, headings in order, heads of tables, names."""
        self.assertEqual(len(page.all("h1")), 1)
        self.assertEqual(len(page.all("main")), 1)
        self.assertTrue(page.one("title")["text"].strip())
        last = 0
        for element in page.elements:
            if re.fullmatch("h[1-6]", element["tag"]):
                level = int(element["tag"][1])
                self.assertLessEqual(level, last + 1, element)
                self.assertTrue(element["text"].strip(), element)
                last = level
        for head in page.all("th"):
            self.assertIn(head["attrs"].get("scope"), ("col", "row"))
        for svg in page.all("svg"):
            self.assertTrue(svg["attrs"].get("aria-hidden") == "true"
                            or (svg["attrs"].get("role") == "img" and svg["attrs"].get("aria-label")))
        ids = [e["attrs"]["id"] for e in page.elements if "id" in e["attrs"]]
        self.assertEqual(len(ids), len(set(ids)))
        for link in page.all("a"):
            target = link["attrs"]["href"]
            if target.startswith("#") and not target.startswith("#f-"):
                self.assertIn(target[1:], ids)

    def has(self, page, text):
        """That the page holds some markup."""
        self.assertTrue(text in page.source.decode(), "not in the page: " + text)

    def check_all(self, page):
        self.check_inert(page)
        self.check_policy(page)
        self.check_structure(page)

    def figures(self, page):
        """The rows of the table of severities, as numbers by name."""
        body = re.search(rb'<table class="figs.*?</table>', page.source, re.S)[0].decode()
        heads = [h.lower() for h in re.findall(r"</svg> (\w+)</span></th>", body)] + ["all"]
        rows = {}
        for name, cells in re.findall(r'<th scope="row" align="left">([^<]*)</th>(.*?)</tr>', body):
            numbers = [int(n.replace(",", "")) for n in re.findall(r">([0-9,]+)</td>", cells)]
            self.assertEqual(len(numbers), len(heads))
            rows[name] = dict(zip(heads, numbers))
        return rows

    # --- What every page is ----------------------------------------------------------------------

    def test_good_sample(self):
        page = Page(self.report("--sla", "critical=1", "--fail-on", "high",
                                TOP / "fixtures" / "good-sample.json", status=1))
        self.check_all(page)
        rows = page.data()["rows"]
        self.assertEqual(len(rows), 12)
        self.assertEqual(len(page.all("details")), 12)
        self.assertIn("Fail", page.one("title")["text"])
        self.assertEqual(self.figures(page)["Open"],
                         {"critical": 2, "high": 3, "medium": 3, "low": 2, "info": 1, "all": 11})
        self.assertEqual(self.figures(page)["dismissed"]["all"], 1)

    def test_empty(self):
        page = self.page([])
        self.check_all(page)
        self.assertIsNone(page.data())
        self.has(page, "Nothing found.")

    def test_nothing_open(self):
        page = self.page([finding(1, false_positive=True)], "--fail-on", "info")
        self.check_all(page)
        self.has(page, "Nothing is open")
        self.has(page, "The one finding is dismissed")

    def test_real(self):
        """Counts are those of summary, and each finding is listed."""
        for export in sorted(REAL.glob("*.issues.json")):
            with self.subTest(export.name):
                page = Page(self.report(export))
                self.check_all(page)
                issues = json.loads(export.read_text())
                summary = json.loads(subprocess.run([RETRIAGE, "summary", export], check=True,
                                                    stdout=subprocess.PIPE).stdout)
                rows = page.data()["rows"]
                self.assertEqual(len(rows), summary["total_issues"])
                self.assertEqual({row[0] for row in rows}, {issue["id"] for issue in issues})
                figures = self.figures(page)
                for level, number in summary["issues_by_severity"].items():
                    self.assertEqual(figures["Open"][level] + figures["dismissed"][level], number)
                self.assertEqual(len(page.all("details")), min(200, len(rows)))

    def test_same_bytes(self):
        """No clock, zone, locale or folder gets into the page."""
        export = self.export([finding(1, created_at="2025-01-01", scan_created_at="2025-02-01")])
        first = self.report(export)
        again = self.report(export, TZ="Pacific/Apia", LC_ALL="C", HOME="/")
        self.assertEqual(first, again)
        self.assertNotIn(str(self.path).encode(), first)

    # --- What becomes of texts -------------------------------------------------------------------

    def test_hostile(self):
        issues = []
        for number, text in enumerate(HOSTILE):
            issues.append(finding(number, id=text, severity=text, title=text, description=text + " d",
                                  category=text, file_path=text, line_number=1, repo_name=text,
                                  code_snippet=text, context_before=text, remediation_code=text,
                                  cwe_ids=[text], tags=[text], owasp_category=text, scan_id=text,
                                  model_used=text, notes=[text], created_at=text))
        page = self.page(issues, "--title", HOSTILE[0], "--link", "https://h/{repo}/{path}")
        self.check_all(page)
        self.assertEqual(page.one("h1")["text"], masked(HOSTILE[0]))
        block = page.one("script", id="data")["text"]
        self.assertIsNone(re.search("[<>&\u2028\u2029\u202e\0\x1b]", block))
        self.assertIsNone(re.search(rb"(?m)^\s*::|##\[", page.source))
        titles = [e["text"] for e in page.all("span", class_="tt")]
        self.assertEqual(sorted(titles), sorted(one_line(text) for text in HOSTILE))
        rows = {row[6]: row for row in page.data()["rows"]}
        for text in HOSTILE:
            row = rows[one_line(text)]
            self.assertEqual(row[3], masked(text).replace("\n", " "))
            self.assertEqual(row[11], masked(text))
            self.assertIn(masked(text) + " d", row[10])
        shown = {e["attrs"]["id"] for e in page.all("details")}
        self.assertEqual(shown, {"f-" + "".join(
            chr(b) if re.match(rb"[A-Za-z0-9._-]", bytes([b])) else f"~{b:02x}"
            for b in text.encode()) for text in HOSTILE})

    def test_sources(self):
        """The script builds nodes and asks nothing of anybody; the style neither."""
        page = self.page([])
        script, style = page.script(), page.one("style")["text"]
        self.assertEqual(script, (TOP / "src/output/html/page.js").read_text())
        self.assertEqual(style, (TOP / "src/output/html/page.css").read_text())
        self.assertIsNone(FORBIDDEN.search(script), FORBIDDEN.search(script))
        self.assertNotRegex(style, r"url\(|@import|expression|@font-face|<")
        self.assertNotRegex(script, r"</|<!--")
        self.assertRegex(script, r"textContent|append\(")

    def test_no_code(self):
        secret = {name: "s3cret" for name in ("code_snippet", "context_before", "context_after",
                                              "remediation_code")}
        page = self.page([finding(1, line_number=3, **secret)], "--no-code")
        self.check_all(page)
        self.assertNotIn(b"s3cret", page.source)

    def test_secrets(self):
        """Their code is left out, and the page says so once; what has no code says that."""
        issues = [finding(1, category="secret-key", code_snippet="s3cret", context_after="s3cret"),
                  finding(2, tags=["Secrets"], remediation_code="s3cret"),
                  finding(3, category="secret-key"), finding(4, code_snippet="shown")]
        page = self.page(issues)
        self.check_all(page)
        self.assertNotIn(b"s3cret", page.source)
        notes = [e["text"] for e in page.all("p", class_="banner")]
        self.assertEqual(notes, ["Code of secrets is not shown: 2 findings below. --show-secrets shows it."])
        self.assertEqual([row[2] & 32 for row in page.data()["rows"]], [32, 32, 0, 0])
        self.assertEqual(len(page.all("p", class_="nocode")), 1)
        page = self.page(issues, "--show-secrets")
        self.assertIn(b"s3cret", page.source)
        self.assertEqual(page.all("p", class_="banner"), [])

    def test_record_options(self):
        """All that changes a number is among the options, as it is typed."""
        issues = [finding(1, severity="BLOCKER"), finding(2)]
        given = ["--severity-map", "BLOCKER=info", "--severity-from", "level", "--duplicates", "worst",
                 "--failed-runs", "accept", "--ids", "s1", "--fingerprint", "a b", "--exclude", "x/*",
                 "--exclude", "y", "--strip-prefix", "/w", "--unknown-as", "low", "--count-false-positives"]
        page = self.page(issues, *given, "--fail-on", "critical", "--sla", "high=3", "--history", self.path / "h")
        text = [e["text"] for e in page.all("div") if e["text"].startswith("Options")][0]
        for word in (" --severity-map BLOCKER=info --severity-from level --duplicates worst --failed-runs accept "
                     "--ids s1 --fingerprint 'a b' --exclude 'x/*' --exclude y --strip-prefix /w --unknown-as low "
                     "--count-false-positives", " --sla high=3", " --history 'h'", " --at 2"):
            self.assertIn(word, text)
        self.assertIn("The same inputs, options, history and version give", page.source.decode())
        page = self.page(issues)
        text = [e["text"] for e in page.all("div") if e["text"].startswith("Options")][0]
        self.assertRegex(text, r"^Options--max-findings 10000 --at [0-9TZ:-]+$")
        self.assertIn("The same inputs, options and version give", page.source.decode())

    def test_command(self):
        """What is not listed is listed by a command, with the report's own filter and inputs."""
        issues = [finding(n, severity="high" if n < 3 else "low", false_positive=n % 7 == 0) for n in range(40)]
        for more, want in ((["--where", "id~^id", "--severity-map", "A=low"], " --where 'id~^id' --severity-map A=low "),
                           ([], " "), (["--where", "severity=high", "--or", "--where", "severity=low"], None)):
            page = self.page(issues, "--max-findings", "3", *more)
            name = page.data()["list"]
            self.assertEqual(name.startswith(want), True) if want else self.assertEqual(name, "")
            if want:
                self.assertTrue(name.endswith("/export.json"), name)
        self.assertNotIn("list", self.page(issues).data())
        count = subprocess.run([RETRIAGE, "list", "--quiet", "--as", "count", "--where", "severity=low", "--where",
                                "status=open,expired", self.path / "export.json"], check=True, stdout=subprocess.PIPE)
        figure = [e["text"] for e in self.page(issues, "--max-findings", "3").all("tr", class_="open")][0]
        self.assertIn(str(json.loads(count.stdout)["selected"]), figure)

    def test_classes_of_a_filter(self):
        """Of what the filter leaves out nothing is said, neither that it is gone nor that it was there."""
        old = self.export([finding(1, file_path="a"), finding(2, file_path="b")], "old.json")
        new = [finding(1, file_path="a"), finding(3, title="another title", file_path="c")]
        page = self.page(new, "--baseline", old, "--where", "baseline=new")
        self.assertEqual(page.one("p", class_="lede")["text"][:5], "1 new")
        for words in (b"carried over", b"</b> gone", b"before</th>", b"Since the baseline</h3>"):
            self.assertFalse(words in page.source.split(b"</style>")[1].split(b"<script>")[0], words)
        page = self.page(new, "--baseline", old)
        self.assertIn("1 gone, 1 carried over", page.one("p", class_="lede")["text"])

    def test_counted_as_new(self):
        """Of equal ones some are new; the record says why there are more than the new ones."""
        same = {"title": "one title", "file_path": "a", "code_snippet": "x", "category": "c"}
        old = self.export([finding(1, line_number=3, **same)], "old.json")
        page = self.page([finding(8, line_number=30, **same), finding(9, line_number=31, **same)], "--baseline", old)
        lede = int(page.one("p", class_="lede")["text"].split()[0])
        rows = {e["text"].rstrip("0123456789"): int(e["text"][len(e["text"].rstrip("0123456789")):])
                for e in page.all("tr") if "path" in e and re.search("[a-z][0-9]+$", e["text"])}
        self.assertEqual(lede, rows.get("Of these, counted as new", rows["New"]))

    # --- Bounds ----------------------------------------------------------------------------------

    def test_many(self):
        """57,312 findings of 1 KiB: 10,000 are listed, the page says which, and stays small."""
        issues = []
        for number in range(57312):
            level = "critical" if number % 1000 == 0 else "high" if number % 20 == 0 else "medium"
            issues.append(finding(number, severity=level, description="x" * 900))
        page = self.page(issues)
        self.check_all(page)
        self.assertEqual(len(page.data()["rows"]), 10000)
        self.assertLessEqual(len(page.source), 33 << 20)
        self.has(page, "Listed below: 10,000 of 57,312 findings</b> (all critical and high, "
                      "7,134 of 54,446 medium). All counts and charts are of all 57,312.")
        self.assertEqual(self.figures(page)["Open"]["all"], 57312)

    def test_large(self):
        """Findings of 12 KiB: 32 MiB of them are listed."""
        text = "\u20ac\u00e4&<>" * 800
        page = self.page([finding(n, description=text, explanation=text + "a", remediation=text + "b")
                          for n in range(4000)])
        listed = len(page.data()["rows"])
        self.assertLess(listed, 4000)
        self.assertGreater(len(page.source), 30 << 20)
        self.assertLessEqual(len(page.source), 33 << 20)
        self.has(page, f"Listed below: {listed:,} of 4,000 findings")
        self.assertGreater(len(page.all("details")), 0)
        self.assertLess(len(page.all("details")), 200)

    def test_max_findings(self):
        issues = [finding(n, severity=LEVELS[n % 5], false_positive=n % 7 == 0) for n in range(300)]
        for most, plain in ((0, 0), (1, 1), (200, 200), (250, 200), (300, 200), (999, 200)):
            page = self.page(issues, "--max-findings", most)
            self.check_all(page)
            self.assertEqual(len(page.data()["rows"]) if most else 0, min(most, 300))
            self.assertEqual(len(page.all("details")), plain)
            self.assertEqual(b"Listed below" in page.source, most < 300)
        page = self.page(issues, "--hide", "false_positive")
        self.assertEqual(len(page.data()["rows"]), 300 - 43)
        self.has(page, "43 dismissed findings are counted, not listed.")
        for issue in issues[:14]:
            issue["notes"] = [{"added_at": None, "text": "for now exp:2024-01-01"}]
        page = self.page(issues, "--hide", "false_positive", "--max", "total=999")
        self.assertEqual(len(page.data()["rows"]), 300 - 41)
        self.has(page, "41 dismissed findings are counted, not listed.")
        self.has(page, "</b> dismissals have expired and count as open")

    def test_order(self):
        """Open before dismissed, worst first (REPORTS R3)."""
        issues = [finding(n, severity=LEVELS[(n * 7) % 5], false_positive=n % 3 == 0)
                  for n in range(60)]
        rows = self.page(issues).data()["rows"]
        keys = [(row[2] & 1, row[1]) for row in rows]
        self.assertEqual(keys, sorted(keys))
        issues = [finding(n, severity=["high", "BLOCKER", "critical", None, "info"][n])
                  for n in range(5)]
        for gate, order in ((), "critical BLOCKER None high info"), \
                (("--unknown-as", "high"), "critical high BLOCKER None info"), \
                (("--max", "unknown=9"), "critical high info BLOCKER None"):
            options = ("--max", "total=9", *gate) if gate else ()
            titles = [row[6] for row in self.page(issues, *options).data()["rows"]]
            self.assertEqual(" ".join(str(issues[int(title[6:])]["severity"]) for title in titles),
                             order, gate)

    # --- What the page says ----------------------------------------------------------------------

    def test_weaknesses(self):
        """A weakness has its name where that is well known (D26), as a fact and to be searched."""
        page = self.page([finding(1, cwe_ids=["CWE-89", "external/cwe/cwe-079", "CWE-99999", "x", "1333"])])
        said = ("89 SQL injection, external/cwe/cwe-079 cross-site scripting, 99999, x, "
                "1333 inefficient regular expression")
        self.assertIn(said, page.data()["rows"][0][12])
        self.has(page, said)

    def test_inputs(self):
        """The record says how many findings each input has (R11), filtered ones too: a folder's are one number."""
        folder = self.path / "folder"
        folder.mkdir()
        for name, numbers in ("folder/a.json", range(3)), ("folder/b.json", range(3, 5)), ("zero.json", []), \
                ("folder2.json", range(5, 12)):
            self.export([finding(n, severity="high" if n % 2 else "low") for n in numbers], name)
        paths = [self.path / name for name in ("zero.json", "folder", "folder2.json")]
        for options, old in ((), "5"), (("--where", "severity=high"), ""):
            text = Page(self.report(*options, "--baseline", folder, *paths)).source.decode()
            rows = re.findall(r'class="mono">([^<]*)(?: <span[^<]*</span>)?</th><td class="num" align="right">([\d,]*)<',
                              text.split("<h3>Inputs")[1].split("</section>")[0])
            self.assertEqual([(name.split("/")[-1], number) for name, number in rows],
                             [("zero.json", "0"), ("folder", "5"), ("folder2.json", "7"), ("folder", old)])

    def test_lint(self):
        """The record has what lint finds of the same state, the same counts and words (R11)."""
        export = self.export([finding(n, false_positive=True, severity="critical" if n == 3 else "low",
                                      notes=["seen exp:2026-02-28"] if n % 2 else [],
                                      exploitable=n == 4) for n in range(40)])
        at = ("--at", "2026-03-01")
        done = subprocess.run([RETRIAGE, "lint", *at, "--format", "json", export], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        said = json.loads(done.stdout)
        page = Page(self.report(*at, export))
        self.has(page, f"finds {said['errors']} errors and {said['warnings']} warning")
        table = page.source.decode().split('id="lint"')[1].split("</section>")[0]
        rules = {found["rule"] for found in said["findings"]}
        self.assertEqual(rules, set(re.findall(r"[a-z_]+(?=</td><td>)", table)))
        self.assertEqual(rules, {"reason", "expired", "both", "no_expiry"} & rules | {"reason", "expired", "both"})
        for found in said["findings"]:
            self.assertIn(found["message"], table)
        self.assertEqual(table.count("more by this rule"), 2)  # reason and expired have 20 each
        self.assertIn('<a href="#f-id-00004">', table)
        self.assertNotIn('id="lint"', Page(self.report(*at, self.export([finding(1)]))).source.decode())

    def test_record(self):
        """Inputs with their digests, head and base of the journal, decisions, filter and options."""
        export = self.export([finding(n, file_path=f"src/f{n}.c", line_number=n) for n in range(1, 6)])
        journal = self.path / "j.jsonl"
        request = {"issue_ids": ["id-00002", "id-00003", "no"], "false_positive": True,
                   "notes": "tested <b>twice</b>"}
        subprocess.run([RETRIAGE, "apply", "--quiet", "--journal", journal, "--actor", "alice & co",
                        "--strip-prefix", "src", "--at", "2025-05-06T07:08:09Z", export, "-"],
                       check=True, input=json.dumps(request).encode(), stdout=subprocess.DEVNULL)
        head = subprocess.run([RETRIAGE, "log", "--head", journal], check=True,
                              stdout=subprocess.PIPE).stdout.decode().strip()
        page = Page(self.report("--journal", journal, "--not", "id=id-00005", "--at", "2025-06-01",
                                "--sla", "low=30", "--strip-prefix", "src", export))
        self.check_all(page)
        text = page.source.decode()
        digest = hashlib.sha256(export.read_bytes()).hexdigest()
        self.assertEqual(text.count(digest), 2)
        self.has(page, f'<dd class="mono">{head}</dd>')
        self.has(page, "alice &amp; co")
        self.has(page, ">2</span>, 1 not found")
        self.has(page, '<a href="#f-id-00002">f2.c:2</a> …')
        self.has(page, "<td class=\"nt\">tested &lt;b&gt;twice&lt;/b&gt;</td>")
        self.has(page, '<p class="by">alice &amp; co, 2025-05-06 07:08 UTC, entry 1 of the journal</p>')
        self.has(page, "<b>4 of 5 findings</b>: this page is about those that "
                      "<span class=\"mono\">")
        self.has(page, "--at 2025-06-01T00:00:00Z --sla low=30 --strip-prefix src")
        rows = dict(re.findall(r'<th scope="row" align="left">([^<]*)</th><td class="num" '
                               r'align="right">([0-9,]+)</td>', text))
        self.assertEqual([rows[k] for k in ("Open", "Dismissed", "Left out by the filter",
                                            "In the inputs", "Listed on this page")],
                         ["2", "2", "1", "5", "4"])

    def test_charts(self):
        """The worst rules and files come first; what is not shown is counted."""
        issues = [finding(n, category=f"c{n % 14:02d}" if n else None, file_path="a/b.c",
                          repo_name=f"r{n % 12}") for n in range(140)]
        page = self.page(issues)
        self.has(page, "5 more rules with 40 open")
        self.has(page, "2 more repositories with 22 open")
        self.has(page, 'data-f="file_path" data-v="a/b.c"')
        for x, width in re.findall(r'<rect class="s-\w+" fill="#\w+" x="([0-9.]+)" y="0" '
                                   r'width="([0-9.]+)" height="10"/>', page.source.decode()):
            self.assertLessEqual(float(x) + float(width), 120.5)
            self.assertGreaterEqual(float(width), 1)

    def test_worst_first(self):
        """One critical finding stands before many low ones; where files say little, folders do."""
        issues = [finding(n, category="noise", file_path=f"lib/{n % 3}/f{n}.c") for n in range(150)]
        issues.append(finding(150, category="sqli", severity="critical", file_path="web/a.c"))
        page = self.page(issues)
        names = [e["attrs"]["data-v"] for e in page.all("th") if e["attrs"].get("data-f")
                 in ("category", "file_path")]
        self.assertEqual(names, ["sqli", "noise", "web/", "lib/0/", "lib/1/", "lib/2/"])
        self.has(page, "Folders, worst first")
        self.has(page, "No finding says when it was first seen.")
        self.assertNotIn("Age of open findings", page.source.decode())
        issues = [finding(n, category="odd", severity="BLOCKER") for n in range(9)]
        issues += [finding(9, category="bad", severity="high", file_path="")]
        for options, order in ((), ["odd", "bad"]), \
                (("--max", "total=99", "--unknown-as", "low"), ["bad", "odd"]):
            page = self.page(issues, *options)
            self.assertEqual([e["attrs"]["data-v"] for e in page.all("th")
                              if e["attrs"].get("data-f") == "category"], order, options)

    def test_compared(self):
        """With a baseline: the strip adds up, what changed where, and the record names its files."""
        def one(number, rule, folder, **members):
            return finding(number, category=rule, file_path=f"{folder}f{number}.c", line_number=7,
                           code_snippet=f"call_{number}();", **members)

        before = [one(n, "kept", "src/") for n in range(6)] + [one(6, "old", "src/"), one(7, "old", "lib/")]
        after = [*before[:4], {**before[4], "line_number": 9}, {**before[5], "false_positive": True}, one(8, "<b>", "src/<i>/", severity="critical"),
                 one(9, "old", "lib/"), one(10, "old", "", severity="high")]
        baseline = self.export(before, "before.json")
        page = Page(self.report("--baseline", baseline, self.export(after)))
        self.check_all(page)
        labels = [e["attrs"]["aria-label"] for e in page.all("svg") if "strip" in e["attrs"].get("class", "")]
        self.assertEqual(labels, ["2 gone, 1 dismissed, 5 carried over and open, 3 new"])
        self.assertEqual(page.source.decode().count(hashlib.sha256(baseline.read_bytes()).hexdigest()), 1)
        bar = re.search(rb'<svg class="prop strip".*?</svg>', page.source)[0].decode()
        parts = [(float(x), float(width)) for x, width in re.findall(r' x="([0-9.]+)" y="0" width="([0-9.]+)"', bar)]
        self.assertEqual(sum(parts[-1]), 1000)
        self.assertEqual([round(sum(a) + 2.5, 1) for a in parts[:-1]], [b[0] for b in parts[1:]])
        rows = {}
        for panel in re.findall(r'<table class="bars delta".*?</table>', page.source.decode(), re.S):
            for label, row in re.findall(r'<tr><th[^>]* data-v="([^"]*)"[^>]*>(.*?)</tr>', panel):
                rows[label] = re.findall(r'<td class="(?:away|new|num)[^>]*>([^<]*)</td>', row)
        self.assertEqual(rows, {"&lt;b&gt;": ["0", "+1", "1"], "old": ["−2", "+2", "2"], "src/&lt;i&gt;/": ["0", "+1", "1"],
                                "": ["0", "+1", "1"], "lib/": ["−1", "+1", "1"], "src/": ["−1", "0", "5"]})
        self.has(page, "1 finding moved and counts as carried over.")
        empty = self.page([], "--baseline", baseline)
        self.has(empty, "Nothing new since the baseline. 0 gone, 0 carried over, 8 not scanned.")
        calm = Page(self.report("--baseline", baseline, self.export(before)))
        self.check_all(calm)
        self.assertNotIn(b"that changed", calm.source)
        self.has(calm, "0 gone, 0 dismissed, 8 carried over and open, 0 new")


if __name__ == "__main__":
    unittest.main()
