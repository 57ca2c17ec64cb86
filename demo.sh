#!/bin/sh
# The sixty-second tour: two runs on four queries, one ranking of six documents, 120 sessions.
set -eu
gainful=$1
show() {
  words=''
  for word; do case $word in *[!A-Za-z0-9_./@=-]*) words="$words '$word'" ;; *) words="$words $word" ;; esac; done
  printf '\n\033[1m$ gainful%s\033[0m\n\n' "$words"
  "$gainful" "$@"
}

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
"${gainful%gainful}python" -c 'import gainful; print(); print(gainful.sessions.simulate_study(2008)); gainful.sessions.simulate_study(2008).write("demo")'
echo "Simulated doctors searched with two systems, several queries each. How much did their sessions bring?"
show sessions demo/sessions.csv --qrels demo/qrels.txt -m 'sDCG(b=2,bq=4)@10' -m 'nsDCG(b=2,bq=4)@10' --by system --format table
echo
echo "Which doctors does which system suit?"
show sweep demo/sessions.csv --qrels demo/qrels.txt
echo
echo "People would rather look than read. Drawing the figures of the 2008 paper, a live page and a report …"
study="demo/sessions.csv --qrels demo/qrels.txt"
simulated='A simulated study'
# shellcheck disable=SC2086  (two words are meant)
{
  "$gainful" figure last $study --by system --title "$simulated: last queries against those before" -o demo/figure-1-last.svg
  "$gainful" figure sessions $study --by system --interval 95 --title "$simulated: whole sessions" -o demo/figure-2-sessions.svg
  "$gainful" figure scenario $study --by system --where scenario=D --title "$simulated: scenario D" -o demo/figure-3-scenario.svg
  "$gainful" figure individual $study --where scenario=D --where system=1 --title "$simulated: single sessions" -o demo/figure-4-individual.svg
  "$gainful" explore $study --by system --title "$simulated" -o demo/explore.html
}
"$gainful" report examples/news/qrels.txt examples/news/bm25.txt examples/news/dense.txt examples/news/hybrid.txt \
  -m nDCG@10 -m AP -o demo/report.html
"$gainful" eval examples/qrels.txt examples/bm25.txt examples/dense.txt -m nDCG@3 -m AP --per-query -o demo/values.csv 2>/dev/null
"$gainful" explain 3 2 3 0 1 2 --like wikipedia --format latex >demo/worked.tex
cat <<END

Done. Open in a browser, from disk:
  demo/explore.html             move the searcher: b, bq, how deep they look, what a grade is worth
  demo/report.html              three runs compared, every query to look into
  demo/figure-1-last.svg … demo/figure-4-individual.svg   the four figures of the paper
demo/ also holds the values of each query as CSV, a worked table for LaTeX, and the simulated sessions.
Try next: $gainful eval YOUR-QRELS YOUR-RUN -m nDCG@10    or    $gainful --help
END
