"""What people type who know other tools, and what it is called here: the one table of hints.

What is misspelt is met by spelling alone only within two letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

_MAX_CHANGES = 2  # letters
_SHORTEST = 3  # letters of a name that another one begins with
_SHORT = 4  # letters of a name in which one may be wrong


def _read_table(text: str) -> dict[str, str]:
    """What people type, and what to say: a line has words, an equals sign, and the answer."""
    rows = [line.split(" = ", 1) for line in text.strip().splitlines()]
    return {word: answer for words, answer in rows for word in words.split()}


# Arguments, options and settings.
ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    word: tuple(names.split())
    for word, names in _read_table("""
metric metrics measurement measure measures = measures measure
judgments judgements judgment qrel ground_truth = qrels judged
truth gold labels references y_true = qrels grades
relevance relevances = grades qrels
predictions preds y_score y_pred system ranking results rankings retrieved hits = run runs scores
run runs = run runs
top_k topk at at_k cut depth top ks cutoffs k cutoff = k cutoff
groups group_sizes group_by groupby category segment slice split_by = group by
group_id query_id query_ids qids = qid
convention tool as_in provider backend = like
min minimum fail_under thresholds minimums = floor floors
threshold = floor floors rel
max maximum = ceiling ceilings max_grade
tolerance max_regression = max_drop
rope tost margin sesoi bayes bayesian equivalence = equivalent no_worse_than
mde delta effect effect_size min_effect = difference
relevance_level min_rel rel_lvl level l rel_threshold relevance_threshold binarize binary = rel
ignore_ties tie_breaking tie_break = ties
p max_p p_threshold significance_level = alpha
timeout session_timeout pause inactivity = gap
user_col item_col query_col doc_col score_col column column_names col_map fields = columns
ttest t_test t-test student student-t student_t paired-t paired_t = t
fisher randomization permutation permutation_test = randomisation
fdr fdr_bh benjamini-hochberg benjamini_hochberg = bh
bar barplot box boxplot means = dots
pr pr_curve pr-curve precision_recall_curve = precision-recall precision_recall
hist histogram scatter bars = differences
stat_test significance method = test coefficient
kendall spearman pearson tau = coefficient
correction adjust multiple_testing multiple_comparisons p_adjust holm bonferroni = correct
control reference = baseline
n_resamples iterations n_permutations permutations n_bootstrap n_boot samples = resamples
random_state random_seed rng = seed
ci bootstrap confidence intervals error_bars = interval
per_topic per_user by_query all each = per_query
texts query_texts topics = queries
docs corpus passages = documents
out file save outfile to = output
type output_format fmt = form
tex = latex
md = markdown
txt text plain pretty = table
excel xls xlsx = csv
pyterrier = ir_measures
theme dark_mode = dark
log_base = b
""").items()
}


def list_meant(name: str) -> tuple[str, ...]:
    """What a name of other tools is called here, of which min_recall is one of min."""
    first = name.partition("_")[0]
    return ARGUMENTS.get(name) or (ARGUMENTS[first] if first in ("min", "max") else ())


# Arguments that are too many, by function: what takes them.
MORE_ARGUMENTS = {"explain": "measure=…; gainful.explain_query(qrels, run, query) takes a run"}
_COMPARE = "gainful compare QRELS RUN RUN…"
_EVAL = "gainful eval QRELS RUN…"
_GATE = "gainful gate QRELS RUN --floor nDCG@10=0.4"
_INTERVALS = f"{_COMPARE} has intervals of differences, {_EVAL} --interval 95 those of means"
# Options that a command does not have under any name: what to write instead.
OPTIONS: Mapping[str, str] = _read_table(f"""
qrels judgments = QRELS comes first, without an option
run runs results = runs follow QRELS, without an option
sep separator delimiter = the separator is detected; --columns query=user,doc=item names columns
digits decimals precision round rounding_digits places p = --format csv prints all digits
sort sort_by order_by = -o values.csv writes a table that you can sort
c complete skip_missing = a missing query scores 0; --missing skip leaves it out
ignore_missing fill_missing = a missing query scores 0; --missing skip leaves it out
judged_only condensed j = --unjudged remove leaves unjudged documents out
make_comparable = --like ranx_comparable does that
average weights = every query counts equally; --group COLUMN adds means of groups
debug traceback = -v prints more; GAINFUL_DEBUG=1 shows tracebacks
query_id query topic = gainful explain QRELS RUN QUERY explains one query
paired pairwise = runs are paired by query anyway
ci bootstrap confidence intervals std stderr sem = {_INTERVALS}
baseline test correct alpha compare significance = {_COMPARE} has it
p_value pvalue p_values effect_size = {_COMPARE} prints p, intervals and effect sizes
one_sided two_sided alternative tails = tests are two-sided
holm fdr bh = {_COMPARE} --correct NAME takes holm, bh (false discovery rate) and others
tukey wilcoxon ttest t_test = {_COMPARE} --test NAME takes t, wilcoxon, tukey and others
tau kendall spearman pearson = gainful correlate QRELS RUN… --coefficient NAME correlates measures
rope tost margin bayes equivalence equivalent = {_COMPARE} --equivalent D asks that
sample_size n_queries mde delta effect power = gainful plan QRELS RUN RUN… says how many queries
patience persistence base bq = -m "sDCG(b=2, bq=4)@10" sets parameters of a measure
strict exit_code warn_only = gate ends with status 1 if a rule fails, 0 if all hold
min threshold floor fail_under fail_on assert require = {_GATE}
threads jobs workers n_jobs parallel = all cores are used anyway
m max_docs = --cutoff N counts the first N documents of a query
n d z = gainful trec_eval QRELS RUN takes the options of trec_eval
no_summary = --per-query prints the values of all queries
exp exponential = --gain exp takes 2^grade - 1
encoding charset = files are UTF-8; iconv -f UTF-16 -t UTF-8 FILE converts others
name names label labels alias = a run is named after its file
title = gainful report QRELS RUN… --title TEXT sets a title
dataset = irds:NAME in place of QRELS reads a dataset of ir_datasets
user user_id = --columns user=NAME names a column
session session_id timestamp = --columns session=NAME,time=NAME names columns
port host serve open browser show html = -o page.html writes a page; open it in a browser
pdf = print the page from a browser; gainful figure writes .pdf
dpi scale resolution = .svg and .pdf have no pixels; --width and --height set those of a .png
queries = eval, compare, gate and report take --queries FILE with --group COLUMN
rank ranks = gainful order QRELS RUN… orders runs, and says how certain that is
template theme css style = the page has one layout; gainful eval --format json has the values
header no_header = a header is detected; --columns query=1,doc=2 takes numbers
color colour no_color = NO_COLOR=1 in the environment turns colours off
""")

# Commands, and the line that does it.
COMMANDS: Mapping[str, str] = _read_table(f"""
evaluate score measure run calc metrics_of recommend recommender retrieval leaderboard = {_EVAL}
rank ranking table mean bench benchmark = {_EVAL}
rag ragas = gainful eval ANSWERS.jsonl
ranx pytrec_eval ir_measures beir = {_EVAL} --like NAME
pool label annotate = gainful unjudged QRELS RUN… --first 20
ttest t-test t_test significance test diff pvalue p-value wilcoxon permutation = {_COMPARE}
tukey anova tost = {_COMPARE}
abtest ab-test ab = gainful compare --sessions LOG --by bucket
ci bootstrap interval intervals = {_EVAL} --interval 95
power sample-size samplesize = gainful plan QRELS RUN RUN…
plot chart graph draw figures picture histogram hist bar boxplot scatter = gainful figure
correlation corr tau = gainful correlate QRELS RUN… --column NAME
kappa agreement agree judge = gainful judges QRELS QRELS…
validate lint inspect verify describe = gainful check FILE…
log logs clicks session sdcg ctr funnel conversion = gainful sessions LOG
split sessionize sessionise = gainful sessions LOG --gap 30m
summary summarise summarize stats = gainful sessions LOG --summary, or {_EVAL}
serve dashboard ui app demo = gainful explore LOG -o page.html
html export share pdf view show = gainful report QRELS RUN… -o report.html
ci-check assert guard regress = {_GATE}
metrics list list-measures ls info = gainful measures
tools presets config settings options = gainful conventions
roc pr = gainful figure precision-recall QRELS RUN…
download dataset datasets = gainful eval irds:NAME RUN…
version about = gainful --version
docs man usage commands examples example quickstart tutorial init = gainful help
trec-eval treceval = gainful trec_eval QRELS RUN
what whose identify = gainful which VALUE GRADES…
query per-query = {_EVAL} --per-query
""")
_NOT_HERE = "gainful evaluates runs and sessions; it does not create them"
NO_COMMANDS: Mapping[str, str] = _read_table(f"""
fuse fusion rerank search index train normalize normalise merge = {_NOT_HERE}
simulate = in Python, gainful.sessions.simulate_study() does that
install update upgrade uninstall = pip installs and upgrades it
convert = gainful reads all formats directly; there is nothing to convert
""")

# Attributes of results.
RESULTS: Mapping[str, str] = _read_table("""
df frame dataframe to_df to_frame to_dataframe = .to_polars()
items as_dict asdict dict to_flat json to_list = .to_dict()
show display print table to_string to_table leaderboard ranking = .to_text()
head tail iloc loc = .to_polars().head()
to_excel to_tsv = .to_csv()
write export to_file dump = .save("results.csv")
plot chart figure draw = gainful.figures, which draws runs and sessions
scores metrics means average aggregate overall = .mean
shape index query_scores topics median min max quantile top nlargest = .per_query
to_numpy numpy array = .values
get = results["nDCG@10"]
round = .to_pandas().round(3)
hist histogram = gainful.figures.differences
run = .name
n = .counts
effect_size effect_sizes cohens_d mean_difference = .frame
success ok failed = .passed
reasons failures = .broken_checks
report = gainful.report(qrels, runs)
sort_values sort lowest = .worst(10)
winner best verdict answer describe = .summary()
std var sem interval intervals ci confidence = gainful.stats.mean_intervals(results)
significance ttest test pvalue diff subtract = gainful.compare(results, other)
""")

# Attributes that earlier checkouts had, and what has it now.
RENAMED: Mapping[str, str] = _read_table("""
UNIT = .unit
cluster paired_by unit = said by the comparison: its .cluster, .paired_by and .unit
convention_line = .to_text(verbose=True), which ends with the whole convention
corrected = .p_corrected
correction_words = .correction, which names it
counts_both_sides = .p_error(p)
error_of_corrected = .p_corrected_error(pair)
family_scope = .method.family
from_recipe = recipe.measure
only_interval_uses_resamples = .uses_resamples, with .interval
raw_p = .p
resampled = .method.takes_resamples
""")

# Names of the package.
_READ = "gainful.evaluate(qrels, run), which reads files itself"
_READS_BOTH = "gainful.evaluate(qrels, run) or gainful.sessions.evaluate(log), which read files"
_READS_LOGS = "gainful.sessions.evaluate(log), which reads logs and splits them"
NAMES: Mapping[str, str] = _read_table(f"""
ndcg_score = gainful.ndcg
dcg_score = gainful.dcg
ndcg_at_k = gainful.ndcg(grades, k=10)
dcg_at_k = gainful.dcg(grades, k=10)
map mean_average_precision = gainful.AP
mrr mean_reciprocal_rank = gainful.RR
average_precision_score label_ranking_average_precision_score = gainful.average_precision
precision_at_k = gainful.precision(grades, k=10)
recall_at_k = gainful.recall(grades, k=10)
expected_reciprocal_rank = gainful.err
rank_biased_precision = gainful.rbp
session_dcg sdcg sdcg_score = gainful.sdcg([[3, 2, 0], [1, 0]], b=2, bq=4)
session_ndcg nsdcg nsdcg_score = gainful.nsdcg
hit_rate top_k_accuracy_score = gainful.parse("Success@10")
f1 f1_score = gainful.parse("F1@10")
auc roc_auc_score roc_curve = gainful.parse("AUC")
contextrecall context_recall = gainful.parse("R@10")
measures metrics list_metrics list_measures supported_measures available_measures = gainful.MEASURES
load_dataset get_dataset = gainful.evaluate("irds:NAME", run)
evaluationdataset = gainful.evaluate, which takes a list of records
help = help(gainful)
conventions = gainful.CONVENTIONS
eval score calc evaluate_run evaluate_runs = gainful.evaluate
calc_aggregate = gainful.evaluate, or gainful.ir_measures.calc_aggregate
iter_calc = gainful.evaluate, or gainful.ir_measures.iter_calc
parse_measure = gainful.parse
relevanceevaluator = gainful.pytrec_eval.RelevanceEvaluator
read_qrels load_qrels read_trec_qrels parse_qrel read_run load_run read_trec_run parse_run = {_READ}
read load open from_file from_csv from_df from_dict = {_READS_BOTH}
split sessionize read_log load_log from_log = {_READS_LOGS}
ctr summary = gainful.sessions.summarise(log)
version = gainful.__version__
print show = print(results)
pandas to_pandas = results.to_pandas()
compute_aggregated_measure = gainful.pytrec_eval.compute_aggregated_measure
config set_options = gainful.CONVENTIONS, and like=NAME
evaluate_sessions = gainful.sessions.evaluate
compare_runs compare_results significance = gainful.compare
compare_sessions = gainful.sessions.compare
t_test ttest = gainful.compare(..., test="t")
wilcoxon = gainful.compare(..., test="wilcoxon")
anova tukey tukey_hsd = gainful.compare(..., test="tukey")
tost equivalence = gainful.compare(..., equivalent=0.01)
holm bonferroni multipletests = gainful.compare(..., correct="holm")
cohens_d effect_size = gainful.compare(...).frame
sample_size = gainful.plan
permutation_test randomization_test = gainful.compare(..., test="randomisation")
spearman spearmanr pearson pearsonr correlation = gainful.stats.correlate
tau kendall kendalltau = gainful.stats.kendall_tau
bootstrap confidence_interval = gainful.stats.mean_intervals
kappa cohen_kappa cohen_kappa_score krippendorff judges = gainful.compare_judges
power = gainful.stats.detectable_effect
plot = gainful.figures.figure
assert_ranking_quality = gainful.testing.assert_ranking_quality
""")

_VALUES = "results.mean has the means, results.per_query has all values (sessions: per_session)"
_SPLIT_HALF = "discriminative power and test= show how reliable an order is"
_JUDGE_FIRST = "gainful.unjudged(qrels, run).documents lists the documents to judge first"
# Names and options in Python that are gone or were never there, and what to do instead.
REMOVED: Mapping[str, str] = _read_table(f"""
fit_model model = it was removed: statsmodels fits models to results.per_query (per_session)
sweep_against SweepAgreement against = it was removed: gainful.stats.correlate has user labels
settle Settlement = it was removed: {_JUDGE_FIRST}
first = {_JUDGE_FIRST}
split_half split_halves trials = it was removed: {_SPLIT_HALF}
fuse fusion rerank = {_NOT_HERE}
rounding_digits = results keep all digits; round what you print
return_mean return_std per_query = {_VALUES}
threads jobs n_jobs workers = all cores are used anyway
verbose progress show_progress = nothing is printed; results.notes has the warnings
save_results_in_run = a run stays as it is; evaluate returns the results
make_comparable = like="ranx_comparable" does that
judged_only condensed = unjudged="remove" does that
alternative one_sided = tests are two-sided
sample_weight weights = every query counts equally
llm embeddings = gainful compares ids and uses no model
faithfulness answer_relevancy answer_correctness = gainful evaluates retrieval, not answers
coverage_error = gainful has no measures of multilabel classification
""")
# Options in Python: what to do instead.
KEYWORDS: Mapping[str, str] = {
    **REMOVED,
    **_read_table("""
k ks top_k topk at at_k cutoffs = a cutoff is part of its measure: "nDCG@5,10"
names labels run_names = the keys of {name: run, …} name runs
ci confidence confidence_level p_value = alpha=0.05 is the level of tests and of their intervals
session_id user_id = columns={"session": "NAME"} names columns
patience persistence base = "sDCG(b=2, bq=4)@10" sets parameters of a measure
output out path file filename = .save("report.html") of what is returned writes a file
"""),
}


def find_nearest(name: str, names: Iterable[str], *, whole: bool = False) -> str | None:
    """The name that differs least, by two letters at most (one in short names), and not in all.

    The same number with other zeros before it differs least of all. If there is none, and a `whole`
    one is not asked for, one that goes on where this ends.

    Examples:
        >>> find_nearest("evalute", ["eval", "evaluate"]), find_nearest("power", ["order"])
        ('evaluate', None)
        >>> find_nearest("s9", ["s1", "s2"])
        >>> find_nearest("n1", ["n31", "n01"])
        'n01'
    """
    allowed = min(len(name) - 1, 1 if len(name) <= _SHORT else _MAX_CHANGES)
    known_names = list(names)
    same = [known for known in known_names if _strip_zeros(known) == _strip_zeros(name)]
    if same:
        return same[0]
    near = [(count_changes(name, known, allowed), known) for known in known_names]
    changes, nearest = min(
        near, default=(allowed + 1, ""), key=lambda item: (item[0], abs(len(item[1]) - len(name)))
    )
    rivals = [known for count, known in near if count == changes]
    if len(rivals) > 1 and len({re.sub(r"\d+", "0", known) for known in (name, *rivals)}) == 1:
        return None  # numbered ids, of which none is nearer than the others
    if changes <= allowed or whole:
        return nearest if changes <= allowed else None
    return next((known for known in known_names if _continues(known, name)), None)


def _strip_zeros(name: str) -> str:
    return re.sub(r"(?<!\d)0+(?=\d)", "", name)


def _continues(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    return len(shorter) >= _SHORTEST and longer.startswith(shorter)


def count_changes(first: str, second: str, at_most: int) -> int:
    """How many letters are to be added, dropped, changed or swapped; more than `at_most`, or so.

    Examples:
        >>> count_changes("skleran", "sklearn", 2), count_changes("plot", "order", 2)
        (1, 5)
    """
    if abs(len(first) - len(second)) > at_most:
        return at_most + 1
    previous: list[int] = []
    row = list(range(len(second) + 1))
    for i, letter in enumerate(first, 1):
        above, row = row, [i]
        for j, other in enumerate(second, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (letter != other)))
            if i > 1 and j > 1 and letter == second[j - 2] and first[i - 2] == other:
                row[j] = min(row[j], previous[j - 2] + 1)
        previous = above
    return row[-1]


def suggest_name(
    name: str, places: Mapping[str, str], guesses: Mapping[str, str], names: Sequence[str]
) -> str:
    """What is most like a name that is not there; where nothing is, what there is.

    `places` say what to write by the names there are, in small letters; `guesses` by other words
    for it, which must be met more closely; `names` are listed.

    Examples:
        >>> suggest_name("avrage", {"average": "vectors.average"}, {}, ["average"])
        'did you mean vectors.average?'
        >>> suggest_name("plot", {"average": ".average"}, {"export": ".save"}, ["average"])
        'known: average'
    """
    if name in REMOVED:
        return REMOVED[name]
    lower = name.lower()
    near = [known for known in (lower, *ARGUMENTS.get(lower, ())) if known in {**guesses, **places}]
    near = near or [known for known in [find_nearest(lower, [*places, *guesses])] if known]
    if near:
        place = places.get(near[0]) or guesses[near[0]]
        return f"did you mean {place}?"
    return f"known: {', '.join(names)}"
