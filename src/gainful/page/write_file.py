"""Files that are written as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from errno import ELOOP
from os import PathLike, fspath
from pathlib import Path
from tempfile import mkstemp

from gainful.errors import BadInput, WrongType

Content = str | bytes


def write_atomically(path: str | PathLike[str], content: Content) -> None:
    """Put text or bytes into a file; never half of it: it is written beside, then renamed.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_atomically(Path(folder, "a.txt"), "whole")
        ...     Path(folder, "a.txt").read_text()
        'whole'
    """
    if not isinstance(path, (str, PathLike)):
        raise WrongType("path", path, "the path of a file")
    write_together({fspath(path): content})


def write_together(contents: Mapping[str, Content]) -> None:
    """Put texts or bytes into files: into all of them, or into none where one cannot be written.

    Examples:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_together({f"{folder}/a": "1", f"{folder}/b": b"2"})
        ...     sorted(file.name for file in Path(folder).iterdir())
        ['a', 'b']
    """
    temporaries: dict[Path, Path] = {}  # by the file whose place they take
    path = ""
    try:
        for path, content in contents.items():
            data = content.encode() if isinstance(content, str) else content
            place = Path(path)
            if place.exists() and not place.is_file():  # a pipe, a device
                with place.open("wb") as stream:
                    stream.write(data)
            else:
                target = _follow_links(place)
                temporaries[target] = _write_beside(target, data)
        for target, temporary in temporaries.items():
            temporary.replace(target)
    except (OSError, ValueError, RuntimeError) as failure:  # a null byte; a link to itself
        reason = getattr(failure, "strerror", None) or failure
        raise BadInput(path, f"cannot be written: {reason}") from None
    finally:
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)


def _follow_links(place: Path) -> Path:
    """The file that a path leads to; a link that leads to itself is an error in every Python."""
    target = place.resolve()
    if target.is_symlink():
        raise OSError(ELOOP, os.strerror(ELOOP))
    return target


def _write_beside(target: Path, data: bytes) -> Path:
    """A file in the same folder, ready to take the place of another, whose mode it has."""
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_read_umask()
    handle, temporary = mkstemp(dir=target.parent, prefix=".gainful.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(temporary).chmod(mode)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return Path(temporary)


def _read_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
