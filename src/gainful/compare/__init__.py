"""Room `compare`: values go in, evidence comes out. Tests, intervals and gates will live here."""
