"""Work that goes on in threads, in order and a little ahead of who asks for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_AHEAD = 2
T = TypeVar("T")
U = TypeVar("U")


def map_ahead(function: Callable[[T], U], items: Iterable[T], threads: int = _AHEAD) -> Iterator[U]:
    """What a function makes of each item, in order, of two at a time, or in one thread.

    Only two items are taken ahead, so that memory holds no more.

    Examples:
        >>> list(map_ahead(str.upper, "abc"))
        ['A', 'B', 'C']
    """
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[Future[U]] = deque()
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) == _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def take_ahead(take: Callable[[T], None], items: Iterable[T]) -> None:
    """Take items in order, each while the next one comes."""
    for _ in map_ahead(take, items, threads=1):
        pass
