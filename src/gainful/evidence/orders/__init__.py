"""Do measures agree on which run is better, and which of them separates runs best?"""
