"""Fuzzers: inputs made to break gainful, and what counts as broken."""
