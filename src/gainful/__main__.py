"""`python -m gainful`: the same as the command."""

from gainful.cli.start import main

main()
