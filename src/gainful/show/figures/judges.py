"""Which grades two judges give to the same documents: a cell for each two grades."""

from __future__ import annotations

import polars as pl

from gainful.evidence.judges import JudgeAgreement, JudgePair
from gainful.show.figures.figure import FigureData, Look, shorten_names
from gainful.show.figures.line_chart import join_panels
from gainful.show.theme import Spec, Tones, build_layer, nominal
from gainful.text import format_exact

_CELL = 52  # pixels
_MAX_PANELS = 4


def judges_data(agreement: JudgeAgreement) -> FigureData:
    """Which grades do judges give to the same documents?

    Args:
        agreement: what `gainful.compare_judges` returned.

    Returns:
        A row for each two judges and each two grades: how many documents got them, and the share
        of those that got that grade from the first judge.
    """
    rows = [
        {
            **dict(zip(("first", "second"), pair.judges, strict=True)),
            "grade": grade,
            "other_grade": other,
            "documents": count,
            "share": count / sum(counts) if sum(counts) else 0.0,
        }
        for pair in agreement.pairs
        for grade, counts in zip(pair.grades, pair.counts, strict=True)
        for other, count in zip(pair.grades, counts, strict=True)
    ]
    return FigureData(
        frame=pl.DataFrame(rows),
        title=agreement.page().answer.split(": ")[0],
        caption=(
            "documents with these two grades; stronger colour: larger share of the row",
            *(
                f"{' and '.join(pair.judges)}: kappa {pair.kappa.describe()}"
                for pair in agreement.pairs
            ),
            f"Krippendorff's alpha ({agreement.level}) {agreement.alpha.describe()}",
        ),
        extra={"pairs": agreement.pairs[:_MAX_PANELS]},
    )


def draw_chart(data: FigureData, look: Look) -> Spec:
    """A panel for each two judges."""
    pairs: tuple[JudgePair, ...] = data.extra["pairs"]
    width = look.width or max(260, _CELL * max(len(pair.grades) for pair in pairs))
    panels = []
    for pair in pairs:
        frame = data.frame.filter(first=pair.judges[0], second=pair.judges[1])
        layers = _draw_cells(frame, pair, look.tones)
        panels.append({"width": width, "height": look.height or width, "layer": layers})
    return join_panels(data, look, panels)


def _draw_cells(frame: pl.DataFrame, pair: JudgePair, tones: Tones) -> list[Spec]:
    """The cells, each with its number in a colour that can be read on it."""
    steps = len(tones.grades) - 1
    rows = [
        {
            "grade": format_exact(row["grade"]),
            "other": format_exact(row["other_grade"]),
            "documents": row["documents"],
            "fill": tones.grades[step],
            "ink": tones.on_grades[step],
        }
        for row in frame.iter_rows(named=True)
        for step in [round(row["share"] * steps)]
    ]
    grades = [format_exact(grade) for grade in pair.grades]
    first, second = shorten_names(pair.judges)
    axis = {"domain": False, "ticks": False, "labelAngle": 0}
    x = nominal("other", sort=grades, axis=axis | {"title": f"grade by {second}"})
    y = nominal("grade", sort=grades[::-1], axis=axis | {"title": f"grade by {first}"})
    place = {"x": x, "y": y}
    fill = place | {"fill": nominal("fill", scale=None)}
    number = place | {"text": nominal("documents"), "color": nominal("ink", scale=None)}
    return [
        build_layer("rect", rows, fill, stroke=tones.paper, strokeWidth=2),
        build_layer("text", rows, number, fontSize=13),
    ]
