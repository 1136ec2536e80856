"""Readers of reports: what GitHub's log, GitLab, and a renderer of Markdown make of them."""
import html.parser
import re
import subprocess
import xml.etree.ElementTree

# GitLab's SAST reports of 15.0.7, written from its documentation (development/integrations/secure)
# and from what classes made of the 15.x schema have: which members, which are needed, how long
# they may be. The schema file itself is in no package that could be had.
TEXT = {"type": "string", "minLength": 1}
TOOL = {"type": "object", "required": ["id", "name", "version", "vendor"],
        "properties": {"id": TEXT, "name": TEXT, "version": TEXT,
                       "vendor": {"type": "object", "required": ["name"],
                                  "properties": {"name": TEXT}}}}
TIME = {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$"}
SAST = {
    "type": "object", "required": ["version", "scan", "vulnerabilities"],
    "properties": {
        "version": {"const": "15.0.7"},
        "schema": {"type": "string", "pattern": "^https?://.+v15[.]0[.]7.+"},
        "scan": {
            "type": "object",
            "required": ["analyzer", "scanner", "start_time", "end_time", "status", "type"],
            "properties": {"analyzer": TOOL, "scanner": TOOL, "start_time": TIME, "end_time": TIME,
                           "status": {"const": "success"}, "type": {"const": "sast"}},
            "additionalProperties": False},
        "vulnerabilities": {"type": "array", "items": {
            "type": "object", "required": ["id", "identifiers", "location"],
            "properties": {
                "id": {"type": "string", "pattern": "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-"
                                                    "[0-9a-fA-F]{12}$"},
                "name": {"type": "string", "minLength": 1, "maxLength": 255},
                "description": {"type": "string", "maxLength": 1048576},
                "severity": {"enum": ["Info", "Unknown", "Low", "Medium", "High", "Critical"]},
                "solution": {"type": "string", "maxLength": 7000},
                "identifiers": {"type": "array", "minItems": 1, "maxItems": 20, "items": {
                    "type": "object", "required": ["type", "name", "value"],
                    "properties": {"type": TEXT, "name": TEXT, "value": TEXT,
                                   "url": {"type": "string", "pattern": "^https?://.+"}},
                    "additionalProperties": False}},
                "location": {"type": "object", "required": ["file"], "properties": {
                    "file": TEXT, "start_line": {"type": "integer", "minimum": 1}},
                    "additionalProperties": False},
                "flags": {"type": "array", "items": {
                    "type": "object", "required": ["type", "origin", "description"],
                    "properties": {"type": {"const": "flagged-as-likely-false-positive"},
                                   "origin": TEXT, "description": TEXT},
                    "additionalProperties": False}}},
            "additionalProperties": False}}},
    "additionalProperties": False}

# Code Quality, from its documentation (ci/testing/code_quality, section on other tools).
CODE_QUALITY = {"type": "array", "items": {
    "type": "object",
    "required": ["description", "check_name", "fingerprint", "severity", "location"],
    "properties": {
        "description": TEXT, "check_name": TEXT,
        "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
        "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
        "location": {"type": "object", "required": ["path", "lines"], "properties": {
            "path": {"type": "string", "pattern": "^(?![.]/)"},
            "lines": {"type": "object", "required": ["begin"],
                      "properties": {"begin": {"type": "integer", "minimum": 1}}}}}},
    "additionalProperties": False}}


def commands(text):
    """
    The commands that a runner finds in a log: (name, properties, message) of each line that
    begins with "::" after white space, or holds "##[", or Azure's "##vso[" or TeamCity's "##teamcity[".
    """
    for line in re.split("\r\n|\r|\n", text):
        if re.search(r"##(vso|teamcity)?\[", line, re.IGNORECASE):
            yield "##", {}, line
        found = re.match(r"\s*::([A-Za-z-]+)(?: +(.*?))?::(.*)", line)
        if found:
            pairs = [pair.partition("=") for pair in (found[2] or "").split(",") if pair]
            yield found[1], {name: unescape(value, True) for name, _, value in pairs}, \
                unescape(found[3], False)
        elif re.match(r"\s*::", line):
            yield "?", {}, line


def unescape(text, is_property):
    """What a runner makes of the escapes."""
    for escape, char in (("%0D", "\r"), ("%0A", "\n")) + \
            ((("%3A", ":"), ("%2C", ",")) if is_property else ()) + (("%25", "%"),):
        text = text.replace(escape, char)
    return text


def junit(path):
    """The root of a JUnit report that xmllint takes."""
    done = subprocess.run(["xmllint", "--noout", "--nonet", path], capture_output=True,
                          check=False)
    if done.returncode:
        raise ValueError(done.stderr.decode())
    return xml.etree.ElementTree.parse(path).getroot()


class Page(html.parser.HTMLParser):
    """Rendered Markdown: its elements, its text, and the text that is in no code."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.wrong = [], {}, []
        self.text, self.outside, self.summaries, self.items = [], [], [], []
        self.links, self.groups = [], []
        self.feed(page)
        self.close()
        if self.open:
            self.wrong.append(f"left open: {self.open}")

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        if tag not in ("br", "hr", "img", "input"):
            self.open.append(tag)
        if tag == "summary":
            self.summaries.append("")
        if tag == "li":
            self.items.append("")
        if tag == "a":
            self.links.append(dict(attrs).get("href"))
        if [name for name, _ in attrs if name != ("href" if tag == "a" else "align")]:
            self.wrong.append(f"<{tag} {attrs}>")

    def handle_endtag(self, tag):
        if tag == "br":
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")
        if tag == "summary" and re.search(r" \u00b7 [0-9,]+( of [0-9,]+)? findings$", self.summaries[-1]):
            self.groups.append(self.summaries.pop())

    def handle_data(self, data):
        self.text.append(data)
        if "summary" in self.open:
            self.summaries[-1] += data
        if "li" in self.open:
            self.items[-1] += data
        if "code" not in self.open:
            self.outside.append(data)

    def handle_comment(self, data):
        self.wrong.append(f"<!--{data}-->")

    def handle_decl(self, decl):
        self.wrong.append(f"<!{decl}>")

    def unknown_decl(self, data):
        self.wrong.append(f"<![{data}")

    def handle_pi(self, data):
        self.wrong.append(f"<?{data}")


def render(markdown):
    """Markdown as GitHub and GitLab render it, HTML included."""
    extensions = ["footnotes", "table", "autolink", "strikethrough", "tasklist"]
    options = [word for name in extensions for word in ("-e", name)]
    done = subprocess.run(["cmark-gfm", "--unsafe", *options], input=markdown.encode(),
                          stdout=subprocess.PIPE, check=True)
    return Page(done.stdout.decode())


# What servers look for in rendered text outside of code: mentions, references, addresses.
LINKED = re.compile(r"[@#!~%&$][A-Za-z0-9]|@[._]|[\[*][a-z0-9_]+:|://|www[.]|\bGH-[0-9]|(?<![A-Za-z0-9])[0-9a-f]{7,40}"
                    r"(?![A-Za-z0-9])|:[A-Za-z0-9_+-]+:", re.I)
