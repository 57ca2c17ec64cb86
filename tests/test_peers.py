"""The tools themselves, installed, must agree under their own `like=` on random data."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from strategies import collections

import gainful

TEXTS = {"runid", "relstring"}
NAMES = sorted(set(pytrec_eval.supported_measures) - TEXTS)


@given(collections())
def test_pytrec_eval_agrees_on_every_measure_it_has_query_by_query(data):
    judgments, run = data
    theirs = pytrec_eval.RelevanceEvaluator(judgments, NAMES).evaluate(run)
    ours = gainful.evaluate(judgments, run, NAMES, like="pytrec_eval").by_query()
    assert ours.keys() == theirs.keys()
    for query, values in theirs.items():
        for name, value in values.items():
            assert ours[query][name] == pytest.approx(value, abs=1e-9), (query, name)


@given(collections())
def test_pytrec_eval_agrees_on_relevance_levels_and_judged_documents_only(data):
    judgments, run = data
    names = [name for name in NAMES if name not in ("gm_map", "gm_bpref")]
    peer = pytrec_eval.RelevanceEvaluator(
        judgments, names, relevance_level=2, judged_docs_only_flag=True
    )
    theirs = peer.evaluate(run)
    ours = gainful.evaluate(
        judgments, run, names, like="pytrec_eval", rel=2, unjudged="remove", negative="remove"
    ).by_query()
    for query, values in theirs.items():
        for name, value in values.items():
            if np.isfinite(value):
                assert ours[query][name] == pytest.approx(value, abs=1e-9), (query, name)
