"""Whole sessions: what was shown goes in, one value per session comes out."""
