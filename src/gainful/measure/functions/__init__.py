"""Functions of measures: a ranking goes in, one value per query comes out."""
