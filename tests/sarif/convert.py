"""A second opinion on SARIF: a log as issues of 29 members, by a plain walk over a JSON tree.

It shares no code with the program and is slow on purpose: one rule, one function. Rules are cited
as (S12) from the design of the reader, whose README section says what people need of it.

convert(data) -> Log, or Refused. As a program: convert.py FILE... prints what became of each.
"""
import hashlib
import pathlib
import re
import sys
from decimal import Decimal

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / name)
                for name in ("sarif", "property")]

from filter_model import resolved
from tree import (check, filled, first, get, index_of, is_integer, is_text, LEFT_OUT, LOG,
                  NotSarif, NUMBER, Number, Object, parse, Refused, RESULT)

MEMBERS = """id scan_id file_path line_number category severity confidence title description
column_start column_end explanation code_snippet context_before context_after remediation
remediation_code cwe_ids owasp_category cvss_score tags model_used false_positive exploitable
created_at updated_at repo_name scan_status scan_created_at""".split()
STRINGS = set("""id scan_id file_path category severity title description explanation code_snippet
context_before context_after remediation remediation_code owasp_category model_used created_at
updated_at repo_name scan_status scan_created_at""".split())
INTEGERS = {"line_number", "column_start", "column_end"}
NUMBERS = {"confidence", "cvss_score"}
LISTS = {"cwe_ids", "tags"}
LEVELS = {"error": "high", "warning": "medium", "note": "low", "none": "info"}


# --- Paths (S26, S27) ---------------------------------------------------------------------------

def scheme_of(uri):
    """The scheme of a URI in lower case, '' if it has none; one letter is a drive."""
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]+):", uri)
    return found[1].lower() if found else ""


def is_rooted(path):
    """With a drive, or from the root."""
    return re.match(r"[A-Za-z]:|[/\\]", path) is not None


def strip_dots(path):
    """Without leading './'."""
    while path.startswith("./"):
        path = path[2:]
    return path


def unescape(path):
    """Percent escapes decoded, except those that are invalid, controls or no UTF-8."""
    def run_of(found):
        raw = bytes.fromhex(found[0].replace("%", ""))
        out, at = "", 0
        while at < len(raw):
            for size in (1, 2, 3, 4):
                piece = raw[at:at + size]
                try:
                    char = piece.decode()
                except ValueError:
                    continue
                if len(char) == 1 and not ord(char) < 0x20 and ord(char) != 0x7f:
                    out += char
                    at += size
                    break
            else:
                out += found[0][3 * at:3 * at + 3]
                at += 1
        return out
    return re.sub(r"(%[0-9A-Fa-f]{2})+", run_of, path)


def plain(path):
    """A relative path, or one with a drive or from the root, as people write it."""
    return unescape(strip_dots(path.replace("\\", "/")))


def file_path(uri):
    """What a file: URI names, decoded: /p, C:/p, //host/p, or p, which is a relative one."""
    rest = strip_dots(uri[5:].replace("\\", "/"))
    if rest.startswith("//"):
        host, slash, path = rest[2:].partition("/")
        if re.fullmatch(r"[A-Za-z]:", host):
            host, path = "", host + slash + path
            rest = "/" + path
        elif host and host.lower() != "localhost":
            return unescape(rest)
        else:
            rest = "/" + path
    if re.match(r"/[A-Za-z]:", rest):
        rest = rest[1:]
    return unescape(rest)


def split_uri(uri):
    """(kind, path): absolute, relative, or other for another scheme than file."""
    scheme = scheme_of(uri)
    if scheme not in ("", "file"):
        return "other", uri
    path = file_path(uri) if scheme else plain(uri)
    return "absolute" if is_rooted(path if scheme else uri) else "relative", resolved(path)


def fold_drive(path):
    """With the letter of a drive in lower case."""
    return path[0].lower() + path[1:] if path[1:2] == ":" else path


def inside(path, root):
    """The path below a root, None if it is not below it."""
    root = fold_drive(root.rstrip("/") + "/")
    below = fold_drive(path).startswith(root) and len(path) > len(root)
    return path[len(root):] if below else None


def is_bare(path):
    """No more than a root, a drive or a host."""
    return re.fullmatch(r"/*|[A-Za-z]:/*|//[^/]*/*", path) is not None


class Run:
    """A run and what is looked up in it."""

    def __init__(self, tree, index):
        self.tree = tree
        self.index = index
        self.notes = {}
        self.driver = get(tree, "tool", "driver") or Object([])
        self.extensions = get(tree, "tool", "extensions") or []
        self.invocations = tree.get("invocations") or []
        self.bases = tree.get("originalUriBaseIds") or Object([])
        self.check_bases()
        automation = get(tree, "automationDetails", "id")
        self.category = automation.rpartition("/")[0] if automation else ""
        self.name = self.driver.get("name") or ""
        says = [one.get("executionSuccessful") for one in self.invocations]
        self.failed = False in says
        self.succeeded = bool(says) and all(one is True for one in says)
        self.failed_throughout = bool(says) and all(one is False for one in says)
        self.scan_id = self.make_scan_id()
        self.model = self.make_model()
        self.rules = {}

    def note(self, kind, count=1):
        """Count what is no fault."""
        self.notes[kind] = self.notes.get(kind, 0) + count

    def make_scan_id(self):
        """S37."""
        automation = self.tree.get("automationDetails")
        start = get(self.invocation(None), "startTimeUtc")
        own = f"{self.name}/{start}" if start is not None else f"{self.name}-{self.index}"
        return filled(get(automation, "id"), get(automation, "guid"), own)

    def make_model(self):
        """Section 3, model_used."""
        name = self.driver.get("name")
        version = filled(*(self.driver.get(one) for one in
                           ("semanticVersion", "version", "dottedQuadFileVersion")))
        if not name:
            return None
        return name if version is None else f"{name} {version}"

    def check_bases(self):
        """A loop of bases is refused."""
        for name in self.bases:
            seen = set()
            while name is not None and name in self.bases:
                if name in seen:
                    raise Refused("S26", f"originalUriBaseIds: loop at {name}")
                seen.add(name)
                name = get(self.bases[name], "uriBaseId")

    def invocation(self, index):
        """That of an index, else the last (S35)."""
        if index is not None and index < len(self.invocations):
            return self.invocations[index]
        return self.invocations[-1] if self.invocations else None

    def chain(self, base):
        """The URIs of a base and of what it stands on, the nearest first."""
        while base is not None and base in self.bases:
            entry = self.bases[base]
            uri = get(entry, "uri")
            if uri:
                yield uri
            base = get(entry, "uriBaseId")

    def join(self, path, base):
        """A relative path below its bases: (outermost absolute one or None, relative path)."""
        for part in self.chain(base):
            kind, part = split_uri(part)
            if kind != "relative":
                return part if kind == "absolute" else None, path
            path = part + ("" if part.endswith("/") or not part else "/") + path
        return None, path

    def full(self, location):
        """An artifactLocation as an absolute path of files, None where it is none."""
        kind, path = split_uri(get(location, "uri") or "")
        if kind == "relative":
            root, path = self.join(path, get(location, "uriBaseId"))
            return None if root is None else resolved(root.rstrip("/") + "/" + path)
        return path if kind == "absolute" else None

    def roots(self):
        """What absolute paths are made relative to (S27), in order of preference."""
        for provenance in self.tree.get("versionControlProvenance") or []:
            if provenance.get("mappedTo") is not None:
                yield self.full(provenance["mappedTo"])
        if self.invocations:
            directory = self.invocations[0].get("workingDirectory")
            directory = self.full(directory) if directory is not None else None
            yield None if directory is None or is_bare(directory) else directory
        bases = [self.full(Object([("uriBaseId", name)])) for name in self.bases]
        bases = [base for base in bases if base is not None and not is_bare(base)]
        yield from sorted(bases, key=len)

    def place(self, location):
        """The location with the URI: itself or that of an artifact (S26)."""
        if get(location, "uri"):
            return location
        index = index_of(get(location, "index"))
        if index is None:
            return None
        artifacts = self.tree.get("artifacts") or []
        if index >= len(artifacts):
            raise Refused("S26", "artifactLocation.index")
        location = get(artifacts[index], "location")
        return location if get(location, "uri") else None

    def path(self, location):
        """The file_path of an artifactLocation, None if it names none."""
        location = self.place(location)
        if location is None:
            return None
        whole = self.full(location)
        for root in self.roots() if whole is not None else ():
            relative = inside(whole, root) if root is not None else None
            if relative is not None:
                return relative
        kind, path = split_uri(location["uri"])
        if kind == "relative":
            path = resolved(self.join(path, location.get("uriBaseId"))[1])
        return path or None

    def repository(self, location):
        """repo_name (S37)."""
        all_of_them = self.tree.get("versionControlProvenance") or []
        location = self.place(location)
        path = self.full(location) if location is not None else None
        chosen = None
        for one in all_of_them:
            root = self.full(one["mappedTo"]) if one.get("mappedTo") is not None else None
            if path is not None and root is not None and inside(path, root) is not None:
                chosen = one
                break
        chosen = chosen or get(all_of_them, 0)
        return repository_name(get(chosen, "repositoryUri"))

    # --- Rules (S11 to S13) ---------------------------------------------------------------------

    def component(self, reference):
        """(component, it was named) of a toolComponentReference."""
        index = index_of(get(reference, "index"))
        if index is not None and index < len(self.extensions):
            return self.extensions[index], True
        for member in ("guid", "name"):
            want = get(reference, member)
            for one in [self.driver] + self.extensions if want is not None else ():
                have = one.get(member)
                if have is not None and fold(member, have) == fold(member, want):
                    return one, True
        return self.driver, False

    def first_with(self, component, member):
        """The first rule of a component with each id or guid."""
        key = (id(component), member)
        if key not in self.rules:
            named = {}
            for one in component.get("rules") or []:
                if one.get(member) is not None:
                    named.setdefault(fold(member, one[member]), one)
            self.rules[key] = named
        return self.rules[key]

    def rule(self, rule_id, rule_index, reference, strict):
        """(rule id, descriptor, component); a descriptor of another id is the index's alone."""
        self.by_index = False
        rule_id, other = filled(rule_id), filled(get(reference, "id"))
        if rule_id is not None and other is not None and rule_id != other:
            raise Refused("S11", "rule.id")
        rule_id = first(rule_id, other)
        component, named = self.component(get(reference, "toolComponent"))
        rules = component.get("rules") or []
        guid = get(reference, "guid")
        places = [component] if named else [self.driver] + self.extensions
        for place in places if guid is not None else ():
            one = self.first_with(place, "guid").get(guid.lower())
            if one is not None:
                return first(rule_id, filled(one.get("id"))), one, place
        index = first(index_of(get(reference, "index")), index_of(rule_index))
        if index is not None and index >= len(rules):
            if rule_id is None and strict:
                raise Refused("S13", "ruleIndex")
            index = None
        if index is not None:
            have = filled(rules[index].get("id"))
            if rule_id is None:
                return have, rules[index], component
            if have is not None and (rule_id == have or rule_id.startswith(have + "/")):
                return rule_id, rules[index], component
        if rule_id is None:
            return None, None, component
        wanted = rule_id
        while True:
            for place in places:
                one = self.first_with(place, "id").get(wanted)
                if one is not None:
                    return rule_id, one, place
            if "/" not in wanted:
                self.by_index = index is not None
                return rule_id, rules[index] if index is not None else None, component
            wanted = wanted.rpartition("/")[0]

    # --- Taxa (S32) -----------------------------------------------------------------------------

    def taxonomy(self, reference):
        """The taxonomy of a toolComponentReference."""
        taxonomies = self.tree.get("taxonomies") or []
        index = index_of(get(reference, "index"))
        if index is not None and index < len(taxonomies):
            return taxonomies[index]
        for member in ("guid", "name"):
            want = get(reference, member)
            for one in taxonomies if want is not None else ():
                have = one.get(member)
                if have is not None and fold(member, have) == fold(member, want):
                    return one
        return None

    def taxon(self, reference):
        """The CWE number that a reference to a taxon stands for, None if it is none."""
        component = reference.get("toolComponent")
        taxonomy = self.taxonomy(component)
        name = first(get(component, "name"), get(taxonomy, "name"))
        own = filled(reference.get("id"))
        if own is None:
            index = index_of(reference.get("index"))
            own = get(taxonomy, "taxa", index, "id") if index is not None else None
        if own is None:
            return None
        if name is not None and name.lower() == "cwe" and re.fullmatch("[0-9]+", own):
            return int(own)
        found = re.fullmatch("(?i)CWE-([0-9]+)", own)
        return int(found[1]) if found else None


def fold(member, value):
    """GUIDs are compared without case."""
    return value.lower() if member == "guid" else value


def repository_name(uri):
    """The path of a repository's address (S37)."""
    if uri is None:
        return None
    found = re.match(r"[A-Za-z][A-Za-z0-9+.-]*://[^/]*", uri)
    if found:
        path = uri[found.end():]
    else:
        found = re.match(r"[^/:]*@[^/:]*:", uri)
        path = uri[found.end():] if found else uri
    path = path.strip("/")
    path = path[:-4] if path.endswith(".git") else path
    return path or None


# --- Messages (S14, S15) ------------------------------------------------------------------------

def substitute(text, arguments):
    """{0} and the doubled braces."""
    def piece(found):
        if found[0] in ("{{", "}}"):
            return found[0][0]
        number = int(found[1])
        return arguments[number] if number < len(arguments) else found[0]
    return re.sub(r"\{\{|\}\}|\{([0-9]+)\}", piece, text)


LINK = re.compile(r"(?<!\\)((?:\\\\)*)\[((?:[^\[\]\\]|\\.)*)\]\([0-9]+\)", re.S)


def unlink(text):
    """Links to a location of the result, by their number, are their text (S15)."""
    return LINK.sub(lambda found: found[1] + re.sub(r"\\([\[\]\\])", r"\1", found[2]), text)


def message_texts(run, message, descriptor, component):
    """(text for identity, text that is shown) of a message object; None if it says nothing."""
    if message is None:
        return None, None
    name, arguments = message.get("id"), message.get("arguments")
    strings = [None, None]
    if name is not None:
        strings = [get(descriptor, "messageStrings", name),
                   get(component, "globalMessageStrings", name)]
    text = first(message.get("text"), *(get(one, "text") for one in strings))
    links = text is not None
    if text is None:
        text = first(message.get("markdown"), *(get(one, "markdown") for one in strings))
    if text is None:
        if name is None:
            return None, None
        run.note("message")
        text = " ".join([name] + (arguments or []))
        return text, text
    if arguments is not None:
        text = substitute(text, arguments)
    return text, unlink(text) if links else text


# --- Identity (S16 to S21) ----------------------------------------------------------------------

def netstrings(*parts):
    """The SHA-256 of texts, each with its length."""
    return hashlib.sha256(b"".join(b"%d:%s," % (len(part.encode()), part.encode())
                                   for part in parts)).hexdigest()


def usable(value):
    """S17."""
    return (value is not None and len(value.encode()) >= 8 and not re.search(r"[ \t\r\n]", value)
            and not re.fullmatch("[0-]*", value))


OF_COMMIT = ("commitSha", "email", "author", "date", "commitMessage")


def fingerprints(value):
    """[(name, value)] of a map, usable ones, the lowest version of each, by base name."""
    lowest = {}
    for name, text in (value or {}).items():
        text = text if text is None or is_text(text) else text.get("value")
        found = re.fullmatch(r"(.*)/v([0-9]+)", name, re.S)
        base, version = (found[1], int(found[2])) if found else (name, -1)
        if not usable(text) or base in OF_COMMIT:
            continue
        if base not in lowest or version < lowest[base][0]:
            lowest[base] = (version, name, text)
    return [(lowest[base][1], lowest[base][2]) for base in sorted(lowest, key=str.encode)], lowest


def start(region):
    """(line, column), each from 1 on, else None."""
    line = positive(get(region, "startLine"))
    column = positive(get(region, "startColumn") or Number("1")) if line is not None else None
    return line, column


def identity(run, result, rule_id, path, message):
    """The id without an ordinal."""
    correlation = result.get("correlationGuid")
    if usable(correlation):
        return "s2-" + netstrings("retriage-sarif-2", "correlation", correlation.lower())[:32]
    whole, _ = fingerprints(result.get("fingerprints"))
    partial, by_base = fingerprints(result.get("partialFingerprints"))
    if whole:
        parts = ["fingerprint", *whole[0]]
    elif "primaryLocationLineHash" in by_base:
        parts = ["partial", "primaryLocationLineHash", by_base["primaryLocationLineHash"][2]]
        column = (result.get("partialFingerprints") or {}).get(
            "primaryLocationStartColumnFingerprint")
        if is_text(column):
            parts.append(column)
    elif partial:
        parts = ["partial", *(text for pair in partial for text in pair)]
    else:
        location = get(result, "locations", 0)
        region = get(location, "physicalLocation", "region")
        snippet = re.sub("[ \t\r\n]+", " ", get(region, "snippet", "text") or "").strip(" ")
        where = [":".join(str(as_int(one or "0")) for one in start(region))]
        parts = ["content", snippet, *(where if snippet == "REDACTED" else []),
                 re.sub("[0-9]+", "0", message or ""),
                 *filter(None, [get(location, "logicalLocations", 0, "fullyQualifiedName")])]
    return "s2-" + netstrings("retriage-sarif-2", run.name, run.category, rule_id or "",
                              path or "", *parts)[:32]


# --- Severity, confidence, tags -----------------------------------------------------------------

WORDS = {"critical": "critical", "high": "high", "medium": "medium", "moderate": "medium",
         "low": "low", "info": "info", "informational": "info"}


def lower(text):
    """ASCII letters only."""
    return re.sub("[A-Z]+", lambda found: found[0].lower(), text)


def word(value):
    """The severity that a word stands for."""
    return WORDS.get(lower(value.strip(" \t\r\n"))) if is_text(value) else None


def score(value):
    """A number in (0, 10] as JSON spells it, None if it is none."""
    if not isinstance(value, str):
        return None
    text = re.sub(r"^\+", "", value.strip(" \t\r\n"))
    text = re.sub(r"^0+(?=[0-9])", "", text)
    text = re.sub(r"(?<=.)\.$", "", text)
    text = re.sub(r"^\.(?=.)", "0.", text)
    if not NUMBER.fullmatch(text):
        return None
    return text if 0 < Decimal(text) <= 10 else None


def band(run, value):
    """The severity that a security-severity stands for, None if it is passed over (S22)."""
    if value is None:
        return None
    text = score(value)
    if text is not None:
        number = Decimal(text)
        return ("critical" if number >= 9 else "high" if number >= 7 else
                "medium" if number >= 4 else "low")
    if word(value) is None:
        run.note("severity")
    return word(value)


def levels_of(run, result, descriptor):
    """S23: of the result, of an override, of the rule."""
    yield result.get("level")
    invocation = index_of(get(result, "provenance", "invocationIndex"))
    if invocation is None and len(run.invocations) == 1:
        invocation = 0
    for one in get(run.invocations, invocation, "ruleConfigurationOverrides") or [] \
            if invocation is not None and descriptor is not None else ():
        _, found, _ = run.rule(None, None, one.get("descriptor"), strict=False)
        level = get(one, "configuration", "level")
        if found is descriptor and level is not None:
            yield level
            break
    yield get(descriptor, "defaultConfiguration", "level")


def by_level(run, result, descriptor):
    """The severity of the first level that counts; S6: one that is none may be another word."""
    unknown = []
    for level in levels_of(run, result, descriptor):
        # S24: what is not decided yet may be bad.
        if level in LEVELS and not (level == "none" and result.get("kind") in ("open", "review")):
            break
        if level is not None and level not in LEVELS:
            unknown.append(level)
    else:
        level = None
    if unknown:
        run.note("level")
    if level is not None:
        return LEVELS[level]
    meanings = {**WORDS, **LEVELS, "notice": "info"}
    return first(*(meanings.get(lower(one.strip(" \t\r\n"))) for one in unknown))


def severity(run, result, descriptor):
    """S22 and S24."""
    if result.get("kind") == "informational":
        return "info"
    for one in (result, descriptor):
        found = band(run, get(one, "properties", "security-severity"))
        if found is not None:
            return found
    found = by_level(run, result, descriptor)
    if found is not None:
        return found
    found = first(*(word(get(one, "properties", name)) for one in (result, descriptor)
                    for name in ("severity", "Severity", "priority")))
    run.note("default" if found is None else "word")
    return first(found, "medium")


def confidence(result, descriptor):
    """S25."""
    words = {"very-high": "0.95", "high": "0.8", "medium": "0.5", "low": "0.2"}
    bag = result.get("properties")
    values = [get(descriptor, "properties", "precision"), get(bag, "issue_confidence"),
              get(bag, "confidence")]
    for value in values:
        if is_text(value) and lower(value) in words:
            return Number(words[lower(value)])
    own = values[2]
    if isinstance(own, Number) and 0 <= Decimal(own) <= 1:
        return own
    return None


def cvss(result, descriptor):
    """Section 3, cvss_score."""
    for one in (result, descriptor):
        for name in ("cvssv4_baseScore", "cvssv3_baseScore", "cvssv2_score"):
            value = get(one, "properties", name)
            if isinstance(value, str) and NUMBER.fullmatch(value):
                return Number(value)
    for one in (result, descriptor):
        text = score(get(one, "properties", "security-severity"))
        if text is not None:
            return Number(text)
    return None


def tags_of(bag):
    """The tags of a property bag."""
    tags = get(bag, "tags")
    return [tags] if is_text(tags) else tags or []


CWE = re.compile(r"(?i)(?<![0-9a-z_])cwe[-_ :/\t]*([0-9]+)(?![0-9a-z_])", re.A)
OWASP = re.compile(r"(?i)(?<![0-9a-z])(?:([0-9]{4})[-_: ]*)?(?<![0-9a-z])(A|API)([0-9]{1,2})"
                   r"(?![0-9a-z])(?:(?(1)(?!))[-_: ]*([0-9]{4})(?![0-9a-z]))?", re.A)


def cwe_property(value):
    """The numbers of a property cwe."""
    if isinstance(value, list):
        return [number for one in value for number in cwe_property(one)]
    if isinstance(value, Number):
        return [int(value)] if re.fullmatch("[0-9]+", value) else []
    if not is_text(value):
        return []
    numbers = [int(found) for found in CWE.findall(value)]
    if re.fullmatch(r"[0-9]+(?:[ \t,;]+[0-9]+)*", value.strip()):
        numbers += [int(found) for found in re.findall("[0-9]+", value)]
    return numbers


def cwe_ids(run, result, descriptor):
    """S32."""
    numbers = [run.taxon(one) for one in result.get("taxa") or []]
    for one in get(descriptor, "relationships") or []:
        kinds = one.get("kinds")
        if kinds and all(kind in ("disjoint", "incomparable") for kind in kinds):
            continue
        if one.get("target") is not None:
            numbers.append(run.taxon(one["target"]))
    for one in (descriptor, result):
        bag = get(one, "properties")
        for tag in tags_of(bag):
            numbers += [int(found) for found in CWE.findall(tag)]
        numbers += cwe_property(get(bag, "cwe"))
    return [f"CWE-{number}" for number in sorted(set(numbers) - {None, 0})]


def owasp(tags):
    """S32."""
    best, code = -1, None
    for tag in tags:
        if "owasp" not in tag.lower():
            continue
        for before, kind, digits, after in OWASP.findall(tag):
            year = before or after
            if int(year or 0) > best:
                best = int(year or 0)
                code = kind.upper() + digits + (":" + year if year else "")
    return code


# --- Snippets (S30) -----------------------------------------------------------------------------

def lines_of(text):
    """Lines with their ends."""
    return re.findall("[^\n]*\n|[^\n]+$", text)


def cut_end(text):
    """Without the last line's end."""
    return re.sub("\r?\n\\Z", "", text)


def snippets(physical):
    """(code_snippet, context_before, context_after)."""
    own = get(physical, "region", "snippet", "text")
    context = get(physical, "contextRegion", "snippet", "text")
    start, end, from_line = (get(physical, *names) for names in (
        ("region", "startLine"), ("region", "endLine"), ("contextRegion", "startLine")))
    start, end, from_line = (as_int(positive(one) or "0") for one in (start, end, from_line))
    if context is None:
        return own, None, None
    lines = lines_of(context)
    end = end if end >= 1 else start
    if not (from_line >= 1 and from_line <= start <= end < from_line + len(lines)):
        return first(own, context), None, None
    before = lines[:start - from_line]
    middle = lines[start - from_line:end - from_line + 1]
    after = lines[end - from_line + 1:]
    return (own if own is not None else cut_end("".join(middle)),
            cut_end("".join(before)) if before else None,
            cut_end("".join(after)) if after else None)


# --- A result -----------------------------------------------------------------------------------

def false_positive(result):
    """S33."""
    entries = result.get("suppressions") or []
    states = [first(one.get("status"), one.get("state")) for one in entries]
    return bool(entries) and not any(one in ("underReview", "rejected") for one in states)


def remediation(run, result, descriptor, component):
    """Section 3."""
    _, fix = message_texts(run, get(result, "fixes", 0, "description"), descriptor, component)
    text = filled(get(descriptor, "help", "text"), get(descriptor, "help", "markdown"),
                  get(descriptor, "helpUri"))
    return "\n\n".join(filter(None, (fix, text))) or fix


def remediation_code(result):
    """S36."""
    changes = get(result, "fixes", 0, "artifactChanges") or []
    replacements = get(changes, 0, "replacements") or []
    if len(changes) != 1 or len(replacements) != 1:
        return None
    content = get(replacements, 0, "insertedContent")
    if get(content, "text") is None and get(content, "binary") is not None:
        return None
    return get(content, "text") or ""


def own_members(bag):
    """What properties.retriage says, checked (SPEC D4)."""
    own = get(bag, "retriage")
    for name, value in (own or {}).items():
        if name not in MEMBERS and name != "notes" or name == "false_positive":
            continue
        if name in own.twice:
            raise Refused("S7", name)
        right = value is None and name != "id" or (
            name == "id" and is_text(value) and value or
            name in STRINGS - {"id"} and is_text(value) or
            name in INTEGERS and is_integer(value) or
            name in NUMBERS and isinstance(value, Number) or
            name in LISTS and isinstance(value, list) and all(map(is_text, value)) or
            name == "exploitable" and isinstance(value, bool) or
            name == "notes" and isinstance(value, (str, list)))
        if not right:
            raise Refused("SPEC D4", name)
    return {name: own[name] for name in MEMBERS if name in (own or {}) and
            name != "false_positive"}


def first_line(text):
    """The first line that is not blank, without blanks around it."""
    return re.split("[\r\n]", text.lstrip(" \t\r\n"))[0].rstrip(" \t")


def positive(value):
    """An integer from 1 to 2^31, else None."""
    return value if value is not None and 1 <= as_int(value) <= 2**31 else None


def whole_number(value):
    """An integer as a number of JSON."""
    return None if value is None else Number(as_int(value))


def as_int(value):
    """An integer, maybe with zeros after a point."""
    return int(value.partition(".")[0])


def make_issue(run, result, position):
    """A dict of the 29 members, the id without ordinal, and its place among equals."""
    rule_id, descriptor, component = run.rule(result.get("ruleId"), result.get("ruleIndex"),
                                              result.get("rule"), strict=True)
    by_index = run.by_index
    text, shown = message_texts(run, result.get("message"), descriptor, component)
    physical = get(result, "locations", 0, "physicalLocation")
    target = get(physical, "artifactLocation")
    path = run.path(target)
    if path is None:
        target = result.get("analysisTarget")
        path = run.path(target)
    if path is None and not result.get("locations"):
        path = get(result, "webRequest", "target") or None
    region = get(physical, "region")
    line, column = start(region)
    end_column = positive(get(region, "endColumn")) if line is not None else None
    snippet, before, after = snippets(physical)
    tags = list(dict.fromkeys(tags_of(get(descriptor, "properties")) +
                              tags_of(result.get("properties"))))
    own = own_members(result.get("properties"))
    provenance = result.get("provenance")
    invocation = run.invocation(index_of(get(provenance, "invocationIndex")))
    begin, finish = get(invocation, "startTimeUtc"), get(invocation, "endTimeUtc")
    issue = {
        "id": identity(run, result, rule_id, path, text),
        "scan_id": run.scan_id,
        "file_path": path,
        "line_number": whole_number(line),
        "category": rule_id if by_index else first(filled(get(descriptor, "id")), rule_id),
        "severity": None if "severity" in own else severity(run, result, descriptor),
        "confidence": confidence(result, descriptor),
        "title": filled(get(descriptor, "shortDescription", "text"), get(descriptor, "name"),
                        rule_id, first_line(shown or ""), "untitled"),
        "description": shown,
        "column_start": whole_number(column),
        "column_end": whole_number(end_column),
        "explanation": filled(get(descriptor, "fullDescription", "text"),
                              get(descriptor, "fullDescription", "markdown")),
        "code_snippet": snippet,
        "context_before": before,
        "context_after": after,
        "remediation": remediation(run, result, descriptor, component),
        "remediation_code": remediation_code(result),
        "cwe_ids": cwe_ids(run, result, descriptor),
        "owasp_category": owasp(tags),
        "cvss_score": cvss(result, descriptor),
        "tags": tags,
        "model_used": run.model,
        "false_positive": false_positive(result),
        "exploitable": None,
        "created_at": first(get(provenance, "firstDetectionTimeUtc"), finish, begin),
        "updated_at": None,
        "repo_name": run.repository(target),
        "scan_status": "failed" if run.failed else "completed",
        "scan_created_at": first(begin, finish),
    }
    if "file_path" not in own and (path or "").startswith("//"):
        run.note("host")
    if "file_path" not in own and ((path or "") + "/").startswith("../"):
        run.note("above")
    if "id" in own or usable(result.get("correlationGuid")):
        run.note("given")
    issue.update(own)
    digest = hashlib.sha256((text or "").encode()).hexdigest()
    order = (as_int(line or "0"), as_int(column or "0"), digest, position)
    return issue, "id" in own, order


def is_left_out(result):
    """Whether a result is no issue (S9)."""
    return result.get("kind") in ("pass", "notApplicable") or (
        result.get("baselineState") == "absent")


def read_run(run, accept_failed):
    """All issues of a run, in order of the log: [(issue, own id, order)]."""
    check_external(run)
    results = run.tree.get("results")
    for position, result in enumerate(results or []):
        check(result, LEFT_OUT if is_left_out(result) else RESULT, f"result {position}")
    if results is None and "results" not in run.tree and run.succeeded:
        run.note("clean")
        return []
    if not results and (results is None or run.failed_throughout):
        if not accept_failed:
            raise Refused("S10", "results" if results is None else "executionSuccessful")
        run.note("failed_empty")
        return []
    if run.failed:
        run.note("failed" if results else "partly_failed")
    found = []
    for position, result in enumerate(results):
        kind = result.get("kind")
        if kind in ("pass", "notApplicable"):
            run.note(kind)
        elif result.get("baselineState") == "absent":
            run.note("absent")
        else:
            found.append(make_issue(run, result, position))
    return found


def check_external(run):
    """S8."""
    references = run.tree.get("externalPropertyFileReferences") or {}
    for name, value in references.items():
        if value is None or value == []:
            continue
        if name in ("results", "driver", "extensions", "artifacts", "invocations"):
            raise Refused("S8", f"externalPropertyFileReferences.{name}")
        run.note("external")


def number_equals(runs):
    """Ordinals (S18, S19)."""
    last, numbered = {}, []
    for run in runs:
        equal = {}
        for issue, own, order in run.found:
            if not own:
                equal.setdefault(issue["id"], []).append((order, issue))
        for name, group in equal.items():
            before = last.get(name, 0)
            if before:
                run.note("ordinal", len(group))
            for number, (_, issue) in enumerate(sorted(group, key=lambda one: one[0]), before + 1):
                numbered.append((issue, name, number))
            last[name] = before + len(group)
    for issue, name, number in numbered:
        if last[name] > 1:
            issue["id"] = f"{name}-{number}of{last[name]}"


class Log:
    """What became of a log: issues, and notes of each run."""

    def __init__(self, runs, halves):
        self.issues = [issue for run in runs for issue, _, _ in run.found]
        self.notes = [run.notes for run in runs] + [{"half": halves}] * (halves > 0)
        seen = set()
        for issue in self.issues:
            if issue["id"] in seen:
                raise Refused("SPEC D6", issue["id"])
            seen.add(issue["id"])


def is_log(tree):
    """S1."""
    if not isinstance(tree, dict) or "runs" not in tree:
        return False
    if isinstance(tree.get("issues"), list) or isinstance(tree.get("rulesets"), list):
        if isinstance(tree["runs"], list):
            raise Refused("S1", "runs")
        return False
    schema = tree.get("$schema")
    return tree.get("version") is not None or is_text(schema) and "sarif" in schema


PAIR = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|"
                  rb"(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.", re.DOTALL)


def mend(data):
    """A text with U+FFFD for halves of surrogate pairs, and how many there were."""
    halves = sum(one[1] is not None for one in PAIR.finditer(data))
    return PAIR.sub(lambda one: b"\\ufffd" if one[1] else one[0], data), halves


def convert(data, accept_failed=False):
    """A log as issues. Refused or NotSarif otherwise."""
    data, halves = mend(data)
    tree = parse(data)
    if not is_log(tree):
        raise NotSarif
    for name in ("$schema", "version", "runs"):
        if name in tree.twice:
            raise Refused("S7", name)
    if tree.get("version") != "2.1.0" or isinstance(tree["version"], Number):
        raise Refused("S2", "version")
    check(tree, LOG, "log")
    if any(one.get("results") for one in tree.get("inlineExternalProperties") or []):
        raise Refused("S8", "inlineExternalProperties")
    if not tree["runs"] and not accept_failed:
        raise Refused("S10", "runs")
    runs = [Run(one, index) for index, one in enumerate(tree["runs"] or [])]
    for run in runs:
        run.found = read_run(run, accept_failed)
    number_equals(runs)
    return Log(runs, halves)


def main(names):
    """Print counts, notes and the first id of each log."""
    for name in names:
        with open(name, "rb") as file:
            data = file.read()
        try:
            log = convert(data)
        except (Refused, NotSarif) as error:
            print(name, type(error).__name__, error)
            continue
        counts = {}
        for issue in log.issues:
            counts[issue["severity"]] = counts.get(issue["severity"], 0) + 1
        ordinals = sum(re.fullmatch("s2-[0-9a-f]{32}-[0-9]+of[0-9]+", issue["id"]) is not None
                       for issue in log.issues)
        print(name, len(log.issues), counts,
              f"categories {len({issue['category'] for issue in log.issues})}",
              f"ordinals {ordinals}",
              f"false positives {sum(issue['false_positive'] for issue in log.issues)}", log.notes,
              log.issues[0]["id"] if log.issues else "")


if __name__ == "__main__":
    main(sys.argv[1:])
