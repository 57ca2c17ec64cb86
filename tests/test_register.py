"""Measures and formulas of one's own: by name everywhere, and clear about what is wrong."""

import importlib.metadata
import subprocess
import sys

import numpy as np
import pytest
from refusals import refuses

import gainful
from gainful.errors import BadPlugin, BadValue, GainfulError
from gainful.formula import log
from gainful.match.matched import Matched
from gainful.measure import register as plugins
from gainful.measure.catalogue import MEASURES
from gainful.measure.gain import GAINS

JUDGED = {"1": {"a": 2, "b": 1}, "2": {"c": 1}}
RUN = {"1": {"x": 9.0, "a": 8.0, "b": 7.0}, "2": {"c": 1.0}}
PLUGIN = '''
import gainful
from gainful.match.matched import Matched

@gainful.register
def Depth(matched, *, rel=1, patience=2.0):
    """How deep is the last relevant document, per unit of patience?"""
    deepest = matched.rank * matched.relevant(rel)
    return [deepest[matched.query == q].max(initial=0) / patience for q in range(matched.size)]

gainful.register("cubed", gain=lambda g: g**3)
gainful.register("steep", discount=lambda i: 1 / i**2)
'''


def depth(matched, *, rel=1, k=None):
    """How deep is the last relevant document?"""
    ranks = matched.rank * matched.relevant(rel, k)
    return np.array([ranks[matched.query == q].max(initial=0) for q in range(matched.size)])


def test_a_function_over_matched_is_a_measure_by_its_name():
    gainful.register("Depth", depth)
    results = gainful.evaluate(JUDGED, RUN, ["Depth", "Depth@2", "depth(rel=2)"])
    assert results.values_by_query() == {
        "1": {"Depth": 3.0, "Depth@2": 2.0, "depth(rel=2)": 2.0},
        "2": {"Depth": 1.0, "Depth@2": 1.0, "depth(rel=2)": 0.0},
    }
    assert str(gainful.parse("Depth(rel=2)@5")) == "Depth(rel=2)@5"
    assert gainful.compute("Depth", [0, 3, 0]) == 2.0


def test_what_it_is_given_is_a_matched():
    given = []

    def Kind(matched):
        given.append(matched)
        return np.zeros(matched.size)

    gainful.register(Kind)
    gainful.evaluate(JUDGED, RUN, "Kind")
    assert isinstance(given[0], Matched)
    assert given[0].rank.tolist() == [2, 3, 1]


def test_conventions_reach_it():
    gainful.register("Depth", depth)
    tied = {"1": {"a": 1.0, "b": 1.0, "c": 1.0}}
    judged = {"1": {"c": 1}}
    assert gainful.evaluate(judged, tied, "Depth").mean == {"Depth": 1.0}
    assert gainful.evaluate(judged, tied, "Depth", ties="doc_ascending").mean == {"Depth": 3.0}
    assert gainful.evaluate(judged, tied, "Depth(ties=doc_ascending)").mean == {
        "Depth(ties=doc_ascending)": 3.0
    }


def test_a_share_is_divided_as_every_measure_is():
    def Half(matched, *, power=0.5):
        """What share of the pool, to a power?"""
        return matched.count(matched.relevant(1)) ** power, matched.recall_base(1) ** power

    gainful.register("Half", Half, share=True)
    judged = {"1": {"a": 1, "z": 1, "y": 1, "x": 1}, "2": {"a": 0}}
    run = {"1": {"a": 1.0}, "2": {"a": 1.0}}
    assert gainful.evaluate(judged, run, "Half").values_by_query() == {
        "1": {"Half": 0.5},
        "2": {"Half": 0.0},
    }
    assert gainful.evaluate(judged, run, "Half(power=1)", empty="skip").mean == {
        "Half(power=1)": 0.25
    }


def test_formulas_may_be_expressions_or_functions_that_give_them():
    gainful.register("squared", gain=lambda g: g**2)
    gainful.register("slow", discount=lambda i: 1 / (1 + log(10, i)))
    by_hand = (1 + 4 / (1 + np.log10(2))) / (4 + 1 / (1 + np.log10(2)))
    assert gainful.ndcg([1, 2], gain="squared", discount="slow") == pytest.approx(by_hand)
    spelled = "nDCG(gain=squared, discount=slow)@10"
    assert str(gainful.parse(spelled)) == spelled
    judged, run = {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}}
    assert gainful.evaluate(judged, run, spelled).mean[spelled] == pytest.approx(by_hand)
    by_option = gainful.evaluate(judged, run, "nDCG", gain="squared", discount="slow")
    assert by_option.mean["nDCG"] == pytest.approx(by_hand)


def write_grades(matched):
    matched.grade[:] = 3
    return np.zeros(matched.size)


@pytest.mark.parametrize(
    ("function", "named"),
    [
        (lambda _: 1 / 0, ["test_register"]),  # the file
        (lambda _: np.zeros(1), ["Odd", "1", "2"]),  # too short
        (lambda _: 0.5, []),
        (lambda m: ["a"] * m.size, ["Odd"]),
        (lambda m: np.full(m.size, np.nan), ["'1'"]),  # a query
        (lambda _: [1j, 2], []),
        (lambda _: ["1", "2"], []),
        (lambda _: np.array(["2020", "2021"], "datetime64[Y]"), []),
        (lambda _: [10**400, 1], []),
        (lambda _: sys.exit(0), ["0"]),
        (write_grades, []),
    ],
)
def test_a_function_that_goes_wrong_is_named(function, named):
    gainful.register("Odd", function)
    with refuses(BadPlugin, "", *named):
        gainful.evaluate(JUDGED, RUN, ["Odd", "nDCG@3"])


def test_a_share_must_be_two_arrays():
    gainful.register("Odd", lambda matched: np.zeros(matched.size), share=True)
    with pytest.raises(BadPlugin):
        gainful.evaluate(JUDGED, RUN, "Odd")


TAKEN = "nDCG ndcg AP map P_5 P_mine mrr SDCG linear log2 official query Run"


@pytest.mark.parametrize("name", TAKEN.split())
def test_a_name_that_is_taken_is_refused(name):
    with pytest.raises(BadPlugin):
        gainful.register(name, depth)


@pytest.mark.parametrize("name", ["", "a b", "2x", "n-x", "é", "x@3"])
def test_a_name_must_be_one(name):
    with refuses(BadValue, "name"):
        gainful.register(name, depth)


@pytest.mark.parametrize(
    ("call", "about"),
    [
        (lambda: gainful.register("X"), ("gain=…", "discount=…")),
        (lambda: gainful.register("X", depth, gain=lambda g: g), ""),
        (lambda: gainful.register("X", gain=lambda _: 1), "gain X"),
        (lambda: gainful.register("X", gain=np.sqrt), ""),
        (lambda: gainful.register("X", discount=GAINS["exp"].expr), ""),
        (lambda: gainful.register("X", lambda _, **__: 0), ""),
        (lambda: gainful.register("X", lambda _, other: other), ""),
        (lambda: gainful.register("X", lambda *, matched: matched), ""),
        (lambda: gainful.register("X", 5), "measure X"),
        (lambda: gainful.register("X", lambda: 0), ""),
    ],
)
def test_what_cannot_be_registered_says_why(call, about):
    with refuses(GainfulError, about):
        call()
    assert "X" not in MEASURES


def test_what_is_masked_is_left_out():
    gainful.register("Some", lambda m: np.ma.masked_equal(m.recall_base(1), 1))
    results = gainful.evaluate(JUDGED, RUN, "Some")
    assert results.values_by_query() == {"1": {"Some": 2.0}, "2": {"Some": None}}
    assert results.mean == {"Some": 2.0}


def test_share_can_be_said_in_a_decorator():
    @gainful.register(share=True)
    def Part(matched, seen=1):
        """What share of the relevant documents was found, at least so many?"""
        return matched.count(matched.relevant(1)) * seen, matched.recall_base(1)

    assert gainful.evaluate(JUDGED, RUN, "Part").mean == {"Part": 1.0}


@pytest.mark.parametrize(
    ("function", "about"),
    [
        (lambda _, p=2: p, ""),
        (lambda _, judged_only=0: judged_only, ""),
        (lambda _, k=5: k, "@"),
        (lambda _, max_grade=4: max_grade, "max_grade"),
        (lambda _, ties=1: ties, ""),
        (lambda _, own=float("nan"): own, ""),
        (lambda _, own="x": own, ""),
        (lambda _, own=10**400: own, ""),
        (lambda *m: m, ""),
    ],
)
def test_parameters_that_could_not_be_set_are_refused(function, about):
    with refuses(BadPlugin, about):
        gainful.register("X", function)


def test_two_measures_may_call_a_parameter_alike():
    gainful.register("One", lambda m, depth=7: np.full(m.size, depth))
    gainful.register("Two", lambda m, depth=3: np.full(m.size, depth))
    assert gainful.evaluate(JUDGED, RUN, ["One", "Two", "Two(depth=5)"]).mean == {
        "One": 7.0,
        "Two": 3.0,
        "Two(depth=5)": 5.0,
    }


@pytest.fixture
def files(tmp_path):
    (tmp_path / "mine.py").write_text(PLUGIN)
    (tmp_path / "qrels").write_text("1 0 a 2\n1 0 b 1\n")
    (tmp_path / "run").write_text("1 Q0 x 1 3 r\n1 Q0 b 2 2 r\n1 Q0 a 3 1 r\n")
    return tmp_path


@pytest.fixture
def command(files, run_gainful):
    """The command beside the plug-ins, which every call imports anew."""

    def call(*words, status=0):
        importlib.invalidate_caches()
        try:
            return run_gainful(*words, status=status, folder=files)
        finally:
            for name, module in list(sys.modules.items()):
                if str(getattr(module, "__file__", None)).startswith(str(files)):
                    del sys.modules[name]

    return call


@pytest.mark.parametrize("plugin", ["mine", "mine.py"])
def test_the_command_takes_plug_ins(command, files, plugin):
    measures = ("-m", "Depth", "-m", "Depth(patience=1)", "-m", "nDCG(gain=cubed, discount=steep)")
    done = command("eval", "qrels", "run", "--plugin", plugin, *measures, "--format", "tsv", "-q")
    values = [float(value) for value in done.out.splitlines()[1].split("\t")[1:]]
    assert values == pytest.approx([1.5, 3.0, (1 / 4 + 8 / 9) / (8 + 1 / 4)])
    printed = command("measures", "Depth", "--plugin", plugin)
    assert "per unit of patience?" in printed.out
    assert "registered by mine" in printed.out
    assert "patience" in printed.out


def test_files_of_one_name_and_of_taken_names_are_all_loaded(command, files):
    for folder, name, measure in (("a", "same", "Aa"), ("b", "same", "Bb"), ("b", "json", "Cc")):
        (files / folder).mkdir(exist_ok=True)
        code = f"import gainful\ngainful.register('{measure}', lambda m: m.recall_base(1))\n"
        (files / folder / f"{name}.py").write_text(code)
    plugins_ = [
        part for path in ("a/same.py", "b/same.py", "b/json.py") for part in ("--plugin", path)
    ]
    measures = ("-m", "Aa", "-m", "Bb", "-m", "Cc", "--format", "json")
    done = command("eval", "qrels", "run", *plugins_, *measures)
    assert '"Cc": 2.0' in done.out


def test_installed_packages_offer_measures_by_an_entry_point(files):
    """A real distribution on the path: its metadata is all that an installer would write."""
    site = files / "site"
    info = site / "mine-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "offered.py").write_text(
        PLUGIN + "\ndef Late(matched):\n    return matched.count(matched.relevant(1))\n"
    )
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[gainful.measures]\nmine = offered\nLate = offered:Late\n"
    )
    code = (
        f"import sys; sys.path.insert(0, {str(site)!r})\n"
        "import gainful\n"
        "print(gainful.evaluate('qrels', 'run', ['Depth', 'Late', 'nDCG(gain=cubed)@1']).mean)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=files, check=False
    )
    assert done.stdout == "{'Depth': 1.5, 'Late': 2.0, 'nDCG(gain=cubed)@1': 0.0}\n", done.stderr


def test_entry_points_are_looked_at_once(monkeypatch):
    calls = []
    point = importlib.metadata.EntryPoint("gone", "gone_module", "gainful.measures")

    def points(group):
        calls.append(group)
        return [point]

    monkeypatch.setattr(importlib.metadata, "entry_points", points)
    monkeypatch.setattr(plugins, "_LOADED", {})
    for _ in range(2):
        with refuses(BadPlugin, "'Unheard'"):
            gainful.parse("Unheard")
    assert str(gainful.parse("nDCG@5")) == "nDCG@5"
    assert set(calls) == {"gainful.measures"}
