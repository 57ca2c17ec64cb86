"""Room `read`: what the user has goes in, checked values come out."""

from gainful.read.ranking_matrix import Numbers, RankingMatrix, read_ranking, read_rankings

__all__ = ["Numbers", "RankingMatrix", "read_ranking", "read_rankings"]
