"""How often do tests err, and do intervals hold what they promise? Measured, by simulation.

`python -m tools.error_rates` draws samples in which nothing is to be found, or of which the truth
is known, and counts what gainful's own functions say of them. Each file here is one table.
"""
