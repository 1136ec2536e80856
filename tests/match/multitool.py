"""Match the same pairs of real scans by Sarif.Multitool: multitool.py PROGRAM, for the table in
tests/bench/README.md.

PROGRAM: Sarif.Multitool of the npm package @microsoft/sarif-multitool-linux. Each old result gets a
correlationGuid, and `match-results-forward` hands it on. Reads ../shared/truth; prints precision,
recall and time of both programs over all logs. Environment: RETRIAGE or BUILD.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
from truth import RETRIAGE, TRUTH, judge, rates  # noqa: E402


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


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
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
