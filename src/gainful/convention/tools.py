"""Every tool and source whose nDCG (or alpha-nDCG) we can reproduce, by name.

Facts were read in the tools' sources and checked by running them; the titles name versions.
To add a tool, add a constant: the table is made of them. GAINFUL is the first.
"""

from collections.abc import Mapping
from math import e

from attrs import evolve

from gainful.convention.convention import (
    ABOVE_ZERO,
    EVERY_GRADE,
    GAINFUL,
    Convention,
    list_conventions,
)
from gainful.page.table import NameTable

# The papers and pages that defined cumulated gain, each with its own formulas.
_CUMULATED = ("CG", "DCG", "nCG", "nDCG", "IDCG")

JK2002 = evolve(
    GAINFUL,
    title="Järvelin & Kekäläinen 2002",
    discount="jk2002",
    b=2,
    measures=_CUMULATED,
    note="ranks before b are not discounted, so the base changes nDCG",
)
JK2008 = evolve(
    GAINFUL,
    title="Järvelin, Price, Delcambre & Nielsen 2008",
    discount="jk2008",
    b=2,
    measures=_CUMULATED,
    note="every rank but the first is discounted",
)
BURGES2005 = evolve(
    GAINFUL,
    title="Burges et al. 2005",
    gain="exp",
    discount="log",
    b=e,
    measures=("nDCG",),
    note="it uses the natural logarithm; the base cancels out of nDCG",
)
WIKIPEDIA = evolve(
    JK2002,
    title="Wikipedia's worked example of discounted cumulative gain",
    ideal="list",
    measures=("CG", "nDCG"),
    note="the article's second formula is burges2005",
)

# Tools that read judgments and runs, in the tradition of trec_eval.
_TREC_MEASURES = (
    *("AP", "P", "R", "RR", "Success", "Rprec", "IPrec", "IAP", "Bpref", "infAP", "relP", "GMAP"),
    *("GMBpref", "YAAP", "nDCG", "gRBP", "RBPResid", "G", "binG", "nDCG_rel", "Rndcg"),
    *("SetP", "SetR", "SetRelP", "SetAP", "SetF", "Utility", "NumQ", "NumRet", "NumRel"),
    *("NumRelRet", "NumNonRelRet", "Unjudged"),
)
TREC_EVAL = Convention(
    measures=_TREC_MEASURES,
    title="trec_eval 10 ndcg, ndcg_cut",
    fractional="truncate",
    missing="error",
    note="with -c a missing query scores 0; a measure without a cutoff does not cut the ideal",
)
TREC_EVAL_C = evolve(TREC_EVAL, title="trec_eval 10 -c", missing="zero", note="")
TREC_EVAL_J = evolve(
    TREC_EVAL,
    title="trec_eval 10 -J",
    unjudged="remove",
    negative="remove",
    note="",
)
TREC_EVAL_9 = evolve(
    TREC_EVAL,
    title="trec_eval 9 ndcg, ndcg_cut",
    missing="skip",
    score_bits=32,
    recall_points="trec_eval_9",
    note="with -c a missing query scores 0",
)
PYTREC_EVAL = evolve(
    TREC_EVAL_9,
    title="pytrec_eval-terrier 0.5 ndcg, ndcg_cut",
    fractional="error",
    duplicates="last",
    note="it returns values per query only; the caller computes the mean",
)
_NDEVAL_MEASURES = tuple(
    name + cut
    for name in (
        *("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP"),
        *("AP_IA", "P_IA", "StRecall"),
    )
    for cut in ("", "@")
)
CWL_MEASURES = (  # what ir_measures asks cwl_eval for
    *("RBP", "scaledDCG@", "INST", "INSQ", "BPM@"),
    *("NERR8@", "NERR9@", "NERR10", "NERR11"),
)
_ASCENDING_MEASURES = ("RR@", "Judged", "Judged@", *_NDEVAL_MEASURES)
IR_MEASURES = evolve(
    PYTREC_EVAL,
    title="ir_measures 0.4 nDCG",
    missing="zero",
    max_grade=4,
    first_rank="as_is",
    measures=(
        *(*_TREC_MEASURES, "ERR@", "RBP", "scaledDCG", "INST", "INSQ", "BPM", "Judged", "Compat"),
        *("NERR8", "NERR9", "NERR10", "NERR11", "PairAccuracy", *_NDEVAL_MEASURES),
    ),
    by_measure={
        **{measure: {"ties": "input"} for measure in (*CWL_MEASURES, "RBP@")},
        **{measure: {"ties": "doc_ascending"} for measure in _ASCENDING_MEASURES},
        **{
            measure: {"ties": "input", "empty": "skip"}
            for measure in ("PairAccuracy", "PairAccuracy@")
        },
        "ERR@": {"decimals": 5},
    },
    note="gdeval.pl computes its ERR, with a highest grade of 4 and rounding; it breaks ties by "
    "ascending id for RR@k, Judged and subtopics, and keeps the order given for RBP, SDCG, INST, "
    "INSQ, BPM, NERR8 to NERR11 and Accuracy",
)
IR_MEASURES_JUDGED = evolve(
    IR_MEASURES,
    title="ir_measures 0.4 nDCG(judged_only=True)",
    unjudged="remove",
    negative="remove",
)
PYNDEVAL = Convention(
    title="pyndeval 0.0.8 (ndeval 4.5) alpha-nDCG, ERR-IA and their kin",
    ties="doc_ascending",
    missing="skip",
    first_rank="as_is",
    measures=tuple(name for name in _NDEVAL_MEASURES if not name.endswith("@")),
    note="it has no nDCG; if nothing is relevant, its nNRBP is undefined, and gainful's is 0",
)
GDEVAL = Convention(
    measures=("nDCG", "ERR"),
    title="gdeval.pl 1.2 ndcg",
    max_grade=4,
    gain="exp",
    discount="log",
    b=e,
    fractional="error",
    empty="skip",
    missing="skip",
    duplicates="count",
    decimals=5,
    note="it refuses grades above 4",
)
IR_MEASURES_EXP = evolve(
    GDEVAL,
    title="ir_measures 0.4 nDCG(dcg='exp-log2')@k",
    empty=0,
    missing="zero",
    note="it runs gdeval.pl",
)
BEIR = evolve(
    PYTREC_EVAL,
    title="BEIR 2.2 NDCG@k",
    namesake="remove",
    measures=("nDCG", "AP", "R", "P", "RR", "relP", "Success", "Unjudged"),
    note="it rounds the mean to 5 decimals",
)
_RANX_MEASURES = (
    *("nDCG", "AP", "P", "R", "RR", "Rprec", "SetF", "RBP", "Bpref", "Success", "Hits"),
)
RANX = Convention(
    measures=_RANX_MEASURES,
    need_useless=("Bpref",),
    unstable_ties=dict.fromkeys(_RANX_MEASURES, 16),
    rbp_grades="grade",
    title="ranx 0.3 ndcg",
    ties="input",
    fractional="truncate",
    missing="error",
    extra="error",
    duplicates="last",
    note="its sort is unstable: many tied documents may come in any order; its bpref is undefined "
    "if no document is judged nonrelevant",
)
RANX_COMPARABLE = evolve(
    RANX,
    title="ranx 0.3 ndcg, make_comparable=True",
    missing="zero",
    extra="ignore",
)
RANX_BURGES = evolve(RANX, title="ranx 0.3 ndcg_burges", gain="exp")
TRECTOOLS = Convention(
    measures=("nDCG",),
    title="trectools 0.0.50 get_ndcg(trec_eval=True)",
    cutoff=1000,
    ties="doc_ascending",
    missing="skip",
    extra="zero",
)
TRECTOOLS_EXP = evolve(TRECTOOLS, title="trectools 0.0.50 get_ndcg(trec_eval=False)", gain="exp")
NTCIREVAL = Convention(
    measures=("nDCG", "Qmeasure", "Omeasure", "Pmeasure", "Pplus", "NCU"),
    title="pyNTCIREVAL 0.0.3 nDCG",
    discount="jk2002",
    b=2,
    cutoff=1000,
    ties="input",
    negative="error",
    fractional="error",
    empty="error",
    missing="error",
    duplicates="count",
    note="the user passes a table of gains; a negative grade is looked up from its end",
)
NTCIREVAL_MS = evolve(NTCIREVAL, title="pyNTCIREVAL 0.0.3 MSnDCG", discount="log", b=e)

# Tools that take lists, one per query: of labels and scores, or of documents in their order.
_LISTS = Convention(missing="skip", extra="empty", duplicates="count", measures=("nDCG",))
_ARRAYS = evolve(_LISTS, ideal="list")
_RANKINGS = evolve(_LISTS, ties="input")
_FLOAT32 = evolve(_ARRAYS, grade_bits=32)  # libraries of learning keep labels in 32 bit

SKLEARN = evolve(
    _ARRAYS,
    title="scikit-learn 1.9 ndcg_score",
    ties="average",
    negative="error",
    note="it refuses a list of one document; dcg_score accepts negative grades",
)
SKLEARN_IGNORE_TIES = evolve(
    SKLEARN,
    title="scikit-learn 1.9 ndcg_score(ignore_ties=True)",
    ties="reversed",
    unstable_ties={"nDCG": 4},
    note="it reverses an unstable sort: ties may come in any order in lists of more than 16 "
    "documents, or of 4 or more if NumPy sorts with AVX-512",
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
    note="empty_target_action sets empty; if grades sum to 0, nothing counts as relevant; in AP, "
    "P, R and RR documents with scores of 0 or less count as nonrelevant; its sorts are "
    "unstable: ties may come in any order in lists of 4 or more documents for AP, P and RR "
    "(torch.topk), and of 17 or more for R, Rprec and Success (torch.argsort)",
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
    note="it shuffles ties at random; gainful computes the expected value",
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
    note="label_gain sets the gain; it refuses grades above 30",
)
XGBOOST = evolve(
    LIGHTGBM,
    score_bits=32,
    title="XGBoost 3.2 ndcg",
    cutoff=32,
    measures=("nDCG", "AP"),
    note="a metric without a cutoff is cut at 32; it refuses grades above 31",
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
    note="type=Exp is gain=exp, denominator=Position is discount=zipf, and sort=ByPrediction of "
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
SPARK = evolve(
    _RANKINGS,
    title="PySpark 4.3 RankingMetrics.ndcgAt",
    gain="binary",
    discount="log",
    b=e,
    note="every document passed as relevant counts as 1; its relevance column is ignored",
)
SPARK_ML = evolve(SPARK, title="pyspark.ml 4.3 RankingEvaluator ndcgAtK", cutoff=10, note="")

# Recommender libraries and search platforms.
RECBOLE = evolve(
    _RANKINGS,
    title="RecBole 1.2 NDCG",
    note="every document passed as relevant counts as 1; k is at most the length of the list",
    gain="binary",
)
CORNAC = evolve(
    RECBOLE,
    title="Cornac 3.0 NDCG",
    empty="skip",
    note="every document passed as relevant counts as 1",
)
RECOMMENDERS = Convention(
    measures=("nDCG", "AP@"),
    title="Microsoft recommenders 1.2 ndcg_at_k",
    gain="presence",
    discount="log",
    b=e,
    ties="input",
    duplicates="count",
    divisor="reachable",
    by_measure={"AP@": {"rel": EVERY_GRADE}},
    note="every rated document counts as 1, whatever its grade",
)
RECOMMENDERS_RAW = evolve(
    RECOMMENDERS,
    title="Microsoft recommenders 1.2 ndcg_at_k(score_type='raw')",
    gain="linear",
    negative="in_ideal",
    negative_ideal="divide",
    empty="skip",
    no_hits="zero",
    by_measure={"AP@": {"rel": EVERY_GRADE, "empty": 0}},
    note="",
)
RECOMMENDERS_EXP = evolve(
    RECOMMENDERS_RAW,
    title="Microsoft recommenders 1.2 ndcg_at_k(score_type='exp')",
    gain="exp",
    negative="error",
)
ELLIOT = evolve(
    _RANKINGS,
    title="Elliot 0.3 nDCG",
    gain="exp_above",
    rel=1,
    empty="skip",
    note="its relevance_threshold is rel, which changes the gain of every document",
    extra="ignore",
)
ELLIOT_RENDLE = evolve(ELLIOT, title="Elliot 0.3 nDCGRendle2020", gain="binary", note="")
QUEPID = evolve(
    _RANKINGS,
    negative_ideal="divide",
    title="Quepid nDCG@10",
    gain="exp",
    cutoff=10,
    ideal_depth="all",
    negative="in_ideal",
)
QUEPID_CUT = evolve(QUEPID, title="Quepid nDCG_cut@10", ideal_depth="k")
ELASTICSEARCH = evolve(
    QUEPID,
    title="Elasticsearch _rank_eval dcg, normalize=true",
    ideal_depth="retrieved",
    note="one perfect hit scores 1 even if three documents are relevant; its ratings are integers; "
    "unknown_doc_rating is unjudged_grade",
)
OPENSEARCH = evolve(ELASTICSEARCH, title="OpenSearch _rank_eval dcg, normalize=true")
OPENSEARCH_WORKBENCH = Convention(
    measures=("nDCG", "AP@"),
    title="OpenSearch Search Relevance Workbench NDCG",
    gain="exp",
    ties="input",
    negative="in_ideal",
    duplicates="count",
    decimals=2,
    rounding="half_up",
    by_measure={measure: {"rel": ABOVE_ZERO} for measure in ("AP@", "SetP@")},
    note="values above 1 occur; its precision divides by the number of retrieved documents, as "
    "SetP@k does; relevant means above 0, in later versions above a threshold: set rel",
)
VESPA = evolve(
    _RANKINGS,
    measures=("nDCG", "AP@", "P@", "R@", "RR@", "Success@"),
    title="pyvespa VespaEvaluator, graded",
    negative="in_ideal",
    extra="error",
    divisor="reachable",
    note="only its nDCG uses grades; its AP, P, R, RR and Success use a set of relevant documents",
)
VESPA_BINARY = evolve(VESPA, title="pyvespa VespaEvaluator, binary", gain="binary", note="")
MLFLOW = evolve(
    _RANKINGS,
    title="MLflow ndcg_at_k",
    gain="binary",
    ideal_depth="retrieved",
    note="k is at most the number retrieved; duplicates are renamed; 1 if both lists are empty",
)

RAGAS = evolve(
    _RANKINGS,
    measures=("ContextPrecision", "AP", "SetP", "SetR"),
    title="ragas 0.4 context precision and recall, by ids",
    divisor="found",
    note="it has no nDCG; its context precision is AP over the relevant documents that were found",
)
DEEPEVAL = evolve(
    RAGAS,
    title="DeepEval 4.3 contextual precision",
    measures=("ContextPrecision", "AP"),
)

CONVENTIONS: Mapping[str, Convention] = NameTable(
    "conventions", list_conventions(globals(), Convention)
)
