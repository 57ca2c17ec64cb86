"""Compiles the library: for a wheel as hatchling's build hook, in a clone as `python native/build_library.py`."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "gainful_native"


def compile_library(target: Path, *options: str) -> None:
    """Compile the one source file, with the compiler and flags of the environment.

    The library takes its place when it is whole: half of one would end every command that loads it.
    """
    compiler = shlex.split(os.environ.get("CC", "cc"))
    flags = shlex.split(os.environ.get("CFLAGS", "-O3"))
    command = [*compiler, "-std=c11", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden"]
    unfinished = target.with_stem(f"{target.stem}.{os.getpid()}")
    try:
        subprocess.run(
            [*command, *flags, *options, FOLDER / "match.c", "-o", unfinished], check=True
        )
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # in a clone
    pass
else:

    class LibraryHook(BuildHookInterface[Any]):
        """Put the compiled library into the wheel, which is of this platform and of any Python."""

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
            """Compile before the wheel is packed."""
            if self.target_name != "wheel":
                return
            compile_library(FOLDER / "match.so")
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{platform}"
            build_data["pure_python"] = False
            build_data["artifacts"].append("gainful_native/match.so")


if __name__ == "__main__":
    compile_library(FOLDER / "match.so", *sys.argv[1:])
