"""`Drawing`: a figure of some data, to be drawn on either background or written as a table."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from gainful.errors import NotInstalled
from gainful.page.page import Page
from gainful.page.table import Table
from gainful.show import picture
from gainful.show.figures import line_chart
from gainful.show.figures.figure import Figure, FigureData, Look
from gainful.show.theme import Spec

if TYPE_CHECKING:
    import altair as alt


@frozen(eq=False)
class Drawing:
    """A figure, what it is made of, and how it looks."""

    figure: Figure
    data: FigureData
    look: Look

    def spec(self) -> Spec:
        """The chart as Vega-Lite has it, or what says why there is none."""
        empty, draw_chart = self.data.empty_reason, self.figure.draw_chart
        return (line_chart.draw_chart if empty else draw_chart)(self.data, self.look)

    def to_picture(self, suffix: str) -> bytes:
        """The content of a file of that suffix: .svg, .png, .pdf, .html or .json."""
        if suffix == ".html":
            looks = [evolve(self.look, dark=dark) for dark in (False, True)]
            light, dark = (evolve(self, look=look).spec() for look in looks)
            return picture.to_html(light, dark, begin_dark=self.look.dark).encode()
        content = picture.WRITERS[suffix](self.spec())
        return content.encode() if isinstance(content, str) else content

    def page(self) -> Page:
        """The tidy data as rows."""
        frame = self.data.frame
        return Page(rows=lambda: Table(frame.columns, frame.rows()))


def to_altair(spec: Spec) -> alt.TopLevelMixin:
    """A specification as an Altair chart."""
    try:
        import altair as alt  # noqa: PLC0415  (slow to load, and of the extra report)
    except ImportError:
        raise NotInstalled("gainful.figures.figure", "report") from None
    # Altair would look at every row of the data, and try every kind of chart on it: the data go
    # beside the chart, and the kind is known.
    datasets: dict[str, Any] = {}
    full_spec = {"$schema": alt.SCHEMA_URL, **_name_data(spec, datasets)}
    chart_classes: dict[str, Any] = {
        "layer": alt.LayerChart,
        "concat": alt.ConcatChart,
        "vconcat": alt.VConcatChart,
    }
    chart_class: Any = next((chart_classes[key] for key in chart_classes if key in spec), alt.Chart)
    chart: Any = _draw_offline(chart_class).from_dict(full_spec, validate=False)
    chart.datasets = datasets
    return chart  # type: ignore[no-any-return]


@cache
def _draw_offline(chart_class: type[Any]) -> type[Any]:
    """The class, but a notebook gets a picture: Altair's own page would load scripts."""

    def show(chart: Any, *arguments: Any, **options: Any) -> Any:
        try:
            svg = picture.to_svg(chart)
        except NotInstalled:  # then as Altair has it
            return chart_class._repr_mimebundle_(chart, *arguments, **options)
        return {"image/svg+xml": svg, "text/plain": type(chart).__name__}

    methods = {"_repr_mimebundle_": show, "__module__": chart_class.__module__}
    return type(chart_class.__name__, (chart_class,), methods)


def _name_data(part: Any, datasets: dict[str, Any]) -> Any:
    """A part of a chart with its data replaced by names; `datasets` gets what these stand for."""
    if isinstance(part, list):
        return [_name_data(item, datasets) for item in part]
    if not isinstance(part, dict):
        return part
    if isinstance(part.get("values"), list) and set(part) == {"values"}:
        datasets[f"data-{len(datasets) + 1}"] = part["values"]
        return {"name": f"data-{len(datasets)}"}
    return {key: _name_data(value, datasets) for key, value in part.items()}
