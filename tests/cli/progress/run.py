"""Run retriage with a terminal as standard error and a slow standard input; say what was shown."""
import os
import pty
import re
import subprocess
import time


def shown(end, *options, stdout=subprocess.DEVNULL):
    """The terminal's bytes of one run, as text; stdout None: standard output is the terminal, too."""
    terminal, inner = pty.openpty()
    with subprocess.Popen(["retriage", "summary", "--recent", "0", *options], stdin=subprocess.PIPE,
                          stdout=inner if stdout is None else stdout, stderr=inner) as child:
        os.close(inner)
        child.stdin.write(b"[")
        for number in range(14):
            # Enough bytes at a time for the reader to ask for more.
            child.stdin.write(b'{"id":"a%d","severity":"low","x":"%s"},' % (number, b"x" * 400000))
            child.stdin.flush()
            time.sleep(0.1)
        child.stdin.write(end)
        child.stdin.close()
        text = b""
        try:
            while piece := os.read(terminal, 4096):
                text += piece
        except OSError:
            pass  # the terminal is gone when its last user is
        os.close(terminal)
    return child.returncode, text.decode()


GOOD = b'{"id":"b","severity":"low"}]'
for title, end, options in [("good", GOOD, ()), ("bad", b"x", ()), ("quiet", GOOD, ("--quiet",)),
                            ("no progress", GOOD, ("--no-progress",))]:
    status, text = shown(end, *options)
    pieces = [piece for piece in re.split(r"[\r\n]+", text) if piece]
    lines = [piece for piece in pieces if re.fullmatch(r"\d+ MB  \d+ MB/s *", piece)]
    rest = [piece for piece in pieces if piece not in lines]
    print(f"{title}: exit {status}, progress {'shown' if lines else 'not shown'},",
          "few lines," if len(lines) <= 8 else f"{len(lines)} lines,",
          "taken away" if not lines or not rest[0].strip() else "left", "then",
          [piece for piece in rest if piece.strip()])
status, text = shown(GOOD, "--compact", stdout=None)
print(f"an answer on the same terminal: exit {status}, begins", re.split(r"[\r\n]+", text)[-2][:20])
