"""`python -m gainful`: the same as the command."""

from gainful.cli import main

main()
