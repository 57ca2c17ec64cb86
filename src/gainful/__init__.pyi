# The public names: the one table of them, for type checkers and for `__init__.py`.

# What can be asked.
from gainful.api.check import check as check
from gainful.api.compare import (
    compare as compare,
    compare_results as compare_results,
    compare_runs as compare_runs,
    compare_sessions as compare_sessions,
)
from gainful.api.evaluate import evaluate as evaluate
from gainful.api.explain import explain as explain
from gainful.api.explore import explore as explore
from gainful.api.figures import figure as figure, figure_data as figure_data
from gainful.api.gate import gate as gate
from gainful.api.order import order as order
from gainful.api.register import register as register
from gainful.api.report import report as report
from gainful.api.sessions import evaluate_sessions as evaluate_sessions
from gainful.api.sweep import sweep as sweep
from gainful.api.unjudged import settle as settle, unjudged as unjudged
from gainful.api.which import which as which
from gainful.api.why import why as why
from gainful.evidence.stability import stability as stability
from gainful.evidence.statistics.power import (
    detectable_effect as detectable_effect,
    queries_needed as queries_needed,
)

# isort: split
# What it is asked of, and what comes back.
from gainful.datasets import SimulatedStudy as SimulatedStudy, simulate_study as simulate_study
from gainful.evidence.comparisons.comparison import Comparison as Comparison
from gainful.evidence.gates.verdict import Verdict as Verdict
from gainful.evidence.orders.order import Order as Order
from gainful.evidence.reasons.why import Why as Why
from gainful.evidence.run_results import RunResults as RunResults
from gainful.evidence.stability import Stability as Stability
from gainful.evidence.statistics.resampling import Resampling as Resampling
from gainful.evidence.unjudged.bounds import Bounds as Bounds
from gainful.evidence.unjudged.settlement import Settlement as Settlement
from gainful.match.check_report import CheckReport as CheckReport
from gainful.match.matched import Matched as Matched
from gainful.measure.explanation import Explanation as Explanation
from gainful.measure.results import Results as Results
from gainful.measure.sessions.results import SessionResults as SessionResults
from gainful.measure.sessions.sweep import Sweep as Sweep
from gainful.measure.which import Formulation as Formulation, Formulations as Formulations
from gainful.read.qrels_and_run import Qrels as Qrels, Run as Run
from gainful.read.sessions import Sessions as Sessions

# isort: split
# Measures and conventions by name.
from gainful.convention import (
    CONVENTIONS as CONVENTIONS,
    Convention as Convention,
    like as like,
)
from gainful.convention.session import SessionConvention as SessionConvention
from gainful.measure.language import expand as expand, parse as parse
from gainful.measure.measure import (
    AP as AP,
    CG as CG,
    DCG as DCG,
    IDCG as IDCG,
    RR as RR,
    Measure as Measure,
    P as P,
    R as R,
    nCG as nCG,
    nDCG as nDCG,
)

# isort: split
# One ranking, and vectors of several.
from gainful.measure.algebra import (
    add as add,
    average as average,
    average_of_normalised as average_of_normalised,
    normalise as normalise,
    normalised_average as normalised_average,
    scale as scale,
)
from gainful.measure.arrays import (
    cg as cg,
    cg_curve as cg_curve,
    compute as compute,
    compute_curve as compute_curve,
    dcg as dcg,
    dcg_curve as dcg_curve,
    idcg as idcg,
    idcg_curve as idcg_curve,
    ncg as ncg,
    ncg_curve as ncg_curve,
    ndcg as ndcg,
    ndcg_curve as ndcg_curve,
)
from gainful.measure.formulas import query_discount as query_discount

# isort: split
# What can be wrong with what was given.
from gainful.errors import (
    BadInput as BadInput,
    BadPlugin as BadPlugin,
    BadShape as BadShape,
    BadValue as BadValue,
    CannotCompare as CannotCompare,
    GainfulError as GainfulError,
    NotExact as NotExact,
    NothingToAverage as NothingToAverage,
    NotInstalled as NotInstalled,
    Tied as Tied,
    UnknownName as UnknownName,
    WrongType as WrongType,
)

# isort: split
# Modules that are there without being imported by name.
from gainful import datasets as datasets, errors as errors, figures as figures, stats as stats

__version__: str
