"""Modules that register measures: named by the user, or offered by an installed package.

A plug-in is a module that calls `gainful.register` when it is imported: named with `--plugin`, or
found by its entry point in the group `gainful.measures`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from gainful.errors import BadPlugin, GainfulError
from gainful.measure.catalogue import MEASURES
from gainful.measure.discount import DISCOUNTS
from gainful.measure.gain import GAINS

_GROUP = "gainful.measures"
_LOADED: dict[str, str] = {}  # what was loaded, and why it could not be ("" if it could)


def load_plugin(module: str) -> None:
    """Import a module, or run a file that ends in .py, that registers measures."""
    path = Path(module)
    is_file = path.suffix.lower() == ".py"
    if is_file and not path.is_file():
        raise BadPlugin(f"plug-in {module}: there is no such file")
    # Modules are looked for here too, as Python does and a command does not; but last, so that a
    # file beside the data cannot stand for a module of Python's own.
    folder = str(path.resolve().parent if is_file else Path.cwd())
    count_before = _count_names()
    already_imported = module in sys.modules
    sys.path.append(folder)
    try:
        with _wrap_errors(f"plug-in {module}"):
            if is_file:
                _run_file(path)
            else:
                import_module(module)
    finally:
        sys.path.remove(folder)
    if _count_names() == count_before and not already_imported:
        raise BadPlugin(f"plug-in {module}: it registers nothing (gainful.register does)")


def _count_names() -> int:
    return len(MEASURES) + len(GAINS) + len(DISCOUNTS)


def _run_file(path: Path) -> None:
    """A file by its path: whatever it is called, it is not mistaken for another module."""
    spec = spec_from_file_location(path.stem.replace(".", "_"), path)
    if spec is None or spec.loader is None:
        raise BadPlugin("it cannot be read as Python")
    spec.loader.exec_module(module_from_spec(spec))


def load_entry_points() -> list[str]:
    """Load what other packages offer, each once; says of those that fail why they do."""
    from importlib.metadata import entry_points  # noqa: PLC0415  (slow, and rarely asked for)

    for point in entry_points(group=_GROUP):
        if point.value in _LOADED:
            continue
        try:
            with _wrap_errors(f"plug-in {point.name} ({point.value})"):
                loaded = point.load()
                if callable(loaded) and point.name not in MEASURES:
                    from gainful.measure.register import register  # noqa: PLC0415  (rarely needed)

                    register(point.name, loaded)
            _LOADED[point.value] = ""
        except BadPlugin as failure:
            _LOADED[point.value] = str(failure)
    return [failure for failure in _LOADED.values() if failure]


@contextmanager
def _wrap_errors(plugin: str) -> Iterator[None]:
    """Whatever a plug-in does while it is loaded is told in one line."""
    try:
        yield
    except GainfulError as mistake:
        raise BadPlugin(f"{plugin}: {mistake}") from None
    except (Exception, SystemExit) as failure:  # noqa: BLE001
        message = " ".join(f"{type(failure).__name__}: {failure}".split())
        raise BadPlugin(f"{plugin}: {message}") from None
