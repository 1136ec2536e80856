"""SARIF reports, held to the official schema and to Microsoft's validator: schema.sh calls this.

sarif.py PACKAGE: the folder of @microsoft/sarif-multitool-linux, which carries the schema. What is
wrong with a log before it is copied is none of ours. Environment: RETRIAGE.
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import jsonschema

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests" / name) for name in ("sarif", "property", "schema")]

import generate
import github
from make import Maker, spell_any

PACKAGE = pathlib.Path(sys.argv[1])
TOOL = PACKAGE / "Sarif.Multitool"


def faults(path, validator, *options):
    """What the schema and the validator refuse, without places; options: of the validator."""
    tree = json.loads(path.read_bytes().decode("utf-8-sig"))
    found = {error.message for error in validator.iter_errors(tree)}
    done = subprocess.run(
        [TOOL, "validate", *options, path], capture_output=True, check=False,
        env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"})
    said = done.stdout.decode()
    if "Done. 1 files scanned." not in said:
        raise SystemExit(f"{TOOL}: {said}{done.stderr.decode()}")
    return found | {re.sub(r"runs\[.*", "", line) for line in
                    re.findall(r"error ([A-Z]+[0-9]+: .*)", said)}


def inputs(folder):
    """Logs and exports: of tools, and random ones."""
    real = TOP.parent / "shared" / "real"
    yield from sorted((TOP / "fixtures").glob("good-sa*"))
    yield from sorted(real.glob("*.sarif")) + sorted(real.glob("*.issues.json"))
    for seed in range(6):
        rng = random.Random(f"validator {seed}")
        path = folder / f"{seed}.jsonl"
        path.write_text("".join(
            generate.spell(rng, generate.issue(rng, name), False, lambda: "") + "\n"
            for name in generate.identifiers(rng, 60)), encoding="utf-8")
        yield path
        path = folder / f"{seed}.sarif"
        path.write_text(spell_any(rng, Maker(rng).log()), encoding="utf-8")
        yield path


def main():
    """Returns the exit status."""
    schema = json.loads((PACKAGE / "sarif-2.1.0.json").read_bytes().decode("utf-8-sig"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    TOOL.chmod(0o755)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as name:
        for path in inputs(pathlib.Path(name)):
            out = pathlib.Path(name) / "out.sarif"
            done = subprocess.run([os.environ["RETRIAGE"], "report", "--quiet", "--to",
                                   f"sarif={out}", path], capture_output=True, check=False)
            if done.returncode:
                continue  # a random log that is refused
            known = faults(path, validator) if path.suffix == ".sarif" else set()
            wrong = faults(out, validator) - known
            if path.name == "issue_10191.issues.json":
                subprocess.run([os.environ["RETRIAGE"], "report", "--quiet", "--for", "github",
                                "--to", f"sarif={out}", path], check=True)
                wrong |= faults(out, validator, "--rule-kind", "Sarif;Ghas")
            passed += not wrong
            failed += bool(wrong)
            if wrong:
                print(f"sarif: {path}: {sorted(wrong)[:5]}")
        right, wrong = github.check_all(validator)
    print(f"sarif: {passed} passed, {failed} failed; for GitHub: {right} passed, {wrong} failed")
    return failed + wrong > 0 or min(passed, right) < 10


sys.exit(main())
