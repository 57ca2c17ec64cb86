"""Names that people look for in `gainful`, and where the thing is."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module

from gainful.measure.catalogue import measure_names
from gainful.text import REMOVED

_FILES = "gainful.evaluate(qrels, run), which reads files itself"

# What other tools call it, or what one would call it, in small letters.
_ELSEWHERE = {
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
    **dict.fromkeys(("measures", "metrics"), "gainful.MEASURES"),
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


def advise(name: str, public: Sequence[str], modules: Sequence[str]) -> str:
    """What to say after "gainful has no such name": where it is, or what is most like it.

    Args:
        name: as somebody wrote it.
        public: the names of `gainful`.
        modules: its modules, in which there are more.

    Examples:
        >>> advise("evaluate_sessions", ["evaluate"], ["sessions"])
        '; did you mean gainful.sessions.evaluate?'
        >>> advise("kendal_tau", ["evaluate"], ["stats"])
        '; did you mean gainful.stats.kendall_tau?'
        >>> advise("ERR", ["err"], [])
        '; did you mean gainful.err(grades), or gainful.parse("ERR")?'
    """
    if name in REMOVED:
        return f"; {REMOVED[name]}"
    places = {measure: f'gainful.parse("{measure}")' for measure in measure_names()}
    for module in modules:
        names = import_module(f"gainful.{module}").__all__
        places |= {known: f"gainful.{module}.{known}" for known in names}
    places |= {known: f"gainful.{known}" for known in (*modules, *public)}
    by_lower = {known.lower(): place for known, place in places.items()} | _ELSEWHERE
    near = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.7)
    place = places.get(name) or (by_lower[near[0]] if near else None)
    if name in places and name.lower() in public:
        place = f"gainful.{name.lower()}(grades), or {place}"
    return f"; did you mean {place}?" if place else "; dir(gainful) lists what there is"
