"""`ir_measures.measures.accuracy`: Accuracy, where code written for ir_measures looks for it."""

from __future__ import annotations

from gainful.ir_measures.evaluator import parse_measure

Accuracy = parse_measure("Accuracy")
