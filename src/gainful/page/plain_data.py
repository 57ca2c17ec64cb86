"""Values as plain data, as JSON has it: one function for all that only lists its fields."""

from __future__ import annotations

from typing import Any

from attrs import Attribute, asdict, has


def to_plain_data(value: Any) -> dict[str, Any]:
    """The fields of an attrs value, and of those in it, as dicts, lists, texts and numbers.

    What has a text of its own, such as a measure, is that text.

    Examples:
        >>> from gainful.measure.measure import nDCG
        >>> from gainful.measure.which import Formulation
        >>> to_plain_data(Formulation(nDCG @ 10, 0.5, ("trec_eval",)))
        {'measure': 'nDCG@10', 'value': 0.5, 'tools': ['trec_eval']}
    """
    return asdict(value, value_serializer=_serialise)


def _serialise(_: type[Any] | None, __: Attribute[Any] | None, value: Any) -> Any:
    if has(type(value)) and "__str__" in vars(type(value)):
        return str(value)
    if isinstance(value, tuple):
        return list(value)
    return value.tolist() if hasattr(value, "tolist") else value  # of NumPy
