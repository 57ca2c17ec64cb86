"""Is one run, or one system, really better than another?"""
