"""Where the command begins, before anything is loaded: from here on Ctrl-C is answered."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress

_STOPPED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run a command; it can be stopped while its modules are loaded as well."""
    usual = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, _stop)
        from gainful.cli.main import main as run  # noqa: PLC0415  (so that it can be stopped)
    except ValueError:  # signals are the main thread's; in another, nobody presses keys
        from gainful.cli.main import main as run  # noqa: PLC0415
    finally:
        if signal.getsignal(signal.SIGINT) is _stop:
            signal.signal(signal.SIGINT, usual)
    try:
        run(arguments)
    except SystemExit as end:
        if end.code == _STOPPED:  # else Python may end by the signal, as if nobody had answered it
            _stop_now()
        raise


def _stop(*_: object) -> None:
    sys.stderr.write("gainful: stopped\n")
    _stop_now()


def _stop_now() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(_STOPPED)
