"""Gains from what searchers did: rules, propensities by EM, and users by salted hashes."""

import json

import numpy as np
import polars as pl
import pytest
from example_files import EXAMPLES
from facts import find_notes, list_facts
from refusals import refuses
from written_files import write_file

import gainful
from gainful.errors import BadInput, BadValue, UnknownName
from gainful.match.behaviour_gains import estimate_propensities, parse_gain_rule
from gainful.read.sessions import Sessions

MEASURE = "sDCG(b=2, bq=4)@10"
SHOWN = {
    "session": ["s", "s", "s", "s", "t"],
    "query": [1, 1, 1, 2, 1],
    "rank": [1, 2, 3, 1, 1],
    "doc": ["a", "b", "c", "c", "a"],
    "text": ["x", "x", "x", "y", "x"],
    "searcher": ["ann", "ann", "ann", "ann", "bob"],
    "clicked": [True, True, False, True, False],
    "seconds": [10.0, 40.0, None, 30.0, None],
    "purchased": [0, 1, 0, 0, 0],
    "in_cart": ["no", "yes", "no", "no", "no"],
}


def value_of(**options):
    results = gainful.sessions.evaluate(pl.DataFrame(SHOWN), measures=MEASURE, **options)
    return results.values[MEASURE].tolist()


# The second query counts 1 / (1 + log4 2) = 2/3; rank 2 counts 1/2.
@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (None, 1 + 1 / 2 + 2 / 3),
        ("clicked", 1 + 1 / 2 + 2 / 3),
        ("click", 1 + 1 / 2 + 2 / 3),
        ("dwell>=30s", 1 / 2 + 2 / 3),
        ("dwell>=0.5m", 1 / 2 + 2 / 3),
        ("dwell>=30.5", 1 / 2),
        ("purchased", 1 / 2),
        ("in_cart=3", 3 / 2),
        ("clicked=1, purchased=5", 1 + 5 / 2 + 2 / 3),
        ({"clicked": 1, "dwell>=30s": 2, "purchased": 5}, 1 + 5 / 2 + 2 * 2 / 3),
        ("clicked=0.5,dwell>=30s=2", 0.5 + 2 / 2 + 2 * 2 / 3),
    ],
)
def test_a_gain_is_the_highest_weight_of_what_was_done(rule, expected):
    assert value_of(gain_from=rule) == pytest.approx([expected, 0])


@pytest.mark.parametrize(
    ("rule", "caption"),
    [
        (None, "3 of 5 results clicked"),
        ("purchased", "1 of 5 results purchased"),
        ("dwell>=30s", "2 of 5 results with dwell>=30s"),
        ("clicked=1,purchased=5", "3 of 5 results clicked"),
    ],
)
def test_captions_say_what_was_done_and_not_that_results_were_judged(rule, caption):
    shown = pl.DataFrame(SHOWN)
    results = gainful.sessions.evaluate(shown, measures=MEASURE, gain_from=rule)
    drawn = json.dumps(gainful.figures.sessions(results).to_dict(), ensure_ascii=False)
    page = gainful.explore(shown, gain_from=rule)
    for text in (results.to_text(), results.to_text(verbose=True), drawn, page):
        assert caption in text.replace("&gt;", ">")
        assert "results judged" not in text
    assert results.counts["gained"] == int(caption[0])
    judged = gainful.sessions.evaluate(shown, {"s": {"a": 1}, "t": {"a": 1}}, MEASURE)
    assert "2 of 5 results judged" in judged.to_text()
    assert "gained" not in judged.counts


def test_a_result_gains_where_it_was_clicked_and_not_where_it_was_passed_over():
    """c was shown at rank 3 of the first query too: only its click in the second counts."""
    results = gainful.sessions.evaluate(
        pl.DataFrame(SHOWN), measures=[MEASURE, "nsDCG(b=2, bq=4)@3"]
    )
    vectors = results.vectors(MEASURE).filter(pl.col("session") == "s")
    assert vectors["gain"].to_list()[:3] == pytest.approx([1, 1.5, 1.5])
    # The ideal of three clicked documents, repeated: (1 + 1/2 + 1/2.585) (1 + 2/3)
    ideal = (1 + 1 / 2 + 1 / (1 + np.log2(3))) * (1 + 2 / 3)
    assert results.values["nsDCG(b=2, bq=4)@3"][0] == pytest.approx((1.5 + 2 / 3) / ideal)


@pytest.mark.parametrize(
    "rule",
    [
        *("", "clicked=", "clicked=x", "clicked=0", "clicked=-1", "dwell", "dwell>30s"),
        *("dwell>=soon", "clicked,clicked=2", "clicked=inf", {}, {"clicked": float("nan")}, 3),
    ],
)
def test_a_rule_that_is_none_is_refused(rule):
    with refuses(BadValue, "gain_from"):
        parse_gain_rule(rule)


def test_what_the_log_does_not_know_is_refused():
    with refuses(UnknownName, "hovered"):
        value_of(gain_from="hovered")
    with refuses(BadInput, "sessions", "'x'"):
        value_of(gain_from="text")
    plain = pl.DataFrame(SHOWN).drop("clicked", "purchased", "seconds")
    with refuses(BadInput, "sessions"):
        gainful.sessions.evaluate(plain)
    with refuses(BadValue, "gain_from"):
        gainful.sessions.evaluate(pl.DataFrame(SHOWN), {"s": {"a": 1}}, gain_from="clicked")


def test_judgments_and_grades_come_before_clicks():
    graded = pl.DataFrame(SHOWN).with_columns(grade=pl.lit(0.0))
    assert gainful.sessions.evaluate(graded, measures=MEASURE).mean[MEASURE] == 0
    clicks = gainful.sessions.evaluate(graded, measures=MEASURE, gain_from="clicked")
    assert clicks.mean[MEASURE] > 0


@pytest.mark.parametrize("rule", [None, "purchased", "dwell>=30s"])
def test_clicks_in_a_lazy_frame_gain_as_in_memory(rule):
    lazy = pl.DataFrame(SHOWN).drop("in_cart").lazy()
    results = gainful.sessions.evaluate(lazy, measures=MEASURE, gain_from=rule)
    assert results.values[MEASURE].tolist() == pytest.approx(value_of(gain_from=rule))


# --- propensities ---------------------------------------------------------------------------


def test_gains_are_weighted_by_inverse_propensity(tmp_path):
    expected = 1 / 1 + 2 / 2 + 2 / 3  # b was clicked at rank 2, where half of the searchers look
    path = write_file(tmp_path / "p.csv", "position,propensity\n2,0.5\n1,1\n")
    for propensity in ({1: 1, 2: 0.5}, [1, 0.5], path, np.array([1.0, 0.5])):
        assert value_of(propensity=propensity) == pytest.approx([expected, 0])
    results = gainful.sessions.evaluate(pl.DataFrame(SHOWN), propensity=path)
    # weights 1, 2 and 1: (1 + 2 + 1)² / (1 + 4 + 1) = 2.667
    assert list_facts(results.notes[1]) == ["1–2", "10", "0", "3", "2.7"]


def test_weights_are_clipped():
    assert value_of(propensity=[1, 0.001]) == pytest.approx([1 + 10 / 2 + 2 / 3, 0])


@pytest.mark.parametrize(
    ("propensity", "about"),
    [
        ([1, 0], "propensity[2]"),
        ([1, 1.5], "propensity[2]"),
        ({1: 1, 3: 0.5}, "propensity"),
        ([1], ("sessions", "2")),
        ([], "propensity"),
        (3, "propensity"),
    ],
)
def test_propensities_of_no_use_are_refused(propensity, about):
    with refuses((BadInput, BadValue), about):
        value_of(propensity=propensity)


def test_a_file_of_propensities_is_told_by_its_line(tmp_path):
    path = write_file(tmp_path / "p.csv", "rank,propensity\n1,1\n2,much\n")
    with refuses(BadInput, "p.csv:3", "'much'"):
        value_of(propensity=path)


THETA = np.array([1, 0.75, 0.6, 0.5, 0.4, 0.33, 0.28, 0.23, 0.2, 0.17])


def simulate_clicks(queries, docs, *, noise=None, seed=0, lists=10_000):
    """Lists of ten results, shuffled, or by attractiveness with noise; clicks as modelled."""
    rng = np.random.default_rng(seed)
    ranks = len(THETA)
    query = rng.integers(0, queries, lists)
    attractive = rng.beta(1, 1.5, (queries, docs))
    scores = rng.random((lists, docs))
    if noise is not None:
        scores = -attractive[query] + noise * rng.standard_normal((lists, docs))
    order = np.argsort(scores, axis=1)[:, :ranks]
    clicked = rng.random((lists, ranks)) < THETA * attractive[query[:, None], order]
    frame = pl.DataFrame(
        {
            "session": np.repeat(np.arange(lists), ranks).astype(str),
            "query": 1,
            "rank": np.tile(np.arange(1, ranks + 1), lists),
            "doc": order.ravel().astype(str),
            "text": np.repeat(query, ranks).astype(str),
            "clicked": clicked.ravel(),
        }
    )
    return Sessions(frame)


@pytest.mark.parametrize(
    ("queries", "docs", "noise"),
    [(100, 10, None), (2000, 20, None), (500, 20, 0.2)],  # many looks a pair; few; by merit
)
def test_ten_propensities_are_recovered_from_100_000_impressions(queries, docs, noise):
    estimated = estimate_propensities(simulate_clicks(queries, docs, noise=noise))
    assert np.abs(estimated.values - THETA).max() < 0.03


def test_standard_errors_of_propensities_are_as_large_as_the_errors():
    """Errors in units of their standard errors have a mean square of about 1."""
    estimates = [estimate_propensities(simulate_clicks(100, 10, seed=seed)) for seed in range(12)]
    ratios = np.array([(each.values - THETA)[1:] / each.errors[1:] for each in estimates])
    assert 0.7 < np.sqrt(np.square(ratios).mean()) < 1.3
    assert np.isnan(estimates[0].errors[0])  # rank 1 is 1 by definition
    fewer = estimate_propensities(simulate_clicks(100, 10, lists=2_500))
    halved = estimates[0].errors[1:] / fewer.errors[1:]  # four times the clicks
    assert np.median(halved) == pytest.approx(1 / 2, rel=0.1)


def test_better_documents_further_up_do_not_bend_propensities():
    """What is shown in some lists only is worse than what always stands at the same rank."""
    errors = [
        estimate_propensities(simulate_clicks(200, 40, noise=0.4, seed=seed)).values - THETA
        for seed in range(4)
    ]
    assert np.abs(np.mean(errors, axis=0)).max() < 0.01


def test_propensities_need_pairs_at_several_ranks():
    """4 of 100 pairs change places: too few; 6 are enough."""
    rows = [(f"s{n}", 1, rank, f"{n}.{rank}", f"q{n}", True) for n in range(50) for rank in (1, 2)]

    def with_swaps(count):
        swaps = [
            (f"t{n}", 1, 3 - rank, f"{n}.{rank}", f"q{n}", True)
            for n in range(count)
            for rank in (1, 2)
        ]
        schema = ["session", "query", "rank", "doc", "text", "clicked"]
        return pl.DataFrame([*rows, *sorted(swaps)], schema, orient="row")

    with refuses(BadInput, "sessions", "4.0 %", "100", "5 %", "--propensity FILE"):
        gainful.sessions.evaluate(with_swaps(2), propensity="estimate")
    notes = gainful.sessions.evaluate(with_swaps(3), propensity="estimate").notes
    assert len(find_notes(notes, "EM", "1.000")) == 1
    assert len(find_notes(notes, "6", "100")) == 1


def test_propensities_need_clicks():
    frame = pl.DataFrame(SHOWN).with_columns(clicked=pl.lit(value=False))
    swapped = frame.with_columns(session="t" + pl.col("session"), rank=4 - pl.col("rank"))
    swapped = swapped.filter(pl.col("query") == 1, pl.col("session") == "ts")
    both = pl.concat([frame, swapped])
    with refuses(BadInput, "sessions"):
        gainful.sessions.evaluate(both, propensity="estimate")


# --- the default measures -------------------------------------------------------------------

TWO_SYSTEMS = {**SHOWN, "system": ["old"] * 4 + ["new"]}
WHY = "nsDCG divides by"


@pytest.mark.parametrize(("rule", "done"), [("clicked", "clicked"), ("purchased", "purchased")])
def test_the_default_names_what_gains(rule, done):
    frame = pl.DataFrame(TWO_SYSTEMS).with_columns(purchased=pl.col("clicked"))
    results = gainful.sessions.evaluate(frame, gain_from=rule)
    (note,) = (note for note in results.notes if WHY in note)
    assert done in note.split()


@pytest.mark.parametrize("gains", ["clicks", "judgments", "grades"])
def test_without_a_measure_clicks_are_counted_by_sdcg_alone(gains):
    """The ideal of clicks is what the same searcher clicked, so that nsDCG rewards few of them."""
    frame = pl.DataFrame(TWO_SYSTEMS)
    frame = frame.with_columns(grade=1) if gains == "grades" else frame
    qrels = {"s": {"a": 1}, "t": {"a": 1}} if gains == "judgments" else None
    clicks = gains == "clicks"
    several = ["sDCG@10"] if clicks else ["sDCG@10", "nsDCG@10"]
    single = several[-1]
    own, study = gainful.sessions, (frame, qrels)
    for results in (own.evaluate(*study), own.summarise(frame.lazy(), qrels)):
        assert [*results.mean] == several
        assert any(WHY in note for note in results.notes) == clicks
    assert [*own.evaluate(*study, cost={"query": 1}).mean][: len(several)] == several
    assert [row["measure"] for row in own.compare(*study).to_dict()["measures"]] == several
    for sweep in (own.sweep(*study, points=2), own.sweep(frame.lazy(), qrels, points=2)):
        assert f"{sweep.measure}@10" == single
        assert any(WHY in note for note in sweep.notes) == clicks
    pages = gainful.explore(*study), str(own.report(*study))
    assert [WHY in page for page in pages] == [clicks, clicks]
    assert ('"normalised":false' in pages[0], "nsDCG@10" in pages[1]) == (clicks, not clicks)


def test_nsdcg_of_clicks_is_computed_where_it_is_asked_for():
    frame = pl.DataFrame(TWO_SYSTEMS)
    results = gainful.sessions.evaluate(frame, measures=["nsDCG@10"])
    assert [*results.mean] == ["nsDCG@10"]
    assert gainful.sessions.sweep(frame, measure="nsDCG", points=2).measure == "nsDCG"
    with refuses(BadValue, "ideal"):
        gainful.sessions.evaluate(frame, ideal="repeated")


# --- users by hashes ------------------------------------------------------------------------

LOG = """user_id,timestamp,query,position,doc_id,clicked,client_id
ann@example.org,2026-01-31T12:00:00Z,soup,1,a,1,ann@example.org
ann@example.org,2026-01-31T14:00:00Z,soup,1,a,0,ann@example.org
bob@example.org,2026-01-31T12:00:00Z,soup,1,a,1,bob@example.org
bob@example.org,never,soup,1,a,1,bob@example.org
"""


def test_the_same_salt_gives_the_same_hashes(run_gainful, tmp_path, monkeypatch):
    path = write_file(tmp_path / "log.csv", LOG)
    words = ["sessions", str(path), "--per-session", "--bad", "skip", "--format", "json"]
    words += ["--anonymise"]

    def sessions(*more):
        return [*json.loads(run_gainful(*words, *more).out)["per_session"]]

    assert sessions("--salt", "a") == sessions("--salt", "a")
    assert sessions("--salt", "a") != sessions("--salt", "b")
    assert sessions() != sessions()
    monkeypatch.setenv("GAINFUL_SALT", "a")
    assert sessions() == sessions("--salt", "a")
    assert len({*sessions()}) == 3


PEOPLE = {  # of the first two, session ids are made of users
    "session": ["xann-0001", "xann-0001", "XBOB-0002", "guest77"],
    "user_id": ["xann", "xann", "xbob", "xcarl"],
    "query": [1, 1, 1, 1],
    "rank": [1, 2, 1, 1],
    "doc": ["d1", "d2", "d1", "d1"],
    "clicked": [1, 0, 1, 0],
    "contactEmail": ["xann@x.org", "xann@x.org", "xbob@x.org", "xcarl@x.org"],
    "variant": ["old", "old", "new", "new"],
}
NAMES = ("xann", "xbob", "xcarl", "guest77", "x.org")


@pytest.mark.parametrize("form", ["table", "csv", "json", "html", "markdown", "latex"])
@pytest.mark.parametrize("by", ["contactEmail", "searcher,topic"])
def test_session_ids_and_personal_columns_are_hashes(run_gainful, tmp_path, by, form):
    pl.DataFrame(PEOPLE).write_csv(tmp_path / "log.csv")
    words = ["sessions", str(tmp_path / "log.csv"), "--per-session", "--by", by, "--format", form]
    assert "xann" in run_gainful(*words).out
    done = run_gainful(*words, "--anonymise")
    assert not [person for person in NAMES if person in (done.out + done.err).lower()]


def test_pages_have_neither_session_ids_nor_personal_columns():
    frame = pl.DataFrame(PEOPLE)
    own = gainful.sessions
    page = gainful.explore(frame, by="variant", anonymise="pepper")
    assert ("pepper" in page, "--anonymise" in page) == (False, True)
    report = str(own.report(frame, by="variant", anonymise=True))
    dumped = json.dumps(own.evaluate(frame, anonymise=True).to_dict())
    for text in (page, report, dumped):
        assert "variant" in text
        assert not [person for person in NAMES if person in text.lower()]


def test_the_note_names_what_is_hashed_and_what_is_not():
    results = gainful.sessions.evaluate(pl.DataFrame(PEOPLE), anonymise=True)
    hashed = find_notes(results.notes, "session", "searcher", "contactEmail", "variant")
    assert len(hashed) == 1
    changed, kept = hashed[0].split(";")
    assert ("contactEmail" in changed, "variant" in kept) == (True, True)
    assert len({*results.ids}) == 3


def test_session_ids_are_hashes_in_errors_and_in_what_is_left_out():
    frame = pl.DataFrame({**PEOPLE, "rank": [1, 2, 2, 1]})
    with refuses(BadInput, "sessions, row 2") as failure:
        gainful.sessions.evaluate(frame, anonymise=True)
    notes = gainful.sessions.evaluate(frame, bad="skip", anonymise=True).notes
    assert any("left out" in note for note in notes)
    written = f"{failure.value} {notes}".lower()
    assert not [person for person in NAMES if person in written]


@pytest.mark.parametrize(
    "column", ["email", "Mail", "login", "userName", "name", "ip", "client_ip", "phone", "User"]
)
def test_columns_are_personal_by_their_names(column):
    frame = pl.DataFrame({**SHOWN, "system": "a"}).rename({"searcher": column})
    results = gainful.sessions.evaluate(frame, measures="sDCG@3", anonymise=True)
    assert "ann" not in str(results.columns.rows())
    assert {*results.columns["system"]} == {"a"}


@pytest.mark.parametrize("topics", ["none", "sessions", "own"])
def test_judgments_fit_sessions_whose_ids_are_hashes(topics):
    frame = pl.DataFrame(PEOPLE).drop("clicked")
    topic = {"none": "session", "sessions": "session", "own": "variant"}[topics]
    frame = frame if topics == "none" else frame.with_columns(topic=pl.col(topic))
    qrels = {name: {"d1": 2.0} for name in frame[topic].unique()}
    for sessions in (frame, {"one": frame, "two": frame}, frame.lazy()):
        plain, hashed = (
            gainful.sessions.evaluate(sessions, qrels, "sDCG@3", anonymise=anonymise)
            for anonymise in (False, True)
        )
        assert plain.mean == hashed.mean == {"sDCG@3": 2.0}
        written = f"{hashed.to_dict()} {hashed.columns.rows()}".lower()
        assert not [person for person in NAMES if person in written]
        assert ("old" in written) == ("variant" in hashed.columns.columns)
    del qrels["old" if topics == "own" else "xann-0001"]
    with refuses(BadInput, "sessions") as failure:
        gainful.sessions.evaluate(frame, qrels, "sDCG@3", anonymise=True)
    assert not [person for person in NAMES if person in str(failure.value).lower()]


@pytest.mark.parametrize("user", ["ann", "o'neill", "ann" * 40])
def test_users_are_hashed_in_errors_too(user):
    shown = {
        "user": [user, user],
        "time": ["2026-01-01T10:00:00Z"] * 2,
        "query": ["q", "q"],
        "rank": [1, 3],
        "doc": ["a", "b"],
    }
    with refuses(BadInput, "sessions, row 1") as failure:
        gainful.sessions.evaluate(pl.DataFrame(shown))
    assert "rank 2 is missing" in str(failure.value)
    with refuses(BadInput, "sessions, row 1") as hashed:
        gainful.sessions.evaluate(pl.DataFrame(shown), anonymise="salt")
    assert user[:7] not in str(hashed.value)


def test_a_salt_in_the_environment_bothers_no_other_command(run_gainful, monkeypatch):
    monkeypatch.setenv("GAINFUL_SALT", "x")
    runs = [str(EXAMPLES / name) for name in ("qrels.txt", "bm25.txt", "dense.txt")]
    compared = run_gainful("compare", *runs, "-m", "AP", "--resamples", "99")
    judged = run_gainful("sessions", str(EXAMPLES / "clicks.csv"), "-m", "sDCG@3")
    for printed in (compared, judged):
        assert "salt" not in (printed.out + printed.err).lower()


def test_a_log_is_compared_swept_and_drawn_by_the_same_options(run_gainful, tmp_path):
    log = str(EXAMPLES / "clicks.csv")
    rule = ("--gain-from", "clicked=1,purchased=5", "--gap", "2h")
    words = ("--by", "variant", "-m", "sDCG@3", *rule, "--format", "json")
    compared = json.loads(run_gainful("compare", "--sessions", log, *words).out)
    assert "clicked = 1 and purchased = 5" in json.dumps(compared)
    swept = ("--by", "variant", "-m", "sDCG", *rule, "--points", "2", "--format", "json")
    swept = json.loads(run_gainful("sweep", log, *swept).out)
    assert {setting["winner"] for setting in swept["settings"]} == {"new"}
    picture = tmp_path / "curves.svg"
    run_gainful("figure", "sessions", log, "--by", "variant", "-o", str(picture), *rule)
    assert "<svg" in picture.read_text(encoding="utf-8")
    results = json.loads(run_gainful("sessions", log, *words).out)
    assert any("clicked = 1 and purchased = 5" in note for note in results["notes"])
