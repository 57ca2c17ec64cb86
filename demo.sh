#!/bin/sh
# The sixty-second tour: two runs on four queries, one ranking of six documents, 120 sessions.
set -eu
gainful=$1
show() { printf '\n\033[1m$ gainful %s\033[0m\n\n' "$*"; "$gainful" "$@"; }

echo "Two systems answered four queries, and people graded the answers. Which is better?"
show eval examples/qrels.txt examples/bm25.txt examples/dense.txt -m nDCG@3 -m AP -m RR --format table
echo
echo "What was counted there? Is anything wrong with the files?"
show check examples/qrels.txt examples/dense.txt
echo
echo "Three more answered forty queries. Is one really better than another?"
show compare examples/news/qrels.txt examples/news/bm25.txt examples/news/dense.txt examples/news/hybrid.txt -m nDCG@10 --format table
echo
echo "Six documents came back, graded 3 2 3 0 1 2. How does that ranking come by its nDCG?"
show explain 3 2 3 0 1 2
echo
echo "Somebody reports 0.932 for the same ranking. Whose nDCG is that?"
show which 0.932 3 2 3 0 1 2
echo
echo "And why do two tools disagree on the same files?"
show why examples/qrels.txt examples/dense.txt -m nDCG@3 --like trec_eval --unlike sklearn --cause ideal

mkdir -p demo
"${gainful%gainful}python" -c 'import gainful; print(); print(gainful.simulate_study(2008)); gainful.simulate_study(2008).write("demo")'
echo "Simulated doctors searched with two systems, several queries each. How much did their sessions bring?"
show sessions demo/sessions.csv --judgments demo/qrels.txt -m 'sDCG(b=2,bq=4)@10' -m 'nsDCG(b=2,bq=4)@10' --by system --format table
echo
echo "Which doctors does which system suit?"
show sweep demo/sessions.csv --judgments demo/qrels.txt
"$gainful" eval examples/qrels.txt examples/bm25.txt examples/dense.txt -m nDCG@3 -m AP --per-query -o demo/values.csv 2>/dev/null
"$gainful" eval examples/qrels.txt examples/bm25.txt examples/dense.txt -m nDCG@3 -m AP -o demo/values.json
"$gainful" explain 3 2 3 0 1 2 --like wikipedia --format markdown >demo/worked.md
"$gainful" explain 3 2 3 0 1 2 --like wikipedia --format latex >demo/worked.tex
echo
echo "Done: two runs compared, one ranking worked out, one number traced to its tools. demo/ holds the values"
echo "of each query as CSV and JSON, the worked table as Markdown and LaTeX, and the simulated sessions."
echo "Try next: $gainful eval YOUR-QRELS YOUR-RUN -m nDCG@10    or    $gainful --help"
