"""gainful evaluates rankings: cumulated gain in every formulation in use, with its convention.

The public names are in `__init__.pyi`, which type checkers read too; each is loaded when it is
first used.

Examples:
    >>> import gainful
    >>> round(gainful.ndcg([3, 2, 3, 0, 1, 2]), 4)
    0.9608
    >>> round(gainful.ndcg([3, 2, 3, 0, 1, 2], like="wikipedia"), 4)
    0.9315
"""

import ast as _ast
from importlib import import_module as _import_module
from pkgutil import get_data as _get_data

_MODULES = {
    alias.name: node.module
    for node in _ast.parse(_get_data(__name__, "__init__.pyi") or b"").body
    if isinstance(node, _ast.ImportFrom)
    for alias in node.names
}
__all__ = [name for name, module in _MODULES.items() if module != __name__]
_import_module("gainful.forks")  # which has to see every fork


def __getattr__(name: str) -> object:
    if name in __all__:
        value = getattr(_import_module(str(_MODULES[name])), name)
    elif name in _MODULES:
        value = _import_module(f"{__name__}.{name}")
    elif name == "__version__":
        value = _import_module("importlib.metadata").version("gainful")
    else:
        missing = f"module 'gainful' has no attribute {name!r}"
        if not name.startswith("_"):
            modules = [module for module in _MODULES if module not in __all__]
            missing += _import_module("gainful.guesses").advise(name, __all__, modules)
        raise AttributeError(missing)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted((*_MODULES, "__version__"))
