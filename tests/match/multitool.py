"""Match the same pairs of real scans, and lock files, by Sarif.Multitool: multitool.py PROGRAM, for the
tables in tests/bench/README.md.

PROGRAM: Sarif.Multitool of the npm package @microsoft/sarif-multitool-linux. Each old result gets a
correlationGuid, and `match-results-forward` hands it on. Reads ../shared/truth; prints precision,
recall and time of both programs over all logs. Environment: RETRIAGE or BUILD.
"""
import collections
import json
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile
import time
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import floors  # noqa: E402
from truth import RETRIAGE, TRUTH, judge, rates  # noqa: E402

LOCK_FILES = 100


def results_of(log):
    return [result for run in log["runs"] for result in run.get("results") or []]


def forward(program, folder, old, new):
    """The pairs that Sarif.Multitool finds, as score.py reads them; ids are numbers in input order."""
    logs = [json.loads(path.read_text()) for path in (old, new)]
    for i, result in enumerate(results_of(logs[0])):
        result["correlationGuid"] = str(uuid.UUID(int=i + 1))
    for i, result in enumerate(results_of(logs[1])):
        result.pop("correlationGuid", None)
        result.setdefault("properties", {})["number"] = i
    paths = [folder / name for name in ("a.sarif", "b.sarif", "out.sarif")]
    for path, log in zip(paths, logs):
        path.write_text(json.dumps(log))
    start = time.monotonic()
    subprocess.run([program, "match-results-forward", paths[1], "--previous", paths[0], "--output-file-path",
                    paths[2], "--log", "ForceOverwrite"], stdout=subprocess.DEVNULL, check=True)
    seconds = time.monotonic() - start
    pairs = []
    for result in results_of(json.loads(paths[2].read_text(encoding="utf-8-sig"))):
        number = uuid.UUID(result["correlationGuid"]).int
        if result.get("baselineState") != "absent" and number <= len(results_of(logs[0])):
            pairs.append({"old_id": str(number - 1), "new_id": str(result["properties"]["number"]), "by": "multitool"})
    for name, log in zip(("old", "new"), logs):
        (folder / name).write_text("".join(json.dumps(str(i)) + "\n" for i in range(len(results_of(log)))))
    (folder / "pairs.json").write_text(json.dumps(pairs))
    return seconds


def lock_files(program, folder):
    """Lock files as logs: how many old vulnerabilities got another one as their partner, and none."""
    counts = collections.defaultdict(collections.Counter)
    for number in range(LOCK_FILES):
        scans, form = floors.lock_scans(random.Random(f"floor {number}"))
        paths = [folder / f"{name}.sarif" for name in ("old", "new")]
        for path, rows in zip(paths, scans):
            floors.write(path, rows, True, "")
        names = [[floors.reference.IDENTIFIER.search(message)[0] for _, message, _ in rows] for rows in scans]
        seconds = forward(program, folder, *paths)
        pairs = [(int(x["old_id"]), int(x["new_id"])) for x in json.loads((folder / "pairs.json").read_text())]
        report = json.loads(floors.run("diff", "--format", "json", *paths))
        ids = [{x["id"]: n for n, x in enumerate(json.loads(floors.run("list", "--as", "json", path)))} for path in paths]
        own = [(ids[0][x["old_id"]], ids[1][x["new_id"]]) for x in report["issues"] if x["old_id"] and x["new_id"]]
        for what, found in (("Sarif.Multitool", pairs), ("retriage diff", own)):
            wrong = sum(names[0][i] != names[1][j] for i, j in found)
            counts[what].update(known=len(names[0]) - 1, wrong=wrong, right=len(found) - wrong, sets=wrong > 0)
    for what, count in sorted(counts.items()):
        print(f"{what:16} lock files: {count['right']} of {count['known']} right, {count['wrong']} wrong, in {count['sets']} of {LOCK_FILES} sets")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="retriage-match.") as name:
        lock_files(program, pathlib.Path(name))
    totals = collections.defaultdict(collections.Counter)
    times = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="retriage-match.") as name:
        folder = pathlib.Path(name)
        for archive in sorted((TRUTH / "open").glob("*.tar.xz")):
            with tarfile.open(archive) as tar:
                tar.extractall(folder)
        for truth in sorted(folder.glob("*/truth/*.json")):
            old, new = [truth.parents[1] / "logs" / f"{commit}.sarif" for commit in truth.stem.split("-")]
            for what, counts in judge(folder, truth, old, new, "logs"):
                totals["retriage " + what].update(counts["counts"], known=counts["known"])
            start = time.monotonic()
            subprocess.run([RETRIAGE, "diff", "--quiet", "--failed-runs", "accept", old, new],
                           stdout=subprocess.DEVNULL, check=True)
            times["retriage diff"] += time.monotonic() - start
            times["Sarif.Multitool"] += forward(program, folder, old, new)
            done = subprocess.run([sys.executable, TRUTH / "score.py", truth, folder / "pairs.json", "--old",
                                   folder / "old", "--new", folder / "new", "--json"], stdout=subprocess.PIPE, check=True)
            counts = json.loads(done.stdout)
            totals["Sarif.Multitool"].update(counts["counts"], known=counts["known"])
    for what, counts in sorted(totals.items()):
        precision, recall = rates(counts)
        print(f"{what:16} precision {precision:.4f} recall {recall:.4f} seconds {times[what]:.1f}")


if __name__ == "__main__":
    main()
