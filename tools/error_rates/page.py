"""What was measured, as a page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gainful.page.formats.markdown import table_to_markdown
from gainful.page.table import Table

DATA = Path(__file__).parents[2] / "docs" / "error-rates.json"
Record = Mapping[str, Any]
_MOST_RUNS = 5  # whose intervals were looked at
_TEXT = """\
# Error rates, measured

Do tests keep their error rates, and do intervals have their nominal coverage? The simulations on this page answer these questions.
`make error-rates` draws samples, applies gainful's own functions to them (for max-t a vectorised version, which a test compares with
the function), and writes this page (`TRIALS=500` for a quick run). {run} All numbers are percentages, for tests at the 5 % level and for 95 % intervals. A rate of 5 % estimated from {trials} trials has a sampling error of {noise}.

*exchangeable*: under the null hypothesis, each difference could equally have had the opposite sign. *mean zero*: the differences have the skewness, zeros and
ties of real differences and a mean of exactly 0 (weights by exponential tilting). Real differences are those of two runs of CAsT 2021 over 158 turns: 46 % of
the differences in RR are zero, 27 % of those in P@5, and those in AP have a skewness of -0.5. *made*: simulated, exponentially distributed differences with a skewness of 2. *60 % zeros*:
two nearly identical runs; 60 % of the queries do not differ, and the differences of the others are normally distributed.

## Two runs

How often each test finds a significant difference if there is none:

{pairs_exchangeable}

The same with a mean of zero and the skewness of real differences. The Wilcoxon and sign tests do not test the mean, so they reject more often:

{pairs_zero}

How often the interval contains the true mean difference (mean zero, as above). For the Wilcoxon and sign tests it is the t interval:

{pairs_held}

The randomisation and t tests keep their level for differences of real runs. With few queries and discrete measures, the randomisation test rejects too rarely. With few queries and high
skewness, both reject too often. The percentile and BCa bootstrap tests reject too often with up to a few hundred queries; what matters is the number of queries that differ.

## Intervals of means

`gainful eval --interval 95` uses Student's t for fewer than 25 queries, and BCa for 25 or more. How often the interval contains the mean of all 158 queries:

{means}

## Margins

Builds that are worse by exactly the margin (0.02) should pass in at most 5 % of cases. 30 % of their queries change: by normally distributed amounts, by ±0.2 and ±0.5 (discrete), or by many small
gains and few large losses (exponential). The table shows how often such a build passes `gate --no-worse-than` with the randomisation test and with the t test, how often TOST
(`compare --equivalent`) finds it equivalent, and how often a note about skewed changes appears (*noted*):

{margins}

No rule about means can detect rare, large losses in a sample that contains few of them; `--per-query` counts them.
Where TOST has 0.0, the changes vary too much to show equivalence with this number of queries.

## Many runs

How often a test finds a significant difference between *any* pair of runs if there is none: the family-wise error rate. With *unequal* spreads, half of the runs are close to the first run, and the others
are five times as far from it. **max-t** is the default. The limits for its rate are 6 % if runs are exchangeable, and 8 % with 50 or more queries if differences are as skewed as
real ones. No test of means keeps its level with few queries and high skewness, as the next table shows.

{families}

Differences with a skewness of 2, by max-t:

{families_made}

Tukey's test does not keep its level if runs differ in spread. How often all simultaneous intervals of max-t contain their differences:

{families_held}

## Clusters

Conversations with 3, 6 and 9 turns (in the last rows: 1 to 12), by intra-class correlation. The table shows rejections if turns are treated as independent (*by turn*) and with `--cluster` (*by conversation*),
and how often the interval contains the true difference (*held*). The t test rejects too often with few conversations of unequal length.

{clusters}

## Studies

Two systems and 24 searchers in four designs, each with symmetric errors, and with skewed errors and searchers who differ in spread. *rejected*: rejections if the systems are
equal. *held*: how often the interval contains a true difference of 0.7.

{designs}

Cyclic Latin squares of more systems, analysed by the linear model with permuted residuals and max-T: how often any pair differs significantly if all systems are equal, and how often all
intervals contain the true differences.

{squares}

The power of this test for a true difference of 0.6 error standard deviations between two of four systems, if another system is better by 3. The linear model with Tukey's HSD finds 18 and 41 %.
The step-down procedure finds more, because it rejects the pairs of the clearly better system first and removes them from the family:

{power}

## Plans

The percentage of pilots for which the *needed* and the *cautious* number of queries of `gainful plan` reach the required power (the target of *cautious* is 80):

{plans}

## Groups of queries

`gainful compare --group`: how often any of eight groups shows a significant difference if there is none, with all groups in one family (step-down max-T), and how often the test of
dependence on the group rejects if the difference is the same in all groups. Differences have heavy tails and, in the first of these columns, spreads from 0.5 to 2.

{groups}

## Judges

`gainful judges`: how often the intervals of weighted kappa, Krippendorff's alpha and bias contain the values over all queries. Two simulated judges, one of them lenient,
grade 12 documents per query; queries differ in difficulty.

{judges}
"""


def error_rates_page() -> str:
    """The page with its tables."""
    records = load_records()
    by_table = {name: [r for r in records if r["table"] == name] for name in _list_names(records)}
    pairs, families = by_table["pairs"], by_table["families"]
    usual = [record for record in families if "made" not in record["labels"]["null"]]
    zero = _select(pairs, null="mean zero")
    trials = max(record["trials"] for record in records)
    return _TEXT.format(
        run=_describe_run(records),
        trials=f"{trials:,}",
        noise=f"at most {100 * 2 * (0.05 * 0.95 / trials) ** 0.5:.1f} percentage points in 19 of 20 cells",
        pairs_exchangeable=_pivot(_select(pairs, null="exchangeable"), "test", "rejected"),
        pairs_zero=_pivot(zero, "test", "rejected"),
        pairs_held=_pivot(zero, "test", "held"),
        means=_pivot(by_table["means"], "queries", "held"),
        margins=_list_rates(by_table["margins"]),
        families=_pivot(usual, "test", "rejected"),
        families_made=_pivot(_select(families, null="made, more skewed"), "queries", "rejected"),
        families_held=_pivot(
            [r for r in _select(usual, test="max-t") if r["labels"]["runs"] <= _MOST_RUNS],
            "queries",
            "held",
        ),
        clusters=_list_rates(by_table["clusters"]),
        designs=_list_rates(by_table["designs"]),
        squares=_list_rates(by_table["squares"]),
        power=_list_rates(by_table["power"]),
        plans=_list_rates(by_table["plans"]),
        groups=_list_rates(by_table["groups"]),
        judges=_list_rates(by_table["judges"]),
    )


def load_records() -> list[Record]:
    """What was measured last."""
    cells: list[Record] = json.loads(DATA.read_text(encoding="utf-8"))["cells"]
    return cells


def _list_names(records: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(record["table"] for record in records))


def _describe_run(records: Sequence[Record]) -> str:
    """When, with which seed and how many trials, and what was not run."""
    runs = dict.fromkeys(
        (record["date"], record["seed"], record["trials"])
        for record in records
        if record["rates"] is not None
    )
    parts = [
        f"on {date} with seed {seed} and {trials:,} trials per cell" for date, seed, trials in runs
    ]
    missing = sum(record["rates"] is None for record in records)
    rest = f" {missing} cells were not run, because their input was missing." if missing else ""
    return f"Run {', and '.join(parts)}.{rest}"


def _select(records: Sequence[Record], **labels: str) -> list[Record]:
    """Those with these labels, which are said above the table then."""
    return [
        {**record, "labels": {k: v for k, v in record["labels"].items() if k not in labels}}
        for record in records
        if all(record["labels"][name] == value for name, value in labels.items())
    ]


def _pivot(records: Sequence[Record], column: str, rate: str) -> str:
    """One rate; a column for each value of a label, a row for all others."""
    heads = list(dict.fromkeys(str(record["labels"][column]) for record in records))
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    for record in records:
        key = tuple(str(value) for name, value in record["labels"].items() if name != column)
        rows.setdefault(key, {})[str(record["labels"][column])] = _format_rate(record, rate)
    labels = [name for name in records[0]["labels"] if name != column]
    titles = [f"{head} {column}" if head.isdigit() else head for head in heads]
    cells = [(*key, *(row.get(head, "–") for head in heads)) for key, row in rows.items()]
    return table_to_markdown(
        Table((*labels, *titles), cells, numeric=True, label_columns=len(labels))
    )


def _list_rates(records: Sequence[Record]) -> str:
    """All rates, a row for each cell."""
    rates = next(list(r["rates"]) for r in records if r["rates"] is not None)
    labels = list(records[0]["labels"])
    cells = [
        (*map(str, record["labels"].values()), *(_format_rate(record, rate) for rate in rates))
        for record in records
    ]
    return table_to_markdown(
        Table((*labels, *rates), cells, numeric=True, label_columns=len(labels))
    )


def _format_rate(record: Record, rate: str) -> str:
    """Per cent; what passes its limit is marked."""
    if record["rates"] is None:
        return "not run"
    value = record["rates"][rate]
    text = f"{100 * value:.1f}"
    return f"{text} (!)" if value > record["limits"].get(rate, 1.0) else text
