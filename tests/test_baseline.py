"""The baseline of a gate: what its file holds, and all that is refused about it."""

import gzip
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from facts import find_notes, list_facts
from gate_runs import QRELS, make_run, sign_baseline
from hypothesis import given, strategies as st
from refusals import refuses
from written_files import read_qrels

from gainful.convention import CONVENTIONS, Convention
from gainful.errors import BadInput
from gainful.evidence.gates.baseline import fingerprint
from gainful.read.baseline import read_baseline
from gainful.read.inputs import as_qrels
from gainful.testing import assert_ranking_quality

# ── the baseline file ────────────────────────────────────────────────────────────────────────


def test_a_baseline_alone_is_saved_and_holds_what_it_should(gate, base):
    data = json.loads(Path("base.json").read_text())
    assert data["format"] == "gainful baseline"
    assert data["version"] == 2
    assert data["run"] == "best"
    assert data["queries"] == 8
    assert data["measures"] == {"RR": "RR", "P@1": "P@1"}
    assert data["mean"] == {"RR": 1.0, "P@1": 1.0}
    assert data["values"]["q3"] == {"RR": 1.0, "P@1": 1.0}
    assert data["convention"]["ties"] == "doc_descending"
    assert data["convention"]["like"] == "gainful"
    assert sign_baseline(data) == json.dumps(data)
    assert not list(Path().glob(".gainful*"))


def test_saving_says_so_and_keeps_values_at_full_precision(gate, decide):
    Path("third.txt").write_text(make_run(q0=3))
    out = gate("third.txt", "-m", "RR", "--save-baseline", "base.json")
    facts = list_facts(out, "third", "base.json", "run")
    assert facts[:5] == ["third", "base.json", "run", "RR", "0.9167"]  # (7 + 1/3) / 8
    assert json.loads(Path("base.json").read_text())["values"]["q0"]["RR"] == 1 / 3
    verdict = decide("once.txt", "--save-baseline", "base.json")
    assert verdict["saved"] == "base.json"
    assert list(verdict["mean"]) == ["nDCG@10", "AP", "RR"]


def test_a_run_that_fails_is_not_saved(gate, base):
    before = Path("base.json").read_bytes()
    words = (*base, "--max-drop", "RR=0.1", "--save-baseline", "base.json")
    out = gate("worse.txt", *words, status=1)
    assert find_notes(out.splitlines(), "base.json", "not", "written")
    assert Path("base.json").read_bytes() == before
    gate("worse.txt", "--floor", "RR=0.9", "--save-baseline", "new.json", status=1)
    assert not Path("new.json").exists()


def test_a_baseline_that_cannot_be_written_whole_leaves_the_old_one(
    gate, base, gate_folder, monkeypatch
):
    def full(*_):
        raise OSError(28, "No space left on device")

    before = Path("base.json").read_bytes()
    monkeypatch.setattr(Path, "replace", full)
    message = gate("once.txt", "-m", "RR", "--save-baseline", "base.json", status=2)
    assert message.startswith("gainful: base.json: ")
    assert Path("base.json").read_bytes() == before
    assert not list(gate_folder.glob(".gainful*"))


def test_a_run_that_passes_may_replace_the_baseline_it_was_held_against(gate, base):
    out = gate("once.txt", *base, "--max-drop", "RR=0.1", "--save-baseline", "base.json")
    assert find_notes(out.splitlines(), "saved", "base.json")
    assert json.loads(Path("base.json").read_text())["run"] == "once"


def test_a_query_that_is_left_out_is_null(gate):
    Path("empty.txt").write_text(QRELS + "none 0 good 0\n")
    words = ("-m", "RR", "-m", "nDCG", "--empty", "skip")
    gate("best.txt", *words, "--save-baseline", "base.json", qrels="empty.txt")
    assert json.loads(Path("base.json").read_text())["values"]["none"]["nDCG"] is None
    again = ("--baseline", "base.json", "--max-drop", "nDCG=0")
    gate("best.txt", *words, *again, qrels="empty.txt")


def test_a_mean_over_nothing_is_an_error_and_no_pass(gate):
    Path("none.txt").write_text("q0 0 good 0\n")
    for words in (("--floor", "nDCG=0"), ("-m", "nDCG", "--save-baseline", "new.json")):
        message = gate("best.txt", *words, "--empty", "skip", status=2, qrels="none.txt")
        assert "nDCG" in message
    assert not Path("new.json").exists()


def test_a_file_cut_short_anywhere_is_refused(base):
    whole = Path("base.json").read_bytes().rstrip()
    for length in (*range(0, len(whole) - 99, 3), *range(len(whole) - 99, len(whole))):
        Path("cut.json").write_bytes(whole[:length])
        with refuses(BadInput, "cut.json"):
            read_baseline("cut.json")
    Path("cut.json").write_bytes(whole)
    assert read_baseline("cut.json").queries == 8


def replace_in(old, new):
    """An edit by hand."""
    return lambda text: text.replace(old, new, 1)


def change_fields(*lacking, **changed):
    """A file with other fields whose checksum fits."""

    def change(text):
        content = json.loads(text) | changed
        return sign_baseline({name: content[name] for name in content if name not in lacking})

    return change


def edit_baseline(change):
    whole = Path("base.json").read_text()
    changed = change(whole)
    assert changed != whole
    Path("base.json").write_text(changed)


RR_LEFT_OUT = {"RR": {"run": "x", "values": {"q0": "high"}}}
NO_BASELINE = {
    "": "empty",
    "no JSON": "not JSON",
    "[]": "not a baseline",
    "{}": "not a baseline",
    "null": "not a baseline",
    '{"format": "gainful baseline", "format": 1}': "'format'",
    "[" * 100_000: "nested",
    "1" * 5000: "digits",
}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        # edited by hand
        (replace_in('"run": "best"', '"run": "edited"'), "checksum"),
        (replace_in('"queries": 8', '"queries": "edited"'), "checksum"),
        (replace_in('"P@1": 1.0', '"P@1": 0.5'), "checksum"),
        (replace_in('"judgments": "', '"judgments": "edited'), "checksum"),
        (replace_in('"gainful": "', '"gainful": "edited'), "checksum"),
        (replace_in('"checksum": "', '"checksum": "edited'), "checksum"),
        (replace_in('"RR": 1.0', '"RR": 0.9'), "checksum"),
        (replace_in('"ties": "doc_d', '"ties": "doc_a'), "checksum"),
        *((replace_in('"RR": 1.0', f'"RR": {word}'), "") for word in ("NaN", "1e999")),
        *((replace_in('"RR": 1.0', f'"RR": {word}'), "") for word in ("Infinity", "-Infinity")),
        # written by something else
        (change_fields(format="other"), "baseline"),
        (change_fields(version=3), "version 3 newer 1 2"),
        (change_fields(version=0), "version 0 1"),
        (change_fields(version="1"), "version '1'"),
        (change_fields(version=True), "version True"),
        (change_fields(queries="8"), "'queries' '8'"),
        (change_fields(queries=True), "'queries' True"),
        (change_fields(queries=7), "'queries' 7 8"),
        (change_fields(run=None), "'run' None"),
        (change_fields(gainful=1), "'gainful' 1"),
        (change_fields(judgments=[]), "'judgments' []"),
        (change_fields(measures=["RR"]), "'measures' ['RR']"),
        (change_fields(measures={"RR": 1}), "'measures'"),
        (change_fields(measures={"RR": "RR"}), "same measures"),
        (change_fields(mean={"RR": None, "P@1": 1.0}), "'mean'"),
        (change_fields(mean={"RR": 1.0}), "same measures"),
        (change_fields(mean={"RR": 0.65, "P@1": 1.0}), "mean RR 0.65 1"),
        (change_fields(values={"q0": {"RR": "1", "P@1": 1}}), "'values'"),
        (change_fields(values={"q0": 1.0}), "'values'"),
        (change_fields(values=[]), "'values' []"),
        (change_fields(convention={"ties": ["a"]}), "'convention'"),
        (change_fields(convention="gainful"), "'convention' 'gainful'"),
        (change_fields(more=1), "'more' unknown"),
        (change_fields(measures={}, mean={}, values={}, queries=0), "no measure"),
        (change_fields(anchor={"RR": {"run": "x"}}), "'anchor'"),
        (change_fields(anchor=RR_LEFT_OUT), "'anchor'"),
        (change_fields(history=[{"run": "x"}]), "'history'"),
        (change_fields(history={}), "'history' {}"),
        *(
            (change_fields(field), f"'{field}'")
            for field in ("run", "queries", "measures", "mean", "values", "convention")
        ),
        *((change_fields(field), f"'{field}'") for field in ("judgments", "gainful", "anchor")),
        *((lambda _, text=text: text, named) for text, named in NO_BASELINE.items()),
    ],
)
def test_a_file_that_is_no_baseline_is_refused(gate, base, change, named):
    edit_baseline(change)
    message = gate("best.txt", *base, "--max-drop", "RR=0.1", status=2)
    assert message.startswith("gainful: base.json: ")
    assert find_notes([message], *named.split(), "--save-baseline", "FILE"), message


@pytest.mark.parametrize("measure", ["RR", "NumRelRet", "GMAP", "nDCG(empty=skip)"])
def test_means_sums_and_geometric_means_fit_their_values(gate, measure):
    gate("varied.txt", "-m", measure, "--save-baseline", "base.json")
    assert read_baseline("base.json").queries == 8


def test_how_lines_end_and_how_it_is_indented_does_not_count(gate, base):
    content = json.loads(Path("base.json").read_text())
    for text in (
        json.dumps(content),
        json.dumps(content, indent=4).replace("\n", "\r\n"),
        "\ufeff" + json.dumps(dict(reversed(content.items()))),
    ):
        Path("base.json").write_text(text, encoding="utf-8")
        assert gate("best.txt", *base, "--max-drop", "RR=0.1").startswith("passed")


def test_a_measure_that_the_baseline_lacks_needs_no_rule(gate, base):
    out = gate("best.txt", *base, "-m", "AP", "--max-drop", "RR=0.1")  # AP has no rule
    assert find_notes(out.splitlines(), "not", "baseline", "AP")


def test_a_measure_is_found_in_the_baseline_by_what_it_is_not_by_its_name(decide, base):
    verdict = decide("once.txt", *base, "--max-drop", "recip_rank=0.01", status=1)
    assert verdict["checks"][0]["baseline"] == 1


# ── conventions and judgments ────────────────────────────────────────────────────────────────


def test_another_convention_is_refused_and_its_settings_named(gate, base):
    words = (*base, "--max-drop", "RR=1")
    message = gate("best.txt", *words, "--ties", "input", "--missing", "skip", status=2)
    named = ("ties", "doc_descending", "input", "missing", "zero", "skip", "--allow convention")
    assert [word for word in named if word not in message] == []
    out = gate("best.txt", *words, "--ties", "input", "--allow", "convention")
    assert find_notes(out.splitlines(), "ties", "doc_descending", "input")
    gate("best.txt", *words, "--ties", "input", "--allow", "judgments", status=2)


def test_the_same_settings_under_another_name_are_the_same(base):
    ours = Convention(name="ours")
    verdict = assert_ranking_quality(
        "qrels.txt", "best.txt", baseline="base.json", max_drop={"RR": 0}, like=ours
    )
    assert verdict.results.convention.name == "ours"
    assert not [note for note in verdict.notes if "convention" in note]


def test_ties_that_a_tool_breaks_otherwise_for_one_measure_are_part_of_the_convention(gate):
    tool = next(name for name, settings in CONVENTIONS.items() if settings.by_measure)
    words = ("-m", "P@1", "--like", tool)
    gate("best.txt", *words, "--save-baseline", "base.json")
    again = (*words, "--baseline", "base.json", "--max-drop", "P@1=0")
    gate("best.txt", *again)
    convention = json.loads(Path("base.json").read_text())["convention"]
    own = [name for name in convention if name.startswith("ties of ")]
    del convention[own[0]]
    edit_baseline(change_fields(convention=convention))
    assert own[0] in gate("best.txt", *again, status=2)


def test_a_setting_that_is_newer_than_a_baseline_was_what_it_is_by_default(gate, base):
    convention = json.loads(Path("base.json").read_text())["convention"]
    del convention["rounding"]
    edit_baseline(change_fields(convention=convention))
    words = (*base, "--max-drop", "RR=1")
    out = gate("best.txt", *words)
    assert not find_notes(out.splitlines(), "convention")
    message = gate("best.txt", *words, "--rounding", "half_up", status=2)
    assert [word for word in ("rounding", "half_even", "half_up") if word not in message] == []
    gate("best.txt", *words, "--save-baseline", "base.json")
    assert len(json.loads(Path("base.json").read_text())["history"]) == 2


def test_changed_judgments_are_refused(gate, base):
    Path("other.txt").write_text(QRELS.replace("q1 0 bad 0", "q1 0 bad 1"))
    words = (*base, "--max-drop", "RR=1")
    message = gate("best.txt", *words, status=2, qrels="other.txt")
    assert "--allow judgments" in message
    out = gate("best.txt", *words, "--allow", "judgments", qrels="other.txt")
    assert len(find_notes(out.splitlines(), "judgments", "baseline")) == 1


def test_both_changes_are_said_at_once_and_allowed_by_themselves(gate, base):
    Path("other.txt").write_text(QRELS + "q1 0 new 1\n")
    words = (*base, "--max-drop", "RR=1", "--ties", "input")
    message = gate("best.txt", *words, status=2, qrels="other.txt")
    assert message.count("--allow") == 2
    both = ("--allow", "convention", "--allow", "judgments")
    gate("best.txt", *words, *both, qrels="other.txt")
    gate("best.txt", *words, *both[:2], status=2, qrels="other.txt")


def test_another_version_of_gainful_is_said(gate, base):
    edit_baseline(change_fields(gainful="0.0.1"))
    assert "'0.0.1'" in gate("best.txt", *base, "--max-drop", "RR=0")


def test_the_fingerprint_does_not_depend_on_order_format_or_compression(tmp_path):
    rows = [("q1", "a", 2.0), ("q1", "b", 0.0), ("é 2", "c,d", 0.5), ("q3", "e", -1.0)]
    trec = [f"{q.replace(' ', '_')} 0 {d} {g:g}" for q, d, g in rows]
    rows[2] = ("é_2", "c,d", 0.5)
    frame = pl.DataFrame(rows, schema=["query", "doc", "grade"], orient="row")
    (tmp_path / "a.txt").write_text("\n".join(trec) + "\n", encoding="utf-8")
    (tmp_path / "b.txt.gz").write_bytes(
        gzip.compress(("# words\n" + "\n".join(reversed(trec))).encode())
    )
    frame.write_csv(tmp_path / "c.csv")
    frame.reverse().write_parquet(tmp_path / "d.parquet")
    nested: dict[str, dict[str, float]] = {}
    for query, doc, grade in reversed(rows):
        nested.setdefault(query, {})[doc] = grade
    (tmp_path / "e.json").write_text(json.dumps(nested), encoding="utf-8")
    fingerprints = {fingerprint(read_qrels(path)) for path in sorted(tmp_path.iterdir())}
    fingerprints |= {fingerprint(as_qrels(nested)), fingerprint(as_qrels(frame.reverse()))}
    assert len(fingerprints) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"1": {"1a": 1, "b": 0}, "2": {}},  # a query that was judged with nothing found
        {"11": {"a": 1}, "1": {"b": 0}},  # the same letters, cut elsewhere
        {"1": {"1a": 1, "b": 0.5}},
        {"1": {"1a": 1, "B": 0}},
        {"1": {"1a": 1}},
        {"1": {"1a": 0, "b": 1}},
        {"1 ": {"1a": 1, "b": 0}},
    ],
)
def test_other_judgments_have_another_fingerprint(other):
    judged = {"1": {"1a": 1, "b": 0}}
    assert fingerprint(as_qrels(judged)) != fingerprint(as_qrels(other))


def test_a_zero_is_a_zero_in_a_fingerprint_and_a_whole_number_a_number():
    kinds = (0, 0.0, -0.0, np.float32(0), np.int8(0), False)
    fingerprints = {fingerprint(as_qrels({"1": {"a": grade, "b": 1}})) for grade in kinds}
    assert len(fingerprints) == 1


GRADED = st.dictionaries(
    st.tuples(st.sampled_from(["1", "2", "12"]), st.sampled_from(["a", "b", "2a"])),
    st.sampled_from([0.0, 1.0, 0.1 + 0.2]),
    min_size=1,
)


@given(GRADED, st.randoms(use_true_random=False))
def test_the_order_of_rows_never_counts(judged, random):
    rows = [(*pair, grade) for pair, grade in judged.items()]
    shuffled = random.sample(rows, len(rows))
    first, two = (
        pl.DataFrame(some, schema=["query", "doc", "grade"], orient="row")
        for some in (rows, shuffled)
    )
    assert fingerprint(as_qrels(first)) == fingerprint(as_qrels(two))


def test_subtopics_are_part_of_the_fingerprint_and_a_constant_column_is_not(tmp_path):
    texts = {
        "plain": "1 0 a 1\n1 0 b 2\n",
        "other": "1 Q a 1\n1 Q b 2\n",
        "topics": "1 1 a 1\n1 2 b 2\n",
        "turned": "1 2 b 2\n1 1 a 1\n",
        "swapped": "1 2 a 1\n1 1 b 2\n",
    }
    fingerprints = {}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        fingerprints[name] = fingerprint(read_qrels(tmp_path / name))
    assert fingerprints["plain"] == fingerprints["other"]
    assert fingerprints["topics"] == fingerprints["turned"]
    assert len(set(fingerprints.values())) == 3
