"""Why do two tools disagree on the same data?"""
