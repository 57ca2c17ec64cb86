"""Lines of JSON that are known by their shape are read as all others are."""

from __future__ import annotations

import json
import random

import pytest
from refusals import refuses

from gainful.errors import BadInput
from gainful.read.line_templates import LineTemplates, make_template
from gainful.read.session_formats import read_sessions
from gainful.read.session_inputs import as_sessions

TEXTS = [
    "a",
    "b",
    "é",
    "😀",
    'say "a"',
    "back\\slash",
    "two\nlines",
    "\x7f",
    "d/7",
    "null",
    "{",
    "7",
]


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
        inner |= {
            "startTimeUnixNano": f"{1_772_442_000 + number % 60}000000000",
            "attributes": pairs,
        }
        span = {"resourceSpans": [{"scopeSpans": [{"spans": [inner]}]}]}
    return json.dumps(span, ensure_ascii=rng.random() < 0.5)


@pytest.mark.parametrize("style", ["list", "flat", "nested", "text", "otlp"])
@pytest.mark.parametrize("columns", [None, {"topic": "metadata.topic"}])
def test_lines_of_a_known_shape_say_what_a_list_of_them_says(tmp_path, style, columns):
    rng = random.Random(7)  # noqa: S311  (no secret)
    lines = [write_span(rng, style) for _ in range(300)]
    path, whole = tmp_path / "spans.jsonl", tmp_path / "spans.json"
    path.write_text("\n".join(lines), encoding="utf-8")
    whole.write_text(f"[{','.join(lines)}]", encoding="utf-8")
    by_line, by_list = (as_sessions(file, columns=columns) for file in (path, whole))
    assert by_line.frame.equals(by_list.frame)
    assert list(by_line.notes) == list(by_list.notes)


def choose_id(marks, _):
    return {"id": marks["id"], "far": marks["in"]["far"]}, frozenset()


LINE = '{"id": "a", "n": 1.5, "in": {"far": "b", "no": null}, "on": true}'


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        (LINE, ("a", "b")),
        (LINE.replace("1.5", "-2e-7"), ("a", "b")),
        (LINE.replace('"a"', r'"\u00e9\n\""'), ('é\n"', "b")),
        (LINE.replace('"a"', '""'), ("", "b")),
        (LINE.replace('"a"', r'"\x"'), None),  # no escape of JSON
        (LINE.replace('"a"', r'"\u00g9"'), None),
        (LINE.replace('"a"', '"\t"'), None),  # which has to be escaped
        (LINE.replace("1.5", "01.5"), None),
        (LINE.replace("1.5", "NaN"), None),
        (LINE.replace("null", '"x"'), None),
        (LINE.replace('"n"', '"id"'), None),  # a key twice
        (LINE.replace("true", "false"), None),
        (LINE + "}", None),
        (LINE[:-1], None),
    ],
)
def test_a_shape_matches_texts_and_numbers_of_any_content_and_nothing_else(line, texts):
    assert make_template(LINE, choose_id).match(line) == texts


@pytest.mark.parametrize("line", ['{"id": "a", "id": "b"}', '{"id": "a"', "[1]", '{"id": 7}'])
def test_lines_that_cannot_be_read_or_say_it_otherwise_teach_no_shape(line):
    assert make_template(line, lambda marks, _: ({"id": marks["id"]}, frozenset())) is None


def test_half_characters_and_bytes_that_are_no_text_are_left_to_the_reader_of_json():
    templates = LineTemplates(choose_id)
    assert not any(templates.match(LINE.encode()) for _ in range(16))  # it learns
    assert templates.match(LINE.encode())[1] == ("a", "b")
    assert templates.match(LINE.replace('"a"', r'"\ud83d\ude00"').encode()) is None
    assert templates.match(LINE.replace('"a"', r'"\ud83d"').encode()) is None
    assert templates.match(LINE.encode().replace(b'"a"', b'"\xff"')) is None


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"RETRIEVER"', '"CHAIN"', None),
        ("2026-03-01T10", "2026-13-01T10", "is no time"),
        ('"document.id": "first"', '"document.id": ""', "document 1 has no id"),
        ('"document.id": "first"', '"document.id": null', "document 1 has no id"),
        ('"trace_id": "', '"trace_ie": "', None),
        ('"parent_id": null', '"parent_id": {', "is not JSON"),
    ],
)
def test_what_is_wrong_with_a_line_among_many_is_told_with_its_line(tmp_path, old, new, words):
    rng = random.Random(3)  # noqa: S311  (no secret)
    lines = [write_span(rng, "list") for _ in range(100)]
    first = json.loads(lines[69])
    first["attributes"]["retrieval.documents"][0]["document.id"] = "first"
    lines[69] = json.dumps(first).replace(old, new)
    path = tmp_path / "spans.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    if words is None:
        searches = read_sessions(path).frame.unique(["session", "query"])
        assert len(searches) == (99 if "CHAIN" in new else 100)
    else:
        with refuses(BadInput, "spans.jsonl:70"):
            read_sessions(path)
