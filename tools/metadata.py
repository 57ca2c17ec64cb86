"""What a package index is told beside `pyproject.toml`: the README with addresses, and the links.

Hatchling runs this when it builds. All of it comes from one field, `repository` of
`[tool.hatch.metadata.hooks.custom]`: while that is empty, nothing is linked and pictures, which
an index could not find, are left out.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"^!\[[^\]]*\]\((?!https?:)([^)]+)\)\n?", re.MULTILINE)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)]+)\)")


def link_readme(text: str, repository: str) -> str:
    """The README as it can stand anywhere: every address whole, or no link at all.

    Examples:
        >>> link_readme("See [docs](docs/a.md).", "https://example.org/gainful")
        'See [docs](https://example.org/gainful/blob/main/docs/a.md).'
        >>> link_readme("See [docs](docs/a.md).", "")
        'See docs.'
    """
    if not repository:
        return _LINK.sub(r"\2", _PICTURE.sub("", text))

    def complete(link: re.Match[str]) -> str:
        kind = "raw" if link[1] else "blob"
        return f"{link[1]}[{link[2]}]({repository}/{kind}/main/{link[3]})"

    return _LINK.sub(complete, text)


class CustomMetadataHook(MetadataHookInterface):
    """Fills in the README and, once there is an address, the links of the project."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Called by hatchling with the metadata of `pyproject.toml`."""
        repository = str(self.config.get("repository", "")).rstrip("/")
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": link_readme(text, repository),
        }
        if repository:
            metadata["urls"] = {
                "Repository": repository,
                "Issues": f"{repository}/issues",
                "Changelog": f"{repository}/blob/main/CHANGELOG.md",
            }
        else:
            metadata["urls"] = {}
