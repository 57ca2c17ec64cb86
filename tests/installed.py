"""Which test files need a package that is not installed? They are named as not run."""

import ast
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

_FOLDER = Path(__file__).parent
_OURS = {"gainful", "tools", "tests"}
_CALLED_BY = {"ir_measures": ("cwl", "pyndeval")}  # tools that a package is nothing without
OPTIONAL = {"torch", "torchmetrics", "triton"}  # large: tests need them, and CI goes without
_NEEDS_OLDER_PYTHON = {"ir_measures": (3, 14)}  # 0.4 reads names by ast.Num, which went with 3.14


@cache
def find_missing(path: Path) -> frozenset[str]:
    """The packages that a file imports, itself or by another file of the tests, and are not there."""
    missing: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        for name in _find_imported_names(node):
            package = name.partition(".")[0]
            if (_FOLDER / f"{package}.py").exists():
                missing |= find_missing(_FOLDER / f"{package}.py")
            elif package not in _OURS and not _is_usable(package):
                missing.add(package)
    return frozenset(missing)


def _is_usable(package: str) -> bool:
    too_new = _NEEDS_OLDER_PYTHON.get(package, (4,))
    packages = (package, *_CALLED_BY.get(package, ()))
    return sys.version_info < too_new and all(find_spec(name) is not None for name in packages)


def _find_imported_names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module]
    return []
