#!/bin/sh
# A short tour: runs on four queries and on forty, one ranking of six documents, 120 sessions.
set -eu
gainful=$1
bold='' plain=''
if [ -t 1 ]; then bold='\033[1m' plain='\033[0m'; fi
show() {
  words=''
  for word; do case $word in *[!A-Za-z0-9_./@=-]*) words="$words '$word'" ;; *) words="$words $word" ;; esac; done
  printf '\n%b$ gainful%s%b\n\n' "$bold" "$words" "$plain"
  "$gainful" "$@"
}

echo "Two systems answered four queries, and people graded the answers. Which is better?"
show eval examples/qrels.txt examples/bm25.txt examples/dense.txt -m nDCG@3 -m RR --format table

echo
echo "Three systems answered forty queries. Is one really better than another?"
show compare examples/news/qrels.txt examples/news/bm25.txt examples/news/dense.txt examples/news/hybrid.txt -m nDCG@10 --format table

echo
echo "Six documents came back, graded 3 2 3 0 1 2. How does that ranking come by its nDCG?"
show explain 3 2 3 0 1 2

echo
echo "Somebody reports 0.932 for the same ranking. Whose nDCG is that?"
show which 0.932 3 2 3 0 1 2

mkdir -p demo
"${gainful%gainful}python" -c 'import gainful; gainful.sessions.simulate_study(2008).write("demo")'
study="demo/sessions.csv --qrels demo/qrels.txt"
# shellcheck disable=SC2086  (two words are meant)
{
  echo
  echo "Thirty simulated doctors searched with two systems, several queries each. Which served them better?"
  show compare --sessions $study -m 'nsDCG(b=2,bq=4)@10' --format table
  echo
  echo "All of them, or only those who stop reading a list soon (small b), or reformulate gladly (large bq)?"
  show sweep $study
}

echo
echo "People would rather look than read. Drawing the figures of the 2008 paper, a live page and a report …"
draw() {
  "$gainful" "$@" 2>demo/log || { cat demo/log >&2; exit 1; }
}
simulated='A simulated study'
# shellcheck disable=SC2086
{
  draw figure last $study --by system --title "$simulated: last queries against those before" -o demo/figure-1-last.svg
  draw figure sessions $study --by system --interval 95 --title "$simulated: whole sessions" -o demo/figure-2-sessions.svg
  draw figure scenario $study --by system --where scenario=D --title "$simulated: scenario D" -o demo/figure-3-scenario.svg
  draw figure individual $study --where scenario=D --where system=1 --title "$simulated: single sessions" -o demo/figure-4-individual.svg
  draw explore $study --by system --title "$simulated" -o demo/explore.html
}
draw report examples/news/qrels.txt examples/news/bm25.txt examples/news/dense.txt examples/news/hybrid.txt \
  -m nDCG@10 -m AP -o demo/report.html
rm demo/log
here="file://$(pwd | sed 's/ /%20/g')/demo"
cat <<END

Done. Open in a browser:
  $here/explore.html
      change the searcher: b, bq, depth, weights of grades
  $here/report.html
      three runs compared, with the details of every query
  $here/figure-1-last.svg
  $here/figure-2-sessions.svg
  $here/figure-3-scenario.svg
  $here/figure-4-individual.svg
      the four figures of the paper

Try next: $gainful eval YOUR-QRELS YOUR-RUN -m nDCG@10    or    $gainful --help
END
