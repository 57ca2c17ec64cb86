"""Numbers as other libraries hold them, or as a person types them → what NumPy can read."""

from __future__ import annotations

import re
from typing import Any

from gainful.errors import WrongType
from gainful.text import NUMBER_PATTERN, shorten, split_numbers

_IN_NUMPY = ("float16", "float32", "float64", "int", "uint", "bool")  # torch's kinds that it has


def to_plain(value: Any, argument: str) -> Any:
    """Numbers that NumPy can read: typed ones, tensors from any device, Arrow's lists.

    Examples:
        >>> to_plain("[3, 2, 3]", "grades"), to_plain("3 2 3", "grades")
        ([3.0, 2.0, 3.0], [3.0, 2.0, 3.0])
    """
    if isinstance(value, str):
        return _parse_typed_numbers(value, argument)
    if isinstance(value, (list, tuple)):
        foreign = bool(value) and (_is_tensor(value[0]) or _has_128_bits(value[0]))
        return [to_plain(part, argument) for part in value] if foreign else value
    if _is_tensor(value):
        return _from_tensor(value, argument)
    if _has_128_bits(value):
        return value.to_list()
    maker = type(value).__module__.partition(".")[0]
    if maker == "cupy":
        return value.get()
    return value.to_pylist() if maker == "pyarrow" else value


def _parse_typed_numbers(text: str, argument: str) -> list[float]:
    allowed = "numbers, such as '3 2 3 0 1 2' or [3, 2, 3, 0, 1, 2]"
    words = split_numbers(text)
    if text.isdigit() and len(text) > 1:
        raise WrongType(argument, text, f"{allowed}; this can be one grade, or one a digit")
    for word in words:
        if not re.fullmatch(NUMBER_PATTERN, word, re.ASCII):
            raise WrongType(argument, word, allowed)
    return [float(word) for word in words]


def _is_tensor(value: object) -> bool:
    return hasattr(value, "detach") and hasattr(value, "cpu") and hasattr(value, "numpy")


def _has_128_bits(value: object) -> bool:
    """Is it a series of polars with whole numbers of 128 bit, which NumPy has not?"""
    is_polars = type(value).__module__.startswith("polars")
    return is_polars and "128" in str(getattr(value, "dtype", ""))


def _from_tensor(tensor: Any, argument: str) -> Any:
    """The numbers of a tensor, wherever it is; of kinds that NumPy lacks as 32-bit floats."""
    try:
        if getattr(tensor, "is_nested", False):
            return [_from_tensor(part, argument) for part in tensor.unbind()]
        plain = tensor.detach().cpu()
        kind = str(plain.dtype).removeprefix("torch.")
        return (plain if kind.startswith(_IN_NUMPY) else plain.float()).numpy()
    except (RuntimeError, TypeError, NotImplementedError) as failure:
        device, reason = getattr(tensor, "device", "?"), shorten(str(failure))
        allowed = f"a dense tensor that has its numbers ({reason})"
        raise WrongType(argument, f"a tensor on {device}", allowed) from None
