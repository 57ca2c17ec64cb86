"""`gainful why`: the difference between two tools, taken apart into its causes."""

import json
import random
from math import log2

import numpy as np
import polars as pl
import pytest
from example_files import SHARED_DATA
from facts import find_notes, list_facts
from refusals import refuses

import gainful
from gainful.convention import CONVENTIONS, SETTINGS
from gainful.errors import BadValue, CannotCompare, UnknownName, WrongType
from gainful.evidence.reasons import credit as shapley
from gainful.evidence.reasons.causes import CAUSES, make_lenient
from gainful.page.render import render
from gainful.page.terminal import Terminal

TOOLS = ("sklearn", "quepid", "elasticsearch", "ranx", "beir")

# One query for each thing that tools disagree about.
QRELS = """
tie 0 a 3
tie 0 b 1
near 0 m 2
near 0 n 1
twice 0 d 2
twice 0 e 1
self 0 s 1
self 0 t 1
gone 0 g 1
none 0 u 0
deep 0 p1 3
deep 0 p2 3
deep 0 p3 2
deep 0 p4 2
deep 0 p5 1
minus 0 bad -1
minus 0 good 2
half 0 h1 0.5
half 0 h2 2.5
"""
RUN = """
tie Q0 a 1 0.5 r
tie Q0 x 2 0.5 r
tie Q0 b 3 0.4 r
near Q0 m 1 1.00000001 r
near Q0 n 2 1.0 r
twice Q0 d 1 0.9 r
twice Q0 e 2 0.5 r
twice Q0 d 3 0.3 r
self Q0 self 1 0.9 r
self Q0 s 2 0.5 r
new Q0 a 1 0.9 r
none Q0 u 1 0.9 r
deep Q0 p3 1 0.9 r
deep Q0 p1 2 0.8 r
minus Q0 bad 1 0.9 r
minus Q0 good 2 0.8 r
half Q0 h1 1 0.9 r
half Q0 h2 2 0.8 r
"""


def parse_made(*queries):
    """The made-up set, or these queries of it."""
    rows = ([line.split() for line in text.split("\n") if line] for text in (QRELS, RUN))
    judged, ranked = ([row for row in each if row[0] in (queries or row)] for each in rows)
    ids = [(row[0], row[2], float(row[3])) for row in judged]
    scored = [(row[0], row[2], float(row[4])) for row in ranked]
    return (
        gainful.Qrels(pl.DataFrame(ids, schema=["query", "doc", "grade"], orient="row")),
        gainful.Run(pl.DataFrame(scored, schema=["query", "doc", "score"], orient="row")),
    )


def causes_by_name(explanation):
    return {effect.cause.name: effect for effect in explanation.causes}


def query_value(data, query, measure, convention):
    """What `evaluate` says of a query; None where it is left out."""
    values = gainful.evaluate(*data, measure, like=convention).values_by_query()
    return values[query][measure] if query in values else None


def assert_right(explanation, data, measure):
    """The means are those of `evaluate`, the causes add up, and the spelled-out queries agree."""
    mine, theirs = make_lenient(explanation.like), make_lenient(explanation.unlike)
    for mean, convention in zip(explanation.means, (mine, theirs), strict=True):
        whole = gainful.evaluate(*data, measure, like=convention).mean[measure]
        assert mean == pytest.approx(whole, abs=1e-12)
    assert sum(effect.effect for effect in explanation.causes) == pytest.approx(
        explanation.difference, abs=1e-12
    )
    for effect in explanation.causes:
        assert effect.changed > 0
        starts = effect.worst.before.label == f"like {explanation.names[0]}"
        ends = effect.worst.after.label == f"like {explanation.names[1]}"
        if not (starts or ends):
            continue
        base = mine if starts else theirs
        switched = base.with_settings(**{h: pair[starts] for h, pair in effect.settings.items()})
        pair = (base, switched) if starts else (switched, base)
        for side, convention in zip((effect.worst.before, effect.worst.after), pair, strict=True):
            value = query_value(data, effect.worst.query, measure, convention)
            assert side.value == (value if value is None else pytest.approx(value, abs=1e-12))
            if side.dcg is None or side.more:
                continue
            added = sum(row.contribution for row in side.rows)
            assert added == pytest.approx(side.dcg, abs=1e-9), (effect.cause.name, side.label)
            if not side.more_ideal and explanation.measure.entry.normalised:
                best = sum(row.contribution for row in side.ideal)
                assert best == pytest.approx(side.idcg, abs=1e-9), (effect.cause.name, side.label)


def test_every_setting_belongs_to_exactly_one_cause():
    settings = [setting for cause in CAUSES.values() for setting in cause.settings]
    assert sorted(settings) == sorted(SETTINGS)


@pytest.mark.parametrize(
    ("tool", "measure"),
    [
        *((tool, "nDCG@3") for tool in sorted(CONVENTIONS)),
        *(
            ("quepid", measure)
            for measure in ("DCG@3", "nCG@2", "AP", "RR", "P@2", "Bpref", "ERR", "NumRet")
        ),
    ],
)
def test_causes_account_for_the_difference_on_a_set_with_every_cause(tool, measure):
    data = parse_made()
    reasons = gainful.why(*data, measure, like="trec_eval", unlike=tool)
    assert_right(reasons, data, measure)
    if tool in TOOLS and measure == "nDCG@3":
        assert sum(cause.share for cause in reasons.causes) == pytest.approx(1)
        back = gainful.why(*data, measure, like=tool, unlike="trec_eval")
        assert back.difference == pytest.approx(-reasons.difference)
        for name, cause in causes_by_name(reasons).items():
            assert causes_by_name(back)[name].effect == pytest.approx(-cause.effect, abs=1e-12)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("run", ["org_manual_bm25", "org_convdr_bert"])
def test_causes_account_for_the_difference_on_conversations_of_2021(tool, run):
    data = SHARED_DATA / "cast2021"
    if not data.exists():
        pytest.skip("why on CAsT 2021 (needs ../shared/data)")
    files = str(data / "qrels.txt"), str(data / f"{run}.run")
    reasons = gainful.why(*files, "nDCG@10", like="trec_eval", unlike=tool)
    assert_right(reasons, files, "nDCG@10")
    if reasons.difference:
        accounted = sum(cause.effect for cause in reasons.causes) / reasons.difference
        assert accounted == pytest.approx(1, abs=0.01)


def test_the_causes_that_the_made_up_set_was_made_for():
    names = {tool: {*causes_by_name(gainful.why(*parse_made(), "nDCG@3", like="trec_eval", unlike=tool))} for tool in TOOLS}  # fmt: skip
    assert names["sklearn"] == {"ties", "ideal", "fractional", "missing", "extra", "duplicates"}
    assert names["quepid"] == {"gain", "ideal_depth", "ties", "duplicates", "negative", "fractional", "missing", "extra"}  # fmt: skip
    assert names["elasticsearch"] == names["quepid"]
    assert names["ranx"] == {"ties"}
    assert names["beir"] == {"ties", "namesake", "fractional", "missing"}


# By hand. Discounts: rank 1 counts in full, rank 2 1/log2(3), rank 3 1/log2(4) = 1/2.
SECOND = 1 / log2(3)


def test_ties_by_hand():
    """x and a share their score: x comes first by id, a first as given, each half the time."""
    data = parse_made("tie")
    best = 3 + 1 * SECOND
    by_id = 0 * 1 + 3 * SECOND + 1 * 0.5
    given = 3 * 1 + 0 * SECOND + 1 * 0.5
    averaged = 3 * (1 + SECOND) / 2 + 0 + 1 * 0.5
    ranx = gainful.why(*data, "nDCG@3", like="trec_eval", unlike="ranx")
    assert ranx.means == pytest.approx((by_id / best, given / best))
    worst = ranx.causes[0].worst
    rows = [(row.rank, row.doc, row.score, row.grade) for row in worst.before.rows]
    assert rows == [(1, "x", 0.5, None), (2, "a", 0.5, 3), (3, "b", 0.4, 1)]
    assert [row.doc for row in worst.after.rows] == ["a", "x", "b"]
    assert [row.contribution for row in worst.before.rows] == pytest.approx([0, 3 * SECOND, 0.5])
    assert (worst.before.dcg, worst.after.dcg) == pytest.approx((by_id, given))
    sklearn = gainful.why(*data, "nDCG@3", like="trec_eval", unlike="sklearn").causes[0].worst
    ranks = [(row.rank, row.until, row.doc) for row in sklearn.after.rows]
    assert ranks == [(1, 2, "a"), (1, 2, "x"), (3, 3, "b")]
    assert sklearn.after.rows[0].discount == pytest.approx((1 + SECOND) / 2)
    assert sklearn.after.dcg == pytest.approx(averaged)
    assert sklearn.after.idcg == pytest.approx(best)
    assert sklearn.after.value == pytest.approx(averaged / best)


def test_scores_that_tie_in_32_bit_by_hand():
    """m is above n by 0.00000001, which 32 bit cannot tell; by id, descending, n comes first."""
    reasons = gainful.why(*parse_made("near"), "nDCG@3", like="trec_eval", unlike="beir")
    assert [cause.cause.name for cause in reasons.causes] == ["ties"]
    best = 2 + 1 * SECOND
    assert reasons.means == pytest.approx((1, (1 + 2 * SECOND) / best))
    assert [row.doc for row in reasons.causes[0].worst.after.rows] == ["n", "m"]


def test_duplicates_by_hand():
    """d, e, d: the last d counts (e, d), or both do (d, e, d). The ideal is d, e; or of the list."""
    quepid = gainful.why(*parse_made("twice"), "nDCG(gain=linear, ideal_depth=k)@3", like="trec_eval", unlike="quepid")  # fmt: skip
    best = 2 + 1 * SECOND
    last, both = 1 + 2 * SECOND, 2 + 1 * SECOND + 2 * 0.5
    assert quepid.means == pytest.approx((last / best, both / best))
    (cause,) = quepid.causes
    assert cause.cause.name == "duplicates"
    assert [row.doc for row in cause.worst.before.rows] == ["e", "d"]
    assert [row.doc for row in cause.worst.after.rows] == ["d", "e", "d"]
    assert find_notes(quepid.notes[:1], "'d'", "'twice'", "last")


def test_a_document_named_like_its_query_by_hand():
    """self, s of two relevant: s is second, or first once self is taken out."""
    (cause,) = gainful.why(*parse_made("self"), "nDCG@3", like="trec_eval", unlike="beir").causes
    best = 1 + 1 * SECOND
    assert cause.cause.name == "namesake"
    values = cause.worst.before.value, cause.worst.after.value
    assert values == pytest.approx((SECOND / best, 1 / best))


def test_missing_queries_by_hand():
    """Half of two queries is missing: a mean of (1 + 0)/2, or of 1 alone."""
    near = parse_made("near", "gone")
    reasons = gainful.why(*near, "nDCG@3", like="trec_eval", unlike="trec_eval_9")
    missing = causes_by_name(reasons)["missing"]
    assert missing.alone == pytest.approx(1 - 1 / 2)
    assert missing.changed == 1
    assert (missing.worst.query, missing.worst.in_run) == ("gone", False)
    assert (missing.worst.before.value, missing.worst.after.value) == (0, None)
    assert find_notes(reasons.notes[:1], "'gone'", "judged", "lacks")
    assert reasons.counts == (2, 1)


def test_queries_without_judgments_by_hand():
    """near scores 1; new has no judgments: left out, or 0."""
    reasons = gainful.why(*parse_made("near", "new"), "nDCG@3", like="trec_eval", unlike="vespa")
    assert reasons.means == (1, 1)
    assert find_notes(reasons.notes[:1], "'new'", "no", "judgments")
    extra = causes_by_name(
        gainful.why(*parse_made("near", "new"), "nDCG@3", like="trec_eval", unlike="sklearn")
    )
    assert extra["extra"].effect == pytest.approx((1 + 0) / 2 - 1)
    assert extra["extra"].worst.judged is False
    assert extra["extra"].worst.before.value is None


def test_queries_with_nothing_relevant_by_hand():
    """near scores 1; none has nothing relevant: 0, 1, or left out."""
    for tool, mean in (("lightgbm", (1 + 1) / 2), ("evidently", 1)):
        reasons = gainful.why(*parse_made("near", "none"), "nDCG@3", like="trec_eval", unlike=tool)
        cause = causes_by_name(reasons)["empty"]
        assert reasons.means == pytest.approx((1 / 2, mean))
        assert cause.worst.query == "none"
        assert cause.worst.before.idcg == 0


def test_the_ideal_by_hand():
    """p3 (2), p1 (3) of five relevant, and k = 3: three ideals, and a fourth that is not cut."""
    data = parse_made("deep")
    dcg = 2 + 3 * SECOND
    judged_ideal = 3 + 3 * SECOND + 2 * 0.5
    for tool, name, ideal in (
        ("sklearn", "ideal", 3 + 2 * SECOND),  # of the list
        ("quepid", "ideal_depth", judged_ideal + 2 / log2(5) + 1 / log2(6)),  # not cut
        ("elasticsearch", "ideal_depth", 3 + 3 * SECOND),  # at the two that were retrieved
    ):
        reasons = gainful.why(*data, "nDCG(gain=linear)@3", like="trec_eval", unlike=tool)
        (cause,) = reasons.causes
        assert cause.cause.name == name
        assert cause.worst.before.idcg == pytest.approx(judged_ideal)
        assert cause.worst.after.idcg == pytest.approx(ideal)
        assert cause.worst.after.value == pytest.approx(dcg / ideal)
    assert [row.gain for row in cause.worst.before.ideal] == [3, 3, 2]
    assert [row.gain for row in cause.worst.after.ideal] == [3, 3]


def test_two_causes_share_what_they_do_together():
    """Gain and depth of the ideal on one query, by hand: each effect is the mean of both orders."""
    reasons = gainful.why(*parse_made("deep"), "nDCG@3", like="trec_eval", unlike="quepid")
    fifth = 1 / log2(6)
    linear, exp = 2 + 3 * SECOND, 3 + 7 * SECOND
    neither = linear / (3 + 3 * SECOND + 2 * 0.5)
    gain = exp / (7 + 7 * SECOND + 3 * 0.5)
    depth = linear / (3 + 3 * SECOND + 2 * 0.5 + 2 / log2(5) + 1 * fifth)
    both = exp / (7 + 7 * SECOND + 3 * 0.5 + 3 / log2(5) + 1 * fifth)
    causes = causes_by_name(reasons)
    assert causes["gain"].effect == pytest.approx(((gain - neither) + (both - depth)) / 2)
    assert causes["ideal_depth"].effect == pytest.approx(((depth - neither) + (both - gain)) / 2)
    assert causes["gain"].alone == pytest.approx(gain - neither)
    assert causes["gain"].last == pytest.approx(both - depth)
    together = both - gain - depth + neither
    assert causes["gain"].interacts == {"ideal_depth": pytest.approx(together)}
    assert causes["ideal_depth"].interacts == {"gain": pytest.approx(together)}


def test_negative_and_fractional_grades_by_hand():
    """bad (-1), good (2): bad is worth nothing, or less. h1 (0.5), h2 (2.5): truncated, or not."""
    linear = "nDCG(gain=linear, ideal_depth=k)@3"
    (cause,) = gainful.why(*parse_made("minus"), linear, like="trec_eval", unlike="quepid").causes
    assert cause.cause.name == "negative"
    # The ideal ends with it: good first, bad second.
    assert cause.worst.after.dcg == pytest.approx(-1 + 2 * SECOND)
    assert cause.worst.after.idcg == pytest.approx(2 - 1 * SECOND)
    assert cause.worst.before.value == pytest.approx(2 * SECOND / 2)
    (cause,) = gainful.why(*parse_made("half"), linear, like="trec_eval", unlike="quepid").causes
    assert cause.cause.name == "fractional"
    assert cause.worst.before.value == pytest.approx(2 * SECOND / 2)
    assert cause.worst.after.value == pytest.approx((0.5 + 2.5 * SECOND) / (2.5 + 0.5 * SECOND))
    reasons = gainful.why(*parse_made("minus"), "nDCG@3", like="trec_eval", unlike="sklearn")
    assert reasons.difference == 0
    (note,) = reasons.notes
    assert list_facts(note, "sklearn")[:3] == ["sklearn", "'minus'", "-1"]


def test_what_is_not_there_is_not_mentioned():
    """Without ties, duplicates, missing queries … tools that differ in nothing else agree."""
    reasons = gainful.why(*parse_made("near"), "nDCG@3", like="trec_eval", unlike="ranx")
    assert (reasons.causes, reasons.notes, reasons.difference) == ((), (), 0)
    assert [cause.name for cause in reasons.idle] == ["ties", "duplicates", "extra"]
    assert "agree" in reasons.page().answer


def test_what_the_measure_says_wins_over_both():
    reasons = gainful.why(*parse_made("deep"), "nDCG(gain=exp, ideal_depth=k)@3", like="trec_eval", unlike="quepid")  # fmt: skip
    assert reasons.difference == 0
    assert not reasons.causes


def test_what_cancels_out_has_no_shares():
    """Two ties: by id, descending, b and z come first; ascending, a and y. One is right each time."""
    columns = {"query": list("1122"), "doc": list("abyz"), "score": [1.0, 1, 1, 1]}
    ascending = gainful.like("gainful").with_settings(ties="doc_ascending")
    frame = gainful.why(
        {"1": {"a": 1}, "2": {"z": 1}}, pl.DataFrame(columns), "P@1", unlike=ascending
    )
    assert frame.means == ((0 + 1) / 2, (1 + 0) / 2)
    (cause,) = frame.causes
    assert (cause.changed, cause.share, cause.effect) == (2, None, 0)
    text = frame.to_text()
    assert "no difference" in text
    assert "cancel out" in text
    assert " %" not in text


def test_two_causes_that_change_who_counts_by_hand():
    """Queries 1 to 4 score 1/2, nothing relevant, missing, 1; the two tools swap 1 and 0, 0 and skip."""
    judgments = {"1": {"a": 1}, "2": {"b": 0}, "3": {"c": 1}, "4": {"d": 1}}
    run = {"1": ["x", "y", "a"], "2": ["b"], "4": ["d"]}
    first = gainful.like("gainful").with_settings(empty=1, missing="zero")
    second = gainful.like("gainful").with_settings(empty=0, missing="skip")
    reasons = gainful.why(judgments, run, "nDCG@3", like=first, unlike=second)
    neither, both = (0.5 + 1 + 0 + 1) / 4, (0.5 + 0 + 1) / 3
    empty, missing = (0.5 + 0 + 0 + 1) / 4, (0.5 + 1 + 1) / 3
    assert reasons.means == pytest.approx((neither, both))
    causes = causes_by_name(reasons)
    assert causes["empty"].alone == pytest.approx(empty - neither)
    assert causes["missing"].alone == pytest.approx(missing - neither)
    assert causes["empty"].effect == pytest.approx(((empty - neither) + (both - missing)) / 2)
    assert causes["missing"].effect == pytest.approx(((missing - neither) + (both - empty)) / 2)


def test_many_causes_are_averaged_over_some_orders(monkeypatch):
    """What is averaged over a sample of orders adds up exactly, and comes near the whole."""
    data = parse_made()
    whole = gainful.why(*data, "nDCG@3", like="trec_eval", unlike="quepid")
    monkeypatch.setattr(shapley, "MAX_EXACT_CAUSES", 3)
    sampled = gainful.why(*data, "nDCG@3", like="trec_eval", unlike="quepid")
    assert sum(cause.effect for cause in sampled.causes) == pytest.approx(sampled.difference)
    assert "averaged over 256 orders" in sampled.notes[-1]
    for name, cause in causes_by_name(whole).items():
        assert causes_by_name(sampled)[name].effect == pytest.approx(cause.effect, abs=0.005)


def test_a_parameter_is_told_with_its_formula():
    mine, theirs = (
        gainful.like("gainful").with_settings(discount="jk2008", b=base) for base in (2, 4)
    )
    text = gainful.why(*parse_made(), "nDCG@3", like=mine, unlike=theirs).to_text()
    formulas = [line.split()[-1] for line in text.splitlines() if line.startswith("  gainful")]
    assert formulas[:2] == ["1/(1+log2(i))", "1/(1+log4(i))"]


def test_sixteen_causes_at_once():
    data = parse_made()
    other = gainful.like("gainful").with_settings(
        gain="exp", discount="zipf", ideal="list", ideal_depth="retrieved", ties="average", duplicates="count",
        namesake="remove", unjudged="remove", negative="in_ideal", fractional="truncate", empty=1, missing="skip",
        extra="empty", short="minimum", decimals=2)  # fmt: skip
    reasons = gainful.why(*data, "nDCG@3", unlike=other)
    assert reasons.names == ("gainful", "gainful (changed)")
    assert len(reasons.causes) >= 13
    assert_right(reasons, data, "nDCG@3")


def random_qrels_and_run(seed):
    """Judgments and a run in which everything happens, as columns or as dicts."""
    dice = random.Random(seed)  # noqa: S311
    docs = [f"d{number}" for number in range(9)] + ["q1", "q2"]
    grades = [-1, 0, 0, 1, 2, 3] + [0.5, 2.5] * dice.randint(0, 1)
    qrels = {
        f"q{query}": {doc: dice.choice(grades) for doc in dice.sample(docs, dice.randint(1, 7))}
        for query in range(6)
    }
    scores = [0.1, 0.2, 0.3, 0.30000001, 0.4]
    rankings = {
        f"q{query}": {
            doc: dice.choice(scores) for doc in dice.sample(docs, dice.randint(1, len(docs)))
        }
        for query in range(2, 8)
    }
    if dice.random() < 0.3:
        return qrels, rankings
    rows = [
        (query, doc, score) for query, inner in rankings.items() for doc, score in inner.items()
    ]
    rows += [(query, doc, dice.choice(scores)) for query, doc, _ in dice.sample(rows, dice.choice((0, 3)))]  # fmt: skip
    return qrels, gainful.Run(pl.DataFrame(rows, schema=["query", "doc", "score"], orient="row"))


def random_settings(dice):
    all_answers = {
        setting: [*SETTINGS[setting].answers] for setting in SETTINGS if SETTINGS[setting].answers
    }
    chosen_settings = {
        setting: dice.choice(answers)
        for setting, answers in all_answers.items()
        if dice.random() < 0.5
    }
    gain = dice.choice(("linear", "exp", "{0:-1,else:g}"))
    return chosen_settings | {"gain": gain, "decimals": dice.choice((None, 3))}


@pytest.mark.parametrize("seed", range(16))
def test_any_two_conventions_on_any_data(seed):
    """Settings taken at random: what is left out beforehand must not have mattered."""
    dice = random.Random(seed)  # noqa: S311
    data = random_qrels_and_run(seed)
    like, unlike = (
        gainful.like("gainful").with_settings(**random_settings(dice)) for _ in range(2)
    )
    assert_right(gainful.why(*data, "nDCG@3", like=like, unlike=unlike), data, "nDCG@3")


@pytest.mark.parametrize("seed", range(16))
def test_any_two_tools_on_any_data(seed):
    dice = random.Random(seed)  # noqa: S311
    data = random_qrels_and_run(seed)
    like, unlike = dice.sample(sorted(CONVENTIONS), 2)
    measure = dice.choice(["nDCG@3", "nDCG", "DCG@4", "nDCG(discount=jk2008, b=2)@2"])
    assert_right(gainful.why(*data, measure, like=like, unlike=unlike), data, measure)


def test_the_value():
    reasons = gainful.why(*parse_made(), "nDCG@3", like="trec_eval", unlike="sklearn")
    assert repr(reasons).startswith(f"nDCG@3 is {reasons.means[0]:.4f} like trec_eval, ")
    with pytest.raises(AttributeError):
        reasons.means = (0, 0)
    data = json.loads(json.dumps(reasons.to_dict(), allow_nan=False))
    assert data["like"]["name"] == "trec_eval"
    assert data["difference"] == pytest.approx(sum(cause["effect"] for cause in data["causes"]))
    assert data["causes"][0]["worst"]["before"]["rows"][0]["rank"] == 1


MADE = parse_made()


@pytest.mark.parametrize(
    ("data", "measure", "tools", "error", "about"),
    [
        (MADE, "AP", ("trec_eval", "sklearn"), CannotCompare, "ties=av"),
        (MADE, "nDCG", ("gainful", "sklern"), UnknownName, ("sklern", "sklearn")),
        (MADE, "nDCG@1,3", ("gainful", "sklearn"), BadValue, "measure"),
        (MADE, ["nDCG"], ("gainful", "sklearn"), WrongType, "measure"),
        (MADE[:1], "nDCG", ("gainful", "sklearn"), BadValue, "run"),
        (({"1": {"a": 0}}, {"1": ["a"]}), "nDCG", ("trec_eval", "evidently"), CannotCompare, ""),
        (({"1": {"a": 2000}}, {"1": ["a"]}), "nDCG", ("trec_eval", "quepid"), CannotCompare, ""),
    ],
)
def test_what_cannot_be_compared(data, measure, tools, error, about):
    with refuses(error, about):
        gainful.why(*data, measure=measure, like=tools[0], unlike=tools[1])


@pytest.fixture
def call(tmp_path, monkeypatch, run_gainful):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text(QRELS.lstrip())
    (tmp_path / "run.txt").write_text(RUN.lstrip())

    return lambda *words, **options: run_gainful("why", "qrels.txt", "run.txt", *words, **options)


def test_the_command(call, tmp_path):
    words = ("-m", "nDCG@3", "--like", "trec_eval", "--unlike", "ranx")
    others = 1 + (1 + 2 * SECOND) / (2 + SECOND) + SECOND / (1 + SECOND)  # near, twice, self
    others += 0 + 0 + (2 + 3 * SECOND) / (3 + 3 * SECOND + 1)  # gone, none, deep
    others += 2 * SECOND / 2 + 2 * SECOND / 2  # minus; half, of which 0 and 2 are left
    by_id = ((3 * SECOND + 0.5) / (3 + SECOND) + others) / 9
    given = ((3 + 0.5) / (3 + SECOND) + others) / 9
    parts = call(*words).out.split("\n\n")
    means = ["nDCG@3", f"{by_id:.4f}", "trec_eval", f"{given:.4f}", "ranx", f"{given - by_id:+.4f}"]
    assert list_facts(parts[0], "trec_eval", "ranx", "ties") == [*means, "ties"]
    heads, ties, before, after = parts[1].splitlines()
    assert heads.split() == ["cause", "effect", "share", "queries"]
    assert ties.split() == ["ties", means[-1], "100.0", "%", "1"]
    assert [line.split(":")[0].strip() for line in (before, after)] == ["trec_eval", "ranx"]
    named = ("trec_eval", "ranx", "judged", "judgments")
    assert [list_facts(note, *named) for note in parts[2].splitlines()] == [
        ["trec_eval", "'gone'", "judged", "0"],
        ["trec_eval", "'d'", "'twice'", "run.txt:6", "run.txt:8"],
        ["ranx", "'gone'", "judged", "0"],
        ["ranx", "'new'", "judgments"],
    ]
    data = json.loads(call(*words, "--format", "json").out)
    assert data["causes"][0]["cause"] == "ties"
    markdown = call(*words, "--format", "markdown").out
    (row,) = (line.split(" | ") for line in markdown.splitlines() if line.startswith("| ties"))
    assert row[3:5] == ["1", means[-1]]
    call(*words, "-o", "why.md")
    assert (tmp_path / "why.md").read_text().startswith("nDCG@3 is")
    call(*words, "-o", "why.json")
    assert json.loads((tmp_path / "why.json").read_text()) == data


def test_only_one_cause_is_spelled_out(call):
    words = ("-m", "nDCG@3", "--like", "trec_eval", "--unlike", "sklearn")
    assert "query 'half'" in call(*words).out
    only = call(*words, "--cause", "ties").out
    assert "Ties: query 'tie'" in only
    assert "query 'half'" not in only
    data = json.loads(call(*words, "--cause", "ties", "--format", "json").out)
    assert [cause["cause"] for cause in data["causes"] if cause["worst"]] == ["ties"]
    assert find_notes(call(*words, "--cause", "gain").out.splitlines(), "Nothing", "gain")
    assert "Ties: query 'tie'" in call(*words, "--cause", "ties").out
    other = call(*words, "--cause", "documents listed twice").out
    assert "query 'twice'" in other
    assert "Ties: query" not in other


def test_a_tool_agrees_with_itself(call):
    assert "same settings" in call("--like", "ranx", "--unlike", "ranx").out


def test_a_rag_file_needs_no_run_beside_it(call, tmp_path, run_gainful):
    lines = '{"query": "why", "retrieved": ["a", "b"], "relevant": ["b", "c"]}\n'
    (tmp_path / "answers.jsonl").write_text(lines)
    printed = run_gainful("why", "answers.jsonl", "--like", "trec_eval", "--unlike", "sklearn").out
    # b is second of two relevant: 1/log2(3) of 1 + 1/log2(3), or of 1 where the list is all there is.
    expected = f"{SECOND / (1 + SECOND):.4f} like trec_eval, {SECOND:.4f} like sklearn"
    assert expected in printed


def test_nothing_is_wider_than_the_terminal_and_odd_ids_cannot_steer_it():
    long = "a-document-with-a-name-that-is-far-too-long-for-any-terminal-there-is/"
    judgments = {"q\x1b[31m": {f"{long}{n}\x1b[2J": n % 4 for n in range(12)}}
    run = {"q\x1b[31m": [f"{long}{n}\x1b[2J" for n in range(9, -1, -1)]}
    reasons = gainful.why(judgments, run, "nDCG@10", like="trec_eval", unlike="quepid")
    for width in (80, 120):
        text = render(reasons.page(), "table", Terminal(width))
        assert max(map(len, text.splitlines())) <= width
        assert "\x1b" not in text
        assert "…" in text
    assert "\x1b" not in reasons.to_markdown()
    assert np.isfinite(reasons.difference)
