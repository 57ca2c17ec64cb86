"""The package as a whole: light to import, and its public names are what it says."""

import re
import tomllib
import zipfile
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest
from example_files import ROOT
from refusals import refuses

import gainful
from gainful import synonyms
from gainful.cli.main import gainful as commands
from gainful.errors import EXTRAS


def test_arrays_load_nothing_heavy(run_python):
    heavy = "{'polars', 'scipy', 'click', 'rich', 'pandas', 'sklearn', 'narwhals'}"
    asked = "gainful.ndcg([1, 0]), gainful.compute('map@3', [1, 0]), gainful.which(0.5, [0, 3, 1])"
    code = f"import sys, gainful; {asked}; print(sorted({heavy} & set(sys.modules)))"
    assert run_python(code) == "[]"


def test_runs_load_only_what_measures_them(run_python):
    """No engines, no statistics, no session measures, no list of all measures."""
    code = (
        "import sys, gainful\n"
        "gainful.evaluate({'1': {'a': 1}}, {'1': {'a': 0.5}}, ['nDCG@10', 'AP']).to_text()\n"
        "rooms = 'match.sessions', 'evidence.mean_intervals', 'measure.catalogue_page', 'show'\n"
        "others = {'scipy', 'narwhals', 'altair', 'jinja2', *(f'gainful.{room}' for room in rooms)}\n"
        "print(sorted(others & set(sys.modules)))"
    )
    assert run_python(code) == "[]"


def test_import_adds_little_to_numpy(run_python):
    """At most 0.15 s of processor time; the best of five, for a busy machine is not our fault."""
    code = (
        "import time, numpy; start = time.process_time(); import gainful; "
        "print(time.process_time() - start)"
    )
    assert any(float(run_python(code)) < 0.15 for _ in range(5))


def test_help_is_there_at_once(run_python):
    """At most 0.15 s of processor time beyond Python's own start, and no room is loaded for it."""
    code = (
        "import time; start = time.process_time(); import contextlib, io, sys\n"
        "from gainful.cli.start import main\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):\n"
        "    main(['--help'])\n"
        "rooms = {name for name in sys.modules if name.startswith('gainful.')}\n"
        "heavy = {'numpy', 'polars.dataframe'} & {*sys.modules}\n"
        "print(time.process_time() - start, bool(heavy), 'gainful.measure' in rooms)"
    )
    answers = [run_python(code).split() for _ in range(3)]
    assert min(float(answer[0]) for answer in answers) < 0.15
    assert answers[0][1:] == ["False", "False"]


def test_public_names_are_there_documented_and_sorted():
    assert all(hasattr(gainful, name) for name in gainful.__all__)
    assert all(getattr(gainful, name).__doc__ for name in gainful.__all__)
    assert len(set(gainful.__all__)) == len(gainful.__all__)


def test_a_reader_of_the_module_sees_its_public_names_and_nothing_else(run_python):
    """Also in a fresh process, and after names were used."""
    code = "import gainful; gainful.ndcg([1]); gainful.evaluate; print(*dir(gainful))"
    modules = ["datasets", "errors", "figures", "sessions", "stats", "testing", "vectors"]
    assert run_python(code).split() == sorted([*gainful.__all__, *modules, "__version__"])


def test_the_public_names_are_those_of_the_house():
    """The verbs, the values, the measures, the functions of arrays and two tables."""
    words = """
        evaluate compare gate plan calibrate why which explain explain_query unjudged order report reproduce explore check
        register compare_judges JudgeAgreement evaluate_collections CollectionResults read_values
        compute parse like
        Qrels Run Sessions Results QueryResults SessionResults Comparison Verdict Measure Convention
        SessionConvention RunOptions
        nDCG DCG CG AP RR P R
        precision recall reciprocal_rank average_precision err rbp sdcg nsdcg
        ndcg dcg cg ncg idcg ndcg_curve dcg_curve cg_curve ncg_curve idcg_curve
        MEASURES CONVENTIONS
    """
    assert sorted(gainful.__all__) == sorted(words.split())


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("evaluat", "gainful.evaluate"),
        ("ndcg_score", "gainful.ndcg"),
        ("NDCG_at_k", "gainful.ndcg(grades, k=10)"),
        ("mrr", "gainful.RR"),
        ("precision_at_k", "gainful.precision(grades, k=10)"),
        ("read_qrels", "gainful.evaluate(qrels, run), which reads files itself"),
        ("evaluate_sessions", "gainful.sessions.evaluate"),
        ("sweep", "gainful.sessions.sweep"),
        ("GainfulError", "gainful.errors.GainfulError"),
        ("kendall_taw", "gainful.stats.kendall_tau"),
        ("ERR", 'gainful.parse("ERR")'),
        ("figure", "gainful.figures.figure"),
    ],
)
def test_a_name_that_is_not_there_says_where_the_thing_is(name, place):
    with pytest.raises(AttributeError) as refused:
        getattr(gainful, name)
    assert repr(name) in str(refused.value)
    assert f"{place}?" in str(refused.value)


def test_a_name_like_no_other_says_where_to_look():
    with refuses(AttributeError, "'xyzzy'"):
        attrgetter("xyzzy")(gainful)
    assert not hasattr(gainful, "__wrapped__")


def test_every_place_that_a_guess_is_sent_to_is_there():
    for place in synonyms.NAMES.values():
        for path in re.findall(r"gainful\.([\w.]+)", place):
            names = path.split(".")
            if names[0] in ("ir_measures", "pytrec_eval"):
                import_module(f"gainful.{names[0]}")
            assert attrgetter(".".join(names))(gainful), path


def test_every_line_that_a_command_is_sent_to_begins_with_a_command():
    lines = [*synonyms.COMMANDS.values(), *synonyms.OPTIONS.values()]
    named = {word for line in lines for word in re.findall(r"gainful ([a-z_]+)", line)}
    assert named <= {*commands.list_commands(None)}
    assert not {*synonyms.COMMANDS} & {*commands.list_commands(None)}


def test_every_error_is_one_of_ours():
    errors = [getattr(gainful.errors, name) for name in gainful.errors.__all__]
    assert len(errors) == 20
    assert all(issubclass(error, gainful.errors.GainfulError) for error in errors)


def test_a_measure_alone_reads_measures_within_it_and_has_its_formula(run_python):
    code = "import gainful; print(gainful.Measure('Session')(of='ndcg_cut_5'))"
    assert run_python(code) == "Session(of='nDCG@5')"
    code = "import gainful; print((gainful.DCG @ 10)._repr_latex_())"
    assert "sum" in run_python(code)


def test_a_page_is_made_from_a_zip(run_python, tmp_path):
    """As zipapp and PEX run it: templates and scripts are read through the loader of the package."""
    package = Path(gainful.__file__).parent
    with zipfile.ZipFile(tmp_path / "gainful.zip", "w") as archive:
        for file in package.rglob("*"):
            if file.suffix != ".pyc" and file.is_file():
                archive.write(file, file.relative_to(package.parent))
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path / 'gainful.zip')!r})\n"
        "import gainful; assert 'gainful.zip' in gainful.__file__\n"
        "print(gainful.report({'1': {'a': 1}}, {'mine': {'1': ['a']}}, 'RR')[:15])\n"
    )
    assert run_python(code) == "<!doctype html>"


def test_install_lines_name_the_packages_of_an_extra():
    """gainful[report] cannot be installed from anywhere yet; its packages can."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    for extra, packages in EXTRAS.items():
        assert packages == tuple(re.split(r"[<>=]", need)[0] for need in extras[extra])
    texts = {path: path.read_text() for path in (ROOT / "src").rglob("*.py")}
    assert [path for path, text in texts.items() if re.search(r"install '?gainful", text)] == []
