"""Functions of measures: a `RankedRun` goes in, one value per query comes out."""
