"""Work that goes on in threads, in order and a little ahead of who asks for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

_THREADS = 2
T = TypeVar("T")
U = TypeVar("U")


def map_ahead(function: Callable[[T], U], items: Iterable[T]) -> Iterator[U]:
    """What a function makes of each item, in order, of two at a time.

    Only so many items are taken ahead, so that memory holds no more.

    Examples:
        >>> list(map_ahead(str.upper, "abc"))
        ['A', 'B', 'C']
    """
    with ThreadPoolExecutor(_THREADS) as pool:
        waiting: deque[Future[U]] = deque()
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) == _THREADS:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def take_ahead(take: Callable[[T], None], items: Iterable[T]) -> None:
    """Take items in order, each while the next one comes."""
    with ThreadPoolExecutor(1) as taker:
        before: Future[None] | None = None
        for item in items:
            if before is not None:
                before.result()
            before = taker.submit(take, item)
        if before is not None:
            before.result()
