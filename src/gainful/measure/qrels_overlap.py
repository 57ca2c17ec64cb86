"""Is anything judged of what was retrieved?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gainful.errors import BadInput
from gainful.measure.results import Results


def require_qrels_overlap(results: Sequence[Results]) -> None:
    """Refuse runs of which nothing is judged: zeros would only look like an answer."""
    if any(np.ma.asarray(values).any() for result in results for values in result.values.values()):
        return
    if all(result.counts["unjudged_at_10"] == 1 for result in results):
        problem = "none of the top 10 documents of any query is judged"
        names = ", ".join(result.name for result in results)
        raise BadInput(names, problem, "judgments of what was retrieved")
