"""The front door: words on a command line become calls. One file per command."""

from gainful.cli.main import main

__all__ = ["main"]
