"""What runs with a fault print: said.py [--update] LOG

test_fault.py and test_apply.py append each line that such a run prints to the file FAULT_TEXTS.
`texts` has those of tests/cli/messages/table, as far as no case of the command line shows them;
one that no run has printed any more is told. --update writes `texts`.
"""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
seen = set()


def keep(err):
    """err: what a run printed, bytes."""
    path = os.environ.get("FAULT_TEXTS")
    lines = set(err.splitlines()) - seen
    if path and lines:
        seen.update(lines)
        with open(path, "ab") as file:
            file.write(b"".join(line + b"\n" for line in lines))


def main():
    sys.path.insert(0, str(HERE.parent / "cli" / "messages"))
    from messages import longest
    said = pathlib.Path(sys.argv[-1]).read_text(encoding="utf-8", errors="replace")
    texts = HERE / "texts"
    if "--update" in sys.argv:
        rows = (HERE.parent / "cli" / "messages" / "table").read_text(encoding="utf-8").splitlines()
        parts = {longest(text) for where, text in (row.split("\t", 1) for row in rows)
                 if where in ("-", "fault/texts")}
        texts.write_text("".join(f"{part}\n" for part in sorted(parts) if part in said), encoding="utf-8")
    missing = [part for part in texts.read_text(encoding="utf-8").splitlines() if part not in said]
    for part in missing:
        print(f"no run with a fault printed: {part}")
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
