"""Models of scores: what systems, queries and searchers contribute, estimated together."""
