"""Figures: the paper's four of sessions, those of single rankings, and who wins for whom.

Each is one entry of `catalogue.FIGURES`: the question it answers, the tidy data behind it, and the
chart that is made of these, a Vega-Lite specification as plain data.
"""
