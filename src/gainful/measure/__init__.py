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
from gainful.measure.build_recipe import Options, build_recipe
from gainful.measure.catalogue import MEASURES
from gainful.measure.discount import DISCOUNTS, as_query_discount
from gainful.measure.entry import Entry, Example
from gainful.measure.explanation import Explanation, Line
from gainful.measure.formulas import as_discount, as_gain, query_discount
from gainful.measure.gain import GAINS
from gainful.measure.language import expand, parse
from gainful.measure.latex import measure_latex
from gainful.measure.measure import AP, CG, DCG, IDCG, RR, Measure, P, R, nCG, nDCG
from gainful.measure.parameters import CHOICES, PARAMETERS
from gainful.measure.recipe import Recipe
from gainful.measure.references import REFERENCES
from gainful.measure.trec_eval_names import TREC_NAMES
from gainful.measure.which import Formulation, Formulations

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
    "TREC_NAMES",
    "Entry",
    "Example",
    "Explanation",
    "Formulation",
    "Formulations",
    "Line",
    "Measure",
    "Options",
    "P",
    "R",
    "Recipe",
    "add",
    "as_discount",
    "as_gain",
    "as_query_discount",
    "average",
    "average_of_normalised",
    "build_recipe",
    "cg",
    "cg_curve",
    "compute",
    "compute_curve",
    "dcg",
    "dcg_curve",
    "expand",
    "idcg",
    "idcg_curve",
    "measure_latex",
    "nCG",
    "nDCG",
    "ncg",
    "ncg_curve",
    "ndcg",
    "ndcg_curve",
    "normalise",
    "normalised_average",
    "parse",
    "query_discount",
    "scale",
]
