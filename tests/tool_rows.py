"""What the tools themselves printed on seventeen small cases, and the calls that must print it too."""

from attrs import field, frozen
from example_files import read_golden

GOLDEN = read_golden("conventions")
CASES, OBSERVED = GOLDEN["cases"], GOLDEN["observed"]

# What an array of grades cannot say, so that no array function can be held to it.
EMPTY_LIST = {"C17": "an empty ranking is refused"}
NO_IDS = {
    **EMPTY_LIST,
    "C06": "ties by document id",
    "C07": "ties by document id",
    "C12": "a missing query",
    "C13": "a query without judgments",
    "C14": "a duplicate document",
}
MANY_QUERIES = {k: NO_IDS[k] for k in ("C12", "C13", "C14", "C17")}
ONE_DOCUMENT = {"C17": "scikit-learn refuses a list of one document; we do not"}


@frozen
class GoldenRow:
    """A line of the golden table and the call that must reproduce it."""

    tool: str
    like: str
    mode: str = "list"  # list: what was retrieved; pool: the rest appended; judged: as judged=
    options: dict = field(factory=dict)
    function: str = "ndcg"
    beyond: dict = field(factory=dict)
    digits: int = 6


ROWS = [
    # array tools
    GoldenRow("scikit-learn 1.9.1 ndcg_score, list only", "sklearn"),
    GoldenRow("scikit-learn 1.9.1 ndcg_score, pool", "sklearn", "pool", beyond=ONE_DOCUMENT),
    GoldenRow(
        "scikit-learn 1.9.1 ndcg_score(ignore_ties=True), pool",
        "sklearn_ignore_ties",
        "pool",
        beyond=ONE_DOCUMENT,
    ),
    GoldenRow(
        "scikit-learn 1.9.1 dcg_score, list only",
        "sklearn",
        options={"negative": "keep"},
        function="dcg",
    ),
    GoldenRow("torchmetrics 1.9.0 RetrievalNormalizedDCG, list only", "torchmetrics"),
    GoldenRow("torchmetrics 1.9.0 RetrievalNormalizedDCG, pool", "torchmetrics", "pool"),
    GoldenRow(
        "torchmetrics 1.9.0 empty_target_action='skip', list only",
        "torchmetrics",
        options={"empty": "skip"},
        beyond={"C08": "torchmetrics calls the mean of no query 0; we refuse it"},
    ),
    GoldenRow("rax 0.4.0 ndcg_metric (default 2^y-1), list only", "rax", beyond=EMPTY_LIST),
    GoldenRow("rax 0.4.0 ndcg_metric (default 2^y-1), pool", "rax", "pool"),
    GoldenRow("rax 0.4.0 ndcg_metric gain_fn=identity, pool", "rax", "pool", {"gain": "linear"}),
    GoldenRow("catboost 1.2.10 NDCG (defaults Base/LogPosition), list only", "catboost"),
    GoldenRow("catboost 1.2.10 NDCG Base, pool", "catboost", "pool"),
    GoldenRow("catboost 1.2.10 NDCG type=Exp, pool", "catboost", "pool", {"gain": "exp"}),
    GoldenRow("catboost 1.2.10 NDCG denominator=Position, pool", "catboost", "pool", {"discount": "zipf"}),
    GoldenRow("lightgbm 4.7.0 ndcg (default label_gain 2^i-1), list only", "lightgbm"),
    GoldenRow("lightgbm 4.7.0 ndcg, pool", "lightgbm", "pool"),
    GoldenRow(
        "lightgbm 4.7.0 ndcg label_gain=0,1,2,3, pool",
        "lightgbm",
        "pool",
        {"gain": {0: 0, 1: 1, 2: 2, 3: 3}},
    ),
    GoldenRow("xgboost 3.2.0 ndcg (exp gain), list only", "xgboost", beyond=EMPTY_LIST),
    GoldenRow("xgboost 3.2.0 ndcg, pool", "xgboost", "pool"),
    GoldenRow("xgboost 3.2.0 ndcg- , pool", "xgboost_minus", "pool"),
    GoldenRow("xgboost 3.2.0 ndcg ndcg_exp_gain=False, pool", "xgboost_linear", "pool"),
    GoldenRow("evidently 0.7.23 NDCGKMetric source, defaults (no_feedback_users=False)", "evidently"),
    GoldenRow(
        "evidently 0.7.23 NDCGKMetric source, no_feedback_users=True",
        "evidently",
        options={"empty": 0},
    ),
    # tools with judgments, as far as one list of grades can tell
    GoldenRow("trec_eval 10.0-rc3 (ndcg / ndcg_cut)", "trec_eval", "judged", digits=4, beyond=NO_IDS),
    GoldenRow("trec_eval 10.0-rc3 dcg", "trec_eval", "judged", {}, "dcg", NO_IDS, 4),
    GoldenRow("trec_eval 10.0-rc3 ideal_dcg", "trec_eval", "judged", {}, "idcg", NO_IDS, 4),
    GoldenRow("trec_eval 10.0-rc3 -c", "trec_eval_c", "judged", digits=4, beyond=NO_IDS),
    GoldenRow(
        "trec_eval 10.0-rc3 -J",
        "trec_eval_j",
        "judged",
        digits=4,
        beyond=NO_IDS | {"C10": "an unjudged document is not a grade of 0"},
    ),
    GoldenRow("trec_eval 9.0.8 tag (ndcg / ndcg_cut)", "trec_eval_9", "judged", digits=4, beyond=NO_IDS),
    GoldenRow("ranx 0.3.21 ndcg make_comparable", "ranx_comparable", "judged", beyond=MANY_QUERIES),
    GoldenRow(
        "recommenders 1.2.1 ndcg_at_k(score_type='binary' default; qrels rows incl. grade 0)",
        "recommenders",
        "judged",
        beyond=MANY_QUERIES | {"C10": "an unjudged document is not a grade of 0"},
    ),
    GoldenRow(
        "ir_measures 0.4.3 nDCG(judged_only)",
        "ir_measures_judged",
        "judged",
        beyond=NO_IDS | {"C10": "an unjudged document is not a grade of 0"},
    ),
    GoldenRow("pytrec_eval-terrier 0.5.11 (mean of returned)", "pytrec_eval", "judged", beyond=NO_IDS),
    GoldenRow("ir_measures 0.4.3 nDCG", "ir_measures", "judged", beyond=NO_IDS),
    GoldenRow("ranx 0.3.21 ndcg", "ranx", "judged", beyond=MANY_QUERIES),
    GoldenRow("ranx 0.3.21 ndcg_burges", "ranx_burges", "judged", beyond=MANY_QUERIES),
    GoldenRow("trectools 0.0.50 get_ndcg(trec_eval=True)", "trectools", "judged", beyond=NO_IDS),
    GoldenRow("trectools 0.0.50 get_ndcg(trec_eval=False)", "trectools_exp", "judged", beyond=NO_IDS),
    GoldenRow("BEIR 2.2.0 EvaluateRetrieval.evaluate NDCG@(k or 1000) (source)", "beir", "judged",
        digits=5, beyond=NO_IDS),
    GoldenRow(
        "pyNTCIREVAL 0.0.3 nDCG (J&K 2002) logb=2, grades 1,2,3",
        "ntcireval",
        "judged",
        beyond=MANY_QUERIES | {"C11": "a negative grade reads its gain table from the end"},
    ),
    GoldenRow(
        "pyNTCIREVAL 0.0.3 nDCG (J&K 2002) logb=10, grades 1,2,3",
        "ntcireval",
        "judged",
        {"b": 10},
        beyond=MANY_QUERIES | {"C11": "a negative grade reads its gain table from the end"},
    ),
    GoldenRow(
        "pyNTCIREVAL 0.0.3 MSnDCG grades 1,3,7",
        "ntcireval_ms",
        "judged",
        {"gain": {0: 0, 1: 1, 2: 3, 3: 7}},
        beyond=MANY_QUERIES | {"C11": "a negative grade reads its gain table from the end"},
    ),
    GoldenRow("Quepid ndcg@10.js (k default 10 where case has none)", "quepid", "judged",
        beyond=MANY_QUERIES),
    GoldenRow("Quepid ndcg_cut@10.js (k default 10 where case has none)", "quepid_cut", "judged",
        beyond=MANY_QUERIES),
    GoldenRow("Elasticsearch/OpenSearch dcg normalize=true (from the Java source, by hand)",
        "elasticsearch", "judged", beyond=MANY_QUERIES),
    GoldenRow("pyvespa VespaEvaluator graded (source)", "vespa", "judged", beyond=MANY_QUERIES),
    GoldenRow("recommenders 1.2.1 ndcg_at_k(score_type='raw')", "recommenders_raw", "judged",
        beyond=MANY_QUERIES),
    GoldenRow("recommenders 1.2.1 ndcg_at_k(score_type='exp')", "recommenders_exp", "judged",
        beyond=MANY_QUERIES),
    GoldenRow("cornac 3.0.1 NDCG (binary)", "cornac", "judged",
        beyond=MANY_QUERIES | {"C09": "not a number there", "C16": "any judged grade counts there"}),
    GoldenRow("RecBole 1.2.1 NDCG (binary)", "recbole", "judged",
        beyond=MANY_QUERIES | {"C03": "k is the length of the list there",
                               "C16": "any judged grade counts there"}),
    GoldenRow("pyspark 4.3.0 RankingMetrics.ndcgAt, binary labels", "spark", "judged",
        beyond=MANY_QUERIES | {"C08": "no label, no schema: refused there",
                               "C16": "any judged grade counts there"}),
    GoldenRow("Elliot 0.3.1 nDCG source, rel_threshold=1", "elliot", "judged", beyond=MANY_QUERIES),
    GoldenRow("Elliot 0.3.1 nDCG source, rel_threshold=2", "elliot", "judged", {"rel": 2},
        beyond=MANY_QUERIES),
    GoldenRow("gdeval.pl 1.2a (per query rows)", "gdeval", "judged", digits=5,
        beyond=NO_IDS | {"C09": "prints a row per query"}),
]  # fmt: skip
