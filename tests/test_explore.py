"""The live page in a real browser: it answers as Python does, reaches nowhere, runs no text."""

import json
import random
import shlex
import sys
from contextlib import contextmanager
from urllib.parse import urlencode

import numpy as np
import polars as pl
import pytest
from browser_pages import HOSTILE, BrowserPage, read_data
from facts import list_facts
from refusals import refuses
from session_tables import make_sessions
from written_files import write_file

import gainful
from gainful.evidence.statistics.bootstrap import run_bootstrap
from gainful.evidence.statistics.outcome import Resampling
from gainful.formula import Param
from gainful.measure.discount import DISCOUNTS
from gainful.measure.sessions.session_values import curve_terms

BASED = [name for name, formula in DISCOUNTS.items() if formula.params]


@contextmanager
def open_page(browser, path, fragment="", **settings):
    """A page that was opened from disk; it must ask for nothing else and complain of nothing."""
    opened = BrowserPage(browser, path, fragment, **settings)
    opened.page.set_default_timeout(8000)
    wait_until_drawn(opened.page)
    yield opened.page
    opened.close()


def wait_until_drawn(page):
    page.wait_for_function("window.explored !== undefined")
    page.evaluate("explored.ready()")


def read_chart(page, chart="curves"):
    """What a chart shows: numbers and names."""
    return page.evaluate(f"JSON.parse(JSON.stringify(explored.rows.{chart}))")


def list_means(page, chart="curves"):
    """The values of all lines of a chart, one after another."""
    return [value for line in read_chart(page, chart) for _, value in line["points"]]


@pytest.fixture(scope="module")
def study(tmp_path_factory, run_gainful):
    folder = tmp_path_factory.mktemp("study")
    simulated = gainful.sessions.simulate_study(2008)
    simulated.write(folder)
    page = folder / "page.html"
    run_gainful(
        "explore", folder / "sessions.csv", "--qrels", folder / "qrels.txt",
        "-m", "nsDCG(b=2, bq=4)@10", "-o", page,
    )  # fmt: skip
    return simulated, page


@pytest.fixture(scope="module")
def demo(browser, study):
    with open_page(browser, study[1]) as page:
        open_controls(page)
        yield page


def reset(page):
    page.locator("#reset").click()
    wait_until_drawn(page)


def open_controls(page):
    """Unfold every part of the controls."""
    page.evaluate(
        "document.querySelectorAll('.controls details').forEach(part => part.open = true)"
    )


def random_setting(seed):
    """A setting of the controls, by chance."""
    chance = random.Random(seed)  # noqa: S311  (no secret)
    weights = [0, chance.choice([0, 1]), round(chance.uniform(1, 20), 2), chance.randint(10, 100)]
    return {
        "b": round(chance.uniform(1.5, 10), 1 if seed % 2 else 4),
        "bq": round(chance.uniform(1.5, 10), 1 if seed % 2 else 4),
        "x": chance.randint(1, 10),
        "weights": weights,
        "discount": "jk2008" if seed < 4 else chance.choice(list(DISCOUNTS)),
        "query_discount": "jk2008" if seed < 4 else chance.choice(list(DISCOUNTS)),
        "duplicates": ["every", "first", "clicked", "judged"][seed % 4],
        "normalised": chance.random() < 0.7,
        "hold": chance.choice(["held", "growing"]),
    }


def set_controls(page, setting, exactly):
    """Move the controls: sliders, or the numbers beside them."""
    beside = "-number" if exactly else ""
    for name in ("b", "bq", "x"):
        page.locator(f"#{name}{beside}").fill(str(setting[name]))
    for code, weight in enumerate(setting["weights"]):
        page.locator(f"#weight-{code}-number").fill(str(weight))
    for name in ("duplicates", "hold", "discount", "query_discount"):
        page.locator(f"#{name}").select_option(setting[name])
    page.locator(f"input[name=normalised][value='{int(setting['normalised'])}']").check()
    wait_until_drawn(page)


def evaluate_setting(study, setting, **more):
    """What Python says of a setting."""
    options = {name: setting[name] for name in ("discount", "query_discount", "duplicates")}
    options |= {"b": setting["b"]} if setting["discount"] in BASED else {}
    options |= {"bq": setting["bq"]} if setting["query_discount"] in BASED else {}
    options |= {"hold": setting["hold"]} if setting["normalised"] else {}
    measure = f"{'nsDCG' if setting['normalised'] else 'sDCG'}@{setting['x']}"
    gain = dict(enumerate(setting["weights"]))
    return gainful.sessions.evaluate(
        study.sessions, study.qrels, measure, gain=gain, **options, **more
    )


def list_points(page, curve):
    """The values that are drawn of each group, without the one at which the line is held."""
    lines = read_chart(page)
    lengths = curve.group_by("system", maintain_order=True).len()["len"].to_list()
    return [
        point for line, size in zip(lines, lengths, strict=True) for point in line["points"][:size]
    ]


@pytest.mark.parametrize("seed", range(4))
def test_moving_controls_gives_what_python_computes(demo, study, seed, run):
    reset(demo)
    before = demo.locator("#curves .line").first.get_attribute("d")
    setting = random_setting(seed)
    set_controls(demo, setting, exactly=seed % 2 == 0)
    assert demo.locator("#curves .line").first.get_attribute("d") != before
    values = evaluate_setting(study[0], setting)
    curve = values.curve(by="system")
    points = list_points(demo, curve)
    assert [mean for _, mean in points] == pytest.approx(curve["mean"].to_list(), abs=1e-6)
    assert [position for position, _ in points] == curve["position"].to_list()
    if setting["hold"] != "growing":  # each group is held to the end of the longest session
        ends = [line["points"][-1][0] for line in read_chart(demo)]
        assert ends == [int(curve["position"].max())] * 2
    last = values.last_queries(by="system").vectors.filter(pl.col("which") != "best")
    assert list_means(demo, "last") == pytest.approx(last["mean"].to_list(), abs=1e-6)
    # … and so does the command that the page offers
    words = shlex.split(demo.locator("#command").text_content())
    data = json.loads(run(*words[1:], "--format", "json"))
    means = [next(iter(group["mean"].values())) for group in data["groups"]]
    shown = demo.locator("#groups td:last-child").all_text_contents()
    assert shown == [f"{mean:.4f}" for mean in means]


def link_to(setting):
    """The end of an address that asks for a setting."""
    names = ("b", "bq", "x", "discount", "query_discount", "duplicates", "hold")
    parts = {name: setting[name] for name in names}
    parts |= {"weights": ",".join(map(str, setting["weights"]))}
    return "#" + urlencode(parts | {"value": "share" if setting["normalised"] else "gain"})


def resample_interval(study, setting):
    """The percentile interval of system 1 less system 2, whole searchers drawn 2,000 times."""
    sums, counts, systems, searchers = [], [], [], []
    for system in ("1", "2"):
        results = evaluate_setting(study, setting, where={"system": system})
        (recipe,) = results.recipes.values()
        terms = curve_terms(results.matched_sessions, recipe)
        own_sums, own_counts = (
            part.reshape(len(results.columns), -1)[:, -1] for part in (terms.upper, terms.lower)
        )
        sums += own_sums.tolist()
        counts += own_counts.tolist()
        systems += [system] * len(own_sums)
        searchers += results.columns["searcher"].to_list()
    sums, counts, first = np.array(sums), np.array(counts), np.array(systems) == "1"

    def statistic(weights):
        means = [
            (weights[:, own] @ sums[own]) / (weights[:, own] @ counts[own])
            for own in (first, ~first)
        ]
        return (means[0] - means[1])[:, None]

    cluster = np.unique(searchers, return_inverse=True)[1]
    drawn_again = run_bootstrap(statistic, cluster, Resampling(resamples=2000))
    return drawn_again.estimate[0], np.quantile(drawn_again.resampled[:, 0], [0.025, 0.975])


@pytest.mark.parametrize("seed", range(10, 20))
def test_a_link_opens_the_numbers_and_the_interval_of_python(browser, study, seed):
    setting = random_setting(seed)
    with open_page(browser, study[1], link_to(setting)) as page:
        verdict = page.evaluate("explored.verdict()")
        curve = evaluate_setting(study[0], setting).curve(by="system")
        means = [mean for _, mean in list_points(page, curve)]
        assert not page.locator("#message").is_visible()
    assert means == pytest.approx(curve["mean"].to_list(), abs=1e-6)
    difference, ends = resample_interval(study[0], setting)
    assert verdict["means"][0] - verdict["means"][1] == pytest.approx(difference, abs=1e-6)
    expected = ends if verdict["leader"] == 0 else -ends[::-1]
    assert verdict["interval"] == pytest.approx(expected, abs=1e-4)
    assert verdict["isSure"] == (expected[0] > 0)


def test_a_link_out_of_range_opens_the_nearest_view_and_says_so(browser, study):
    fragment = "#b=0.2&bq=1e9&x=2.7&min_queries=-4&discount=nonsense&by=nobody&where=scenario%3DZ&weights=1,2&compare=9&value=much&session=lost"
    with open_page(browser, study[1], fragment) as page:
        message = page.locator("#message").text_content()
        values = ["b = 0.2", "bq = 1e9", "x = 2.7", "min_queries = -4", "compare = 9"]
        values += ["value = much", "session = lost"]
        names = ["nonsense", "nobody", "scenario=Z", "weights"]
        assert [name for name in (*values, *names) if name not in message] == []
        moved = [page.locator(f"#{name}-number").input_value() for name in ("b", "bq", "x")]
        assert moved == ["1.01", "999", "3"]
        assert page.locator("#groups td").first.text_content() == "60"
        page.locator("#x").fill("5")
        wait_until_drawn(page)
        assert not page.locator("#message").is_visible()


def test_the_address_keeps_the_view_and_reset_forgets_it(browser, study):
    with open_page(browser, study[1]) as page:
        assert "#" not in page.evaluate("location.href")
        page.locator("#b-number").fill("6.5")
        page.get_by_text("Groups and filters").click()
        page.get_by_label("scenario", exact=True).select_option("D")
        page.locator("#session").select_option(index=2)
        wait_until_drawn(page)
        sentence = page.locator("#verdict").text_content()
        fragment = page.evaluate("location.hash")
        assert fragment.startswith("#b=6.5&where=scenario%3DD&session=")
        page.locator("#reset").click()
        wait_until_drawn(page)
        assert "#" not in page.evaluate("location.href")
    with open_page(browser, study[1], fragment) as page:
        assert page.locator("#verdict").text_content() == sentence


def test_the_verdict_names_the_leader_its_lead_and_where_that_changes(demo, study):
    reset(demo)
    swept = gainful.sessions.sweep(study[0].sessions, study[0].qrels, "nsDCG@10", bq=[4])
    (crossing,) = [point.b for point in swept.planes[0].boundary if point.along == "b"]
    groups = evaluate_setting(study[0], {**random_setting(0), **STARTING}).groups("system")
    means = [group["mean"]["nsDCG@10"] for group in groups]
    sentence = demo.locator("#verdict").text_content().replace("\xa0", " ")
    facts = list_facts(sentence, "b", "bq", "system")
    lead = f"{means[1] - means[0]:.3f}"
    assert facts[:8] == ["b", "2", "bq", "4", "system", "2", lead, "95"]
    assert facts[-2:] == ["b", f"{crossing:.1f}"]
    assert "leads" in demo.locator("#groups tr.leads").text_content()
    demo.locator("#presets button").get_by_text("patient", exact=True).last.click()
    wait_until_drawn(demo)
    assert "For a patient searcher" in demo.locator("#verdict").text_content()
    assert "not significant" in demo.locator("#verdict").text_content()
    demo.wait_for_function("document.getElementById('spoken').textContent.includes('patient')")


STARTING = {
    "b": 2,
    "bq": 4,
    "x": 10,
    "weights": [0, 1, 2, 3],
    "normalised": True,
    "hold": "held",
    "discount": "jk2008",
    "query_discount": "jk2008",
    "duplicates": "every",
}


def test_of_several_groups_the_leader_meets_the_runner_up_or_whom_the_reader_chooses(demo, study):
    reset(demo)
    demo.locator("#by").select_option("scenario")
    wait_until_drawn(demo)
    groups = gainful.sessions.evaluate(
        study[0].sessions, study[0].qrels, "nsDCG(b=2, bq=4)@10"
    ).groups("scenario")
    means = {group["scenario"]: next(iter(group["mean"].values())) for group in groups}
    first, second, *_, last = sorted(means, key=means.get, reverse=True)
    text = demo.locator("#verdict").text_content()
    assert f"scenario {first} leads scenario {second} by {means[first] - means[second]:.3f}" in text
    demo.locator("#by").select_option("order")  # other groups, and no map of them yet
    demo.locator("#by").select_option("scenario")
    wait_until_drawn(demo)
    demo.locator("#other").select_option(label=f"scenario {last}")
    wait_until_drawn(demo)
    text = demo.locator("#verdict").text_content()
    assert f"scenario {first} leads scenario {last} by {means[first] - means[last]:.3f}" in text


@pytest.mark.parametrize("chart", ["curves", "difference", "last"])
def test_a_chart_tells_its_values_to_the_mouse_and_to_keys(demo, chart):
    reset(demo)
    place = demo.locator(f"#{chart}")
    place.hover(position={"x": 200, "y": 60})
    assert "rank" in place.locator(".readout").text_content()
    demo.mouse.move(0, 0)
    assert place.locator(".readout").text_content().strip() == ""
    place.locator("svg").focus()
    demo.keyboard.press("Home")
    first = place.locator(".readout").text_content()
    assert "rank 1:" in first
    demo.keyboard.press("ArrowRight")
    assert "rank 2:" in place.locator(".readout").text_content()
    lines = read_chart(demo, chart)
    points = (lines if chart != "difference" else [lines])[0]["points"]
    assert f"{points[0][1]:.3f}" in first
    demo.evaluate("document.activeElement.blur()")


def test_the_command_of_some_sessions_counts_the_same_sessions(demo, run):
    reset(demo)
    open_controls(demo)
    demo.get_by_label("scenario", exact=True).select_option("D")
    demo.locator("#min-queries").fill("3")
    demo.locator("#by").select_option("")
    demo.locator("#gain").select_option(label="exp: each grade is worth about twice the one below")
    wait_until_drawn(demo)
    words = shlex.split(demo.locator("#command").text_content())
    assert words[-4:] == ["--where", "scenario=D", "--min-queries", "3"]
    assert "nsDCG(gain=exp, b=2, bq=4)@10" in words
    data = json.loads(run(*words[1:], "--format", "json"))
    cells = demo.locator("#groups td").all_text_contents()
    (mean,) = data["mean"].values()
    assert cells == [str(data["counts"]["sessions"]), str(data["counts"]["queries"]), f"{mean:.4f}"]


def test_the_command_is_copied(demo):
    reset(demo)
    demo.locator("#copy").click()
    demo.get_by_role("button", name="Copied").wait_for()
    demo.locator("#controls").evaluate("one => one.append(document.createElement('textarea'))")
    demo.locator("textarea").focus()
    demo.keyboard.press("Control+V")
    assert demo.locator("textarea").input_value() == demo.locator("#command").text_content()
    demo.locator("textarea").evaluate("one => one.remove()")


def test_a_session_can_be_selected_by_its_line_and_by_the_keyboard(demo, study):
    reset(demo)
    frame = study[0].sessions.frame
    name = select_long_session(demo, frame)
    assert_shows(demo, frame, name)
    lines = read_chart(demo, "lines")
    number = max(range(len(lines)), key=lambda at: lines[at]["points"][-1][0])
    demo.locator("#curves .stop").nth(number).click(force=True)
    wait_until_drawn(demo)
    assert_shows(demo, frame, lines[number]["title"])
    demo.locator("#session").focus()
    names = demo.locator("#session option").all_text_contents()
    demo.keyboard.press("Home")
    demo.keyboard.press("ArrowDown")
    wait_until_drawn(demo)
    assert_shows(demo, frame, names[1].split(" · ")[0])


def select_long_session(page, frame):
    """Choose a session of several queries from the list."""
    name = frame.filter(pl.col("query") == 3)["session"][0]
    number = frame["session"].unique(maintain_order=True).to_list().index(name)
    page.locator("#session").select_option(str(number))
    wait_until_drawn(page)
    return name


def assert_shows(page, frame, name):
    session_rows = frame.filter(pl.col("session") == name)
    assert page.locator("#session-detail strong").text_content() == name
    heads = page.locator("#session-detail h3 > span:first-child").all_text_contents()
    texts = session_rows.group_by("query", maintain_order=True).first()["text"].to_list()
    assert heads == [f"Q{number} {text}" for number, text in enumerate(texts, 1)]
    documents = page.locator("#session-detail tbody tr td:nth-child(2)").all_text_contents()
    assert documents == session_rows["doc"].to_list()
    clicked = page.locator("#session-detail tbody td.clicked").all_text_contents()
    assert [bool(mark) for mark in clicked] == session_rows["clicked"].to_list()


def test_what_results_added_adds_up_to_the_gain_of_the_session(demo, study):
    reset(demo)
    name = select_long_session(demo, study[0].sessions.frame)
    results = gainful.sessions.evaluate(study[0].sessions, study[0].qrels, "sDCG@10")
    value = results.per_session.filter(pl.col("session") == name)["sDCG@10"].item()
    added = [
        float(text) for text in demo.locator("#session-detail td.added").all_text_contents() if text
    ]
    assert sum(added) == pytest.approx(value, abs=0.0005)
    assert f"gain {value:.4f}" in demo.locator("#session-detail > p").first.text_content()


def test_sixty_sessions_are_drawn_behind_to_their_last_query(demo, study):
    reset(demo)
    assert list_facts(demo.locator("#line-count").text_content())[:2] == ["60", "120"]
    lines = read_chart(demo, "lines")
    assert len({line["id"] for line in lines}) == 60
    queries = study[0].sessions.frame.group_by("session").agg(pl.col("query").max())
    lengths = dict(queries.iter_rows())
    assert [line["points"][-1][0] for line in lines] == [
        10 * lengths[line["title"]] for line in lines
    ]
    demo.locator("#single").uncheck()
    wait_until_drawn(demo)
    assert demo.locator("#curves .single").count() == 0
    demo.locator("#single").check()


@pytest.mark.parametrize("changed", [{}, {"x": 5}, {"duplicates": "first"}, {"weights": [0, 1, 9, 2]}, {"normalised": False}])  # fmt: skip
def test_the_map_follows_every_setting_as_python_sweeps_it(demo, study, changed):
    setting = {**STARTING, **changed}
    demo.evaluate("fragment => { location.hash = fragment }", link_to(setting))
    demo.wait_for_timeout(50)
    wait_until_drawn(demo)
    swept = gainful.sessions.sweep(
        study[0].sessions,
        study[0].qrels,
        "nsDCG" if setting["normalised"] else "sDCG",
        depth=setting["x"],
        weights=dict(enumerate(setting["weights"])),
        duplicates=setting["duplicates"],
    )
    shown = read_chart(demo, "map")
    leads = np.array([list(lead.values()) for lead in shown["leads"]])
    assert leads.argmax(axis=0).tolist() == swept.planes[0].winners.ravel().tolist()
    difference = swept.planes[0].means[..., 0] - swept.planes[0].means[..., 1]
    assert leads[0] == pytest.approx(difference.ravel(), abs=1e-9)
    assert shown["b"] == pytest.approx(swept.b)
    reset(demo)


def test_a_map_that_was_asked_for_often_is_not_said_to_be_computed_when_it_is_there(demo):
    reset(demo)
    demo.evaluate(
        """async () => {
          const slider = document.getElementById("b");
          for (let n = 0; n < 30; n++) {
            slider.value = 1.5 + n / 10;
            slider.dispatchEvent(new Event("input"));
            await new Promise((done) => setTimeout(done, 8));
          }
        }"""
    )
    wait_until_drawn(demo)
    demo.wait_for_timeout(200)
    assert demo.locator("#map-state").text_content() == ""
    assert not demo.locator("#map.stale").count()
    assert read_chart(demo, "map")["here"]["b"] == 4.4


def test_a_click_on_the_map_moves_the_ring_and_so_do_keys(demo):
    reset(demo)
    demo.locator("#b").fill("5.5")
    demo.locator("#bq").fill("7")
    wait_until_drawn(demo)
    assert read_chart(demo, "map")["here"] == {"b": 5.5, "bq": 7}
    demo.locator("#map svg").click(position={"x": 50, "y": 10})
    wait_until_drawn(demo)
    assert float(demo.locator("#b-number").input_value()) == pytest.approx(1.5, abs=0.05)
    assert float(demo.locator("#bq-number").input_value()) == pytest.approx(10, abs=0.3)
    demo.locator("#map svg").focus()
    demo.keyboard.press("ArrowRight")
    wait_until_drawn(demo)
    assert float(demo.locator("#b-number").input_value()) == pytest.approx(1.65, abs=0.06)
    assert demo.evaluate("document.activeElement.closest('#map') !== null")
    reset(demo)


def test_formula_and_words_follow_the_controls(demo):
    reset(demo)
    assert demo.locator("#formula msub mn").all_text_contents() == ["4", "2"]
    demo.locator("#bq").fill("7.5")
    demo.locator("#discount").select_option("zipf")
    demo.locator("#duplicates").select_option("first")
    wait_until_drawn(demo)
    assert demo.locator("#formula msub mn").all_text_contents() == ["7.5"]
    assert demo.locator("#b").is_disabled()
    assert demo.locator("#measure").text_content() == (
        "nsDCG(discount=zipf, bq=7.5, duplicates=first)@10"
    )
    message = demo.locator("#words").text_content()
    assert [words in message for words in ("zipf: ", "each document once")] == [True, True]
    demo.locator("#ideal").select_option("once")
    wait_until_drawn(demo)
    assert "does not limit" in demo.locator("#words").text_content()


def test_what_is_no_number_is_marked_and_changes_nothing(demo):
    reset(demo)
    before = read_chart(demo)
    wrong = {"b-number": "1", "bq-number": "", "x-number": "2.5", "min-queries": "0"}
    for name, value in wrong.items():
        demo.locator(f"#{name}").fill(value)
        assert demo.locator(f"#{name}").get_attribute("aria-invalid") == "true"
    wait_until_drawn(demo)
    assert read_chart(demo) == before


def test_when_no_session_is_left_the_page_says_so_and_comes_back(demo):
    reset(demo)
    demo.locator("#min-queries").fill("99")
    wait_until_drawn(demo)
    assert "No session" in demo.locator("#message").text_content()
    assert not demo.locator("#all").is_visible()
    reset(demo)
    assert not demo.locator("#message").is_visible()
    assert demo.locator("#groups td").first.text_content() == "60"


def test_every_control_is_reached_by_the_keyboard_and_has_a_name(demo):
    reset(demo)
    demo.evaluate("document.activeElement.blur(); window.scrollTo(0, 0)")
    reached = set()
    for _ in range(60):
        demo.keyboard.press("Tab")
        reached.add(demo.evaluate("document.activeElement.id"))
    wanted = demo.locator("#controls :is(input, select, button):not([type=radio])").evaluate_all(
        "found => found.map((one) => one.id)"
    )
    assert {*wanted, "session", "copy", "theme"} <= reached
    nameless = demo.locator("input, select, button").evaluate_all(
        "found => found.filter((one) => !(one.labels?.length || one.ariaLabel"
        " || one.textContent.trim())).length"
    )
    assert nameless == 0
    demo.locator("#b").focus()
    demo.keyboard.press("ArrowRight")
    wait_until_drawn(demo)
    assert demo.locator("#b-number").input_value() == "2.1"
    assert "b=2.1" in demo.locator("#measure").text_content()


PAPER = "getComputedStyle(document.body).backgroundColor"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_theme_is_that_of_the_system_until_it_is_changed_and_print_is_light(
    browser, study, scheme
):
    with open_page(browser, study[1], color_scheme=scheme) as page:
        paper = "rgb(255, 255, 255)" if scheme == "light" else "rgb(18, 23, 30)"
        assert page.evaluate(PAPER) == paper
        page.emulate_media(media="print")
        assert page.evaluate(PAPER) == "rgb(255, 255, 255)"
        label = "getComputedStyle(document.querySelector('#curves text.tick')).fill"
        assert page.evaluate(label) == "rgb(90, 102, 117)"
        assert not page.locator("#controls").is_visible()
        page.emulate_media(media="screen")
        page.locator("#theme").click()
        wait_until_drawn(page)
        assert page.evaluate(PAPER) != paper
        assert len(list_means(page)) == 191  # one more to where the longest ends
        assert page.locator(".chart svg").count() == 4


def test_hostile_text_is_shown_and_runs_nothing(browser, tmp_path):
    sessions = [
        (text, number, 1, f"doc {text}", HOSTILE[at % 4], HOSTILE[(at + 3) % 8], text, bool(at % 2))
        for at, text in enumerate(HOSTILE)
        for number in (1, 2)
    ]
    names = ["session", "query", "rank", "doc", "system", "scenario", "text", "clicked"]
    shown = pl.DataFrame(sessions, schema=names, orient="row")
    shown = shown.with_columns(pl.col("system").alias("<u>__proto__"), topic=pl.lit("t"))
    shown = shown.rename({"scenario": "constructor"})
    judgments = {"t": {f"doc {text}": at % 3 for at, text in enumerate(HOSTILE)}}
    named = {"title": HOSTILE[0], "command": [HOSTILE[3], "it's"]}
    with open_page(browser, write_page(tmp_path, shown, judgments, **named)) as page:
        assert page.locator("h1").text_content() == HOSTILE[0]
        assert page.locator("script").count() == 10
        assert page.locator("main :is(img, b, u)").count() == 0
        assert page.evaluate("window.ran") is None
        for number, text in enumerate(HOSTILE):
            page.locator("#session").select_option(str(number))
            wait_until_drawn(page)
            for shown_as in ("#session-detail strong bdi", "#session-detail h3 bdi"):
                place = page.locator(shown_as).first
                whole = place.get_attribute("title") or place.text_content()
                assert whole == text
            for width in (390, 1280):
                page.set_viewport_size({"width": width, "height": 900})
                assert page.evaluate("document.documentElement.scrollWidth") <= width
        wait_until_drawn(page)
        assert {line["name"] for line in read_chart(page)} == {*HOSTILE[:4]}
        words = shlex.split(page.locator("#command").text_content())
        assert words[2:4] == [HOSTILE[3], "it's"]
        open_controls(page)
        page.locator("#where-1").select_option("1")
        wait_until_drawn(page)
        words = shlex.split(page.locator("#command").text_content())
        chosen = words[words.index("--where") + 1]
        assert chosen.startswith("constructor=")
        assert page.locator("#groups tbody tr").count() >= 1


STILL = "requestAnimationFrame = () => 0; Worker = class { postMessage() {} };"


def test_a_browser_that_photographs_at_once_has_the_whole_page(browser, study):
    context = browser.new_context(viewport={"width": 1200, "height": 1500})
    context.add_init_script(STILL)  # as it is for a browser without a window
    page = context.new_page()
    page.goto(study[1].as_uri())
    assert page.locator(".chart svg").count() == 4
    assert page.locator("#map-state").text_content() == ""
    assert page.locator("#measure").text_content()
    assert page.locator("html").evaluate("one => getComputedStyle(one).overflowY") == "scroll"
    context.close()


def test_clicks_are_no_grades_and_queries_of_few_results_are_named(browser, tmp_path):
    shown = make_sessions(s=[["a*", "b"], ["c", "d*", "e"]], t=[["b*"]])
    with open_page(browser, write_page(tmp_path, shown, None, "sDCG@10")) as page:
        heads = page.locator("#session-detail thead").first.locator("th").all_text_contents()
        assert "grade" not in heads
        assert heads.count("clicked") == 1
        assert page.locator("#session-detail .chip").count() == 0
        assert list_facts(page.locator(".lot").text_content())[:2] == ["10", "3"]


def write_page(tmp_path, sessions, qrels, *more, **options):
    return write_file(tmp_path / "page.html", gainful.explore(sessions, qrels, *more, **options))


def test_one_session_gives_a_page_that_says_there_is_no_map(browser, tmp_path):
    shown, judged = make_sessions(s=[["a", "b"], ["c"], []]), {"s": {"c": 2}}
    with open_page(browser, write_page(tmp_path, shown, judged, "nsDCG@3")) as page:
        text = page.locator("#verdict").text_content()
        assert "too few sessions" in text
        assert "no two groups" in page.locator("#drawn").text_content()
        assert not page.locator("#map").is_visible()
        assert "one session" in page.locator("#line-count").text_content()
        assert "returned nothing" in page.locator("#session-detail").text_content()
        value = gainful.sessions.evaluate(shown, judged, "nsDCG@3")["nsDCG@3"]
        assert page.locator("#groups td").last.text_content() == f"{value:.4f}"


@pytest.mark.parametrize(("empty", "mean"), [(0, "0.0000"), ("skip", "–")])
def test_sessions_with_nothing_to_find_have_a_page(browser, tmp_path, empty, mean):
    shown, judged = make_sessions(s=[["a"]], t=[["b"]]), {"s": {"a": 0}, "t": {"b": 0}}
    path = write_page(tmp_path, shown, judged, "nsDCG@3", empty=empty)
    with open_page(browser, path) as page:
        assert page.locator("#message").is_visible()
        assert page.locator("#groups td").last.text_content() == mean


def test_many_different_grades_have_no_sliders_but_gains(browser, tmp_path):
    docs = [f"d{n}" for n in range(15)]
    shown, judged = make_sessions(s=[docs]), {"s": {doc: at / 7 for at, doc in enumerate(docs)}}
    with open_page(browser, write_page(tmp_path, shown, judged, "sDCG@15")) as page:
        assert page.locator("#weights input").count() == 0
        open_controls(page)
        assert page.locator("#no-weights").is_visible()
        page.locator("#gain").select_option("1")
        wait_until_drawn(page)
        values = gainful.sessions.evaluate(shown, judged, "sDCG(gain=exp)@15")
        assert (
            page.locator("#groups td").last.text_content() == f"{values['sDCG(gain=exp)@15']:.4f}"
        )


def test_the_page_is_small_and_called_by_the_name_of_the_file_never_by_its_path(demo, study):
    assert study[1].stat().st_size < 400_000
    assert demo.locator("h1").text_content() == "sessions.csv"


# From the move of a control until the map is drawn, in milliseconds.
TIMED_MOVES = """async () => {
  const times = [], map = document.getElementById("map");
  for (const [id, value] of [["b", 3], ["bq", 6], ["x", 5], ["weight-1-number", 2.5], ["b-number", 7], ["duplicates", "first"], ["x", 10]]) {
    const drawn = new Promise((done) => { new MutationObserver((_, self) => { self.disconnect(); done(performance.now()); }).observe(map, { childList: true }); });
    const begun = performance.now(), control = document.getElementById(id);
    control.value = value;
    control.dispatchEvent(new Event("input"));
    times.push((await drawn) - begun);
    await explored.ready();
  }
  document.getElementById("reset").click();
  await explored.ready();
  return times;
}"""


HURRIED_MOVES = """async () => {
  const moves = [["b", 3], ["by", "scenario"], ["bq", 6], ["by", "system"], ["min-queries", 99], ["x", 4], ["by", "order"], ["min-queries", 1]];
  for (let n = 0; n < 80; n++) {
    const [id, value] = moves[n % moves.length], control = document.getElementById(id);
    control.value = value;
    control.dispatchEvent(new Event("input"));
    await new Promise((done) => { setTimeout(done, (7 * n) % 24); }); // often before all is drawn
  }
  await explored.ready();
}"""


def test_who_moves_controls_faster_than_they_are_drawn_sees_the_last_setting(browser, study):
    with open_page(browser, study[1]) as page:
        page.evaluate(HURRIED_MOVES)
        groups = page.locator("#groups tbody tr").count()
        assert page.locator("#by").input_value() == "order"
        assert {line["name"] for line in read_chart(page)} == {
            f"order {at + 1}" for at in range(groups)
        }


def time_moves(page):
    """The median time of a move, in the quietest of three rounds: other tests run beside."""
    return min(np.median(page.evaluate(TIMED_MOVES)) for _ in range(3))


def test_verdict_and_map_of_120_sessions_take_a_tenth_of_a_second(demo):
    reset(demo)
    assert time_moves(demo) < 100


def test_verdict_and_map_of_2000_sessions_of_50_results_take_a_quarter_of_a_second(
    browser, tmp_path
):
    chance = np.random.default_rng(1)
    rows = [
        (f"s{session}", query, rank, f"d{doc}", "ab"[session % 2], f"t{session % 50}")
        for session in range(2000)
        for query in range(1, 6)
        for rank, doc in enumerate(chance.permutation(200)[:10].tolist(), 1)
    ]
    names = ["session", "query", "rank", "doc", "system", "topic"]
    judged = {
        f"t{topic}": {f"d{doc}": int(chance.integers(4)) for doc in range(0, 200, 2)}
        for topic in range(50)
    }
    shown = pl.DataFrame(rows, schema=names, orient="row")
    path = write_page(tmp_path, shown, judged, "nsDCG@10")
    assert path.stat().st_size < 2_000_000
    with open_page(browser, path) as page:
        assert time_moves(page) < 250


def test_of_few_sessions_nothing_is_sure(browser, tmp_path):
    """Two sessions each: whichever are drawn again, those of x are better."""
    shown = make_sessions(a=[["d"]], b=[["d"]], c=[["e", "d"]], d=[["f"]]).with_columns(
        system=pl.Series(["x", "x", "y", "y", "y"]), topic=pl.lit("t")
    )
    path = write_page(tmp_path, shown, {"t": {"d": 1}}, "sDCG@2")
    with open_page(browser, path) as page:
        verdict = page.evaluate("explored.verdict()")
        assert (verdict["interval"][0] > 0, verdict["isSure"]) == (True, False)
        assert "too few sessions" in page.locator("#verdict").text_content()
        assert "ahead" in page.locator("#groups tr.leads").text_content()
        assert max(max(sure.values()) for sure in read_chart(page, "map")["sure"]) < 0


def test_a_finger_reads_the_values_of_a_chart(browser, study):
    with open_page(
        browser, study[1], has_touch=True, viewport={"width": 390, "height": 844}
    ) as page:
        page.locator("#curves svg").tap(position={"x": 150, "y": 60})
        assert "rank" in page.locator("#curves .readout").text_content()


def test_systems_that_do_not_differ_are_said_not_to(browser, tmp_path):
    shown = make_sessions(s=[["a", "b"]], t=[["a", "b"]]).with_columns(
        system=pl.col("session"), topic=pl.lit("t")
    )
    path = write_page(tmp_path, shown, {"t": {"b": 1}}, "sDCG@2", by="system")
    with open_page(browser, path) as page:
        sentence = page.locator("#verdict").text_content()
        assert list_facts(sentence, "s", "t", "not")[-4:] == ["s", "t", "not", "0.500"]


# ── what cannot be ──────────────────────────────────────────────────────────────────────────


@pytest.fixture
def files(tmp_path):
    sessions_path, qrels_path = tmp_path / "sessions.csv", tmp_path / "qrels.txt"
    sessions_path.write_text("session,query,rank,doc,system\ns,1,1,a,x\ns,2,1,b,x\nt,1,1,b,y\n")
    qrels_path.write_text("s 0 a 1\nt 0 b 2\n")
    return str(sessions_path), "--qrels", str(qrels_path)


def test_a_discount_that_the_page_cannot_move_is_refused():
    decay = Param("p", "patience", default=0.8)
    gainful.register("geometric", discount=lambda i: decay ** (i - 1))
    with refuses(gainful.errors.BadValue, "discount"):
        gainful.explore(make_sessions(s=[["a"]]), {"s": {"a": 1}}, "sDCG(discount=geometric)@3")


def test_too_many_sessions_for_a_page_are_refused():
    many = pl.DataFrame({"session": range(10_001), "query": 1, "doc": "a", "topic": "t"})
    with refuses(gainful.errors.BadInput, "sessions", "10001", "10000"):
        gainful.explore(many, {"t": {"a": 1}})


def test_without_the_extra_the_command_says_how_to_install_it(run, files, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    message = run("explore", *files, "-o", str(tmp_path / "page.html"), status=2)
    assert "pip install altair" in message
    assert message.count("\n") == 1


def test_the_options_of_reading_are_in_the_command_that_the_page_offers(run, files, tmp_path):
    page = tmp_path / "page.html"
    words = [*files, "--where", "system=x", "--min-queries", "1", "--bad", "skip"]
    run("explore", *words, "--title", "Mine", "-o", str(page))
    text = page.read_text(encoding="utf-8")
    assert "<title>Mine</title>" in text
    data = read_data(text)
    assert data["command"] == [*files, "--where", "system=x", "--min-queries", "1", "--bad", "skip"]
    assert data["start"]["by"] is None


def test_python_and_the_command_make_the_same_page_of_files(run, files, tmp_path):
    page = tmp_path / "page.html"
    words = ["--first-queries", "1", "--sessions-format", "table", "--qrels-format", "trec"]
    run("explore", *files, *words, "-m", "sDCG@1", "-o", str(page))
    options = {"first_queries": 1, "sessions_format": "table", "qrels_format": "trec"}
    made = gainful.explore(files[0], files[2], "sDCG@1", **options)
    assert page.read_text(encoding="utf-8") == made + "\n"


def test_a_page_begins_with_the_searcher_that_was_measured(browser, study, tmp_path):
    simulated, _ = study
    calibration = gainful.calibrate(simulated.sessions)
    calibration.save(tmp_path / "searchers.json")
    measured = {"calibrated": tmp_path / "searchers.json"}
    page = write_page(tmp_path, simulated.sessions, simulated.qrels, **measured)
    b, bq = calibration["b"], calibration["bq"]
    with open_page(browser, page) as opened:
        assert opened.locator("#b-number").input_value() == f"{b.value:.4g}"
        assert opened.locator("#bq-measured").inner_text().startswith("measured: ")
        box = read_chart(opened, "map")["measured"]
        assert box == [pytest.approx([base.low, base.value, base.high]) for base in (b, bq)]
        assert "Dashed box" in opened.locator("#map-note").inner_text()
        assert "calibrated searcher" in opened.locator("#verdict").text_content()
        opened.locator("#presets button").first.click()
        wait_until_drawn(opened)
        opened.locator("#presets button").last.click()
        wait_until_drawn(opened)
        assert opened.locator("#b-number").input_value() == f"{b.value:.4g}"


def test_many_systems_give_a_page_as_long_as_they_are_not_compared(run_gainful, tmp_path):
    sessions, qrels = tmp_path / "sessions.csv", tmp_path / "qrels"
    lines = [f"s{n},1,1,a,{n},t" for n in range(8)]
    sessions.write_text("\n".join(["session,query,rank,doc,system,topic", *lines]))
    qrels.write_text("t 0 a 1\n")
    run_gainful("explore", sessions, "--qrels", qrels, "-o", tmp_path / "page.html")
    assert (tmp_path / "page.html").exists()
