"""SARIF logs as values and as text: small ones for tables of cases, and random ones.

A value is what json.dumps() takes, and Raw for text that stands as it is (numbers, faults).
"""
import copy
import json

from tree import NUMBER, LOG, RESULT, RESULTS, List, Map, One, Words, BAG, FLAG, INTEGER, INDEX

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


class Raw(str):
    """JSON text."""


class Twice(dict):
    """An object with a member that stands once more, at the front."""

    twice = None


def result(**members):
    """A result with a message and a place; None leaves a member out."""
    whole = {"ruleId": "R1", "message": {"text": "found it"}, "locations": [place("src/a.c", 7)]}
    whole.update(members)
    return {name: value for name, value in whole.items() if value is not None}


def place(uri, line=None, **region):
    """A location."""
    physical = {"artifactLocation": {"uri": uri}}
    if line is not None or region:
        physical["region"] = ({"startLine": line} if line is not None else {}) | region
    return {"physicalLocation": physical}


def rule(rule_id, **members):
    """A descriptor."""
    return {"id": rule_id, **members}


def run(results, rules=(), **members):
    """A run; None leaves a member out."""
    whole = {"tool": {"driver": {"name": "tool", "version": "1", "rules": list(rules)}},
             "results": results}
    whole.update(members)
    return {name: value for name, value in whole.items() if value is not None}


def log(*runs, **members):
    """A log."""
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": list(runs), **members}


def dump(value):
    """The JSON text of a value, compact."""
    return spell(value, lambda: "", json.JSONEncoder(ensure_ascii=False).encode)


def spell(value, blank, quote):
    """The JSON text of a value; blank() stands wherever blanks may, quote() spells a string."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, dict):
        pairs = list(value.items())
        if isinstance(value, Twice):
            pairs.insert(0, (value.twice, value[value.twice]))
        inner = ",".join(f"{blank()}{quote(name)}{blank()}:{blank()}{spell(one, blank, quote)}"
                         f"{blank()}" for name, one in pairs)
        return "{" + (inner or blank()) + "}"
    if isinstance(value, list):
        inner = ",".join(blank() + spell(one, blank, quote) + blank() for one in value)
        return "[" + (inner or blank()) + "]"
    return json.dumps(value)


def spell_any(rng, value):
    """The JSON text of a value in one of many ways, members in any order."""
    way = rng.randrange(3)
    blanks = [[""], [" "], ["", "", " ", "\n", "\r\n\t", "  \n"]][way]
    escapes = rng.choice([0, 0, 0.1])

    def quote(text):
        if not escapes:
            return json.dumps(text, ensure_ascii=False)
        out = []
        for char in text:
            plain = json.dumps(char, ensure_ascii=False)[1:-1]
            if rng.random() < escapes:
                plain = json.dumps(char)[1:-1]
                plain = f"\\u{ord(char):04{rng.choice('xX')}}" if len(plain) == 1 else plain
            out.append(plain)
        return '"' + "".join(out) + '"'

    shuffled = shuffle(rng, value, rng.choice([0, 0.3, 1]))
    text = spell(shuffled, lambda: rng.choice(blanks), quote)
    return rng.choice(["", "", "\ufeff", "\n "]) + text + rng.choice(["", "\n", " \r\n"])


def shuffle(rng, value, share):
    """The same value with the members of some objects in another order."""
    if isinstance(value, list):
        return [shuffle(rng, one, share) for one in value]
    if isinstance(value, dict):
        pairs = [(name, shuffle(rng, one, share)) for name, one in value.items()]
        if rng.random() < share:
            rng.shuffle(pairs)
        mixed = type(value)(pairs)
        if isinstance(value, Twice):
            mixed.twice = value.twice
        return mixed
    return value


# --- Random logs --------------------------------------------------------------------------------

RULES = ["R1", "R2", "CA5350", "CA5350/md5", "a/b", "a/b/c", "abc/def", "js/xss", "G304", ""]
GUIDS = ["11111111-2222-3333-4444-555555555555", "abcdefab-cdef-abcd-efab-cdefabcdefab",
         "ABCDEFAB-CDEF-ABCD-EFAB-CDEFABCDEFAB", "00000000-0000-0000-0000-000000000000"]
NAMES = ["tool", "pack one", "CWE", "caf\u00e9", "OWASP"]
TEXTS = ["found it", "two\nlines", "", "[here](1) and [docs](https://x)", r"[a\[0\]](2) \[b](3)",
         "{0} in {1} and {7}", "{{x}} } {", "\U0001f600 wide \u202e", "<b>&\"'", "tab\there",
         "see {0}", "[a](1)[b](2)", "[[x](1)](2)", "\\", "[]()", "[x](", "{", "{12345678901234567890}"]
URIS = ["src/a.c", "src/b.c", "./src/a.c", "../x.c", r"src\a%20b.c", "a%ZZ", "a%00b", r"C:\x\y.c",
        "pkg:npm/x@1", "https://host/p?q=1#f", "file:///home/runner/work/r/r/src/a.c",
        "file:///p/src/a.c", "file:///C:/w/a%20b.c", "file://host/share/a.c", "/abs/a.c", "",
        "%C3%A9/%41%FF.c", "a b.c", "src/a%2Fb.c", "file:///p", "file:/p/x.c", "././a.c",
        "file:src/q.c", "file:./q%20.c", "/p/src/b.c", "/home/runner/work/r/r/a.c", "c:/w/a.c",
        "caf\u00e9.c", "a%7fb", "a%"]
BASES = {
    "SRCROOT": [{"uri": "src/", "uriBaseId": "PROJECTROOT"}, {"uri": "file:///p/src/"},
                {"uri": "./"}, {"uri": "lib"}, {"uriBaseId": "PROJECTROOT"}, {"uri": "/abs/"}],
    "PROJECTROOT": [{"uri": "file:///p/"}, {"uri": "file:///"}, {"uri": "file:///home/runner/work/"},
                    {}, {"uri": "top/"}, {"uri": "file:top"}, {"uri": "file:///C:/w/"}, {"uri": "https://x/y/"}],
    "OTHER": [{"uri": "file:///home/"}, {"uri": "o/", "uriBaseId": "SRCROOT"}],
}
SCORES = ["9.8", "9.80", "8.95", "7.0", "6.99", "4", "3.9", "0.0", "10.0", "10.1", "1e1", "-1",
          "0.1e1", "n/a", "MEDIUM", "Critical", "moderate", "low", "info", "informational", "none",
          "", " 9", "99999999999999999999", "9.0", "9.", ".5", "07", "+7", "0x7", "1e", "-0.0",
          " 9.8 ", "+9.8\t", "007.5", " HIGH ", "++7", ".", "+", "0.", "9..", ".5e1", "- 7"]
TAGS = ["security", "external/cwe/cwe-079", "CWE-79: x", "cwe:787", "CWE79", "xcwe-79", "CWE-79a",
        "OWASP-A6:2017-misconfig", "OWASP-A05:2021-x", "owasp", "owasp-api1:2019", "owasp a3",
        "caf\u00e9", "cwe / 22", "CWE_89", "external/owasp/owasp-a1",
        "owasp:2021-A03/2017-A01", "owasp-top10-2021-a3", "owasp a1 2017 a2", "a\"b", "", "security"]
TIMES = ["2024-01-01T00:00:00Z", "2024-06-30T10:11:12.345Z", "2025-02-03T04:05:06Z"]
FINGERS = ["0123456789abcdef", "39fa2ee980eb94b0:1", "requires login", "00000000-0000", "short",
           "value\u00e9value", "another-value-1", {"value": "nested-value-1"}]
FINGER_NAMES = ["h/v1", "h/v2", "h/v10", "h", "matchBasedId/v1", "primaryLocationLineHash",
                "primaryLocationStartColumnFingerprint", "zeta", "a/b/v3", "contextHash/v1",
                "commitSha", "author/v1"]
SNIPPETS = ["int a;\n", "one\ntwo\nthree\nfour\nfive\n", "one\r\ntwo\r\nthree", "", "\n\n\n",
            " x  =\t1 ;", "a\n\nb", "REDACTED", " REDACTED\n"]


class Maker:
    """Random logs from a seed; few faults unless asked for."""

    def __init__(self, rng):
        self.rng = rng

    def some(self, share, value):
        """A value, or None."""
        return value() if self.rng.random() < share else None

    def pick(self, values):
        """One of some values, a copy."""
        return copy.deepcopy(self.rng.choice(values))

    def object(self, **members):
        """An object of what is there, with unknown members and nulls among it."""
        whole = {name: value for name, value in members.items() if value is not None}
        if self.rng.random() < 0.06:
            whole[self.pick(["x-unknown", "Level", "comment"])] = self.pick(
                [1, None, {"runs": [1], "results": {}}, "x", [[]]])
        missing = [name for name, value in members.items() if value is None]
        if missing and self.rng.random() < 0.06:
            whole[self.pick(missing)] = None
        return whole

    def list(self, most, make):
        """A short list."""
        return [make() for _ in range(self.rng.randrange(most + 1))]

    def text(self):
        """A text."""
        return self.pick(TEXTS)

    def index(self, most):
        """An index, mostly of something."""
        return self.rng.randrange(-1, most) if most else -1

    def multi(self):
        """A multiformatMessageString."""
        return self.object(text=self.some(0.9, self.text), markdown=self.some(0.2, self.text))

    def score(self):
        """What somebody may write as a score."""
        text = self.pick(SCORES)
        return Raw(text) if self.rng.random() < 0.3 and NUMBER.fullmatch(text) else text

    def bag(self, is_result):
        """Properties."""
        pick, some = self.pick, self.some
        cwe = [79, "79, 787", "CWE-22", ["CWE-1", 2, "x"], "top 10", Raw("7.5"), "079;80"]
        bag = self.object(**{
            "security-severity": some(0.3, self.score),
            "precision": some(0.3, lambda: pick(["very-high", "high", "Medium", "low", "unknown"])),
            "tags": some(0.5, lambda: self.list(4, lambda: pick(TAGS)) or pick(TAGS)),
            "cwe": some(0.2, lambda: pick(cwe)),
            "cvssv4_baseScore": some(0.1, self.score),
            "cvssv3_baseScore": some(0.1, self.score),
            "cvssv2_score": some(0.1, self.score),
            "severity": some(0.1, lambda: pick(["HIGH", " low ", "WARNING", "info", 7])),
            "Severity": some(0.1, lambda: pick(["Critical", "Medium", "x", None])),
            "priority": some(0.1, lambda: pick(["moderate", "P1", []])),
            "issue_confidence": some(0.15, lambda: pick(["HIGH", "LOW", "x", 3])),
            "confidence": some(0.15, lambda: pick(
                [Raw("0.55"), Raw("1"), Raw("0"), Raw("1.1"), Raw("5e-1"), "medium", True]))})
        if is_result and self.rng.random() < 0.08:
            bag["retriage"] = self.own()
        return bag

    def own(self):
        """properties.retriage."""
        pick, some = self.pick, self.some
        return self.object(
            id=some(0.2, lambda: f"own-{self.rng.randrange(10**6)}"),
            severity=some(0.4, lambda: pick(["low", "critical", "odd"])),
            title=some(0.2, self.text), line_number=some(0.2, lambda: pick([0, 1, -5, 77])),
            cvss_score=some(0.2, lambda: Raw("1.50")), exploitable=some(0.4, lambda: pick(
                [True, False])), tags=some(0.2, lambda: ["own", "own"]),
            false_positive=some(0.1, lambda: pick([True, False])),
            notes=some(0.2, lambda: pick(["n", [{"added_at": None, "text": "t"}]])),
            updated_at=some(0.3, lambda: pick(TIMES)), file_path=some(0.1, lambda: "own/p"))

    def reference(self, ids, most, components):
        """A reportingDescriptorReference, or a component's."""
        some = self.some
        component = some(0.5, lambda: self.object(
            index=some(0.4, lambda: self.index(components + 1)),
            guid=some(0.3, lambda: self.pick(GUIDS)), name=some(0.4, lambda: self.pick(NAMES))))
        return self.object(id=some(0.7, lambda: self.pick(ids)),
                           index=some(0.4, lambda: self.index(most)),
                           guid=some(0.1, lambda: self.pick(GUIDS)), toolComponent=component)

    def descriptor(self):
        """A rule."""
        some = self.some
        return self.object(
            id=some(0.97, lambda: self.pick(RULES)), guid=some(0.2, lambda: self.pick(GUIDS)),
            name=some(0.5, self.text), shortDescription=some(0.4, self.multi),
            fullDescription=some(0.5, self.multi), help=some(0.4, self.multi),
            helpUri=some(0.3, lambda: "https://x/h"),
            defaultConfiguration=some(0.5, lambda: self.object(level=some(0.8, self.level))),
            relationships=some(0.3, lambda: self.list(2, lambda: self.object(
                target=some(0.9, lambda: self.reference(["79", "CWE-80", "A1"], 3, 2)),
                kinds=some(0.6, lambda: self.list(2, lambda: self.pick(
                    ["superset", "disjoint", "incomparable", "x"])))))),
            messageStrings=some(0.4, self.strings), properties=some(0.6, lambda: self.bag(False)))

    def strings(self):
        """messageStrings."""
        return {name: self.multi() for name in ("default", "other") if self.rng.random() < 0.6}

    def level(self):
        """A level."""
        return self.pick(["none", "note", "warning", "error"] * 5 +
                         ["info", "notice", "", "Error", " HIGH", "fatal", "caf\u00e9"])

    def component(self, driver):
        """A toolComponent."""
        some = self.some
        name = some(0.95, lambda: "tool" if driver else self.pick(NAMES))
        whole = self.object(
            name=name, guid=some(0.4, lambda: self.pick(GUIDS)),
            rules=some(0.85, lambda: self.list(5, self.descriptor)),
            globalMessageStrings=some(0.3, self.strings))
        if driver:
            for member in ("semanticVersion", "version", "dottedQuadFileVersion"):
                if self.rng.random() < 0.3:
                    whole[member] = self.pick(["1.2.3", "2", "2024.1-beta"])
        return whole

    def artifact(self, artifacts):
        """An artifactLocation."""
        some = self.some
        return self.object(
            uri=some(0.85, lambda: self.pick(URIS)), index=some(0.3, lambda: self.index(artifacts)),
            uriBaseId=some(0.4, lambda: self.pick(["SRCROOT", "PROJECTROOT", "OTHER", "%NONE%"])))

    def location(self, artifacts):
        """A location."""
        some, rng = self.some, self.rng
        line = lambda: rng.choice([1, 2, 3, 4, 5, Raw("6.0"), 7, 8, 0, -1])
        snippet = lambda: self.object(text=some(0.9, lambda: self.pick(SNIPPETS)))
        region = some(0.8, lambda: self.object(
            startLine=some(0.85, line), startColumn=some(0.5, line), endLine=some(0.3, line),
            endColumn=some(0.5, line), snippet=some(0.4, snippet), charOffset=some(0.1, line)))
        context = some(0.6, lambda: self.object(startLine=some(0.9, lambda: rng.randrange(1, 5)),
                                                snippet=some(0.9, snippet)))
        return self.object(
            physicalLocation=some(0.9, lambda: self.object(
                artifactLocation=some(0.9, lambda: self.artifact(artifacts)), region=region,
                contextRegion=context)),
            logicalLocations=some(0.3, lambda: self.list(2, lambda: self.object(
                fullyQualifiedName=some(0.8, lambda: self.pick(["a::b", "c.d", ""]))))))

    def message(self):
        """A message."""
        some = self.some
        return self.object(
            text=some(0.7, self.text), markdown=some(0.1, self.text),
            id=some(0.4, lambda: self.pick(["default", "other", "none"])),
            arguments=some(0.4, lambda: self.list(3, self.text)))

    def fix(self):
        """A fix."""
        some = self.some
        return self.object(
            description=some(0.6, self.message),
            artifactChanges=some(0.9, lambda: self.list(2, lambda: self.object(
                replacements=some(0.9, lambda: self.list(2, lambda: self.object(
                    insertedContent=some(0.7, lambda: self.object(
                        text=some(0.8, self.text), binary=some(0.1, lambda: "AAAA"))))))))))

    def fingerprints(self):
        """Fingerprints of any kind."""
        names = self.rng.sample(FINGER_NAMES, self.rng.randrange(1, 4))
        return {name: self.pick(FINGERS) for name in names}

    def one(self, artifacts, invocations, rules):
        """A result."""
        some, pick = self.some, self.pick
        rule_id = some(0.9, lambda: pick(RULES))
        reference = some(0.3, lambda: self.reference(
            [rule_id] if rule_id is not None else RULES, rules, 2))
        return self.object(
            ruleId=rule_id, ruleIndex=some(0.4, lambda: self.index(rules)), rule=reference,
            kind=some(0.25, lambda: pick(["pass", "fail", "open", "review", "informational", "fail",
                                          "notApplicable"])),
            level=some(0.5, self.level), message=some(0.95, self.message),
            locations=some(0.9, lambda: self.list(2, lambda: self.location(artifacts))),
            analysisTarget=some(0.15, lambda: self.artifact(artifacts)),
            fingerprints=some(0.15, self.fingerprints),
            partialFingerprints=some(0.3, self.fingerprints),
            correlationGuid=some(0.05, lambda: pick(GUIDS)), guid=some(0.1, lambda: pick(GUIDS)),
            suppressions=some(0.2, lambda: self.list(2, lambda: self.object(
                kind="external", status=some(0.6, lambda: pick(
                    ["accepted", "accepted", "underReview", "rejected"])),
                state=some(0.1, lambda: "rejected")))),
            baselineState=some(0.2, lambda: pick(["new", "unchanged", "absent", "odd"])),
            provenance=some(0.3, lambda: self.object(
                invocationIndex=some(0.5, lambda: self.index(invocations + 1)),
                firstDetectionTimeUtc=some(0.4, lambda: pick(TIMES)))),
            fixes=some(0.25, lambda: self.list(2, self.fix)),
            taxa=some(0.2, lambda: self.list(2, lambda: self.reference(
                ["79", "CWE-80", "cwe-081", "A1"], 3, 2))),
            properties=some(0.5, lambda: self.bag(True)), rank=some(0.1, lambda: 5),
            webRequest=some(0.1, lambda: self.object(target=some(0.9, lambda: pick(URIS)))),
            codeFlows=some(0.1, lambda: [{"threadFlows": [{"locations": [{}, {"level": 7}]}]}]))

    def invocation(self):
        """An invocation."""
        some = self.some
        return self.object(
            executionSuccessful=some(0.9, lambda: self.rng.random() < 0.8),
            startTimeUtc=some(0.6, lambda: self.pick(TIMES)),
            endTimeUtc=some(0.6, lambda: self.pick(TIMES)),
            workingDirectory=some(0.5, lambda: self.object(uri=self.pick(
                ["file:///home/runner/work/r/r", "file:///home/runner/work/r/r/", "file:///C:/w",
                 "sub/", "file:///", "file:sub"]), uriBaseId=some(0.2, lambda: "PROJECTROOT"))),
            ruleConfigurationOverrides=some(0.4, lambda: self.list(3, lambda: self.object(
                descriptor=some(0.95, lambda: self.reference(RULES, 5, 2)),
                configuration=some(0.9, lambda: self.object(level=some(0.8, self.level)))))))

    def run(self):
        """A run."""
        some, rng = self.some, self.rng
        artifacts, invocations = rng.randrange(5), rng.choice([0, 1, 1, 2])
        driver = self.component(True)
        rules = len(driver.get("rules") or [])
        bases = {name: self.pick(values) for name, values in BASES.items() if rng.random() < 0.6}
        return self.object(
            tool=self.object(driver=driver, extensions=some(
                0.4, lambda: self.list(2, lambda: self.component(False)))),
            artifacts=[self.object(location=some(0.9, lambda: self.artifact(0)))
                       for _ in range(artifacts)] or None,
            originalUriBaseIds=some(0.5, lambda: bases),
            invocations=[self.invocation() for _ in range(invocations)] or None,
            automationDetails=some(0.5, lambda: self.object(
                id=some(0.7, lambda: self.pick(["ci/py/1", "ci/js/1", "nightly", "x/", ""])),
                guid=some(0.4, lambda: self.pick(GUIDS)))),
            versionControlProvenance=some(0.4, lambda: self.list(2, lambda: self.object(
                repositoryUri=some(0.9, lambda: self.pick(
                    ["https://github.com/a/b.git", "git@h:c/d.git", "ssh://git@h:22/e/f",
                     "https://user@h/g/", "https://h"])),
                mappedTo=some(0.4, lambda: self.artifact(0))))),
            taxonomies=some(0.4, lambda: self.list(2, lambda: self.object(
                name=self.pick(NAMES), guid=some(0.5, lambda: self.pick(GUIDS)),
                taxa=some(0.8, lambda: self.list(3, lambda: self.object(
                    id=some(0.9, lambda: self.pick(["79", "089", "CWE-22", "x"])))))))),
            columnKind=some(0.4, lambda: "utf16CodeUnits"),
            externalPropertyFileReferences=some(0.08, lambda: self.object(
                taxonomies=[{"location": {"uri": "x"}}], graphs=some(0.3, lambda: []),
                results=some(0.1, lambda: self.pick([[], [{}]])))),
            results=[self.one(artifacts, invocations, rules) for _ in range(rng.choice(
                [0, 1, 2, 3, 5, 9, 14]))])

    def log(self):
        """A log."""
        return self.object(**{"$schema": self.some(0.9, lambda: SCHEMA)}, version="2.1.0",
                           runs=[self.run() for _ in range(self.rng.choice([1, 1, 1, 2, 3]))],
                           inlineExternalProperties=self.some(0.03, lambda: [{}]))


# --- Faults -------------------------------------------------------------------------------------

WRONG = {"string": [1, {}, [], True], "object": [[], "x", 7], "array": [{}, "x", 0],
         "number": ["1", Raw("1.0"), Raw("1.5"), Raw("1e2"), [], Raw("9223372036854775808"), True],
         "bool": ["true", 1, {}]}


def read_places(value, kind):
    """Every place in a log whose value is read: (object or list, name, kind)."""
    found = []
    if isinstance(kind, One):
        kind = next((one for one in kind.kinds if isinstance(one, List) == isinstance(value, list)),
                    None)
    if isinstance(kind, Map) and isinstance(value, dict):
        kind = {name: kind.of for name in value}
    if kind is RESULTS:
        kind = List(RESULT)
    if isinstance(kind, dict) and isinstance(value, dict):
        for name, child in kind.items():
            if name in value:
                found.append((value, name, child))
                found += read_places(value[name], child)
    elif isinstance(kind, List) and isinstance(value, list):
        for number in range(len(value[:kind.most])):
            found.append((value, number, kind.of))
            found += read_places(value[number], kind.of)
    return found


def wrong_for(rng, kind):
    """A value that may not stand where this kind does."""
    if isinstance(kind, Words):
        return rng.choice(["fatal", "", "Error", 1, []])
    if isinstance(kind, One):
        return rng.choice([1, True, [1], [None]] if List in map(type, kind.kinds) else
                          [1, [], {"value": 1}])
    name = ("object" if isinstance(kind, (dict, Map)) or kind == BAG else
            "array" if isinstance(kind, List) else "number" if kind in (INTEGER, INDEX) else
            "bool" if kind == FLAG else "string")
    return rng.choice(WRONG[name])


def spoil(rng, tree):
    """Put one fault into a log: a wrong type or word, a null, or a member twice."""
    places = read_places(tree, LOG)
    if not places:
        return
    holder, name, kind = rng.choice(places)
    way = rng.randrange(4)
    if way == 0:
        holder[name] = None
    elif way < 3 or isinstance(holder, list):
        holder[name] = wrong_for(rng, kind)
    else:
        twice = Twice(holder)
        twice.twice = name
        replace(tree, holder, twice)


def replace(value, old, new):
    """Put an object in the place of another, found by what it is."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for name, child in items:
        if child is old:
            value[name] = new
            return True
        if isinstance(child, (dict, list)) and replace(child, old, new):
            return True
    return False
