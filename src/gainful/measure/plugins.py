"""Modules that register measures: named by the user, or offered by an installed package.

A plug-in is a module that calls `gainful.register` when it is imported: named with `--plugin`, or
found by its entry point in the group `gainful.measures`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from gainful.errors import BadPlugin, GainfulError
from gainful.measure.catalogue import MEASURES
from gainful.measure.register import register

_GROUP = "gainful.measures"
_LOADED: list[str] = []


def load_plugin(module: str) -> None:
    """Import a module, or a file that ends in .py, that registers measures."""
    path = Path(module)
    folder = Path.cwd()  # the path of a command does not begin here, as Python's does
    name = module
    if path.suffix == ".py":
        if not path.is_file():
            raise BadPlugin(f"plug-in {module}: there is no such file")
        name, folder = path.stem, path.resolve().parent
    sys.path.insert(0, str(folder))
    try:
        with _told(f"plug-in {module}"):
            import_module(name)
    finally:
        sys.path.remove(str(folder))


def load_installed() -> None:
    """Load what other packages offer, each once."""
    from importlib.metadata import entry_points  # noqa: PLC0415  (slow, and rarely asked for)

    for point in entry_points(group=_GROUP):
        if point.value in _LOADED:
            continue
        _LOADED.append(point.value)
        with _told(f"plug-in {point.name} ({point.value})"):
            found = point.load()
            if callable(found) and point.name not in MEASURES:
                register(point.name, found)


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Whatever a plug-in does while it is loaded is told in one line."""
    try:
        yield
    except GainfulError as mistake:
        raise BadPlugin(f"{what}: {mistake}") from None
    except Exception as failure:  # noqa: BLE001
        told = " ".join(f"{type(failure).__name__}: {failure}".split())
        raise BadPlugin(f"{what}: {told}") from None
