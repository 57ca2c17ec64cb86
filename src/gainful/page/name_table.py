"""`NameTable`: a table of things by name, which shows its names and not all that it holds."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import fill
from typing import Protocol, TypeVar

from gainful.errors import UnknownName

_WIDTH = 80


class _Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=_Named)


class NameTable(dict[str, T]):
    """Things by their names; a dict but for what a prompt shows of it."""

    def __init__(self, kind: str, things: Iterable[T]) -> None:
        """Things of a kind, such as measures."""
        super().__init__({thing.name: thing for thing in things})
        self.kind = kind

    def __missing__(self, name: object) -> T:
        raise UnknownName(f"one of the {self.kind}", str(name), self)

    def __repr__(self) -> str:
        return f"{len(self)} {self.kind}:\n{fill(', '.join(self), _WIDTH)}"
