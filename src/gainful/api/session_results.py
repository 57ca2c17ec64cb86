"""What comes back of sessions: `SessionResults`, which can be grouped, compared and plotted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from attrs import evolve, frozen

from gainful.errors import WrongType
from gainful.evidence.statistics.resampling import RESAMPLES, SEED
from gainful.match.session_groups import By
from gainful.measure.results import summary_page
from gainful.measure.sessions.analysis import (
    LastQueries,
    NonLast,
    Reformulations,
    last_queries,
    lengths,
    reformulations,
)
from gainful.measure.sessions.results import View, session_results_page
from gainful.measure.sessions.session_values import SessionValues
from gainful.page.page import Page
from gainful.page.shown import Shown
from gainful.text import count_noun

if TYPE_CHECKING:  # what compares and draws is slow to load: imported when first called
    import altair as alt

    from gainful.evidence.comparisons.comparison import Comparison
    from gainful.evidence.method import MethodOptions


@frozen(eq=False, repr=False, kw_only=True)
class SessionResults(SessionValues, Shown):
    """A value for every session and measure.

    `results["nsDCG@10"]` is the mean of a measure, `mean` has all of them, `per_session` is a
    frame with a row for each session, `groups(by)` their means, `curve(name)` the mean vectors,
    `to_dict()` all of it as plain data.
    """

    def lengths(self, by: By = ()) -> list[dict[str, Any]]:
        """How many sessions have how many queries: Table 2 of the paper."""
        return lengths(self, by)

    def last_queries(
        self, name: str | None = None, by: By = (), non_last: NonLast = "pooled"
    ) -> LastQueries:
        """The last query against those before it, by rank, and how often it is the best."""
        return last_queries(self, name, by, non_last)

    def reformulations(self, name: str | None = None) -> Reformulations:
        """What each query added, and which reformulations helped most and least."""
        return reformulations(self, name)

    def page(
        self,
        view: View = "groups",
        by: By = (),
        non_last: NonLast = "pooled",
        *,
        verbose: bool = False,
    ) -> Page:
        """Means of groups, or another view of the sessions."""
        names = [by] if isinstance(by, str) else by
        return session_results_page(self, view, names, non_last, verbose=verbose)

    def brief(self) -> Page:
        """The means of all sessions, and what one should know."""
        counts = self.counts
        sessions = count_noun(counts["sessions"], "session")
        size = f"{sessions}, {count_noun(counts['queries'], 'query')}"
        return summary_page(evolve(self, name=Path(self.name).name), size, self.notes)

    def list_columns(self, **view: Any) -> dict[str, list[Any]]:
        """Of a frame: a row for each session, unless another view is asked for."""
        return super().list_columns(**{"view": "per_session"} | view)

    def compare(
        self,
        by: str = "system",
        block: str | Sequence[str] | None = None,
        **options: Unpack[MethodOptions],
    ) -> Comparison:
        """Is one system really better than another, by these sessions?

        Args:
            by: the column that names the system.
            block: the columns whose effects are taken out: searcher and scenario, if they are
                there.
            **options: how systems are compared (`stats.MethodOptions`), as
                `gainful.sessions.compare` has them.
        """
        from gainful.evidence.comparisons import study  # noqa: PLC0415

        if isinstance(by, SessionValues):
            way = (
                "a column that names the system: sessions of both go into one table, or into "
                "gainful.sessions.compare(sessions, qrels)"
            )
            raise WrongType("by", "other results", way)
        return study.compare_session_results(self, by, block, **options)

    def plot(
        self,
        measure: str | None = None,
        *,
        by: By = (),
        interval: float | None = None,
        resamples: int = RESAMPLES,
        seed: int = SEED,
        **look: Any,
    ) -> alt.TopLevelMixin:
        """How much have sessions brought, query after query? Figure 2 of the paper.

        Args:
            measure: one of the measures; the first nsDCG, or else the first sDCG.
            by: a column or several, such as system.
            interval: a band at this level in per cent, sessions drawn again.
            resamples: how often.
            seed: where chance begins.
            **look: title, width, height, dark.
        """
        from gainful.show.figures import drawing, figure, session_curves  # noqa: PLC0415

        shape = figure.Look.from_options(look)
        data = session_curves.sessions_data(
            self, measure, by=by, interval=interval, resamples=resamples, seed=seed
        )
        return drawing.draw_altair(session_curves.draw_chart, data, shape)
