#!/bin/sh
# The sixty-second tour, on one ranking of six documents graded 0 to 3.
set -eu
gainful=$1
show() { printf '\n\033[1m$ gainful %s\033[0m\n\n' "$*"; "$gainful" "$@"; }

echo "Six documents came back, graded 3 2 3 0 1 2. How good is that ranking?"
show explain 3 2 3 0 1 2
echo
echo "Somebody reports 0.932 for the same ranking. Whose nDCG is that?"
show which 0.932 3 2 3 0 1 2
echo
echo "And why do two tools disagree?"
show conventions sklearn --diff quepid

mkdir -p demo
"$gainful" explain 3 2 3 0 1 2 --like wikipedia --format markdown >demo/worked.md
"$gainful" explain 3 2 3 0 1 2 --like wikipedia --format latex >demo/worked.tex
"$gainful" explain 3 2 3 0 1 2 --like wikipedia --format json >demo/worked.json
echo
echo "Done: one ranking worked out, one number traced to its tools, two tools compared; demo/ holds the"
echo "worked table as Markdown, LaTeX and JSON."
echo "Try next: $gainful explain 1 0 2 --gain exp -k 2    or    $gainful --help"
