"""The command `gainful`, called in this process; and the commands of the documentation.

A call takes a hundredth of the time of a process. A shell is started only for what needs one: a
pipe, a redirection, another program.
"""

from __future__ import annotations

import io
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, nullcontext, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from gainful.cli.main import main
from gainful.measure.catalogue import MEASURES
from gainful.measure.discount import DISCOUNTS
from gainful.measure.gain import GAINS
from gainful.measure.parameters import PARAMETERS

TABLES: list[dict[str, Any]] = [MEASURES, GAINS, DISCOUNTS, PARAMETERS]
BUILT_IN = [{*table} for table in TABLES]
DOCUMENT_WIDTH = 80  # columns of what documents show, as on a terminal
SHELL = set("|&;<>$`*?~#\n")  # a command with one of these is for a shell


class Outcome(NamedTuple):
    """How a command ended, and what it wrote to standard output and standard error."""

    status: int
    out: str
    err: str

    @property
    def answer(self) -> str:
        """What a person reads: the message of a mistake, else what was printed."""
        return self.err if self.status == 2 else self.out


class Stream(io.TextIOWrapper):
    """A standard stream that keeps what is written to it, on a terminal or not."""

    def __init__(self, content: bytes = b"", encoding: str = "utf-8", *, tty: bool = False) -> None:
        self.content = io.BytesIO(content)
        super().__init__(self.content, encoding, newline="", write_through=True)
        self.tty = tty

    def isatty(self) -> bool:
        """Whether a person sits at the other end."""
        return self.tty

    def text(self) -> str:
        """All that was written; bytes that are no text in this encoding stay what they are."""
        return self.content.getvalue().decode(self.encoding, errors="surrogateescape")


def forget_registered(kept: list[set[str]] = BUILT_IN) -> None:
    """Forget the measures and formulas that were registered."""
    for table, names in zip(TABLES, kept, strict=True):
        for name in table.keys() - names:
            del table[name]


@contextmanager
def replace_stdin(stream: Stream | None) -> Iterator[None]:
    """Read standard input from here, if anything is given."""
    usual = sys.stdin
    sys.stdin = stream or usual
    try:
        yield
    finally:
        sys.stdin = usual


@contextmanager
def set_columns(width: int | None) -> Iterator[None]:
    """Tell commands that the terminal, or the pipe, is so wide; None tells nothing."""
    usual = os.environ.pop("COLUMNS", None)
    if width is not None:
        os.environ["COLUMNS"] = str(width)
    try:
        yield
    finally:
        os.environ.pop("COLUMNS", None)
        if usual is not None:
            os.environ["COLUMNS"] = usual


def call_gainful(
    *words: object,
    stdin: str | bytes | None = None,
    tty: bool = False,
    width: int | None = None,
    encoding: str = "utf-8",
    folder: Path | None = None,
) -> Outcome:
    """Call the command, in a folder; as after a process, what it registered is forgotten.

    Both streams are terminals or pipes, as wide as `width` says.
    """
    content = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = (Stream(encoding=encoding, tty=tty) for _ in range(2))
    status: object = None
    kept = [{*table} for table in TABLES]
    with (
        replace_stdin(None if content is None else Stream(content)),
        set_columns(width),
        chdir(folder) if folder else nullcontext(),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main([str(word) for word in words])
        except SystemExit as ended:
            status = ended.code
        finally:
            forget_registered(kept)
    if not isinstance(status, int):
        raise TypeError(f"the command must end with an exit status, not with {status!r}")
    return Outcome(status, out.text(), err.text())


def run_command(command: str) -> str:
    """What a command of a document prints, standard output first, without empty lines around it."""
    words = shlex.split(command)
    if words[0] == "gainful" and not SHELL & set(command):
        outcome = call_gainful(*words[1:], width=DOCUMENT_WIDTH)
        return (outcome.out + outcome.err).strip("\n")
    bin_folder = Path(sys.executable).parent
    environment = {
        **os.environ,
        "COLUMNS": str(DOCUMENT_WIDTH),
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
    }
    done = subprocess.run(  # noqa: S602  (the commands of our own documentation)
        command, shell=True, capture_output=True, text=True, check=False, env=environment
    )
    return (done.stdout + done.stderr).strip("\n")
