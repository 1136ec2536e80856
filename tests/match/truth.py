"""Hold diff against pairs of real scans whose truth is known from version control.

Reads ../shared/truth where it lies beside the project: archives of logs and exports, and a program
that judges a report. Prints precision and recall by scanner and by what a pair agrees in, and
fails below the floors (WORKFLOW W53). Takes two minutes on a slow machine.
Environment: RETRIAGE or BUILD.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("BUILD", TOP / "build"))
RETRIAGE = pathlib.Path(os.environ.get("RETRIAGE", BUILD / "retriage")).resolve()
TRUTH = TOP.parent / "shared" / "truth"
# What carry does not take.
WEAK = "changed,renamed-changed"
# form: (what, least precision, least recall) over all pairs.
FLOORS = {"logs": {"diff": (0.997, 0.985), "carry": (0.9995, 0.975)},
          "code": {"diff": (0.997, 0.985), "carry": (0.9995, 0.975)},
          "bare": {"diff": (0.997, 0.98), "carry": (0.999, 0.97)}}
DATA_SET_PRECISION = 0.995


def judge(folder, truth, old, new, form):
    """The counts of one pair, for diff and for carry."""
    report = folder / "report.json"
    with open(report, "wb") as out:
        subprocess.run([RETRIAGE, "diff", "--quiet", "--failed-runs", "accept", old, new], stdout=out, check=True)
    ids = []
    for name, path in (("old", old), ("new", new)):
        if form != "logs":
            ids.append(path)
            continue
        ids.append(folder / name)
        with open(ids[-1], "wb") as out:
            subprocess.run([RETRIAGE, "list", "--quiet", "--failed-runs", "accept", "--as", "ids", path],
                           stdout=out, check=False)
    for what, more in (("diff", []), ("carry", ["--reject", WEAK])):
        done = subprocess.run([sys.executable, TRUTH / "score.py", truth, report, "--old", ids[0], "--new", ids[1],
                               "--json", *more], stdout=subprocess.PIPE, check=True)
        yield what, json.loads(done.stdout)


def rates(counts):
    """Precision and recall."""
    bad = counts["wrong"] + counts["ghost"] + counts["stolen"]
    return (counts["right"] / max(1, counts["right"] + bad), counts["right"] / max(1, counts["known"]))


def main():
    archives = sorted((TRUTH / "open").glob("*.tar.xz"))
    if not archives:
        print("0 passed, 0 failed, 1 skipped: no pairs of scans beside the project")
        return 0
    totals = collections.defaultdict(collections.Counter)
    agreed = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory(prefix="retriage-match.") as name:
        folder = pathlib.Path(name)
        for archive in archives:
            with tarfile.open(archive) as tar:
                tar.extractall(folder)
        for truth in sorted(folder.glob("*/truth/*.json")):
            data_set = truth.parents[1]
            for form in FLOORS:
                paths = [data_set / "logs" / f"{commit}.sarif" if form == "logs"
                         else data_set / "exports" / f"{commit}.{form}.json" for commit in truth.stem.split("-")]
                for what, counts in judge(folder, truth, *paths, form):
                    for key in (("all", form, what), (data_set.name, form, what)):
                        totals[key].update(counts["counts"])
                        totals[key]["known"] += counts["known"]
                    if what == "diff":
                        for by, found in counts["levels"].items():
                            agreed[form, by].update(found)
    failed = 0
    for (data_set, form, what), counts in sorted(totals.items()):
        precision, recall = rates(counts)
        floor = FLOORS[form][what] if data_set == "all" else (DATA_SET_PRECISION, 0)
        good = precision >= floor[0] and recall >= floor[1]
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {data_set:18} {form} {what:5} precision {precision:.4f} recall {recall:.4f}")
    for (form, by), found in sorted(agreed.items()):
        print(f"     {form} {by:18} {dict(found)}")
    print(f"{len(totals) - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
