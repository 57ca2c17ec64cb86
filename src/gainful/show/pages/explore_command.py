"""The words of `gainful sessions` by which a page's sessions are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, TypeGuard


def command_words(sessions: object, qrels: object, options: Mapping[str, Any]) -> list[str]:
    """The words by which `gainful sessions` reads the same; capitals for what is no file."""
    files = list(sessions) if _are_files(sessions) else [sessions]
    words = [_name_file(file, "SESSIONS") for file in files]
    words += [] if qrels is None else ["--qrels", _name_file(qrels, "QRELS")]
    for name, value in {**options, **_hide_values(options)}.items():
        option = "--" + name.replace("_", "-")
        if isinstance(value, Mapping):
            pairs = [(key, text) for key, texts in value.items() for text in _as_texts(texts)]
            words += [word for key, text in pairs for word in (option, f"{key}={text}")]
        elif isinstance(value, (list, tuple)):
            words += [word for text in value for word in (option, str(text))]
        elif value is True:
            words.append(option)
        elif value not in (None, False):
            words += [option, str(value)]
    return words


def _are_files(value: Any) -> TypeGuard[Sequence[str | PathLike[str]]]:
    return isinstance(value, (list, tuple)) and all(isinstance(p, (str, PathLike)) for p in value)


def _hide_values(options: Mapping[str, Any]) -> dict[str, Any]:
    """What a page must not tell, as a salt, or has other words for on the command line."""
    words: dict[str, Any] = {"anonymise": bool(options.get("anonymise"))}
    gain_from, propensity = options.get("gain_from"), options.get("propensity")
    if isinstance(gain_from, Mapping):
        words["gain_from"] = ",".join(f"{name}={weight:g}" for name, weight in gain_from.items())
    if propensity is not None:
        words["propensity"] = _name_file(propensity, "PROPENSITIES")
    return words


def _name_file(source: object, placeholder: str) -> str:
    return fspath(source) if isinstance(source, (str, PathLike)) else placeholder


def _as_texts(value: Any) -> Sequence[str]:
    return [value] if isinstance(value, str) else value
