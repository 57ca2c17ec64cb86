"""Tests, intervals and corrections over plain arrays; nothing here knows what a run is."""
