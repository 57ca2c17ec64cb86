"""Where the command begins, before anything is loaded: from here on signals are answered."""

from __future__ import annotations

import gc
import os
import signal
import sys
from contextlib import suppress
from importlib import import_module
from types import ModuleType

_STOPPED = 130
_NEW_OBJECTS = 50_000  # after which Python looks for garbage; modules make many, and none
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


class _Later(ModuleType):
    """A slow module, loaded when something of it is first used."""

    def __getattr__(self, attribute: str) -> object:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        module = import_module(self.__name__)
        vars(self).update(vars(module))
        return getattr(module, attribute)


def main(arguments: list[str] | None = None) -> None:
    """Run a command; it can be stopped while its modules are loaded as well."""
    gc.set_threshold(_NEW_OBJECTS)
    sys.modules.setdefault("polars", _Later("polars"))
    unanswered = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL]
    with suppress(ValueError):  # signals are the main thread's
        for number in unanswered:
            signal.signal(number, _unwind)
    try:
        _run(arguments)
    except SystemExit as end:
        for status in (_STOPPED, *(128 + number for number in unanswered)):
            if end.code == status:  # else Python may end by the signal, as if nobody answered it
                _stop_now(status)
        raise
    finally:
        with suppress(ValueError):
            for number in unanswered:
                signal.signal(number, signal.SIG_DFL)
        if arguments is None:  # the process ends, and all objects with it
            gc.freeze()


def _run(arguments: list[str] | None) -> None:
    usual = signal.getsignal(signal.SIGINT)
    with suppress(ValueError):  # signals are the main thread's; in another, nobody presses keys
        signal.signal(signal.SIGINT, _stop)
    try:
        from gainful.cli.main import main as run  # noqa: PLC0415  (so that it can be stopped)
    finally:
        if signal.getsignal(signal.SIGINT) is _stop:
            signal.signal(signal.SIGINT, usual)
    run(arguments)


def _stop(*_: object) -> None:
    sys.stderr.write("gainful: stopped\n")
    _stop_now(_STOPPED)


def _unwind(number: int, _: object) -> None:
    sys.stderr.write("gainful: stopped\n")
    raise SystemExit(128 + number)


def _stop_now(status: int) -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)
