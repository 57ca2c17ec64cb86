"""Why do two tools disagree on these data?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from gainful.api.evaluate import match_run
from gainful.api.keywords import answer_options
from gainful.api.run_options import FormatOptions, RunOptions, RunReading
from gainful.api.session_options import read_session_qrels
from gainful.convention import Convention, like as like_tool
from gainful.convention.session import SessionConvention, like_sessions
from gainful.errors import BadValue, CannotCompare, GainfulError, WrongType
from gainful.evidence.reasons.causes import CAUSES, find_cause
from gainful.evidence.reasons.mixtures import mix_run, mix_sessions
from gainful.evidence.reasons.why import Why, explain_difference
from gainful.match.sessions import match_sessions
from gainful.measure.build_recipes import AnyRecipe, build_recipe
from gainful.measure.build_session_recipes import build_session_recipe
from gainful.measure.language import parse
from gainful.measure.measure import Measure
from gainful.read.inputs import AnyQrels, AnyRun
from gainful.read.session_inputs import AnySessions, as_sessions


@answer_options(FormatOptions, (RunOptions,), ())
def why(
    qrels: AnyQrels,
    run: AnyRun | AnySessions | None = None,
    measure: str | Measure = "nDCG@10",
    *,
    like: str | Convention | SessionConvention | None = None,
    unlike: str | Convention | SessionConvention | None = None,
    cause: str | None = None,
    **options: Unpack[FormatOptions],
) -> Why:
    """Why do two tools disagree on these data?

    Args:
        qrels: whatever `evaluate` takes.
        run: whatever `evaluate` takes; or sessions, if the measure is one of sessions.
        measure: one measure, such as "nDCG@10".
        like: the tool to start from, by name or as a convention; gainful itself if none.
        unlike: the tool that disagrees; without it, `like` is compared with gainful.
        cause: the cause whose worst query is shown.
        **options: how inputs are read (`RunOptions`, without the settings).

    Returns:
        `Why`: the mean under both, and how much of the difference each cause explains.

    Examples:
        >>> judged = {"1": {"a": 3, "b": 1, "c": 2}}
        >>> why(judged, {"1": ["b", "a"]}, "nDCG@2", like="trec_eval", unlike="quepid_cut")
        nDCG@2 is 0.6788 like trec_eval, 0.6091 like quepid_cut: -0.0697
        gain  -0.0697
    """
    if not isinstance(measure, (str, Measure)):
        raise WrongType("measure", measure, "one measure, such as nDCG@10")
    parsed = parse(measure)
    if unlike is None:
        like, unlike = None, like
    if unlike is None:
        raise BadValue("unlike", None, "the tool that disagrees, such as 'trec_eval'")
    if parsed.entry.session:
        if cause is not None:
            allowed = "none with a session measure, as it shows queries of a run"
            raise BadValue("cause", cause, allowed)
        session_sides = _build_sides(build_session_recipe, like_sessions, parsed, like, unlike)
        session_qrels, names = read_session_qrels(
            qrels, options.get("qrels_format"), options.get("columns")
        )
        sessions = as_sessions(run, options.get("run_format"), columns=names)
        mixtures = mix_sessions(
            sessions,
            lambda convention: match_sessions(
                sessions, session_qrels, convention.unjudged, convention.subtopic_grades
            ),
            session_sides,
        )
        return explain_difference(mixtures, session_sides)
    if cause is not None:
        find_cause(cause, CAUSES)
    sides = _build_sides(build_recipe, like_tool, parsed, like, unlike)
    reading = RunReading.from_options(options)
    loaded_qrels = reading.read_qrels(qrels)
    loaded_run = reading.read_run_in_memory(reading.require_run(qrels, run))
    reading.columns.refuse_unread()
    recipes = {str(parsed): sides[0]}
    mixtures = mix_run(
        loaded_run,
        lambda convention: match_run(loaded_qrels, loaded_run, recipes, convention),
        sides,
    )
    return explain_difference(mixtures, sides)


def _build_sides(
    build: Callable[..., AnyRecipe], find: Callable[[Any], Any], measure: Measure, *tools: Any
) -> tuple[AnyRecipe, AnyRecipe]:
    def build_side(tool: Any) -> AnyRecipe:
        convention = find(tool)
        try:
            return build(measure, like=convention)
        except GainfulError as error:
            raise CannotCompare(
                f"{measure} cannot be computed like {convention.name}: {error}"
            ) from error

    first, second = map(build_side, tools)
    return first, second
