"""Every text that the program can print about a run, and a test that makes it appear: messages.py [--update]

The texts are the strings of src that are sentences: what help, reports and documents hold is left out.
`table` has a row for each: the case of tests/cli whose output has it, else the test that names it, else
`-`. A text without its row, a row without its text, and a case that does not show its text any more
are printed. --update writes the table; read what has changed, and write a case where there is a `-`.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
OTHERS = re.compile(r"src/(output/(html|kind|md|csv|cwe|markdown|verdict|issue_table|view|table|writer)\w*|cli/(help|topics|cmd_completion)"
                    r"|formats/content|scan/member)")
STRING = r'"(?:[^"\\\n]|\\.)*"'
SENTENCE = re.compile(rf"{STRING}(?:\s*(?:{STRING}|PRI\w+|RT_VERSION))*")
ESCAPES = {"n": "\n", "t": "\t"}


def strings(path):
    """The sentences among a file's strings."""
    source = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
    source = re.sub(r"^#include.*$", "", source, flags=re.M)
    # Help of commands and options, which tests/cli/help-* show whole.
    source = re.sub(rf'CLI_\w*ROW\((?:[^()"]|{STRING}|\([^()]*\))*\)', "", source)
    source = re.sub(rf"\.(help|brief|example|wanted|operands|value)\s*=\s*\(?(?:{STRING}\s*|CLI_\w+\s*)+", "", source)
    for found in SENTENCE.finditer(source):
        parts = re.sub(r"PRI\w+", lambda m: '"u"', found.group(0).replace("RT_VERSION", '"N"'))
        text = "".join(part[1:-1] for part in re.findall(STRING, parts))
        text = re.sub(r"\\(.)", lambda m: ESCAPES.get(m.group(1), m.group(1)), text)
        if re.search(r"[a-z]{2,} [a-z\"%]", text) and not text.startswith(("/", "<")) and len(longest(text)) >= 10:
            yield " ".join(text.split())


def longest(text):
    """What of a format stands in each text that is made with it."""
    return max(re.split(r"%[-+ #0-9.*]*(?:hh|h|ll|l|z|j)?[a-zA-Z%]", text), key=len).strip()


def shown():
    """What each case prints, and below that what each test says."""
    for case in sorted(HERE.parent.iterdir()):
        if case.is_dir() and case != HERE:
            texts = [case / "stderr", case / "stdout"]
            yield case.name, " ".join(" ".join(t.read_text(encoding="utf-8", errors="replace").split())
                                      for t in texts if t.exists())
    texts = TOP / "tests" / "fault" / "texts"
    yield "fault/texts", texts.read_text(encoding="utf-8")
    for suite in sorted([*TOP.glob("tests/*/*.py"), *TOP.glob("tests/unit/*/*.c")]):
        text = re.sub(r'"\s*\n\s*(?:rf|f|r|b)?"', "", suite.read_text(encoding="utf-8"))
        yield str(suite.relative_to(TOP / "tests")), " ".join(text.replace("\\", "").split())


def main():
    texts = {}
    for path in sorted(TOP.glob("src/*/*.[ch]")):
        if not OTHERS.match(str(path.relative_to(TOP))):
            for text in strings(path):
                texts.setdefault(text, longest(text))
    sources = list(shown())
    rows = {text: next((name for name, said in sources if part in said), "-") for text, part in texts.items()}
    table = HERE / "table"
    if "--update" in sys.argv:
        table.write_text("".join(f"{rows[text]}\t{text}\n" for text in sorted(rows)), encoding="utf-8")
        return
    kept = dict(reversed(line.split("\t", 1)) for line in table.read_text(encoding="utf-8").splitlines())
    said = dict(sources)
    for text in sorted(texts.keys() - kept.keys()):
        print(f"no row: {text}")
    for text in sorted(kept.keys() - texts.keys()):
        print(f"no such text: {text}")
    for text in sorted(texts.keys() & kept.keys()):
        if kept[text] != "-" and texts[text] not in said.get(kept[text], ""):
            print(f"{kept[text]} does not show: {text}")


if __name__ == "__main__":
    main()
