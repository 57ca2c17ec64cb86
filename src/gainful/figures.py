"""Figures: `figure` by name, or a function for each; both return an Altair chart.

Each takes what the data function of that figure takes, and `title`, `width`, `height`, `dark`;
`figure_data` gives the numbers behind a figure, `save` writes a chart as the command does.

Examples:
    >>> judged = {"1": {"a": 1}, "2": {"b": 1}}
    >>> runs = {"one": {"1": ["a"], "2": ["x", "b"]}, "two": {"1": ["a"], "2": ["b"]}}
    >>> type(differences(judged, runs, "RR")).__name__
    'LayerChart'
"""

from functools import partial

from gainful.api.figures import figure, figure_data
from gainful.show.picture import save
from gainful.text import show_public_names

last = partial(figure, "last")
sessions = partial(figure, "sessions")
scenario = partial(figure, "scenario")
individual = partial(figure, "individual")
map = partial(figure, "map")  # noqa: A001  (as the command calls it)
frontier = partial(figure, "frontier")
searchers = partial(figure, "searchers")
curves = partial(figure, "curves")
differences = partial(figure, "differences")
precision_recall = partial(figure, "precision-recall")
dots = partial(figure, "dots")
groups = partial(figure, "groups")
comparison = partial(figure, "comparison")
heatmap = partial(figure, "heatmap")
judges = partial(figure, "judges")

__all__ = [
    "comparison",
    "curves",
    "differences",
    "dots",
    "figure",
    "figure_data",
    "frontier",
    "groups",
    "heatmap",
    "individual",
    "judges",
    "last",
    "map",
    "precision_recall",
    "save",
    "scenario",
    "searchers",
    "sessions",
]

show_public_names(__name__)
