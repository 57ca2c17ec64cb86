"""Every option of every public function refuses what it cannot use by an error of ours."""

import inspect
from functools import cache

import pytest

import gainful
from gainful import sessions, stats
from gainful.errors import GainfulError

QRELS = {str(query): {"a": 1, "b": 0, "c": 2} for query in range(6)}
RUNS = {
    "first": {str(query): ["a", "b", "c"] if query % 2 else ["b", "a"] for query in range(6)},
    "second": {str(query): ["c", "b", "a"] if query % 3 else ["b", "x"] for query in range(6)},
    "third": {str(query): ["b", "c"] if query % 4 else ["x", "a"] for query in range(6)},
}
RUN = RUNS["first"]
ODD = [-1, True, 10**400, float("nan"), "x\0", "(", b"x", [], ["a"], {1: 2}, object()]


@cache
def study():
    return sessions.simulate_study(3)


@cache
def log():
    return sessions.simulate_log(12, seed=1)


def study_inputs():
    return study().sessions, study().qrels


CALLS = {
    gainful.calibrate: lambda: ((log(),), {}),
    gainful.check: lambda: ((QRELS, RUN), {}),
    gainful.compare: lambda: ((QRELS, RUNS, "RR"), {"resamples": 99}),
    gainful.compare_judges: lambda: (([QRELS, QRELS],), {"resamples": 99}),
    gainful.evaluate: lambda: ((QRELS, RUN, "RR"), {}),
    gainful.explain: lambda: (([1, 2],), {}),
    gainful.explain_query: lambda: ((QRELS, RUN, "1"), {}),
    gainful.gate: lambda: ((QRELS, RUN), {"floors": {"RR": 0.1}}),
    gainful.order: lambda: ((QRELS, RUNS, ["RR", "P@2"]), {"resamples": 99}),
    gainful.plan: lambda: ((QRELS, RUNS, "RR"), {}),
    gainful.read_values: lambda: (({"a": {"F1": {"1": 0.5}}},), {}),
    gainful.reproduce: lambda: ((QRELS, RUN, RUNS["second"], "RR"), {}),
    gainful.unjudged: lambda: ((QRELS, RUN, "P@2"), {}),
    gainful.which: lambda: (("0.5", [1, 2]), {}),
    gainful.why: lambda: ((QRELS, RUN, "nDCG@2"), {"unlike": "sklearn"}),
    sessions.compare: lambda: ((*study_inputs(), "sDCG@10"), {"resamples": 99}),
    sessions.evaluate: lambda: (study_inputs(), {}),
    sessions.judge_by_clicks: lambda: ((log(),), {}),
    sessions.sweep: lambda: (study_inputs(), {"points": 2}),
    stats.correlate: lambda: (
        (gainful.evaluate(QRELS, RUN, ["RR", "P@2"]), "RR"),
        {"resamples": 99},
    ),
    stats.mean_intervals: lambda: ((gainful.evaluate(QRELS, RUN, "RR"),), {"resamples": 99}),
}


@pytest.mark.parametrize("function", CALLS, ids=lambda function: function.__qualname__)
def test_an_odd_value_is_taken_or_refused_by_an_error_of_ours(function, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # what takes a path may write there
    arguments, options = CALLS[function]()
    faults = []
    for name, parameter in list(inspect.signature(function).parameters.items())[len(arguments) :]:
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        for value in ODD:
            try:
                function(*arguments, **{**options, name: value})
            except GainfulError:
                continue
            except Exception as fault:  # noqa: BLE001  (of whatever kind: it is none of ours)
                faults.append((name, repr(value)[:20], repr(fault)[:80]))
    assert faults == []
