"""The package as a whole: light to import, and its public names are what it says."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import gainful

ROOT = Path(__file__).parent.parent


def test_import_loads_nothing_heavy(run_python):
    heavy = "{'polars', 'scipy', 'click', 'rich', 'pandas', 'sklearn', 'narwhals'}"
    assert run_python(f"import sys, gainful; print(sorted({heavy} & set(sys.modules)))") == "[]"


def test_arrays_load_nothing_heavy(run_python):
    heavy = "{'polars', 'scipy', 'click', 'rich', 'pandas', 'sklearn', 'narwhals'}"
    asked = "gainful.ndcg([1, 0]), gainful.compute('map@3', [1, 0]), gainful.which(0.5, [0, 3, 1])"
    code = f"import sys, gainful; {asked}; print(sorted({heavy} & set(sys.modules)))"
    assert run_python(code) == "[]"


def test_import_adds_little_to_numpy(run_python):
    """At most 0.15 s of processor time; the best of five, for a busy machine is not our fault."""
    code = (
        "import time, numpy; start = time.process_time(); import gainful; "
        "print(time.process_time() - start)"
    )
    assert any(float(run_python(code)) < 0.15 for _ in range(5))


def test_public_names_are_there_documented_and_sorted():
    assert all(hasattr(gainful, name) for name in gainful.__all__)
    assert all(getattr(gainful, name).__doc__ for name in gainful.__all__)
    assert len(set(gainful.__all__)) == len(gainful.__all__)


def test_a_reader_of_the_module_sees_its_public_names_and_nothing_else(run_python):
    """Also in a fresh process, and after names were used."""
    code = "import gainful; gainful.ndcg([1]); gainful.evaluate; print(*dir(gainful))"
    modules = ["datasets", "errors", "figures", "stats"]
    assert run_python(code).split() == sorted([*gainful.__all__, *modules, "__version__"])


def test_every_error_is_one_of_ours():
    errors = [
        value
        for value in (getattr(gainful, name) for name in gainful.__all__)
        if isinstance(value, type) and issubclass(value, Exception)
    ]
    assert len(errors) == 12
    assert all(issubclass(error, gainful.GainfulError) for error in errors)


def _reference_paths() -> list[str]:
    lines = (ROOT / "docs" / "api.md").read_text().splitlines()
    return [line.removeprefix("::: ") for line in lines if line.startswith("::: ")]


def test_the_reference_names_what_there_is():
    for path in _reference_paths():
        module, _, name = path.rpartition(".")
        assert getattr(import_module(module), name).__doc__, path


def test_the_reference_has_everything_that_can_be_asked():
    documented = {path.rpartition(".")[2] for path in _reference_paths()}
    values = {name: getattr(gainful, name) for name in gainful.__all__}
    asked = {
        name
        for name, value in values.items()
        if getattr(value, "__module__", "").startswith("gainful.api.")
    }
    assert "evaluate" in asked
    assert asked - documented == {"compare_runs"}  # another name of compare


def test_a_measure_alone_reads_measures_within_it_and_has_its_formula(run_python):
    code = "import gainful; print(gainful.Measure('Session')(of='ndcg_cut_5'))"
    assert run_python(code) == "Session(of='nDCG@5')"
    code = "import gainful; print((gainful.DCG @ 10)._repr_latex_())"
    assert "sum" in run_python(code)
