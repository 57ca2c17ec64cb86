"""Room `measure`: ranked gains go in, one value per query comes out."""

from gainful.measure.algebra import (
    add,
    average,
    average_of_normalised,
    normalise,
    normalised_average,
    scale,
)
from gainful.measure.arrays import (
    cg,
    cg_curve,
    compute,
    compute_curve,
    dcg,
    dcg_curve,
    idcg,
    idcg_curve,
    ncg,
    ncg_curve,
    ndcg,
    ndcg_curve,
)
from gainful.measure.catalogue import MEASURES, SESSION_MEASURES
from gainful.measure.discount import DISCOUNTS, as_discount, of_queries, query_discount
from gainful.measure.entry import Entry, Example
from gainful.measure.explanation import Line, Worked, explain
from gainful.measure.gain import GAINS, as_gain
from gainful.measure.language import expand, parse
from gainful.measure.measure import AP, CG, DCG, IDCG, RR, Measure, P, R, nCG, nDCG
from gainful.measure.parameters import CHOICES, PARAMETERS
from gainful.measure.recipe import Options, Recipe, recipe
from gainful.measure.references import REFERENCES
from gainful.measure.trec_eval_names import TREC_NAMES
from gainful.measure.which import Answer, Match, which

__all__ = [
    "AP",
    "CG",
    "CHOICES",
    "DCG",
    "DISCOUNTS",
    "GAINS",
    "IDCG",
    "MEASURES",
    "PARAMETERS",
    "REFERENCES",
    "RR",
    "SESSION_MEASURES",
    "TREC_NAMES",
    "Answer",
    "Entry",
    "Example",
    "Line",
    "Match",
    "Measure",
    "Options",
    "P",
    "R",
    "Recipe",
    "Worked",
    "add",
    "as_discount",
    "as_gain",
    "average",
    "average_of_normalised",
    "cg",
    "cg_curve",
    "compute",
    "compute_curve",
    "dcg",
    "dcg_curve",
    "expand",
    "explain",
    "idcg",
    "idcg_curve",
    "nCG",
    "nDCG",
    "ncg",
    "ncg_curve",
    "ndcg",
    "ndcg_curve",
    "normalise",
    "normalised_average",
    "of_queries",
    "parse",
    "query_discount",
    "recipe",
    "scale",
    "which",
]
