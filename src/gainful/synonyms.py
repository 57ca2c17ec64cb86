"""What people type who know other tools, and what it is called here: the one table of hints.

What is misspelt is met by spelling alone only within two letters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

_QRELS, _RUN, _CUTOFF = ("qrels", "judged"), ("run", "runs", "scores"), ("k", "cutoff")
_MAX_CHANGES = 2  # letters
_SHORTEST = 3  # letters of a name that another one begins with
_SHORT = 4  # letters of a name in which one may be wrong

# Arguments, options and settings.
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("metric", "metrics", "measurement"), ("measures", "measure")),
    "measure": ("measures",),
    "measures": ("measure",),
    **dict.fromkeys(("judgments", "judgements", "judgment", "qrel", "ground_truth"), _QRELS),
    **dict.fromkeys(("truth", "gold", "labels", "references", "y_true"), ("qrels", "grades")),
    **dict.fromkeys(("relevance", "relevances"), ("grades", "qrels")),
    **dict.fromkeys(("predictions", "preds", "y_score", "y_pred", "system", "ranking"), _RUN),
    **dict.fromkeys(("results", "rankings", "retrieved", "hits"), _RUN),
    "run": ("runs",),
    "runs": ("run",),
    **dict.fromkeys(("top_k", "topk", "at", "at_k", "cut", "depth", "top"), _CUTOFF),
    "k": ("cutoff",),
    "cutoff": ("k",),
    **dict.fromkeys(("groups", "group_sizes", "group_by"), ("group", "by")),
    **dict.fromkeys(("group_id", "query_id", "query_ids", "qids"), ("qid",)),
    **dict.fromkeys(("convention", "tool", "as_in", "provider", "backend"), ("like",)),
    **dict.fromkeys(
        ("min", "minimum", "fail_under", "thresholds", "minimums"), ("floor", "floors")
    ),
    "threshold": ("floor", "floors", "rel"),
    **dict.fromkeys(("relevance_level", "min_rel", "rel_lvl", "level", "l"), ("rel",)),
    **dict.fromkeys(("rel_threshold", "relevance_threshold", "binarize", "binary"), ("rel",)),
    **dict.fromkeys(("ignore_ties", "tie_breaking", "tie_break"), ("ties",)),
    **dict.fromkeys(("max_p", "p_threshold", "significance_level"), ("alpha",)),
    **dict.fromkeys(("timeout", "session_timeout", "pause", "inactivity"), ("gap",)),
    **dict.fromkeys(("user_col", "item_col", "query_col", "doc_col", "score_col"), ("columns",)),
    **dict.fromkeys(("ttest", "t_test", "t-test", "student", "paired_t"), ("t",)),
    **dict.fromkeys(("fisher", "randomization", "permutation_test"), ("randomisation",)),
    **dict.fromkeys(("bar", "barplot", "box", "boxplot", "means"), ("dots",)),
    **dict.fromkeys(
        ("pr", "pr_curve", "pr-curve", "precision_recall_curve"),
        ("precision-recall", "precision_recall"),
    ),
    **dict.fromkeys(("hist", "histogram", "scatter", "bars"), ("differences",)),
    **dict.fromkeys(("column", "column_names", "col_map", "fields"), ("columns",)),
    **dict.fromkeys(("stat_test", "significance"), ("test",)),
    **dict.fromkeys(("correction", "adjust"), ("correct",)),
    **dict.fromkeys(("n_resamples", "iterations", "n_permutations"), ("resamples",)),
    **dict.fromkeys(("permutations", "n_bootstrap", "samples"), ("resamples",)),
    **dict.fromkeys(("random_state", "rng"), ("seed",)),
    **dict.fromkeys(("ci", "bootstrap", "confidence", "intervals", "error_bars"), ("interval",)),
    **dict.fromkeys(("per_topic", "per_user", "by_query", "all", "each"), ("per_query",)),
    **dict.fromkeys(("out", "file", "save", "outfile", "to"), ("output",)),
    **dict.fromkeys(("type", "output_format", "fmt"), ("form",)),
    **dict.fromkeys(("category", "segment", "slice", "split_by"), ("group", "by")),
}

_COMPARE = "gainful compare QRELS RUN RUN…"
_EVAL = "gainful eval QRELS RUN…"
_GATE = "gainful gate QRELS RUN --floor nDCG@10=0.4"
# Options that a command has not, and that are not called otherwise there: what to write instead.
OPTIONS: Mapping[str, str] = {
    **dict.fromkeys(("qrels", "judgments"), "QRELS comes first, without an option"),
    **dict.fromkeys(("run", "runs", "results"), "runs follow QRELS, without an option"),
    **dict.fromkeys(
        ("sep", "separator", "delimiter"),
        "the separator is detected; --columns query=user,doc=item names columns",
    ),
    **dict.fromkeys(
        ("digits", "decimals", "precision", "round", "rounding_digits"),
        "--format csv has every digit of a value",
    ),
    **dict.fromkeys(
        ("sort", "sort_by", "order_by"), "-o values.csv writes what a table program sorts"
    ),
    **dict.fromkeys(
        ("c", "complete", "skip_missing"),
        "a missing query scores 0; --missing skip leaves it out",
    ),
    **dict.fromkeys(("judged_only", "condensed"), "--unjudged remove takes unjudged documents out"),
    "j": "--unjudged remove takes unjudged documents out",
    "make_comparable": "--like ranx_comparable does that",
    "average": "every query counts equally; --group COLUMN adds means of groups",
    **dict.fromkeys(("debug", "traceback"), "-v prints more; GAINFUL_DEBUG=1 shows tracebacks"),
    **dict.fromkeys(
        ("query_id", "query", "topic"), "gainful explain QRELS RUN QUERY explains one query"
    ),
    **dict.fromkeys(("paired", "pairwise"), "runs are paired by query anyway"),
    **dict.fromkeys(
        ("ci", "bootstrap", "confidence", "intervals"),
        f"{_COMPARE} has intervals of differences, {_EVAL} --interval 95 those of means",
    ),
    **dict.fromkeys(("baseline", "test", "correct", "alpha"), f"{_COMPARE} has it"),
    **dict.fromkeys(("min", "threshold", "floor", "fail_under"), _GATE),
    **dict.fromkeys(("threads", "jobs", "workers", "n_jobs"), "all cores are used anyway"),
    **dict.fromkeys(
        ("header", "no_header"),
        "a header is detected; --columns query=1,doc=2 takes numbers",
    ),
    **dict.fromkeys(
        ("color", "colour", "no_color"), "NO_COLOR=1 in the environment turns colours off"
    ),
}

# Commands, and the line that does it.
COMMANDS: Mapping[str, str] = {
    **dict.fromkeys(("evaluate", "score", "measure", "run", "calc", "metrics_of"), _EVAL),
    **dict.fromkeys(("recommend", "recommender", "retrieval"), _EVAL),
    **dict.fromkeys(("rag", "ragas"), "gainful eval ANSWERS.jsonl"),
    **{tool: f"{_EVAL} --like {tool}" for tool in ("ranx", "pytrec_eval", "ir_measures", "beir")},
    "pool": "gainful unjudged QRELS RUN… --first 20",
    **dict.fromkeys(("leaderboard", "rank", "ranking", "table", "mean"), _EVAL),
    **dict.fromkeys(("ttest", "t-test", "t_test", "significance", "test", "diff"), _COMPARE),
    **dict.fromkeys(("pvalue", "p-value", "wilcoxon", "tukey", "permutation"), _COMPARE),
    **dict.fromkeys(("abtest", "ab-test", "ab"), "gainful compare --sessions LOG --by bucket"),
    **dict.fromkeys(("ci", "bootstrap", "interval", "intervals"), f"{_EVAL} --interval 95"),
    **dict.fromkeys(("power", "sample-size", "samplesize"), "gainful plan QRELS RUN RUN…"),
    **dict.fromkeys(("plot", "chart", "graph", "draw", "figures", "picture"), "gainful figure"),
    **dict.fromkeys(("histogram", "hist", "bar", "boxplot", "scatter"), "gainful figure"),
    **dict.fromkeys(("correlation", "corr", "tau"), "gainful correlate QRELS RUN… --column NAME"),
    **dict.fromkeys(("kappa", "agreement", "agree", "judge"), "gainful judges QRELS QRELS…"),
    **dict.fromkeys(("validate", "lint", "inspect", "verify", "describe"), "gainful check FILE…"),
    **dict.fromkeys(("log", "logs", "clicks", "session", "sdcg"), "gainful sessions LOG"),
    **dict.fromkeys(("ctr", "funnel", "conversion"), "gainful sessions LOG"),
    **dict.fromkeys(
        ("serve", "dashboard", "ui", "app", "demo"), "gainful explore LOG -o page.html"
    ),
    **dict.fromkeys(("html", "export", "share", "pdf"), "gainful report QRELS RUN… -o report.html"),
    **dict.fromkeys(("ci-check", "assert", "guard", "regress"), _GATE),
    **dict.fromkeys(("metrics", "list", "list-measures", "ls", "info"), "gainful measures"),
    **dict.fromkeys(("tools", "presets"), "gainful conventions"),
    **dict.fromkeys(("version", "about"), "gainful --version"),
    **dict.fromkeys(("docs", "man", "usage", "commands", "examples"), "gainful help"),
    **dict.fromkeys(("example", "quickstart", "tutorial", "init"), "gainful help"),
    **dict.fromkeys(("trec-eval", "treceval"), "gainful trec_eval QRELS RUN"),
    **dict.fromkeys(("what", "whose", "identify"), "gainful which VALUE GRADES…"),
    **dict.fromkeys(("split", "query", "per-query"), f"{_EVAL} --per-query"),
}
_NOT_HERE = "gainful evaluates runs and sessions; it does not create them"
NO_COMMANDS: Mapping[str, str] = {
    **dict.fromkeys(("fuse", "fusion", "rerank", "search", "index", "train"), _NOT_HERE),
    **dict.fromkeys(("install", "update", "upgrade", "uninstall"), "pip installs and upgrades it"),
    "convert": "gainful reads all formats as they are, and converts none",
}

_FIGURES = "gainful.figures, which draws runs and sessions"
# Attributes of results.
RESULTS: Mapping[str, str] = {
    **dict.fromkeys(("df", "frame", "dataframe", "to_df", "to_frame"), ".to_polars()"),
    **dict.fromkeys(("items", "as_dict", "asdict", "dict", "to_flat", "json"), ".to_dict()"),
    **dict.fromkeys(("show", "display", "print", "table"), ".to_text()"),
    **dict.fromkeys(("head", "tail", "iloc", "loc"), ".to_polars().head()"),
    **dict.fromkeys(("to_excel", "to_tsv"), ".to_csv()"),
    **dict.fromkeys(("write", "export", "to_file", "dump"), '.save("results.csv")'),
    **dict.fromkeys(("plot", "chart", "figure", "draw"), _FIGURES),
    **dict.fromkeys(("scores", "metrics", "means", "average", "aggregate", "overall"), ".mean"),
    **dict.fromkeys(("shape", "index", "query_scores", "topics"), ".per_query"),
    **dict.fromkeys(("median", "min", "max", "quantile", "top", "nlargest"), ".per_query"),
    **dict.fromkeys(("to_numpy", "numpy", "array"), ".values"),
    "to_dataframe": ".to_polars()",
    "to_list": ".to_dict()",
    "success": ".passed",
    "report": "gainful.report(qrels, runs)",
    **dict.fromkeys(("sort_values", "sort", "lowest", "failures"), ".worst(10)"),
    **dict.fromkeys(("winner", "best", "verdict", "answer", "describe"), ".summary()"),
    **dict.fromkeys(
        ("std", "var", "sem", "interval", "intervals", "ci", "confidence"),
        "gainful.stats.mean_intervals(results)",
    ),
    **dict.fromkeys(("significance", "ttest", "test", "pvalue"), "gainful.compare(results, other)"),
}

_FILES = "gainful.evaluate(qrels, run), which reads files itself"
# Names of the package.
NAMES: Mapping[str, str] = {
    "ndcg_score": "gainful.ndcg",
    "dcg_score": "gainful.dcg",
    "ndcg_at_k": "gainful.ndcg(grades, k=10)",
    "dcg_at_k": "gainful.dcg(grades, k=10)",
    **dict.fromkeys(("map", "mean_average_precision"), "gainful.AP"),
    **dict.fromkeys(("mrr", "mean_reciprocal_rank"), "gainful.RR"),
    "average_precision_score": "gainful.average_precision",
    "precision_at_k": "gainful.precision(grades, k=10)",
    "recall_at_k": "gainful.recall(grades, k=10)",
    "expected_reciprocal_rank": "gainful.err",
    "rank_biased_precision": "gainful.rbp",
    **dict.fromkeys(("session_dcg", "sdcg_score"), "gainful.sdcg([[3, 2, 0], [1, 0]], b=2, bq=4)"),
    **dict.fromkeys(("session_ndcg", "nsdcg_score"), "gainful.nsdcg"),
    "hit_rate": 'gainful.parse("Success@10")',
    **dict.fromkeys(("f1", "f1_score"), 'gainful.parse("F1@10")'),
    **dict.fromkeys(("auc", "roc_auc_score"), 'gainful.parse("AUC")'),
    **dict.fromkeys(("contextrecall", "context_recall"), 'gainful.parse("R@10")'),
    "label_ranking_average_precision_score": "gainful.average_precision",
    **dict.fromkeys(("measures", "metrics"), "gainful.MEASURES"),
    **dict.fromkeys(("list_metrics", "list_measures", "supported_measures"), "gainful.MEASURES"),
    **dict.fromkeys(("load_dataset", "get_dataset"), 'gainful.evaluate("irds:NAME", run)'),
    "evaluationdataset": "gainful.evaluate, which takes a list of records",
    "help": "help(gainful)",
    "conventions": "gainful.CONVENTIONS",
    **dict.fromkeys(("eval", "score", "calc", "evaluate_run", "evaluate_runs"), "gainful.evaluate"),
    "calc_aggregate": "gainful.evaluate, or gainful.ir_measures.calc_aggregate",
    "iter_calc": "gainful.evaluate, or gainful.ir_measures.iter_calc",
    "parse_measure": "gainful.parse",
    "relevanceevaluator": "gainful.pytrec_eval.RelevanceEvaluator",
    **dict.fromkeys(("read_qrels", "load_qrels", "read_trec_qrels", "parse_qrel"), _FILES),
    **dict.fromkeys(("read_run", "load_run", "read_trec_run", "parse_run"), _FILES),
    "evaluate_sessions": "gainful.sessions.evaluate",
    **dict.fromkeys(("compare_runs", "compare_results", "significance"), "gainful.compare"),
    "compare_sessions": "gainful.sessions.compare",
    **dict.fromkeys(("t_test", "ttest"), 'gainful.compare(..., test="t")'),
    **dict.fromkeys(("bootstrap", "confidence_interval"), "gainful.stats.mean_intervals"),
    **dict.fromkeys(("kappa", "cohen_kappa", "krippendorff", "judges"), "gainful.compare_judges"),
    "power": "gainful.stats.detectable_effect",
    "plot": "gainful.figures.figure",
    "assert_ranking_quality": "gainful.testing.assert_ranking_quality",
}

_MODELS = "it was removed: statsmodels fits linear models to results.per_query (per_session)"
_SAID = "it was removed: gainful.stats.correlate correlates measures and settings with user labels"
_FIRST = "it was removed: gainful.unjudged lists the documents to judge first"
_SPLIT_HALF = "it was removed: discriminative power and test= say how sure an order is"
# Names and options in Python that are gone or were never there, and what to do instead.
REMOVED: Mapping[str, str] = {
    **dict.fromkeys(("fit_model", "model"), _MODELS),
    **dict.fromkeys(("sweep_against", "SweepAgreement", "against"), _SAID),
    **dict.fromkeys(("settle", "Settlement"), _FIRST),
    **dict.fromkeys(("split_half", "trials"), _SPLIT_HALF),
    **dict.fromkeys(("fuse", "fusion", "rerank"), _NOT_HERE),
    "rounding_digits": "results keep all digits; round what you print",
    "coverage_error": "gainful has no measures of multilabel classification",
}


def find_nearest(name: str, names: Iterable[str], *, whole: bool = False) -> str | None:
    """The name that differs least, by two letters at most (one in short names), and not in all.

    If there is none, and a `whole` one is not asked for, one that goes on where this ends.

    Examples:
        >>> find_nearest("evalute", ["eval", "evaluate"]), find_nearest("power", ["order"])
        ('evaluate', None)
    """
    allowed = min(len(name) - 1, 1 if len(name) <= _SHORT else _MAX_CHANGES)
    known_names = list(names)
    near = [(count_changes(name, known, allowed), known) for known in known_names]
    changes, nearest = min(near, default=(allowed + 1, ""), key=lambda item: item[0])
    if changes <= allowed or whole:
        return nearest if changes <= allowed else None
    return next((known for known in known_names if _continues(known, name)), None)


def _continues(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    return len(shorter) >= _SHORTEST and longer.startswith(shorter)


def count_changes(first: str, second: str, at_most: int) -> int:
    """How many letters are to be added, dropped, changed or swapped; more than `at_most`, or so.

    Examples:
        >>> count_changes("skleran", "sklearn", 2), count_changes("plot", "order", 2)
        (1, 5)
    """
    if abs(len(first) - len(second)) > at_most:
        return at_most + 1
    previous: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        above, row = row, [i]
        for j, other in enumerate(second, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != other)))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                row[j] = min(row[j], previous[j - 2] + 1)
        previous = above
    return row[-1]


def suggest_name(
    name: str, places: Mapping[str, str], guesses: Mapping[str, str], names: Sequence[str]
) -> str:
    """What is most like a name that is not there; where nothing is, what there is.

    Args:
        name: as somebody wrote it.
        places: what to write, by the names that there are, in small letters.
        guesses: what to write, by other words for it; these must be met more closely.
        names: what is listed.

    Examples:
        >>> suggest_name("avrage", {"average": "vectors.average"}, {}, ["average"])
        'did you mean vectors.average?'
        >>> suggest_name("plot", {"average": ".average"}, {"export": ".save"}, ["average"])
        'there is average'
    """
    if name in REMOVED:
        return REMOVED[name]
    lower = name.lower()
    near = [known for known in (lower, *ARGUMENTS.get(lower, ())) if known in {**guesses, **places}]
    near = near or [known for known in [find_nearest(lower, [*places, *guesses])] if known]
    if near:
        place = guesses.get(near[0]) or places[near[0]]
        return f"did you mean {place}?"
    return f"there is {', '.join(names)}"
