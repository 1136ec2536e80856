"""What GitHub takes of a SARIF log: its documented numbers, its rules of kind, and the schema.

Written from GitHub's pages on SARIF support, and not from the program. `report --for github` of
every log of tools and of every fixture has to keep them: by itself, with everything dismissed and
kept, with a filter, and two logs in one. What the schema refuses of a log before is none of ours.
Environment: RETRIAGE.
"""
import gzip
import json
import os
import pathlib
import re
import subprocess
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
NUMBERS = {"runs": 20, "results": 25000, "rules": 25000, "extensions": 100, "locations": 1000,
           "steps": 10000, "tags": 20}
BYTES = 10 * 1000 * 1000


def components(run):
    """The driver and the extensions of a run."""
    return [run["tool"]["driver"]] + run["tool"].get("extensions", [])


def category(run):
    """What of an id tells analyses of a tool apart."""
    return (run.get("automationDetails") or {}).get("id", "").rpartition("/")[0]


def numbers(tree):
    """Each number that GitHub limits, with the largest that the log has."""
    found = dict.fromkeys(NUMBERS, 0)

    def see(name, count):
        found[name] = max(found[name], count)
    see("runs", len(tree["runs"]))
    for run in tree["runs"]:
        see("results", len(run.get("results") or []))
        see("rules", sum(len(one.get("rules") or []) for one in components(run)))
        see("extensions", len(run["tool"].get("extensions") or []))
        for one in components(run):
            for rule in one.get("rules") or []:
                see("tags", len((rule.get("properties") or {}).get("tags") or []))
        for result in run.get("results") or []:
            see("locations", len(result.get("locations") or []))
            see("steps", sum(len(thread.get("locations") or [])
                             for flow in result.get("codeFlows") or []
                             for thread in flow.get("threadFlows") or []))
    return found


def walk(value, name=None):
    """Every object in a value, with the name of the member that it is in."""
    if isinstance(value, dict):
        yield name, value
        for key, child in value.items():
            if key != "properties":
                yield from walk(child, key)
    elif isinstance(value, list):
        for child in value:
            yield from walk(child, name)


def faults_of_result(result, run, keep):
    """What GitHub refuses of a result, or takes for what it is not."""
    if result.get("kind", "fail") in ("pass", "notApplicable"):
        yield f"kind {result['kind']}"
    if result.get("baselineState") == "absent":
        yield "an absent result"
    if not (result.get("message") or {}).get("text"):
        yield "a message without text"
    place = ((result.get("locations") or [{}])[0] or {}).get("physicalLocation") or {}
    if not (place.get("artifactLocation") or {}).get("uri"):
        yield "no address"
    if not (place.get("region") or {}).get("startLine", 0) >= 1:
        yield "no line"
    states = [one.get("status", one.get("state", "accepted"))
              for one in result.get("suppressions") or []]
    if states and set(states) == {"accepted"} and not keep and "exp:" not in json.dumps(result) \
            and "expir" not in json.dumps(result["suppressions"]):
        yield "a dismissed result"
    for one in result.get("suppressions") or []:
        if "guid" in one and not re.fullmatch(
                "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-5][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-"
                "[0-9a-fA-F]{12}", one["guid"]):
            yield f"guid {one['guid']}"
    for name, inner in walk(result):
        if name == "artifactLocation" and inner.get("index", -1) >= len(run.get("artifacts") or []):
            yield f"artifact {inner['index']}"


def addresses(tree):
    """Addresses of results that lead nowhere."""
    for run in tree["runs"]:
        for one, other in re.findall(r"sarif:/runs/([0-9]+)/results/([0-9]+)",
                                     json.dumps(run.get("results"))):
            if int(one) >= len(tree["runs"]) or \
                    int(other) >= len(tree["runs"][int(one)].get("results") or []):
                yield f"sarif:/runs/{one}/results/{other}"


def faults(tree, keep, told):
    """What is wrong with a log that GitHub is given; told: numbers that a note has named."""
    have = numbers(tree)
    found = {f"{name}: {have[name]}" for name, most in NUMBERS.items()
             if have[name] > most and name not in told}
    keys = [(run["tool"]["driver"].get("name"), category(run)) for run in tree["runs"]]
    found |= {f"twice: {key}" for key in keys if keys.count(key) > 1}
    if len(gzip.compress(json.dumps(tree).encode())) > BYTES:
        found.add("too large")
    for run in tree["runs"]:
        for one in components(run):
            rules = [json.dumps(rule, sort_keys=True) for rule in one.get("rules") or []]
            found |= {"equal rules"} if len(set(rules)) < len(rules) else set()
        for result in run.get("results") or []:
            found |= set(faults_of_result(result, run, keep))
    return found | set(addresses(tree))


class Folder:
    """What the program makes of logs, in a folder of its own."""

    def __init__(self, path):
        self.path = pathlib.Path(path)

    def run(self, *options):
        """The status of a command, and its answer."""
        done = subprocess.run([os.environ["RETRIAGE"], *map(str, options)], capture_output=True,
                              check=False)
        return done.returncode, done.stderr.decode()

    def report(self, *options):
        """The log for GitHub and the names of numbers that are told; None: refused."""
        out, losses = self.path / "out.sarif", self.path / "losses.json"
        command = ["report", "--quiet", "--for", "github", "--failed-runs", "accept", "--to",
                   f"sarif={out}", "--losses", losses, *options]
        status, err = self.run(*command)
        if status == 2 and "--category" in err:
            status, err = self.run(*command, "--category", "ci/{tool}/{n}")
        if status == 2:
            return None
        if status:
            raise SystemExit(f"github: {options}: exit {status}: {err}")
        told = {one["name"] for one in json.loads(losses.read_bytes())["limits"]}
        return json.loads(out.read_bytes()), told

    def dismissed(self, path):
        """Options for a log of which everything is dismissed."""
        journal = self.path / "journal"
        journal.unlink(missing_ok=True)
        self.run("decide", "--quiet", "--all", "--dismiss", "false_positive", "--note", "no",
                 "--failed-runs", "accept", "--journal", journal, path)
        return ["--keep-suppressed", *(["--journal", journal] if journal.exists() else [])]


def schema_faults(validator, tree):
    """What the schema refuses, without what differs from place to place."""
    return {re.sub("'[^']*'|[0-9]+", "", error.message)[-60:]
            for error in (validator.iter_errors(tree) if validator else ())}


def read(path):
    """A log as it is, {} where that cannot be read."""
    try:
        return json.loads(path.read_bytes().decode("utf-8-sig"))
    except ValueError:
        return {}


def check_all(validator):
    """Returns how many were right and wrong. validator: of the schema; None: do without."""
    shared = TOP.parent / "shared"
    logs = sorted(path for folder in (shared / "real", shared / "field", TOP / "fixtures")
                  for path in folder.rglob("*.sarif"))
    right = wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(name)
        known = {path: schema_faults(validator, read(path)) for path in logs}
        for number, path in enumerate(logs):
            before = known[path] | known[logs[number - 1]]
            for options in ([path], [*folder.dismissed(path), path], [path, logs[number - 1]],
                            ["--where", "severity=high..", path]):
                made = folder.report(*options)
                if made is None:
                    continue
                tree, told = made
                found = faults(tree, "--keep-suppressed" in options, told)
                found |= schema_faults(validator, tree) - before
                right += not found
                wrong += bool(found)
                if found:
                    print(f"github: {options}: {sorted(found)[:5]}")
    return right, wrong


if __name__ == "__main__":
    print(check_all(None))
