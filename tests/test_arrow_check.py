"""Sizes in Arrow files that cannot be are refused before polars believes them."""

import struct
from io import BytesIO

import polars as pl
import pytest

from gainful.errors import BadInput
from gainful.read.binary_tables import check_arrow

FRAME = pl.DataFrame(
    {
        "query": ["1", "1", "2"],
        "doc": ["a", "a text that is longer than twelve characters", "b"],
        "kind": pl.Series(["x", "y", "x"], dtype=pl.Categorical),
        "score": [1.0, 0.5, 2.0],
    }
)
HUGE = struct.pack("<q", 1 << 47)


def write(form, compression):
    buffer = BytesIO()
    save = FRAME.write_ipc_stream if form == "stream" else FRAME.write_ipc
    save(buffer, compression=compression)
    return buffer.getvalue()


def find_problem(content):
    """What is wrong, in words; None if nothing is said."""
    try:
        check_arrow(content, "run.arrow")
    except BadInput as error:
        return str(error)
    return None


@pytest.mark.parametrize("form", ["file", "stream"])
@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
class TestSizes:
    def test_sound_ones_pass(self, form, compression):
        check_arrow(write(form, compression), "run.arrow")

    def test_a_buffer_that_is_not_there(self, form, compression):
        """Every eight bytes in turn are a size that no memory has."""
        content = write(form, compression)
        places = range(0, len(content) - 8, 8)
        answers = [find_problem(content[:place] + HUGE + content[place + 8 :]) for place in places]
        assert sum(answer is not None for answer in answers) >= len(FRAME.columns)
        assert all("a buffer of" in answer for answer in answers if answer)

    def test_files_that_end_early_are_left_to_polars(self, form, compression):
        content = write(form, compression)
        answers = [find_problem(content[:end]) for end in range(0, len(content), 7)]
        assert any(answer is None for answer in answers)
        assert all("a buffer of" in answer for answer in answers if answer)
