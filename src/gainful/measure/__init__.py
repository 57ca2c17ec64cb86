"""Room `measure`: ranked gains go in, one value per query comes out."""

# It registers itself: how a measure within a measure is read.
from gainful.measure import language
from gainful.measure.measure import Measure, render_latex_with

__all__ = ["language"]


@render_latex_with
def _load_latex(measure: Measure) -> str:
    from gainful.measure.catalogue_page import measure_latex  # noqa: PLC0415  (only notebooks need it)

    return measure_latex(measure)
