"""Lines of JSON are decoded fast, and with as much care as by the standard library."""

import json
import random

import pytest
from hypothesis import given, strategies as st
from refusals import refuses
from written_files import write_file

from gainful.errors import BadInput
from gainful.read.json_text import Unreadable, parse_line
from gainful.read.session_inputs import as_sessions

TEXTS = ["a", "b", "é", "😀", 'say "a"', "back\\slash", "two\nlines", "\x7f"]
TEXTS += ["d/7", "null", "{", "7"]


def write_span(rng, style):
    """A retriever span as one line, in one of the ways in which they are exported."""
    docs = rng.sample(TEXTS, rng.choice([2, 3]))
    attributes = {
        "openinference.span.kind": "RETRIEVER",
        "session.id": f"s{rng.randrange(9)}",
        "metadata": json.dumps({"topic": rng.choice(TEXTS)}),
        "input.value": rng.choice([*TEXTS, '{"query": "bikes"}', "  [1]"]),
    }
    if style == "flat":
        attributes |= {f"retrieval.documents.{n}.document.id": doc for n, doc in enumerate(docs)}
    elif style == "nested":
        attributes["retrieval"] = {"documents": [{"document": {"id": doc}} for doc in docs]}
    elif style == "text":
        attributes["retrieval.documents"] = json.dumps([{"id": doc} for doc in docs])
    else:
        scores = [{"document.id": doc, "document.score": rng.random()} for doc in docs]
        attributes["retrieval.documents"] = scores
    number = rng.getrandbits(60)
    span = {
        "context": {"trace_id": f"{number:032x}", "span_id": f"{number:016x}"},
        "parent_id": None,
        "start_time": f"2026-03-01T10:00:{rng.randrange(60):02d}Z",
        "attributes": attributes,
    }
    if style == "otlp":
        pairs = [
            {"key": key, "value": {"stringValue": json.dumps(value) if key[0] == "r" else value}}
            for key, value in attributes.items()
        ]
        inner = {"traceId": span["context"]["trace_id"], "spanId": f"{number:016x}"}
        started = f"{1_772_442_000 + number % 60}000000000"
        inner |= {"startTimeUnixNano": started, "attributes": pairs}
        span = {"resourceSpans": [{"scopeSpans": [{"spans": [inner]}]}]}
    return json.dumps(span, ensure_ascii=rng.random() < 0.5)


@pytest.mark.parametrize("style", ["list", "flat", "nested", "text", "otlp"])
@pytest.mark.parametrize("columns", [None, {"topic": "metadata.topic"}])
def test_lines_say_what_a_list_of_them_says(tmp_path, style, columns):
    rng = random.Random(7)  # noqa: S311  (no secret)
    lines = [write_span(rng, style) for _ in range(300)]
    path, whole = tmp_path / "spans.jsonl", tmp_path / "spans.json"
    path.write_text("\n".join(lines), encoding="utf-8")
    whole.write_text(f"[{','.join(lines)}]", encoding="utf-8")
    by_line, by_list = (as_sessions(file, columns=columns) for file in (path, whole))
    assert by_line.frame.equals(by_list.frame)
    assert list(by_line.notes) == list(by_list.notes)


# Texts of JSON, whole and damaged, with what the fast decoder forgives or does not know.
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ODD = [
    *(b'"a":1,', b"\\u003a", rb"\ud83d", rb'"\ud83d\ude00"', b"NaN", b"1e999", b"01", b"\t"),
    b"\xff",
]


@st.composite
def lines_with_damage(draw):
    value = {"a": draw(VALUES), "b": draw(VALUES)}
    line = bytearray(json.dumps(value, ensure_ascii=draw(st.booleans())).encode(errors="replace"))
    at = draw(st.integers(1, len(line)))
    line[at : at + draw(st.integers(0, 2))] = draw(st.sampled_from([*ODD, b"", b":", b'"', b"}"]))
    return bytes(line)


@given(VALUES)
def test_an_object_of_a_line_is_what_the_standard_library_reads(value):
    line = json.dumps({"a": value})
    assert repr(parse_line(line.encode())) == repr(json.loads(line))


@given(lines_with_damage())
def test_the_fast_decoder_takes_nothing_that_a_careful_one_refuses(line):
    """Keys that stand twice and halves of characters, wherever they stand."""

    def refuse_repeats(pairs):
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    try:
        expected = json.loads(line.decode(), object_pairs_hook=refuse_repeats)
        json.dumps(expected, ensure_ascii=False).encode()
    except (AssertionError, ValueError):
        expected = None
    if not isinstance(expected, dict):
        assert isinstance(parse_line(line), Unreadable)
    else:
        assert repr(parse_line(line)) == repr(expected)


@pytest.mark.parametrize(
    "line",
    [
        b'{"a": 1, "a": 2}',
        b'{"in": [{"a": 1, "a": {"b": ":"}}]}',
        rb'{"a": 1, "\u0061": 2}',
        rb'{"a": 1, "a": 2, "b": "\u003a"}',  # as many colons as without the second a
    ],
)
def test_a_key_twice_is_refused_however_it_is_written(line):
    assert "twice" in parse_line(line).problem


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"RETRIEVER"', '"CHAIN"', None),
        ("2026-03-01T10", "2026-13-01T10", "2026-13-01T10"),
        ('"document.id": "first"', '"document.id": ""', "document 1"),
        ('"document.id": "first"', '"document.id": null', "document 1"),
        ('"trace_id": "', '"trace_ie": "', None),
        ('"parent_id": null', '"parent_id": {', "JSON"),
    ],
)
def test_what_is_wrong_with_a_line_among_many_is_told_with_its_line(tmp_path, old, new, words):
    rng = random.Random(3)  # noqa: S311  (no secret)
    lines = [write_span(rng, "list") for _ in range(100)]
    first = json.loads(lines[69])
    first["attributes"]["retrieval.documents"][0]["document.id"] = "first"
    lines[69] = json.dumps(first).replace(old, new)
    path = write_file(tmp_path / "spans.jsonl", "\n".join(lines))
    if words is None:
        searches = as_sessions(path).frame.unique(["session", "query"])
        assert len(searches) == (99 if "CHAIN" in new else 100)
    else:
        with refuses(BadInput, "spans.jsonl:70"):
            as_sessions(path)
