"""Where the command begins, before anything is loaded: from here on Ctrl-C is answered."""

from __future__ import annotations

import os
import signal
import sys


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
    run(arguments)


def _stop(*_: object) -> None:
    sys.stderr.write("gainful: stopped\n")
    sys.stderr.flush()
    os._exit(130)
