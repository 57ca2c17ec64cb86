# The public names: the one table of them, for type checkers and for `__init__.py`.

# What can be asked.
from gainful.api.calibrate import calibrate as calibrate
from gainful.api.check import check as check
from gainful.api.collections import evaluate_collections as evaluate_collections
from gainful.api.compare import compare as compare
from gainful.api.evaluate import evaluate as evaluate
from gainful.api.explain import (
    explain as explain,
    explain_query as explain_query,
)
from gainful.api.explore import explore as explore
from gainful.api.gate import gate as gate
from gainful.api.judges import compare_judges as compare_judges
from gainful.api.measures import register as register
from gainful.api.order import order as order
from gainful.api.plan import plan as plan
from gainful.api.report import report as report
from gainful.api.reproduce import reproduce as reproduce
from gainful.api.unjudged import unjudged as unjudged
from gainful.api.values import read_values as read_values
from gainful.api.which import which as which
from gainful.api.why import why as why

# isort: split
# What it is asked of, and what comes back.
from gainful.api.run_options import RunOptions as RunOptions
from gainful.evidence.collections import CollectionResults as CollectionResults
from gainful.evidence.comparisons.comparison import Comparison as Comparison
from gainful.evidence.gates.verdict import Verdict as Verdict
from gainful.evidence.judges import JudgeAgreement as JudgeAgreement
from gainful.measure.results import QueryResults as QueryResults
from gainful.measure.sessions.results import SessionResults as SessionResults
from gainful.measure.values import Results as Results
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
from gainful.measure.catalogue import MEASURES as MEASURES
from gainful.measure.language import parse as parse
from gainful.measure.measure import (
    AP as AP,
    CG as CG,
    DCG as DCG,
    RR as RR,
    Measure as Measure,
    P as P,
    R as R,
    nDCG as nDCG,
)

# isort: split
# One ranking, or many, as arrays.
from gainful.measure.arrays import (
    average_precision as average_precision,
    cg as cg,
    cg_curve as cg_curve,
    compute as compute,
    dcg as dcg,
    dcg_curve as dcg_curve,
    err as err,
    idcg as idcg,
    idcg_curve as idcg_curve,
    ncg as ncg,
    ncg_curve as ncg_curve,
    ndcg as ndcg,
    ndcg_curve as ndcg_curve,
    nsdcg as nsdcg,
    precision as precision,
    rbp as rbp,
    recall as recall,
    reciprocal_rank as reciprocal_rank,
    sdcg as sdcg,
)

# isort: split
# Modules that are there without being imported by name.
from gainful import (
    datasets as datasets,
    errors as errors,
    figures as figures,
    sessions as sessions,
    stats as stats,
    testing as testing,
    vectors as vectors,
)

__version__: str
