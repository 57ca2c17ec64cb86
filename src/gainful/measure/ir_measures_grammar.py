"""ir_measures' spellings: its names and parameters, where they are others than ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SCALED_DCG = "SDCG"  # spelt just so: sessions have sDCG

_VALUES: dict[tuple[str, object], dict[str, Any]] = {
    ("dcg", "log2"): {"gain": "linear", "discount": "log2"},
    ("dcg", "exp-log2"): {"gain": "exp", "discount": "log2"},
    ("judged_only", True): {"unjudged": "remove", "negative": "remove"},
    ("judged_only", False): {"unjudged": "zero"},
    ("relative", False): {},
    ("min_rel", 0): {},
    ("normalize", True): {},
}
_PARAMETERS = {"max_rel": "max_grade"}
_CUTOFFS = ("cutoff", "recall", "k")  # what else may say what stands behind @


def parse_ir_measures_name(name: str) -> str | None:
    """The measure that a name of ir_measures' stands for, where that is not its name here."""
    return "scaledDCG" if name == SCALED_DCG else None


def translate_measure(name: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A measure and its parameters as they are called here, if they are called as there.

    Examples:
        >>> translate_measure("SetP", {"relative": True})
        ('SetRelP', {})
        >>> translate_measure("nDCG", {"dcg": "exp-log2"})
        ('nDCG', {'gain': 'exp', 'discount': 'log2'})
    """
    ours = translate_params(params)
    if name == "NumRet" and "rel" in ours:
        return "NumRelRet", ours
    if name == "SetP" and ours.get("relative") is True:
        del ours["relative"]
        return "SetRelP", ours
    return name, ours


def translate_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as they are called here, if they are called as in ir_measures."""
    ours: dict[str, Any] = {}
    for name, value in params.items():
        special = (name, value) in _VALUES if isinstance(value, (str, int, float)) else False
        if special:
            ours |= _VALUES[name, value]
        elif name == "gains":
            ours["gain"] = _with_other_grades(value)
        else:
            ours[_PARAMETERS.get(name, name)] = value
    return ours


def pop_cutoff(params: dict[str, Any]) -> Any:
    """Take what stands behind @ out of the parameters, if one of them says it."""
    return next((params.pop(name) for name in _CUTOFFS if name in params), None)


def _with_other_grades(gains: Any) -> Any:
    """A table of gains there: a grade that it does not list is worth itself."""
    if isinstance(gains, Mapping):
        return gains if "else" in gains else {**gains, "else": "g"}
    text = str(gains).strip()
    if "else" in text or not text.startswith("{"):
        return gains
    return text.removesuffix("}").rstrip(" ,") + ",else:g}"
