"""Run retriage with terminals of several widths as standard output; say what they were shown."""
import fcntl
import json
import os
import pty
import struct
import subprocess
import termios

EXPORT = "fixtures/good-sample.json"
LONG = "long.jsonl"
FIRST, LAST = slice(2), slice(-1, None)


def shown(columns, *arguments, typed=False, **variables):
    """The lines that a terminal got, and the exit status; typed: it is standard input as well."""
    terminal, inner = pty.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "COLUMNS": None, **variables}
    environment = {name: value for name, value in environment.items() if value is not None}
    with subprocess.Popen(["retriage", *arguments], stdout=inner, stderr=inner, env=environment,
                          stdin=inner if typed else subprocess.DEVNULL) as child:
        os.close(inner)
        text = b""
        try:
            while piece := os.read(terminal, 4096):
                text += piece
        except OSError:
            pass  # the terminal is gone when its last user is
        os.close(terminal)
    return text.decode().replace("\r\n", "\n").removesuffix("\n").split("\n"), child.returncode


def show(title, columns, *arguments, lines=slice(None), **settings):
    """Print some lines of what a terminal got; escape sequences become visible."""
    have, status = shown(columns, *arguments, **settings)
    widest = max(len(line) for line in have)
    print(f"== {title}: exit {status}, {len(have)} lines, the widest has {widest}")
    for line in have[lines]:
        print(line.replace("\033", "\\e"))


with open(LONG, "w", encoding="utf-8") as export:
    for number, severity in enumerate(("critical", "high", "medium", "low", "info")):
        export.write(json.dumps({
            "id": f"7f0c1d5e-0000-4000-8000-{number:012}", "severity": severity,
            "file_path": "services/accounts/src/main/java/org/example/accounts/Repository.java",
            "line_number": 7 * 10**number, "category": "java.security.sql.injection" + ".x" * number,
            "title": "The number of the account from the request becomes a part of the statement",
        }) + "\n")

for width in (160, 100, 80, 40, 20, 10):
    show(f"{width} columns", width, "summary", LONG)
show("1 column", 1, "summary", LONG, lines=LAST)
show("a terminal that does not know its width", 0, "summary", LONG, lines=LAST)
show("COLUMNS before the terminal", 80, "summary", LONG, lines=LAST, COLUMNS="60")
show("a COLUMNS that cannot be meant", 80, "summary", LONG, lines=LAST, COLUMNS="7")
show("json", 80, "summary", "--recent", "0", "--format", "json", EXPORT, lines=FIRST)
show("pretty", 80, "summary", "--recent", "0", "--pretty", EXPORT, lines=FIRST)
show("compact", 80, "summary", "--recent", "0", "--compact", EXPORT, lines=FIRST)
show("yaml", 80, "summary", "--recent", "0", "--format", "yaml", EXPORT, lines=FIRST)
show("colours", 80, "summary", LONG, TERM="xterm")
show("NO_COLOR", 80, "summary", LONG, lines=LAST, TERM="xterm", NO_COLOR="1")
show("no TERM", 80, "summary", LONG, lines=LAST, TERM=None)
show("an empty NO_COLOR", 80, "summary", LONG, lines=LAST, TERM="xterm", NO_COLOR="")
show("--color never", 80, "summary", "--color", "never", LONG, lines=LAST, TERM="xterm")
show("rulesets", 80, "rulesets", EXPORT, lines=FIRST)
show("a fault", 80, "summary", "fixtures/bad-trailing-comma.json")
show("list", 80, "list", LONG)
show("list, counts", 80, "list", "--count-by", "severity", LONG)
show("list, pretty", 80, "list", "--pretty", EXPORT, lines=FIRST)
show("decide, requests", 80, "decide", "--where", "severity=high", "--note", "seen", LONG)
show("list, yaml", 80, "list", "--format", "yaml", EXPORT, lines=FIRST)
show("a partial summary", 80, "summary", "--partial", EXPORT)
for command in (["summary"], ["rulesets"], ["list"], ["validate"], ["gate", "--fail-on=high"],
                ["report", "--to=csv=report.csv"]):
    show(f"{command[0]} of a terminal", 80, *command, typed=True)
print("written:", os.path.exists("report.csv"))
show("results in a file", 80, "apply", "--at=2026-01-01T00:00:00Z", "--journal=j", "--actor=a",
     "--results=results.json", EXPORT, "fixtures/requests/good-sample.json")
with open("results.json", encoding="utf-8") as results:
    print(results.readline()[:40])
