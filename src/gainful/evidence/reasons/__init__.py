"""Why do two tools disagree on the same data, and what moved between two runs?"""
