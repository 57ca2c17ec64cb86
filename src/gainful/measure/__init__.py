"""Room `measure`: ranked gains go in, one value per query comes out."""
