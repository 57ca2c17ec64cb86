"""Words that LaTeX prints as they are."""

from __future__ import annotations

_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "~": r"\textasciitilde{}",
    "<": "$<$",
    ">": "$>$",
    "×": r"$\times$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "·": r"$\cdot$",
    "…": r"\dots{}",
    "Σ": r"$\Sigma$",
    "α": r"$\alpha$",
    "[": "{[}",  # behind the end of a row, these two would be options of that
    "*": "{*}",
}


def escape_latex(text: str) -> str:
    r"""Text in which no character means anything to LaTeX.

    Examples:
        >>> print(escape_latex("a_b & 5 %"))
        a\_b \& 5 \%
    """
    return "".join(_ESCAPES.get(character, character) for character in text)
