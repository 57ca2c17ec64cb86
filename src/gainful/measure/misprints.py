"""What sources print that their own formulas do not give; `gainful which` knows it."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import frozen

from gainful.measure.arrays import dcg_curve, idcg_curve
from gainful.measure.measure import DCG, IDCG, Measure
from gainful.text import join_words


@frozen
class Misprint:
    """A worked example: its ranking, what it prints at ranks 1, 2, …, and what went wrong."""

    source: str
    measure: Measure
    grades: tuple[int, ...]
    printed: tuple[str, ...]
    reason: str
    terms: bool = False  # is it what each rank adds, and not the sum so far?

    def list_errors(self) -> list[tuple[int, str, float]]:
        """Rank, what is printed and what the formula gives, where they differ beyond rounding."""
        compute: Any = dcg_curve if self.measure.name == "DCG" else idcg_curve
        curve = compute(self.grades, **dict(self.measure.params))
        values = np.diff(curve, prepend=0.0) if self.terms else curve
        slack = 0.5001 * 10.0 ** -max(len(text.partition(".")[2]) for text in self.printed)
        lines = zip(range(1, len(self.printed) + 1), self.printed, values.tolist(), strict=False)
        return [line for line in lines if abs(float(line[1]) - line[2]) > slack]

    def describe(self, value: float) -> str:
        """Where it prints this value by mistake, and what is right; nothing where it does not."""
        errors = [error for error in self.list_errors() if float(error[1]) == value]
        if not errors:
            return ""
        ranks = f"rank{'s' * (len(errors) > 1)} {join_words([str(rank) for rank, *_ in errors])}"
        right = join_words([*dict.fromkeys(f"{right:.4f}" for *_, right in errors)])
        what = f"{'a term of ' * self.terms}{self.measure}"
        printed = f"{self.source} prints {errors[0][1]} at {ranks}, a misprint"
        return f"{printed}: {what} is {right} there ({self.reason})"


MISPRINTS = (
    Misprint(
        "The appendix of Järvelin, Price, Delcambre & Nielsen 2008",
        DCG(discount="jk2008", b=4),
        (3, 2, 3, 0, 0, 1, 2, 2, 3, 0),
        ("3", "4", "5.67", "5.67", "5.67", "6.11", "6.94", "8.14", "9.30", "9.30"),
        "rank 2 is divided by 2 instead of 1.5, rank 8 has gain 3 instead of 2",
    ),
    Misprint(
        "A chat assistant's worked nDCG",
        IDCG(gain="exp"),
        (3, 2, 3, 0, 1, 2, 0, 1, 0, 2),
        ("7", "3.5", "3.5", "1.89", "1.07", "1.07", "0.387", "0.316"),
        "a third grade 3 is in the ideal; ranks 2, 4, 5 and 7 have the discount of another rank",
        terms=True,
    ),
    Misprint(
        "Wikipedia's worked DCG",
        DCG(discount="jk2002", b=2),
        (3, 2, 3, 0, 1, 2),
        ("3", "2", "1.892", "0", "0.431", "0.774"),
        "cut off, not rounded",
        terms=True,
    ),
)
