"""Tools that take arrays of labels and scores, one list per query."""

from math import e

from attrs import evolve

from gainful.convention.convention import Convention, list_conventions

_NDCG_ONLY = ("nDCG",)
_ARRAYS = Convention(
    ideal="list", missing="skip", extra="empty", duplicates="count", measures=_NDCG_ONLY
)
_FLOAT32 = evolve(_ARRAYS, grade_bits=32)  # libraries of learning keep labels in 32 bit

SKLEARN = evolve(
    _ARRAYS,
    title="scikit-learn 1.9 ndcg_score",
    ties="average",
    negative="error",
    note="a list of one document is refused there; dcg_score takes negative grades",
)
SKLEARN_IGNORE_TIES = evolve(
    SKLEARN,
    title="scikit-learn 1.9 ndcg_score(ignore_ties=True)",
    ties="reversed",
    unstable_ties={"nDCG": 4},
    note="a reversed unstable sort: beyond 16 documents ties may come in any order, and from four "
    "documents on where NumPy sorts by AVX-512",
)
TORCHMETRICS = evolve(
    _FLOAT32,
    score_bits=32,
    title="torchmetrics 1.9 RetrievalNormalizedDCG",
    ties="average",
    negative="in_ideal",
    negative_ideal="divide",
    measures=("nDCG", "AP", "P@", "R", "RR", "Rprec", "Success@"),
    by_measure={
        **{measure: {"ties": "input", "divisor": "found"} for measure in ("AP", "AP@")},
        **{
            measure: {"ties": "input"}
            for measure in ("P@", "R", "R@", "RR", "RR@", "Rprec", "Success@")
        },
    },
    unstable_ties={
        **dict.fromkeys(("AP", "P", "RR"), 4),
        **dict.fromkeys(("R", "Rprec", "Success"), 17),
    },
    note="empty_target_action sets `empty`; grades that sum to 0 count as nothing relevant; in AP, "
    "P, R and RR documents with scores of 0 and below count as useless there; its sorts are "
    "unstable: tied documents may come in any order, from 4 documents on in AP, P and RR "
    "(torch.topk), from 17 on in R, Rprec and Success (torch.argsort)",
)
RAX = evolve(
    _FLOAT32,
    score_bits=32,
    title="rax 0.4 ndcg_metric",
    gain="exp",
    ties="input",
    negative="in_ideal",
    negative_ideal="divide_or_dcg",
    measures=("nDCG", "AP"),
)
TENSORFLOW_RANKING = evolve(
    _FLOAT32,
    score_bits=32,
    title="TensorFlow Ranking 0.5 NDCGMetric",
    gain="exp",
    ties="average",
    negative="remove",
    note="shuffles ties at random: this is the expected value",
)
LIGHTGBM = evolve(
    _FLOAT32,
    title="LightGBM 4.7 ndcg",
    gain="exp",
    ties="input",
    negative="error",
    fractional="error",
    empty=1,
    divisor="reachable",
    measures=("nDCG", "AP@"),
    note="label_gain sets the gain; grades above 30 are refused there",
)
XGBOOST = evolve(
    LIGHTGBM,
    score_bits=32,
    title="XGBoost 3.2 ndcg",
    cutoff=32,
    measures=("nDCG", "AP"),
    note="a metric that names no cutoff is cut at 32; grades above 31 are refused there",
)
XGBOOST_MINUS = evolve(XGBOOST, title="XGBoost 3.2 ndcg-", empty=0)
XGBOOST_LINEAR = evolve(
    XGBOOST,
    title="XGBoost 3.2 ndcg, ndcg_exp_gain=False",
    gain="linear",
    negative="in_ideal",
    fractional="keep",
)
CATBOOST = evolve(
    _FLOAT32,
    title="CatBoost 1.2 NDCG",
    ties="worst",
    negative="in_ideal",
    empty=1,
    divisor="reachable",
    measures=("nDCG", "AP@", "R@", "RR@", "FilteredDCG"),
    by_measure={"AP@": {"empty": 0}, "FilteredDCG": {"filtered_order": "input"}},
    note="type=Exp is gain=exp, denominator=Position is discount=zipf, sort=ByPrediction of "
    "FilteredDCG is filtered_order=score",
)
EVIDENTLY = evolve(
    _ARRAYS,
    title="Evidently 0.7 NDCG@k",
    ties="mean_rank",
    negative="in_ideal",
    empty="skip",
    note="with no_feedback_users=True an empty query scores 0",
)
SPARK = Convention(
    measures=_NDCG_ONLY,
    title="PySpark 4.3 RankingMetrics.ndcgAt",
    gain="binary",
    discount="log",
    b=e,
    ties="input",
    missing="skip",
    extra="empty",
    duplicates="count",
    note="whatever is passed as relevant counts as 1; its relevance column is ignored",
)
SPARK_ML = evolve(
    SPARK,
    title="pyspark.ml 4.3 RankingEvaluator ndcgAtK",
    cutoff=10,
    note="",
)

ARRAY_TOOLS = list_conventions(globals(), Convention)
