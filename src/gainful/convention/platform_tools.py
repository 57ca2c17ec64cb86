"""Recommender libraries and search platforms."""

from math import e

from attrs import evolve

from gainful.convention.convention import ABOVE_ZERO, EVERY_GRADE, Convention, list_conventions

_NDCG_ONLY = ("nDCG",)

RECBOLE = Convention(
    measures=_NDCG_ONLY,
    title="RecBole 1.2 NDCG",
    note="whatever is passed as relevant counts as 1; k is at most the length of the list",
    gain="binary",
    ties="input",
    missing="skip",
    extra="empty",
    duplicates="count",
)
CORNAC = evolve(
    RECBOLE,
    title="Cornac 3.0 NDCG",
    empty="skip",
    note="whatever is passed as relevant counts as 1",
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
ELLIOT = Convention(
    measures=_NDCG_ONLY,
    title="Elliot 0.3 nDCG",
    gain="exp_above",
    rel=1,
    ties="input",
    empty="skip",
    missing="skip",
    duplicates="count",
    note="rel is its relevance_threshold, which changes the gain of every document",
)
ELLIOT_RENDLE = evolve(
    ELLIOT,
    title="Elliot 0.3 nDCGRendle2020",
    gain="binary",
    note="",
)
QUEPID = Convention(
    negative_ideal="divide",
    measures=_NDCG_ONLY,
    title="Quepid nDCG@10",
    gain="exp",
    cutoff=10,
    ideal_depth="all",
    ties="input",
    negative="in_ideal",
    missing="skip",
    extra="empty",
    duplicates="count",
)
QUEPID_CUT = evolve(QUEPID, title="Quepid nDCG_cut@10", ideal_depth="k")
ELASTICSEARCH = evolve(
    QUEPID,
    title="Elasticsearch _rank_eval dcg, normalize=true",
    ideal_depth="retrieved",
    note="one perfect hit of three relevant scores 1; ratings are whole numbers there; "
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
    note="values above 1 occur; its precision divides by the number retrieved: SetP@k here; "
    "relevant is above 0, in later versions above a threshold: set rel",
)
VESPA = Convention(
    measures=("nDCG", "AP@", "P@", "R@", "RR@", "Success@"),
    title="pyvespa VespaEvaluator, graded",
    ties="input",
    negative="in_ideal",
    missing="skip",
    extra="error",
    duplicates="count",
    divisor="reachable",
    note="only its nDCG uses grades; its AP, P, R, RR and Success use a set of relevant documents",
)
VESPA_BINARY = evolve(
    VESPA,
    title="pyvespa VespaEvaluator, binary",
    gain="binary",
    note="",
)
MLFLOW = Convention(
    measures=_NDCG_ONLY,
    title="MLflow ndcg_at_k",
    gain="binary",
    ideal_depth="retrieved",
    ties="input",
    missing="skip",
    extra="empty",
    duplicates="count",
    note="k shrinks to the number retrieved; duplicates are renamed; 1 if both lists are empty",
)

RAGAS = Convention(
    measures=("ContextPrecision", "AP", "SetP", "SetR"),
    title="ragas 0.4 context precision and recall, by ids",
    ties="input",
    divisor="found",
    missing="skip",
    extra="empty",
    duplicates="count",
    note="it has no nDCG; its context precision is AP over the relevant documents that were found",
)
DEEPEVAL = evolve(
    RAGAS,
    title="DeepEval 4.3 contextual precision",
    measures=("ContextPrecision", "AP"),
)

PLATFORM_TOOLS = list_conventions(globals(), Convention)
