"""Texts where not every character can be shown: look-alikes for marks, code points for the rest.

A page of an old code page has no →, and a document may be named in any script. A mark of ours is
replaced by what looks like it; a character of a name by its number, so that no two names become
one, which a ? for both would make of them.
"""

from __future__ import annotations

_LOOK_ALIKES = {
    "…": "...",
    "·": "-",
    "×": "x",
    "→": "->",
    "–": "-",
    "−": "-",
    "≤": "<=",
    "≥": ">=",
    "±": "+-",
    "√": "sqrt",
    "÷": "/",
    "●": "*",
    "█": "#",
}
_SMALL_LETTERS = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"  # which mark what a run is better than
_LOOK_ALIKES |= dict(zip(_SMALL_LETTERS, "abcdefghijklmnoprstuvwxyz", strict=True))


def spell_in(text: str, encoding: str | None) -> str:
    r"""A text in characters that an encoding has; None has all of them.

    Examples:
        >>> spell_in("α → 索", "ascii"), spell_in("α → 索", None)
        ('\\u03b1 -> \\u7d22', 'α → 索')
    """
    if encoding is None or text.isascii():
        return text
    try:
        text.encode(encoding)
    except UnicodeEncodeError as failure:
        end = failure.end
        return text[: failure.start] + spell(failure) + spell_in(text[end:], encoding)
    return text


def spell(failure: UnicodeEncodeError) -> str:
    """What stands for the characters that an encoding has not."""
    return "".join(
        _LOOK_ALIKES.get(character) or ascii(character)[1:-1]
        for character in failure.object[failure.start : failure.end]
    )
