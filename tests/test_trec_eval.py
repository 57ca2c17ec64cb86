"""`gainful trec_eval` prints what trec_eval prints, to the byte, and exits as it does."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from example_files import ROOT, SHARED_DATA, TESTS
from tools.agree_trec_eval import CAUSES

import gainful
from gainful.cli.trec_eval import trec_eval

SHARED = SHARED_DATA / "trec_eval"
GOLDEN = TESTS / "golden" / "trec_eval.json"
PRINTED = json.loads(GOLDEN.read_text(encoding="utf-8"))
PARAMS = (
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 "
    "-m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 "
    "-mndcg_cut.10,20,23.4 -msuccess.2,5,20 qrels.test results.test"
)
COMMANDS = {
    "test": "qrels.test results.test",
    "test.a": "-m all_trec qrels.test results.test",
    "test.aq": "-m all_trec -q qrels.test results.test",
    "test.aqc": "-m all_trec -q -c qrels.test results.trunc",
    "test.aqcM": "-m all_trec -q -c -M100 qrels.test results.trunc",
    "test.aql": "-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test",
    "test.meas_params": PARAMS,
    "test.prefs": "-m all_prefs -q -R prefs prefs.test prefs.results.test",
    "test.qrels_prefs": "-m all_prefs -q -R qrels_prefs qrels.test results.test",
    "test.qrels_jg": "-m qrels_jg -q -R qrels_jg qrels.123 results.test",
    "test.aqZ": "-q -m all_trec -Z zscores_file qrels.test results.test",
}

QRELS = "1 0 a 2\n1 0 b 1\n1 0 c 0\n2 0 a 1\n"
RUN = "1 Q0 a 1 3 mine\n1 Q0 x 2 2 mine\n1 Q0 b 3 1 mine\n2 Q0 b 1 2 mine\n2 Q0 a 2 1 mine\n"


@pytest.fixture
def run_trec_eval(run_gainful):
    return lambda *words: run_gainful("trec_eval", *words, status=None)


@pytest.fixture
def files(tmp_path, run_trec_eval):
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run").write_text(RUN)

    def call(*words, qrels=None, run=None):
        for name, text in (("qrels", qrels), ("run", run)):
            if text is not None:
                (tmp_path / name).write_text(text)
        return run_trec_eval(*words, str(tmp_path / "qrels"), str(tmp_path / "run"))

    return call


@pytest.mark.parametrize("version", [10, 9])
@pytest.mark.parametrize("name", COMMANDS)
def test_trec_evals_own_test_data_comes_out_to_the_byte(run_trec_eval, name, version, monkeypatch):
    if not SHARED.exists():
        pytest.skip("trec_eval's own test data (needs ../shared/data)")
    monkeypatch.chdir(SHARED)
    words = shlex.split(COMMANDS[name])
    as_nine = ["--as", "9"] if version == 9 else []
    status, printed, _ = run_trec_eval(*as_nine, *words)
    expected = SHARED / (f"out.{name}" if version == 10 else f"out9.{name}")
    assert status == 0
    assert printed == expected.read_text()


@pytest.mark.parametrize("number", range(len(PRINTED)))
def test_random_cases_come_out_as_trec_eval_printed_them(run_trec_eval, tmp_path, number):
    """Of trec_eval 10.0 and 9.0.8, built on x86-64; made with tools/trec_eval_cases.py."""
    case = PRINTED[number]
    for name in ("qrels", "run", "zscores"):
        (tmp_path / name).write_bytes(case.get(name, "").encode())
    flags = [str(tmp_path / flag) if flag == "zscores" else flag for flag in case["flags"]]
    as_nine = ["--as", "9"] if case["version"] == 9 else []
    words = (*as_nine, *flags, str(tmp_path / "qrels"), str(tmp_path / "run"))
    assert run_trec_eval(*words)[:2] == (case["status"], case["stdout"])


def split_lines(text):
    return [tuple(line.split("\t")) for line in text.splitlines()]


def test_by_hand(files):
    status, printed, message = files(
        "-q", "-m", "P.2", "-m", "map", "-m", "num_ret", "-m", "recip_rank"
    )
    assert (status, message) == (0, "")
    assert printed == "".join(
        f"{name:22}\t{query}\t{value}\n"
        for query, *values in (
            ("1", "3", "0.8333", "1.0000", "0.5000"),
            ("2", "2", "0.5000", "0.5000", "0.5000"),
            ("all", "5", "0.6667", "0.7500", "0.5000"),
        )
        for name, value in zip(("num_ret", "map", "recip_rank", "P_2"), values, strict=True)
    )


def test_options_may_be_long_follow_the_files_and_have_endless_numbers(
    run_trec_eval, tmp_path, files
):
    assert files("--measure=num_q", "--query_eval_wanted")[1].endswith("\tall\t2\n")
    assert files("-M", "9" * 30, "-m", "num_ret")[1].endswith("\t5\n")
    paths = str(tmp_path / "qrels"), str(tmp_path / "run")
    assert run_trec_eval(*paths, "-m", "num_q")[:2] == (0, "num_q                 \tall\t2\n")
    # under -c relevant documents are counted whatever the level
    assert files("-c", "-l", "2", "-m", "num_rel")[1].endswith("\t3\n")
    assert files("-l", "2", "-m", "num_rel")[1].endswith("\t1\n")


def test_a_missing_query_stops_version_10_and_is_skipped_by_version_9(files):
    first_query = RUN[: RUN.index("2 Q0")]
    status, printed, message = files("-q", "-m", "map", run=first_query)
    assert (status, printed) == (4, "map                   \t1\t0.8333\n")  # what came before
    assert "'2'" in message
    assert files("--as", "9", "-m", "map")[:2] == (0, "map                   \tall\t0.8333\n")
    assert files("-c", "-m", "map", "-m", "num_rel")[1].endswith(
        "\t3\nmap                   \tall\t0.4167\n"
    )
    assert "\t2\t0.0000" in files("-c", "-q", "-m", "map")[1]
    assert "\t2\t" not in files("-c", "-q", "-m", "map", "--as", "9")[1]
    # version 10 gives a missing query one unjudged document, which only utility can tell
    assert "utility_0,1,0,0       \t2\t1.0000" in files("-c", "-q", "-mutility.0,1,0,0")[1]


def test_no_query_in_common(files):
    other = RUN.replace("1 Q0", "7 Q0").replace("2 Q0", "8 Q0")
    assert files("-m", "map", run=other)[0] == 4
    assert files("--as", "9", "-m", "map")[0] == 7
    assert files("--as", "9", "-c", "-m", "map")[:2] == (7, "")
    assert files("-c", "-m", "map")[:2] == (0, "map                   \tall\t0.0000\n")


def test_duplicates_stop_it(files):
    status, printed, message = files("-q", "-m", "num_ret", run=RUN + "2 Q0 a 3 0 mine\n")
    assert (status, printed) == (4, "num_ret               \t1\t3\n")
    assert "'a'" in message
    status, _, message = files("-m", "map", run=RUN, qrels=QRELS + "2 0 a 0\n")
    assert status == 4
    assert "'a'" in message
    assert files("-q", "-m", "num_ret")[1] == "num_ret               \t1\t3\n"
    lacking = RUN[: RUN.index("2 Q0")]
    assert files("--as", "9", "-m", "num_ret", run=lacking)[0] == 0  # it never comes to query 2
    deep = RUN + "1 Q0 a 4 0 mine\n"  # below what is looked at
    assert files("-M", "3", "-m", "num_ret", run=deep, qrels=QRELS)[0] == 0
    assert files("-m", "num_ret")[0] == 4


def test_means_are_added_one_after_another_in_the_order_of_queries(files):
    """Thirty-two values whose mean falls on the edge of the fourth decimal."""
    values = [1, 8, 5, 2, 7, 3, 6, 4] * 3 + [0, 0, 9, 1, 2, 0, 1, 0]
    qrels = "".join(
        f"{q} 0 d{n} {int(n < value)}\n" for q, value in enumerate(values) for n in range(10)
    )
    run = "".join(f"{q} Q0 d{n} 0 {-n} r\n" for q in range(len(values)) for n in range(10))
    total = 0.0
    for query in sorted(map(str, range(len(values)))):
        total += values[int(query)] / 10
    printed = files("-m", "P.10", qrels=qrels, run=run)[1]
    assert printed == f"P_10                  \tall\t{total / len(values):6.4f}\n"


def test_scores_of_version_9_are_32_bit(files):
    close = "1 Q0 a 1 1.00000001 r\n1 Q0 z 2 1.00000002 r\n2 Q0 a 1 1 r\n"
    far = close.replace("z 2 1.00000002", "z 2 1.0000000")
    by_ten, by_nine = (
        files("-m", "recip_rank", run=close),
        files("-m", "recip_rank", "--as", "9", run=far),
    )
    assert by_ten[1] == by_nine[1]
    ties = "1 Q0 a 1 1.00000002 r\n1 Q0 z 2 1.00000001 r\n2 Q0 a 1 1 r\n"
    assert "1.0000" in files("-m", "recip_rank", run=ties)[1]
    assert "0.7500" in files("-m", "recip_rank", "--as", "9", run=ties)[1]  # tied: z before a


def test_zscores(files, tmp_path):
    (tmp_path / "z").write_text(
        "1 map 0.3333 0.25\n2 map 0.25 0.5\n1 num_ret 3 0\n2 num_ret 9 0\n2 P_2 0 1e-320\n"
    )
    status, printed, message = files(
        *("-q", "-Z", str(tmp_path / "z"), "-m", "map", "-m", "P.2", "-m", "num_ret", "-m", "num_q")
    )
    assert (status, message) == (0, "")
    assert printed.splitlines() == [
        "Znum_ret               \t1\t0.0000",  # the deviation is 0, and 3 the mean
        "Zmap                   \t1\t2.0001",
        "ZP_2                   \t1\t-1000000.0000",  # no mean is known
        "Znum_ret               \t2\t-1000000.0000",  # the deviation is 0, and 2 not the mean
        "Zmap                   \t2\t0.5000",
        "ZP_2                   \t2\t   inf",
        "Znum_q                 \tall\t2.0000",
        "Znum_ret               \tall\t-1000000.0000",
        "Zmap                   \tall\t1.2501",
        "ZP_2                   \tall\t   inf",
    ]


def test_no_number_in_a_file_of_zscores_has_no_sign(files, tmp_path):
    """trec_eval 9's own test data has one; what is computed as 0/0 has a sign."""
    (tmp_path / "z").write_text("1 map nan 1\n2 map 0.5 1\n1 11pt_avg 0 1\n2 11pt_avg 0 1\n")
    words = ("-q", "-M", "0", "-Z", str(tmp_path / "z"), "-m", "map", "-m", "11pt_avg")
    maps = {"1": "   nan", "2": "-0.5000", "all": "   nan"}
    expected = {("Zmap", query): value for query, value in maps.items()}
    expected |= {("Z11pt_avg", query): "  -nan" for query in maps}
    assert values_of(files(*words)[1]) == expected


@pytest.mark.parametrize("text", ["1 map x 0.25\n", "1 map 0.5 0.25\n\n", "1 map 0.5\n"])
def test_a_file_of_zscores_that_is_none_ends_with_255(files, tmp_path, text):
    (tmp_path / "z").write_text(text)
    status, printed, message = files("-Z", str(tmp_path / "z"))
    assert (status, printed) == (255, "")
    assert "z:1:" in message or "z:2:" in message
    assert files("-Z", "no such file")[0] == 255


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("-m", "mapp"), 1, "mean map?"),
        (("-m", "P."), 1, "unknown measure 'P.'"),
        (("-m", "P.0"), 2, "cutoffs of at least 1"),
        (("-m", "P.5,5"), 2, "each cutoff once"),
        (("-m", "P.x"), 2, "numbers"),
        (("-m", "iprec_at_recall..1,.1"), 2, "each cutoff once"),
        (("-m", "utility.1,2"), 4, "4 numbers"),
        (("-m", "ndcg.x"), 2, "gains by grade"),
        (("-m", "iprec_at_recall.1e400"), 2, "numbers"),
        (("-m", "ndcg.1=2=3"), 2, "gains by grade"),
        (("-m", "official."), 1, "unknown measure 'official.'"),
        (("--as", "9", "-m", "dcg"), 1, "unknown measure 'dcg'"),
        (("--as", "9", "-m", "rbp"), 1, "unknown measure 'rbp'"),
        (("-q", "-m", "relstring.abc"), 2, "numbers"),
        (("--as", "11", "-m", "map"), 1, "9 or 10"),
        (("-l", "x"), 1, "a whole number"),
        (("--as", "8"), 1, "9 or 10"),
        (("-y",), 1, "option -y not recognized"),
        (("-R", "qrel"), 2, "known: qrels, prefs"),
        (("-T", "trec"), 2, "known: trec_results"),
        (("-R", "prefs"), 2, "'1 0 a 2' has 4 fields"),
        (("-R", "qrels_prefs", "-m", "map"), 4, "-R qrels"),
        (("-m", "prefs_simp"), 4, "-R prefs or qrels_prefs"),
        (("-m", "map_avgjg"), 4, "-R qrels_jg"),
        (("more",), 1, "two files"),
    ],
)
def test_wrong_options_exit_as_trec_eval_does(files, words, status, message):
    ended, printed, printed_error = files(*words)
    assert (ended, printed) == (status, "")
    assert message in printed_error


def test_unreadable_files_exit_with_2(run_trec_eval, files):
    assert run_trec_eval("no such file", "nor this")[0] == 2
    assert files(run="1 Q0 a 1\n")[0] == 2
    for score in ("x", "nan"):
        assert files(run=f"1 Q0 a 1 {score} y\n", qrels=QRELS)[0] == 2


def test_standard_input_is_for_runs_of_version_10(run_gainful, tmp_path, files):
    files("-m", "num_q")
    qrels = str(tmp_path / "qrels")
    piped = run_gainful("trec_eval", "-m", "num_q", qrels, "-", stdin=RUN)
    assert piped.out.endswith("\t2\n")
    assert run_gainful("trec_eval", "--as", "9", qrels, "-", stdin=RUN, status=None).status == 2
    assert run_gainful("trec_eval", "-", qrels, stdin=QRELS, status=None).status == 2


def test_help_and_version_are_our_own_words(run_trec_eval):
    assert "-R prefs" in run_trec_eval("-h", "-m", "prefs_simp")[1]
    status, printed, _ = run_trec_eval("-h", "-m", "map", "-m", "runid")
    assert status == 0
    assert "--as 9|10" in printed
    assert "relevant documents" in printed
    status, printed, message = run_trec_eval("-v")
    assert (status, printed) == (0, "")
    assert "trec_eval" in message


def values_of(printed):
    return {(line[0].strip(), line[1]): line[2] for line in split_lines(printed)}


def test_preferences_follow_from_one_another_across_subgroups(files):
    """a over b in one subgroup and b over c in another is a over c; both orders cannot be."""
    prefs = "1 A s a 2\n1 A s b 1\n1 A t b 2\n1 A t c 1\n"
    run = "1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n1 Q0 c 3 1 r\n"
    words = ("-R", "prefs", "-m", "prefs_num_prefs_poss")
    assert files(*words, qrels=prefs, run=run)[1].endswith("\t3\n")
    assert files(*words, qrels=prefs + "1 A u c 2\n1 A u a 1\n")[:2] == (4, "")
    two_levels = ("1 A s a 1\n1 A s b 0\n1 A t b 1\n1 A t c 2\n", "1 A s a 1\n1 A s a 0\n")
    assert [files(*words, qrels=qrels)[0] for qrels in two_levels] == [4, 4]


def test_ties_of_preferences_go_by_ascending_id(files):
    """Those of grades go by descending id: a and b tie, and b comes first there."""
    run = "1 Q0 a 1 1 r\n1 Q0 b 2 1 r\n"
    fulfilled = files("-R", "qrels_prefs", "-m", "prefs_simp", qrels="1 0 a 2\n1 0 b 1\n", run=run)
    assert fulfilled[1].endswith("\t1.0000\n")
    assert files("-l", "2", "-m", "recip_rank")[1].endswith("\t0.5000\n")


def test_judgment_groups_by_hand(files):
    """For one judge a is relevant, for the other b: the mean of 1 and 1/2."""
    qrels = "1 A a 1\n1 A b 0\n1 B b 1\n2 A x 1\n"
    run = "1 Q0 a 1 2 r\n1 Q0 b 2 1 r\n2 Q0 x 1 1 r\n"
    words = ("-q", "-R", "qrels_jg", "-m", "map_avgjg", "-m", "P_avgjg.1,2")
    values = values_of(files(*words, qrels=qrels, run=run)[1])
    assert [values["map_avgjg", query] for query in ("1", "2", "all")] == [
        *("0.7500", "1.0000", "0.8750")
    ]
    assert values["P_avgjg_1", "1"] == "0.5000"
    assert values["P_avgjg_2", "all"] == "0.5000"
    status, printed, message = files(*words, qrels=qrels + "1 B b 1\n")
    assert (status, printed) == (2, "")
    assert "'1 B'" in message


def test_nothing_retrieved_is_no_number_where_trec_eval_has_none(files):
    """0/0, which x86-64 gives a sign; the mean of it and of anything else is no number either."""
    words = ("-m", "iprec_at_recall.0,1", "-m", "11pt_avg", "-m", "map", "-m", "Rprec_mult.1")
    only_unjudged = RUN.replace("2 Q0 b", "2 Q0 y").replace("2 Q0 a", "2 Q0 z")
    values = values_of(files("-J", "-q", *words, run=only_unjudged)[1])
    assert values["iprec_at_recall_0.00", "2"] == "  -nan"
    assert values["iprec_at_recall_0.00", "all"] == "  -nan"
    assert values["iprec_at_recall_1.00", "2"] == "0.0000"
    assert values["11pt_avg", "all"] == "  -nan"
    assert values["map", "all"] == "0.5000"
    assert values_of(files("-M", "0", *words)[1])["11pt_avg", "all"] == "  -nan"


def test_the_geometric_mean_of_an_infinite_value_is_infinite(files):
    """Relevant documents by -l -1, none of which counts as judged: trec_eval prints inf for both."""
    words = ("-q", "-l", "-1", "-m", "map", "-m", "gm_map")
    printed = files(*words, qrels="1 0 a -1\n1 0 b -1\n2 0 a 1\n2 0 b 0\n")[1]
    assert values_of(printed)["map", "all"] == values_of(printed)["gm_map", "all"] == "   inf"


def test_halves_are_computed_in_trec_evals_order(files):
    """3 of 5 retrieved are relevant, of 32: 9/160 = 0.05625 as a number is just above it."""
    qrels = "".join(f"1 0 d{n} 1\n" for n in range(32))
    run = "".join(f"1 Q0 {'d' if n < 3 else 'x'}{n} 0 {-n} r\n" for n in range(5))
    assert files("-m", "set_map", qrels=qrels, run=run)[1].endswith("\t0.0563\n")
    weight, total = 1.0, 0.0
    for place in range(5):
        total += weight if place >= 3 else 0.0
        weight *= 0.9
    expected = f"{weight + (1 - 0.9) * total:6.4f}"
    assert files("-m", "rbp_resid")[1].endswith(f"\t{expected}\n")


def test_a_repeated_document_stops_it_before_anything_is_computed(files):
    status, printed, message = files(
        *("-m", "G", "-m", "all_trec"), qrels="1 0 a 10\n", run="1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n"
    )
    assert (status, printed) == (4, "")
    assert "'a'" in message
    assert files("-m", "num_q", "-m", "runid")[0] == 0  # nobody looks at documents
    assert files("-M", "-1", "-m", "num_ret")[:2] == (0, "num_ret               \tall\t0\n")


@pytest.mark.parametrize(
    ("grade", "expected"), [("1e2", 1), ("2.9", 2), ("+3", 3), (".5", 0), ("007", 7), ("3x", 3)]
)
def test_a_grade_is_the_whole_number_that_it_begins_with(files, grade, expected):
    printed = files("-q", "-m", "relstring.1", qrels=f"1 0 a {grade}\n2 0 a 1\n")[1]
    assert printed.startswith(f"relstring_1           \t1\t'{expected}'\n")


def test_blank_lines_may_stand_in_runs_only(files):
    assert files("-m", "num_q", run="\n" + RUN.replace("2 Q0 b", "\n \t\n2 Q0 b"))[0] == 0
    status, printed, message = files("-m", "num_q", qrels=QRELS + "\n")
    assert (status, printed) == (2, "")
    assert "qrels:5" in message


def test_comments_are_those_of_the_version(files):
    """In judgments, version 10 reads the line after a comment as a judgment, a comment or not."""
    assert files("-m", "num_q", qrels="# one\n" + QRELS)[1].endswith("\t2\n")
    assert files("-m", "num_q", qrels="# one\n# two\n" + QRELS)[0] == 2
    assert files("-c", "-m", "num_q", qrels="# one\n# 0 a 1\n" + QRELS)[1].endswith("\t3\n")
    assert files("-m", "num_q", qrels=QRELS + "# last\n")[1].endswith("\t2\n")
    commented = "# one\n # two\n" + RUN
    assert files("-m", "num_q", qrels=QRELS, run=commented)[1].endswith("\t2\n")
    assert files("--as", "9", "-m", "num_q")[0] == 2
    hashed = "#1 Q0 a 1 2 t\n2 Q0 a 1 1 t\n"
    qrels = "#1 0 a 1\n2 0 a 1\n"
    assert files("--as", "9", "-m", "num_q", qrels=qrels, run=hashed)[1].endswith("\t2\n")
    assert files("-m", "num_q")[1].endswith("\t1\n")


def test_a_text_that_is_not_utf8_is_read_by_its_bytes(tmp_path):
    (tmp_path / "qrels").write_bytes(b"\xe9 0 d\xfc 1\nz 0 \xc3\xa4 1\n")
    (tmp_path / "run").write_bytes(b"\xe9 Q0 d\xfc 1 1 t\xa0g\nz Q0 \xc3\xa4 1 1 t\xa0g\n")
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    done = CliRunner().invoke(trec_eval, ["-q", "-m", "map", "-m", "runid", *files])
    assert done.stdout_bytes.split(b"\n")[:3] == [
        b"map                   \tz\t1.0000",
        b"map                   \t\xe9\t1.0000",
        b"runid                 \tall\tt\xa0g",
    ]


def test_one_query_alone_is_evaluated_and_traces_are_not_printed(files):
    """As get_debug_level_query of versions 9 and 10: only a value with a dot sets the query."""
    assert split_lines(files("-D", "0.2", "-m", "map", "-m", "num_q")[1]) == [
        ("num_q                 ", "all", "1"),
        ("map                   ", "all", "0.5000"),
    ]
    assert files("-D", "0.2", "-c", "-m", "map")[1].endswith("\t0.2500\n")  # over both
    assert files("-D", "0.3", "-m", "map")[:2] == (7, "")
    first, second = (files("-D", f"0.{query}", "-m", "map", "-q")[1] for query in (1, 2))
    assert first != second
    for level, printed in (("0", second), ("1", second), ("0.1", first)):
        assert files("-D", "0.2", "-D", level, "-m", "map", "-q")[1] == printed
    plain = files("-m", "ndcg")
    assert files("-D", "0", "-m", "ndcg") == plain
    status, printed, message = files("-D", "1", "-m", "ndcg")
    assert (status, printed) == (0, plain[1])
    assert message.startswith("gainful trec_eval: ")
    assert ("(-D)" in message, message.count("\n")) == (True, 1)


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["-m", "P.1e2"], "P_1                   \tall\t0.5000\n"),
        (
            ["-m", "P.3.7,5x"],
            "P_3                   \tall\t0.5000\nP_5                   \tall\t0.3000\n",
        ),
        (["-m", "Rprec_mult.123456.789"], "Rprec_mult_123456.7   \tall\t0.0000\n"),
        (["-m", "set_F.0"], "set_F_0               \tall\t0.5833\n"),  # (2/3 + 1/2) / 2
        (["-l", "1.9", "-m", "num_rel"], "num_rel               \tall\t3\n"),
        (["-m", "success.99999999999999999999"], "success_9223372036854775807\tall\t1.0000\n"),
        (["-m", "utility.1e300,0,0,0"], "utility_1e300,0,0,0   \tall\t15000"),
    ],
)
def test_numbers_are_what_a_parameter_begins_with(files, words, printed):
    assert files(*words)[1].startswith(printed)


def test_dcg_and_its_ideal_share_gains_with_ndcg(files):
    printed = split_lines(files("-m", "dcg.1=3,2=9", "-m", "ideal_dcg")[1])
    assert [line[0].strip() for line in printed] == ["dcg_1=3,2=9", "ideal_dcg_1=3,2=9"]


def test_points_that_do_not_ascend_are_taken_as_trec_eval_takes_them(files):
    """Query 1 is 1 - 1 of 2: at .75 precision is 2/3, and .25, above which it stands, gets the
    best of all, 1; query 2 is 0 1 of 1: 1/2 at both.
    """
    assert files("-q", "-m", "11pt_avg..75,.25")[1].startswith("11pt_avg_.75,.25      \t1\t1.0000")
    assert files("-q", "-m", "11pt_avg..25,.75")[1].startswith("11pt_avg_.25,.75      \t1\t0.8333")


def test_eleven_points_do_not_depend_on_other_queries():
    qrels = {str(n): {"a": 1, "b": 1, "c": 1} for n in range(40)}
    run = {query: {"a": 5, "x": 4, "b": 3, "y": 2, "c": 1} for query in qrels}
    single = gainful.evaluate({"0": qrels["0"]}, {"0": run["0"]}, "IAP").values["IAP"][0]
    assert set(gainful.evaluate(qrels, run, "IAP").values["IAP"].tolist()) == {single}


def find_binary():
    binary = os.environ.get("TREC_EVAL")
    if not binary:
        pytest.skip("agreement with a real trec_eval (needs TREC_EVAL, the path of one)")
    answer = subprocess.run([binary, "-v"], capture_output=True, text=True, check=False).stderr
    return Path(binary).resolve(), 9 if "version 9" in answer else 10


def test_every_line_of_trec_evals_makefile_that_it_passes_itself(run_trec_eval, monkeypatch):
    """Its quicktest and longtest, run in the folder of the binary, if it was built there."""
    binary, version = find_binary()
    if not (binary.parent / "Makefile").exists():
        pytest.skip("trec_eval's own test suite (needs the folder in which TREC_EVAL was built)")
    monkeypatch.chdir(binary.parent)
    commands = {
        line.strip().removeprefix("./trec_eval ").split(" | ")[0].split(" > ")[0]
        for line in Path("Makefile").read_text(encoding="utf-8").splitlines()
        if line.strip().startswith("./trec_eval ")
    }
    assert len(commands) >= 11
    for command in commands:
        words = shlex.split(command)
        real = subprocess.run([binary, *words], capture_output=True, text=True, check=False)
        as_version = ["--as", "9"] if version == 9 else []
        assert run_trec_eval(*as_version, *words)[:2] == (real.returncode, real.stdout), command


def test_random_files_and_flags_agree_with_a_real_trec_eval():
    binary, version = find_binary()
    words = ["--binary", binary, "--as", str(version), "--cases", "150", "--seed", "15"]
    done = subprocess.run(
        [sys.executable, "-m", "tools.agree_trec_eval", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_cause_of_a_difference_is_a_heading_of_the_docs():
    docs = (ROOT / "docs" / "trec-eval.md").read_text(encoding="utf-8")
    for cause in CAUSES:
        assert f"### {cause.heading}\n" in docs
