"""Is a run good enough to ship? Rules, a baseline file, and a verdict."""
