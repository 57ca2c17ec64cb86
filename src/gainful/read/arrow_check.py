"""Are the sizes that an Arrow file tells those of its bytes?

Polars believes them: a damaged one makes it ask for more memory than there is, which ends the
process. So the buffers of each batch are looked up before it reads them. What is damaged in another
way it says itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct, error

from gainful.errors import BadInput

_FILE_START, _FILE_END = b"ARROW1\0\0", b"ARROW1"
_CONTINUES = b"\xff\xff\xff\xff"  # before the length of a message
_SHORT, _WHOLE, _LONG, _PAIR = Struct("<H"), Struct("<i"), Struct("<q"), Struct("<qq")
_BLOCK = Struct("<qi4xq")  # where a message stands, how long it and how long its body is
# Numbers of the fields of a message, a dictionary and a batch, in Arrow's own schema of them.
_HEADER_TYPE, _HEADER, _BODY_LENGTH = 1, 2, 3
_DICTIONARY, _BATCH = 2, 3
_DICTIONARY_DATA, _BUFFERS, _COMPRESSION = 1, 2, 3
_DICTIONARY_BLOCKS, _BATCH_BLOCKS = 2, 3
_LARGEST, _MAX_RATIO = 1 << 28, 1000  # bytes of a buffer unpacked, or so often its size


def check_arrow(content: bytes, name: str) -> None:
    """Refuse a file or stream in which a buffer is longer than what is there."""
    try:
        for body, offset, length, is_packed in _list_buffers(content):
            present = offset >= 0 and length >= 0 and offset + length <= len(body)
            size = length
            if present and is_packed and length >= _LONG.size:
                (size,) = _LONG.unpack_from(body, offset)
                present = size <= max(_LARGEST, _MAX_RATIO * length)
            if not present:
                problem = f"cannot be read as Arrow: a buffer of {size} bytes is not there"
                raise BadInput(name, problem)
    except (error, IndexError):  # it ends before it says so
        return


def _list_buffers(content: bytes) -> Iterator[tuple[memoryview, int, int, bool]]:
    """Of each buffer: the body of its message, where in it and how long it is, and is it packed?"""
    is_file = content.startswith(_FILE_START)
    for message, body in _list_blocks(content) if is_file else _list_messages(content):
        batch = _find_batch(content, _follow(content, message))
        if batch is not None:
            is_packed = _find_field(content, batch, _COMPRESSION) is not None
            for offset, size in _list_places(content, batch):
                yield body, offset, size, is_packed


def _list_messages(content: bytes) -> Iterator[tuple[int, memoryview]]:
    """The messages of a stream, one after the other, and their bodies."""
    place = 0
    while content.startswith(_CONTINUES, place):
        (length,) = _WHOLE.unpack_from(content, place + 4)
        message = place + 8
        if length <= 0:  # there are no more
            return
        at = _find_field(content, _follow(content, message), _BODY_LENGTH)
        body_length = 0 if at is None else max(0, _LONG.unpack_from(content, at)[0])
        start = message + length
        yield message, memoryview(content)[start : start + body_length]
        place = start + body_length


def _list_blocks(content: bytes) -> Iterator[tuple[int, memoryview]]:
    """The messages that the end of a file lists, and their bodies."""
    end = len(content) - len(_FILE_END)
    (length,) = _WHOLE.unpack_from(content, end - 4)
    footer = _follow(content, max(0, end - 4 - length))
    for number in (_DICTIONARY_BLOCKS, _BATCH_BLOCKS):
        vector = _find_field(content, footer, number)
        if vector is None:
            continue
        start = _follow(content, vector)
        (count,) = _WHOLE.unpack_from(content, start)
        for block in range(count):
            offset, head, body_length = _BLOCK.unpack_from(content, start + 4 + block * _BLOCK.size)
            if min(offset, head, body_length) < 0 or offset + head + body_length > end:
                raise IndexError
            message = offset + (8 if content.startswith(_CONTINUES, offset) else 4)
            yield message, memoryview(content)[offset + head : offset + head + body_length]


def _find_batch(content: bytes, root: int) -> int | None:
    """Where the batch of a message stands, if it has one."""
    kind, header = (_find_field(content, root, number) for number in (_HEADER_TYPE, _HEADER))
    if kind is None or header is None or content[kind] not in (_DICTIONARY, _BATCH):
        return None
    if content[kind] == _BATCH:
        return _follow(content, header)
    data = _find_field(content, _follow(content, header), _DICTIONARY_DATA)
    return None if data is None else _follow(content, data)


def _list_places(content: bytes, batch: int) -> Iterator[tuple[int, int]]:
    """Of each buffer of a batch: where in the body, and how long it is."""
    vector = _find_field(content, batch, _BUFFERS)
    if vector is None:
        return
    start = _follow(content, vector)
    (count,) = _WHOLE.unpack_from(content, start)
    for number in range(count):
        offset, size = _PAIR.unpack_from(content, start + 4 + number * _PAIR.size)
        yield offset, size


def _follow(content: bytes, place: int) -> int:
    """Where something stands that is told by its distance."""
    return place + int(_WHOLE.unpack_from(content, place)[0])


def _find_field(content: bytes, table: int, number: int) -> int | None:
    """Where a field of a table stands; None if it is left out."""
    fields = table - _WHOLE.unpack_from(content, table)[0]
    (size,) = _SHORT.unpack_from(content, fields)
    at = 4 + 2 * number
    if at + 2 > size:
        return None
    (distance,) = _SHORT.unpack_from(content, fields + at)
    return table + distance if distance else None
