"""sRBP: rank-biased precision of a searcher who may also ask anew (Lipani et al. 2019)."""

from __future__ import annotations

from gainful.match.sessions import MatchedSessions
from gainful.measure.functions.sessions.gains import select_results, sum_by_index
from gainful.measure.recipe import SessionRecipe
from gainful.types import Array


def srbp(sessions: MatchedSessions, recipe: SessionRecipe) -> Array:
    """What is the gain per document of a searcher who stays in the list or asks the next query?

    After each document the searcher goes on with probability p; then stays in the list with
    probability `balance`, or else asks the next query. The weights are those of the authors' own
    notebook (github.com/aldolipani/sRBP); they sum to 1.
    """
    p, balance = float(recipe.setting("p")), float(recipe.setting("balance"))
    judged, counts, gain, _ = select_results(sessions, recipe)
    stays = balance * p
    next_query = (p - stays) / (1 - stays)
    query, rank = judged.query[counts], judged.rank[counts]
    weight = next_query ** (sessions.position[query] - 1.0) * stays ** (rank - 1.0)
    return (1 - p) * sum_by_index(sessions.session[query], gain[counts] * weight, sessions.size)
