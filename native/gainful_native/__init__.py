"""Where the native engine of gainful lies; `gainful.match.native` calls it."""

from pathlib import Path

__version__ = "0.1.0"
LIBRARY = Path(__file__).with_name("match.so")
