"""Rows on disk, in parts of whole owners."""

import errno
import gc
import io
import os
import subprocess
import sys
import tempfile

import polars as pl
import pytest
from hypothesis import given, strategies as st
from profiles import examples

from gainful.errors import BadInput
from gainful.read import spill
from gainful.read.spill import KEY, Spill, choose_parts


def make_rows(owners):
    rows = pl.DataFrame({"owner": owners, "number": range(len(owners))}, strict=False)
    return rows.with_columns(pl.col("owner").cast(pl.String))


def fill(frames, *, most, kept):
    """Rows of frames, of which so many at most are held or never written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill, "_MAX_HELD", most)
        patch.setattr(spill, "_MAX_KEPT", kept)
        spilled = Spill("log", ["owner"])
        for frame in frames:
            spilled.add(frame.with_columns(pl.col("owner").hash(1).alias(KEY)))
        spilled.finish()
    return spilled


@examples(40)
@given(
    st.lists(st.lists(st.sampled_from("abcdefghijklmnop"), max_size=30), min_size=1, max_size=5),
    st.integers(1, 40),
    st.sampled_from([0, 1000]),
    st.integers(1, 50),
)
def test_parts_are_whole_owners_and_all_rows(lists, most, kept, size):
    frames = [make_rows(owners) for owners in lists]
    spilled = fill(frames, most=most, kept=kept)
    parts = [spilled.read(part).drop(KEY) for part in choose_parts(spilled.counts, size)]
    everything = pl.concat([*parts, frames[0].clear()])
    expected = pl.concat(frames)
    assert everything.sort("owner", "number").equals(expected.sort("owner", "number"))
    assert sum(part["owner"].n_unique() for part in parts) == expected["owner"].n_unique()


def test_rows_on_disk_are_compressed_and_have_no_name(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rows = make_rows(["a long name of an owner that comes again"] * 20_000)
    spilled = fill([rows], most=1000, kept=0)
    written = spilled._blocks[-1][-1]
    assert 0 < written < rows.estimated_size() / 4
    if os.name == "posix":
        assert not list(tmp_path.iterdir())  # so that even SIGKILL leaves nothing behind


def test_an_owner_of_too_many_rows_is_named(monkeypatch):
    monkeypatch.setattr(spill, "MAX_OWNER_ROWS", 30)
    spilled = fill([make_rows(["eve"] * 31 + ["ann"] * 30)], most=10, kept=0)
    with pytest.raises(BadInput) as refused:
        spilled.read(slice(0, spill.BUCKETS))
    assert (refused.value.where, "'eve'" in refused.value.problem) == ("log", True)
    several = fill([make_rows([str(number) for number in range(31)])], most=10, kept=0)
    assert len(several.read(slice(0, spill.BUCKETS))) == 31  # of several owners


@pytest.mark.skipif(os.name != "posix", reason="limits of POSIX")
def test_a_command_on_a_full_disk_ends_with_2(tmp_path):
    rows = {"session": "s", "time": "2026-01-01", "text": "x", "rank": 1, "doc": "a"}
    path, qrels = tmp_path / "log.parquet", tmp_path / "qrels.txt"
    pl.DataFrame([rows]).write_parquet(path)
    qrels.write_text("s 0 a 1\n")
    script = (
        "import resource, signal, sys\n"
        "from gainful.read import spill\n"
        "from gainful.cli.start import main\n"
        "spill._MAX_KEPT = 0\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))\n"
        f"sys.exit(main(['sessions', {str(path)!r}, '--qrels', {str(qrels)!r}, '--summary']))\n"
    )
    words, environment = [sys.executable, "-c", script], os.environ | {"TMPDIR": str(tmp_path)}
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    assert str(tmp_path) in done.stderr
    assert "TMPDIR" in done.stderr
    assert {entry.name for entry in tmp_path.iterdir()} == {"log.parquet", "qrels.txt"}


def test_a_file_that_cannot_be_written_to_the_end_is_closed_without_a_word(monkeypatch):
    class FullFile(io.BytesIO):
        def close(self):
            was_closed = self.closed
            super().close()
            if was_closed:
                return
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **_: FullFile())
    owner = spill.Spill("log")
    spill._open_file(owner)
    del owner  # what is raised here fails the test, as every unraisable error does
    gc.collect()
