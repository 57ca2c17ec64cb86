"""Which files does a command walk through? `python -m tools.walk [eval|compare|gate|report|sessions]`.

A file counts if one of its functions is entered while the command runs; importing it does not. `kernel` is what
`gainful eval` of TREC files loads, and what a newcomer reads first.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXAMPLES = "examples/news/"
RUNS = [f"{EXAMPLES}{name}.txt" for name in ("qrels", "bm25", "dense")]
SESSIONS = ["examples/sessions.csv", "--qrels", "examples/sessions-qrels.txt"]
WALKS = {
    "eval": ["eval", "examples/qrels.txt", "examples/bm25.txt"],
    "compare": ["compare", *RUNS, "-m", "nDCG@10"],
    "gate": ["gate", *RUNS[:2], "--floor", "nDCG@10=0.1"],
    "report": ["report", *RUNS, "-m", "nDCG@10", "-o", "-"],
    "sessions": ["sessions", *SESSIONS],
}
_TRACE = """
import os, sys
from contextlib import redirect_stderr, redirect_stdout
from gainful.cli.start import main
entered, imports = set(), [0]
home = sys.argv[1]
def look(frame, event, _):
    code = frame.f_code
    if code.co_name == "_find_and_load":
        imports[0] += {"call": 1, "return": -1}.get(event, 0)
    elif event == "call" and not imports[0] and code.co_filename.startswith(home):
        entered.add(code.co_filename[len(home):])
sys.argv = ["gainful", *sys.argv[2:]]
sys.setprofile(look)
try:
    with open(os.devnull, "w") as sink, redirect_stdout(sink), redirect_stderr(sink):
        main()
except SystemExit as done:
    assert not done.code, done.code
finally:
    sys.setprofile(None)
loaded = [m.__file__[len(home):] for n, m in sys.modules.items() if n.split(".")[0] == "gainful" and m.__file__]
print("\\n".join(sorted(entered)))
print("--")
print("\\n".join(sorted(loaded)))
"""


def walk(command: str) -> tuple[list[str], list[str]]:
    """The files that a command enters, and those that it loads, under src/gainful."""
    home = f"{ROOT / 'src' / 'gainful'}/"
    words = [sys.executable, "-c", _TRACE, home, *WALKS[command]]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)  # noqa: S603
    if done.returncode:
        raise RuntimeError(done.stderr)
    entered, _, loaded = done.stdout.partition("--\n")
    return entered.split(), loaded.split()


def count_lines(files: list[str]) -> int:
    """How many lines these files have."""
    return sum(
        len((ROOT / "src" / "gainful" / name).read_text("utf-8").splitlines()) for name in files
    )


def main() -> None:
    """Print the walks that are named, or the length of each."""
    names = sys.argv[1:] or list(WALKS)
    for name in names:
        entered, loaded = walk(name)
        print(
            f"{name}: enters {len(entered)} files; loads {len(loaded)} of {count_lines(loaded):,} lines"
        )
        if sys.argv[1:]:
            print("  " + "\n  ".join(entered))


if __name__ == "__main__":
    main()
