"""A file that is written as a whole or not at all."""

from __future__ import annotations

import os
from os import PathLike, fspath
from pathlib import Path
from tempfile import mkstemp

from gainful.errors import BadInput, WrongType


def write_atomically(path: str | PathLike[str], content: str | bytes) -> None:
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
    try:
        _replace_file(Path(path), content.encode() if isinstance(content, str) else content)
    except (OSError, ValueError, RuntimeError) as failure:  # a null byte; a link to itself
        reason = getattr(failure, "strerror", None) or failure
        raise BadInput(fspath(path), f"cannot be written: {reason}") from None


def _replace_file(path: Path, content: bytes) -> None:
    """A file is replaced and keeps its mode; what is no file (a pipe, a device) is written to."""
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            stream.write(content)
        return
    target = path.resolve()
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_read_umask()
    handle, temporary = mkstemp(dir=target.parent, prefix=".gainful.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _read_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
