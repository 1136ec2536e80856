"""Hold diff against pairs of real scans whose truth is known from version control.

Reads ../shared/truth where it lies beside the project: archives of logs and exports, and a program
that judges a report. Prints precision and recall by scanner, by distance and by what a pair agrees
in, and fails below the floors (WORKFLOW W53), or where diff and reference.py differ in a pair. Takes
four minutes on a slow machine.
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

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import reference  # noqa: E402

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


def run(*arguments):
    return subprocess.run([RETRIAGE, arguments[0], "--quiet", "--failed-runs", "accept", *arguments[1:]],
                          stdout=subprocess.PIPE, check=False).stdout


def differences(report, paths):
    """Pairs of a report that the reference has not, and the reverse."""
    findings = [reference.read(run, path) for path in paths]
    pairs, _ = reference.match(*findings)
    want = {(findings[0][i]["id"], findings[1][j]["id"], by) for i, (j, by) in pairs.items()}
    with open(report, "rb") as file:
        have = {(x["old_id"], x["new_id"], x["by"]) for x in json.load(file)["issues"] if x["by"]}
    return len(want ^ have)


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
    other = 0
    with tempfile.TemporaryDirectory(prefix="retriage-match.") as name:
        folder = pathlib.Path(name)
        for archive in archives:
            with tarfile.open(archive) as tar:
                tar.extractall(folder)
        for truth in sorted(folder.glob("*/truth/*.json")):
            data_set = truth.parents[1]
            distance = json.loads(truth.read_text())["distance"]
            for form in FLOORS:
                paths = [data_set / "logs" / f"{commit}.sarif" if form == "logs"
                         else data_set / "exports" / f"{commit}.{form}.json" for commit in truth.stem.split("-")]
                for what, counts in judge(folder, truth, *paths, form):
                    for key in (("all", form, what), (data_set.name, form, what), (distance, form, what)):
                        totals[key].update(counts["counts"])
                        totals[key]["known"] += counts["known"]
                    if what == "diff":
                        for by, found in counts["levels"].items():
                            agreed[form, by].update(found)
                other += differences(folder / "report.json", paths)
    failed = 0
    for (data_set, form, what), counts in sorted(totals.items()):
        precision, recall = rates(counts)
        floor = FLOORS[form][what] if data_set == "all" else (DATA_SET_PRECISION if "-" in data_set else 0, 0)
        good = precision >= floor[0] and recall >= floor[1]
        failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {data_set:18} {form} {what:5} precision {precision:.5f} recall {recall:.4f}")
    for (form, by), found in sorted(agreed.items()):
        print(f"     {form} {by:18} {dict(found)}")
    failed += other > 0
    print(f"{'FAIL' if other else 'ok  '} {other} pairs are other ones than those of the reference")
    print(f"{len(totals) + 1 - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
