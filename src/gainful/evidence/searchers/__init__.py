"""What searchers do, measured in logs: how far they read, how often they ask again."""
