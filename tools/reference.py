"""The API reference: a page for each name in `__all__` of the public modules, and one that lists them.

A page has the signature and the docstring; examples are tested where the docstrings are.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, is_typeddict

import gainful
from gainful.api.figures import FIGURES
from gainful.convention import Setting
from gainful.page.shown import INTERNAL_NAMES

ROOT = Path(__file__).parent.parent
MODULES = (
    *("sessions", "figures", "vectors", "formulas", "stats", "datasets", "testing", "errors"),
    *("pytrec_eval", "ir_measures", "spark"),
)
GUIDES = {  # the page that says when to use it and how to read what comes back
    "evaluate": "evaluate.md",
    "compare": "compare.md",
    "plan": "compare.md",
    "gate": "gate.md",
    "why": "why.md",
    "which": "conventions.md",
    "explain": "cumulated-gain.md",
    "unjudged": "unjudged.md",
    "order": "choosing.md",
    "compare_judges": "judges.md",
    "reproduce": "compare.md",
    "report": "report.md",
    "explore": "explore.md",
    "register": "own-measures.md",
    "parse": "measures.md",
    "like": "conventions.md",
    "gainful.sessions": "sessions.md",
    "gainful.figures": "figures.md",
    "gainful.testing": "gate.md",
    "gainful.spark": "frames.md",
    "gainful.pytrec_eval": "coming-from.md",
    "gainful.ir_measures": "coming-from.md",
}
INTRODUCTION = """\
Every public name has a page with its signature, its parameters and examples. The names of the first part
are in `gainful` itself and are loaded when first used; each module below has its own. What is not listed
is not public and may change. Pass options by name; settings are the fields of
[`Convention`](which-ndcg.md#the-settings)."""
WIDTH = 96
PLAIN_TYPES = {*dir(builtins), "Any", "Callable", "Iterable", "Mapping", "Path", "Sequence", "None"}


def reference_page() -> str:
    """The list of all names: those of `gainful` by what they are, then its modules."""
    parts = ["# API reference", INTRODUCTION]
    for title, names in _group_names().items():
        parts += [f"## {title}", *_list_names(gainful, names)]
    for module in _list_modules():
        parts += [f"## {module.__name__}", docstring_to_markdown(inspect.getdoc(module) or "")]
        parts += [_guide_line(module.__name__), *_list_names(module, module.__all__)]
    return "\n\n".join(part for part in parts if part) + "\n"


def name_pages() -> dict[str, str]:
    """The pages of functions and classes, by their path in `docs`."""
    modules = [gainful, *_list_modules()]
    return {
        _page_of(module, name): _describe_name(module, name)
        for module in modules
        for name in module.__all__
        if is_documented(getattr(module, name))
    }


def _list_modules() -> list[ModuleType]:
    return [import_module(f"gainful.{name}") for name in MODULES]


def _page_of(module: ModuleType, name: str) -> str:
    """A path that no other name has, even where files do not differ by case (`Evaluator`, `evaluator`)."""
    is_double = name.islower() and name.capitalize() in module.__all__
    return f"api/{_short_path(module, name)}{'-function' if is_double else ''}.md"


def _group_names() -> dict[str, list[str]]:
    """The names of `gainful` under the headings that stand over them in its stub."""
    text = (ROOT / "src" / "gainful" / "__init__.pyi").read_text(encoding="utf-8")
    lines = text.splitlines()
    groups: dict[str, list[str]] = {}
    for node in ast.parse(text).body:
        if not isinstance(node, ast.ImportFrom):
            continue
        above = (line[2:] for line in reversed(lines[: node.lineno - 1]) if line.startswith("# "))
        title = next(line for line in above if not line.startswith("isort")).rstrip(".")
        names = [alias.asname or alias.name for alias in node.names]
        groups.setdefault(title, []).extend(name for name in names if name in gainful.__all__)
    return {title: names for title, names in groups.items() if names}


def _list_names(module: ModuleType, names: list[str]) -> Iterator[str]:
    """Functions and classes with what they answer, constants by what they are."""
    values = {name: getattr(module, name) for name in names}
    constants = {name: value for name, value in values.items() if not is_documented(value)}
    yield "\n".join(
        f"- [`{_short_path(module, name)}`]({_page_of(module, name)}): {_summarise(value)}"
        for name, value in values.items()
        if name not in constants
    )
    yield "\n".join(_list_constants(constants))


def _summarise(value: Any) -> str:
    """The first sentence of a docstring; a figure has that of its data."""
    text = first_paragraph(inspect.getdoc(_find_documented(value)) or "")
    return re.split(r"(?<=[.?!]) (?=[A-Z`])", text, maxsplit=1)[0]


def _describe_name(module: ModuleType, name: str) -> str:
    """The page of one name."""
    value, path = getattr(module, name), f"{module.__name__}.{name}"
    is_class = inspect.isclass(value)
    text = describe_class(value) if is_class else describe_function(value, path)
    guide = _guide_line(name) if module is gainful else _guide_line(module.__name__)
    back = "[All names](../api.md)"
    parts = [f"# {path}", *map(_link_names, [*text, guide]), back]
    return "\n\n".join(part for part in parts if part) + "\n"


def _link_names(text: str) -> str:
    """Prose in which a class, and a name of a module, leads to its page; a guide to the folder above."""
    prose = re.split(r"(^```.*?^```)", text, flags=re.MULTILINE | re.DOTALL)
    above = [part.replace("](", "](../") for part in prose[::2]]
    prose[::2] = [
        re.sub(r"(?<!\[)`(?:gainful\.)?((?:\w+\.)?[A-Za-z]\w+)`", _link_name, part)
        for part in above
    ]
    return "".join(prose)


def _link_name(code: re.Match[str]) -> str:
    module, _, name = code[1].rpartition(".")
    if module not in ("", *MODULES) or not (module or name[0].isupper()):
        return code[0]
    owner = import_module(f"gainful.{module}".rstrip("."))
    is_page = name in owner.__all__ and is_documented(getattr(owner, name))
    return f"[{code[0]}]({_page_of(owner, name).removeprefix('api/')})" if is_page else code[0]


def _short_path(module: ModuleType, name: str) -> str:
    """A name as it is said: `evaluate`, `sessions.evaluate`."""
    return f"{module.__name__}.{name}".removeprefix("gainful.")


def is_documented(value: object) -> bool:
    """Is it documented by itself? A `Measure` can be called, but is a value."""
    return callable(value) and not isinstance(value, gainful.Measure)


def _list_constants(constants: Mapping[str, Any]) -> Iterator[str]:
    """Tables by what is in them, other values by what they all are."""
    by_kind: dict[type, list[str]] = {}
    for name, value in constants.items():
        if isinstance(value, Collection) and not isinstance(value, str):
            some = ", ".join(f"`{key}`" for key in sorted(value)[:4])
            yield f"- `{name}`: a table of {len(value)}, such as {some}"
        else:
            by_kind.setdefault(type(value), []).append(name)
    for kind, names in by_kind.items():
        listed = ", ".join(f"`{name}`" for name in names)
        yield f"- {listed}: {first_paragraph(inspect.getdoc(kind) or '')}"


def _guide_line(name: str) -> str:
    if name not in GUIDES:
        return ""
    title = (ROOT / "docs" / GUIDES[name]).read_text(encoding="utf-8").partition("# ")[2]
    return f"More: [{title.splitlines()[0]}]({GUIDES[name]})."


def describe_function(value: Callable[..., Any], path: str) -> Iterator[str]:
    """Signature and docstring."""
    own = _find_documented(value)
    yield f"```py\n{format_call(path, inspect.signature(own))}\n```"
    yield docstring_to_markdown(inspect.getdoc(own) or "")


def _find_documented(value: Any) -> Any:
    """What has the signature and the docstring: a figure has those of its data."""
    if isinstance(value, partial):
        return FIGURES[value.args[0]].data
    # options that many functions share are described once, apart
    return inspect.unwrap(value) if hasattr(value, "typed_options") else value


def describe_class(value: type) -> Iterator[str]:
    """What it is, its attributes and its methods."""
    yield docstring_to_markdown(inspect.getdoc(value) or "")
    if is_typeddict(value):
        return
    comments = field_comments(value)
    attributes, methods = [], []
    for name, member in public_members(value):
        text = first_paragraph(inspect.getdoc(member) or "") if member is not None else ""
        if isinstance(member, (property, cached_property)):
            attributes.append(f"- `{name}`: {text}")
        elif member is None:
            attributes.append(f"- `{name}`" + (f": {comments[name]}" if comments.get(name) else ""))
        else:
            methods.append(f"- `{format_method(name, member)}`: {text}")
    if attributes and not issubclass(value, Exception):
        yield "Attributes:\n\n" + "\n".join(attributes)
    if methods and not issubclass(value, Exception):
        yield "Methods:\n\n" + "\n".join(methods)


def public_members(value: type) -> list[tuple[str, Any]]:
    """Fields (with None), properties and methods that people may use; those of its bases come last."""
    members: dict[str, Any] = {}
    for base in value.__mro__:
        if base.__module__.startswith("gainful"):
            members |= {
                name: member for name, member in _own_members(base).items() if name not in members
            }
    public = {
        name: member
        for name, member in members.items()
        if name[0].islower() and (not _is_computed(member) or member.__doc__)  # else it is refused
    }
    return [(name, member) for name, member in public.items() if name not in INTERNAL_NAMES]


def _own_members(base: type) -> dict[str, Any]:
    """What one class adds."""
    fields = inspect.get_annotations(base)
    return dict.fromkeys(fields) | {
        name: member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        for name, member in vars(base).items()
        if name not in fields and (inspect.isroutine(member) or _is_computed(member))
    }


def _is_computed(member: object) -> bool:
    return isinstance(member, (property, cached_property))


def field_comments(value: type) -> dict[str, str]:
    """What the comment behind each field of a class says, or nothing."""
    comments: dict[str, str] = {}
    for base in reversed(value.__mro__):
        if not base.__module__.startswith("gainful"):
            continue
        lines = inspect.getsource(base).splitlines()
        for name in inspect.get_annotations(base):
            line = next((line for line in lines if re.match(rf"\s+{name}:", line)), "")
            comments[name] = line.partition("  # ")[2]
    settings: Mapping[str, Setting] = getattr(value, "TABLE", {})
    return comments | {name: setting.question for name, setting in settings.items()}


def format_method(name: str, method: Callable[..., Any]) -> str:
    """A method as it is called: its parameters without the object itself."""
    parameters = [
        parameter
        for parameter in inspect.signature(method).parameters.values()
        if parameter.name not in {"self", "cls"}
    ]
    bare = [_strip_parameter(parameter) for parameter in parameters]
    signature = inspect.Signature(bare)
    return f".{name}{signature}"


def _strip_parameter(parameter: inspect.Parameter) -> inspect.Parameter:
    return parameter.replace(annotation=inspect.Parameter.empty)


def format_call(path: str, signature: inspect.Signature) -> str:
    """A signature with the types that a reader knows, on one line or a line for each parameter."""
    parameters = [
        parameter if _is_plain(parameter.annotation) else _strip_parameter(parameter)
        for parameter in signature.parameters.values()
    ]
    returned = signature.return_annotation
    known = returned if _is_plain(returned) else inspect.Signature.empty
    # annotations are texts; a signature would quote them
    shown = [_format_parameter(parameter) for parameter in parameters]
    shown = _with_marks(parameters, shown)
    arrow = "" if known is inspect.Signature.empty else f" -> {known}"
    line = f"{path}({', '.join(shown)}){arrow}"
    if len(line) <= WIDTH:
        return line
    return f"{path}(\n" + "".join(f"    {part},\n" for part in shown) + f"){arrow}"


def _with_marks(parameters: list[inspect.Parameter], shown: list[str]) -> list[str]:
    """A star before the first parameter that can only be named, a slash behind the last that cannot."""
    kinds = [parameter.kind for parameter in parameters]
    named = inspect.Parameter.KEYWORD_ONLY
    if named in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        shown = [*shown[: kinds.index(named)], "*", *shown[kinds.index(named) :]]
    last = kinds.count(inspect.Parameter.POSITIONAL_ONLY)
    return [*shown[:last], "/", *shown[last:]] if last else shown


def _format_parameter(parameter: inspect.Parameter) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    text = stars.get(parameter.kind, "") + parameter.name
    typed = parameter.annotation is not inspect.Parameter.empty
    text += f": {parameter.annotation}" if typed else ""
    if parameter.default is inspect.Parameter.empty:
        return text
    default = re.sub(r"^'([^'\"]*)'$", r'"\1"', repr(parameter.default))  # as the source has it
    return f"{text} = {default}" if typed else f"{text}={default}"


def _is_plain(annotation: object) -> bool:
    """Does it name only built-in types and public ones?"""
    words = re.findall(r"[A-Za-z_]\w*", re.sub(r'"[^"]*"', "", str(annotation)))
    return all(word in PLAIN_TYPES or word in gainful.__all__ for word in words)


def first_paragraph(text: str) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join(text.split("\n\n", maxsplit=1)[0].split())


def docstring_to_markdown(text: str) -> str:
    """A docstring whose sections are lists, and whose examples are a block of code."""
    parts = re.split(r"^(Args|Returns|Raises|Yields|Examples):\n", text, flags=re.MULTILINE)
    made = [parts[0].strip()]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        content = textwrap.dedent(body).strip("\n")
        if title == "Examples":
            made.append(f"```pycon\n{content.replace('<BLANKLINE>', '')}\n```")
        elif title in {"Args", "Raises"}:
            rows = re.split(r"\n(?=\S)", content)
            heading = "Parameters" if title == "Args" else title
            made.append(f"{heading}:\n\n" + "\n".join(map(_format_entry, rows)))
        else:
            made.append(f"{title}: {' '.join(content.split())}")
    return "\n\n".join(part for part in made if part)


def _format_entry(row: str) -> str:
    name, _, meaning = row.partition(":")
    return f"- `{name}`: {' '.join(meaning.split())}"
