"""What a fuzzer is, and what it may find."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

Payload = dict[str, Any]  # plain data, so that a finding can be kept as JSON and replayed


class Finding(Exception):
    """Something that must not happen: a trace, a hang, a wrong value, a silent skip."""


class Fuzzer(NamedTuple):
    """Makes payloads, and checks what gainful does with one; `weight` says how many of all."""

    make: Callable[[Random], Payload]
    check: Callable[[Payload], None]
    weight: float


def require(sound: object, message: str) -> None:
    """A finding, unless all is sound."""
    if not sound:
        raise Finding(message)
