"""A bar on stderr while files are read, if there is someone to see it and the work is long."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

_LONG = 50_000_000  # bytes; reading less takes no time worth a bar


@contextmanager
def progress(paths: Sequence[str]) -> Iterator[Callable[[str], None]]:
    """Gives what is to be called with each path before it is read."""
    sizes = {path: Path(path).stat().st_size for path in paths if Path(path).is_file()}
    visible = sys.stderr is not None and sys.stderr.isatty()
    if not (visible and sum(sizes.values()) > _LONG):
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415  (slow to load; only where it is seen)
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=sum(sizes.values()))
        done = 0

        def advance(path: str) -> None:
            nonlocal done
            bar.update(task, description=f"reading {Path(path).name}", completed=done)
            done += sizes.get(path, 0)

        yield advance


class _AnnouncedRuns(Mapping[str, str]):
    """Paths by name; taking one moves the bar, as it is read next."""

    def __init__(self, paths: Mapping[str, str], announce: Callable[[str], None]) -> None:
        self._paths, self._announce = paths, announce

    def __getitem__(self, name: str) -> str:
        self._announce(self._paths[name])
        return self._paths[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


@contextmanager
def show_progress(runs: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Runs by name whose reading moves a bar."""
    with progress(list(runs.values())) as advance:
        yield _AnnouncedRuns(runs, advance)
