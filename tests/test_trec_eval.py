"""`gainful trec_eval` prints what trec_eval prints, to the byte, and exits as it does."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "shared" / "data" / "trec_eval"
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


def split_lines(text):
    return [tuple(line.split("\t")) for line in text.splitlines()]


def test_by_hand(files):
    status, printed, message = files(
        "-q", "-m", "P.2", "-m", "map", "-m", "num_ret", "-m", "recip_rank"
    )
    assert (status, message) == (0, "")
    assert split_lines(printed) == [
        ("num_ret               ", "1", "3"),
        ("map                   ", "1", "0.8333"),
        ("recip_rank            ", "1", "1.0000"),
        ("P_2                   ", "1", "0.5000"),
        ("num_ret               ", "2", "2"),
        ("map                   ", "2", "0.5000"),
        ("recip_rank            ", "2", "0.5000"),
        ("P_2                   ", "2", "0.5000"),
        ("num_ret               ", "all", "5"),
        ("map                   ", "all", "0.6667"),
        ("recip_rank            ", "all", "0.7500"),
        ("P_2                   ", "all", "0.5000"),
    ]


def test_the_flags_change_what_they_should(files):
    assert files("-n", "-m", "map")[1] == ""
    assert "0.5000" in files("-l", "2", "-m", "map")[1]  # one of two queries has grade 2
    assert files("-M", "1", "-m", "num_ret")[1].endswith("\t2\n")
    assert files("-J", "-m", "num_ret")[1].endswith("\t3\n")
    assert files("-N", "100", "-mutility.0,0,0,1")[1].endswith("\t97.5000\n")  # (97 + 98) / 2
    assert files("-o", "-m", "num_q")[1].endswith("\t2\n")
    assert files("-m", "runid")[1] == "runid                 \tall\tmine\n"
    assert files("--measure=num_q", "--query_eval_wanted")[1].endswith("\tall\t2\n")
    assert (
        files("-m", "relstring.2", "-q")[1]
        == "relstring_2           \t1\t'2-'\nrelstring_2           \t2\t'-1'\n"
    )
    assert files("-m", "rbp.p=0.5")[1].startswith("rbp_p=0.5")
    assert files("-M", "9" * 30, "-m", "num_ret")[1].endswith("\t5\n")


def test_options_may_follow_the_files(run_trec_eval, tmp_path, files):
    files("-m", "num_q")
    status, printed, _ = run_trec_eval(
        str(tmp_path / "qrels"), str(tmp_path / "run"), "-m", "num_q"
    )
    assert (status, printed) == (0, "num_q                 \tall\t2\n")


def test_a_missing_query_stops_version_10_and_is_skipped_by_version_9(files):
    first_query = RUN[: RUN.index("2 Q0")]
    status, printed, message = files("-q", "-m", "map", run=first_query)
    assert (status, printed) == (4, "map                   \t1\t0.8333\n")  # what came before
    assert "the run lacks it" in message
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
    assert files("--as", "9", "-m", "map")[0] == 4
    assert files("-c", "-m", "map")[:2] == (0, "map                   \tall\t0.0000\n")


def test_duplicates_stop_it(files):
    status, printed, message = files("-q", "-m", "num_ret", run=RUN + "2 Q0 a 3 0 mine\n")
    assert (status, printed) == (4, "num_ret               \t1\t3\n")
    assert "'a' twice" in message
    status, _, message = files("-m", "map", run=RUN, qrels=QRELS + "2 0 a 0\n")
    assert status == 4
    assert "has document 'a' judged twice" in message
    assert files("-q", "-m", "num_ret")[1] == "num_ret               \t1\t3\n"
    lacking = RUN[: RUN.index("2 Q0")]
    assert files("--as", "9", "-m", "num_ret", run=lacking)[0] == 0  # it never comes to query 2
    deep = RUN + "1 Q0 a 4 0 mine\n"
    assert (
        files("-M", "3", "-m", "num_ret", run=deep, qrels=QRELS)[0] == 0
    )  # below what is looked at
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
    assert (
        files("-m", "recip_rank", run=close)[1]
        == files("-m", "recip_rank", "--as", "9", run=far)[1]
    )
    ties = "1 Q0 a 1 1.00000002 r\n1 Q0 z 2 1.00000001 r\n2 Q0 a 1 1 r\n"
    assert "1.0000" in files("-m", "recip_rank", run=ties)[1]
    assert "0.7500" in files("-m", "recip_rank", "--as", "9", run=ties)[1]  # tied: z before a


def test_zscores(files, tmp_path):
    (tmp_path / "z").write_text("1 map 0.3333 0.25\n\n2 map 0.25 0.5\n")
    status, printed, _ = files("-q", "-Z", str(tmp_path / "z"), "-m", "map", "-m", "P.2")
    assert status == 0
    assert "map                   \t1\t2.0001" in printed
    assert "map                   \tall\t1.2501" in printed
    assert "P_2                   \t1\t-1000000.0000" in printed
    (tmp_path / "z").write_text("1 map x 0.25\n")
    status, _, message = files("-Z", str(tmp_path / "z"))
    assert status == 2
    assert "z:1:" in message


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("-m", "mapp"), 1, "did you mean map?"),
        (("-m", "P."), 1, "no measure 'P.'"),
        (("-m", "P.0"), 2, "cutoffs from 1 on"),
        (("-m", "P.5,5"), 2, "each cutoff once"),
        (("-m", "P.x"), 2, "numbers, separated by commas"),
        (("-m", "iprec_at_recall..1,.1"), 2, "each cutoff once"),
        (("-m", "utility.1,2"), 2, "4 numbers"),
        (("-m", "ndcg.x"), 2, "gains by grade"),
        (("-m", "P.1e400"), 2, "numbers, separated by commas"),
        (("-q", "-m", "relstring.abc"), 2, "numbers, separated by commas"),
        (("--as", "11", "-m", "map"), 1, "9 or 10"),
        (("-l", "x"), 1, "a whole number"),
        (("--as", "8"), 1, "9 or 10"),
        (("-y",), 1, "option -y not recognized"),
        (("-R", "prefs"), 2, "there is qrels"),
        (("more",), 1, "two files"),
    ],
)
def test_wrong_options_exit_as_trec_eval_does(files, words, status, message):
    ended, printed, printed_error = files(*words)
    assert (ended, printed) == (status, "")
    assert message in printed_error


def test_unreadable_files_exit_with_2(run_trec_eval, files):
    assert run_trec_eval("no such file", "nor this")[0] == 2
    status, _, message = files(run="1 Q0 a 1\n")
    assert status == 2
    assert "these look like judgments" in message
    assert files(run="1 Q0 a 1 x y\n", qrels=QRELS)[0] == 2


def test_help_and_version_are_our_own_words(run_trec_eval):
    status, printed, _ = run_trec_eval("-h", "-m", "map", "-m", "runid")
    assert status == 0
    assert "--as 9|10" in printed
    assert "How early do the relevant documents come" in printed
    status, printed, message = run_trec_eval("-v")
    assert (status, printed) == (0, "")
    assert "trec_eval 10 or 9" in message
