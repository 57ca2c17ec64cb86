"""What tests of the gate share: runs whose reciprocal ranks are known, and a command that ends."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

QUERIES = [f"q{number}" for number in range(8)]
QRELS = "".join(f"{q} 0 good 1\n{q} 0 bad 0\n" for q in QUERIES)


def make_run(**ranks):
    """A run that puts the one relevant document of each query at a rank: its RR is 1/rank."""
    lines = []
    for query in QUERIES:
        rank = ranks.get(query, 1)
        if rank is None:
            continue
        docs = [f"x{place}" for place in range(1, 11)]
        docs[rank - 1] = "good"
        lines += [f"{query} Q0 {d} {i} {-i} r" for i, d in enumerate(docs, 1)]
    return "\n".join(lines) + "\n"


# RR: 8 × 1 = 1; 7 × 1 and 1/2 = 0.9375; 8 × 1/2 = 0.5.
RUNS = {
    "best": make_run(),
    "once": make_run(q3=2),
    "worse": make_run(**dict.fromkeys(QUERIES, 2)),
    "lost": make_run(q5=None),
    "varied": make_run(**{q: 2 + at for at, q in enumerate(QUERIES)}),
}


@pytest.fixture
def gate_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    Path("qrels.txt").write_text(QRELS)
    for name, text in RUNS.items():
        Path(f"{name}.txt").write_text(text)
    return tmp_path


@pytest.fixture
def gate(gate_folder, run_gainful):
    def command(run, *words, status=0, qrels="qrels.txt"):
        printed = run_gainful("gate", qrels, *([run] if run else []), *words, status=status)
        if status == 2:
            assert printed.out == ""
            assert printed.err.count("\n") == 1
            assert printed.err.startswith("gainful: ")
            return printed.err
        return printed.out

    return command


@pytest.fixture
def base(gate):
    """A baseline of the best run."""
    gate("best.txt", "-m", "RR", "-m", "P@1", "--save-baseline", "base.json")
    return ("--baseline", "base.json")


@pytest.fixture
def decide(gate):
    """What the gate says as data."""
    return lambda run, *words, **more: json.loads(gate(run, *words, "--format", "json", **more))


def sign_baseline(content):
    """The file of a content whose checksum fits, as a forger would write it."""
    unsigned = {name: value for name, value in content.items() if name != "checksum"}
    text = json.dumps(unsigned, sort_keys=True, separators=(",", ":"))
    return json.dumps(unsigned | {"checksum": f"sha256:{sha256(text.encode()).hexdigest()}"})
