"""With which level, how many resamples and which seed statistics begin, unless told otherwise."""

ALPHA, RESAMPLES, SEED = 0.05, 10_000, 2008
