"""Tools that read judgments and runs, in the tradition of trec_eval."""

from math import e

from attrs import evolve

from gainful.convention.convention import Convention, list_conventions

_TREC_MEASURES = (
    *("AP", "P", "R", "RR", "Success", "Rprec", "IPrec", "IAP", "Bpref", "infAP", "relP", "GMAP"),
    *("GMBpref", "YAAP", "nDCG", "gRBP", "RBPResid", "G", "binG", "nDCG_rel", "Rndcg"),
    *("SetP", "SetR", "SetRelP", "SetAP", "SetF", "Utility", "NumQ", "NumRet", "NumRel"),
    *("NumRelRet", "NumNonRelRet", "Unjudged"),
)
TREC_EVAL = Convention(
    measures=_TREC_MEASURES,
    title="trec_eval 10 ndcg, ndcg_cut",
    fractional="truncate",
    missing="error",
    note="with -c a missing query scores 0; a measure without cutoff never cuts the ideal",
)
TREC_EVAL_C = evolve(TREC_EVAL, title="trec_eval 10 -c", missing="zero", note="")
TREC_EVAL_J = evolve(
    TREC_EVAL,
    title="trec_eval 10 -J",
    unjudged="remove",
    negative="remove",
    note="",
)
TREC_EVAL_9 = evolve(
    TREC_EVAL,
    title="trec_eval 9 ndcg, ndcg_cut",
    missing="skip",
    score_bits=32,
    recall_points="trec_eval_9",
    note="with -c a missing query scores 0",
)
PYTREC_EVAL = evolve(
    TREC_EVAL_9,
    title="pytrec_eval-terrier 0.5 ndcg, ndcg_cut",
    fractional="error",
    duplicates="last",
    note="values per query only; the mean is the caller's",
)
_NDEVAL_MEASURES = tuple(
    name + cut
    for name in (
        *("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "NRBP", "nNRBP"),
        *("AP_IA", "P_IA", "StRecall"),
    )
    for cut in ("", "@")
)
CWL_MEASURES = (  # what ir_measures asks cwl_eval for
    *("RBP", "scaledDCG@", "INST", "INSQ", "BPM@"),
    *("NERR8@", "NERR9@", "NERR10", "NERR11"),
)
_ASCENDING_MEASURES = ("RR@", "Judged", "Judged@", *_NDEVAL_MEASURES)
IR_MEASURES = evolve(
    PYTREC_EVAL,
    title="ir_measures 0.4 nDCG",
    missing="zero",
    max_grade=4,
    first_rank="as_is",
    measures=(
        *(*_TREC_MEASURES, "ERR@", "RBP", "scaledDCG", "INST", "INSQ", "BPM", "Judged", "Compat"),
        *("NERR8", "NERR9", "NERR10", "NERR11", "PairAccuracy", *_NDEVAL_MEASURES),
    ),
    by_measure={
        **{measure: {"ties": "input"} for measure in (*CWL_MEASURES, "RBP@")},
        **{measure: {"ties": "doc_ascending"} for measure in _ASCENDING_MEASURES},
        **{
            measure: {"ties": "input", "empty": "skip"}
            for measure in ("PairAccuracy", "PairAccuracy@")
        },
        "ERR@": {"decimals": 5},
    },
    note="ERR is computed by gdeval.pl there, whose best grade is 4, and which rounds; ties go by "
    "ascending id for RR@k, Judged and subtopics, in the order given for RBP, SDCG, INST, INSQ, "
    "BPM, NERR8 to NERR11 and Accuracy",
)
IR_MEASURES_JUDGED = evolve(
    IR_MEASURES,
    title="ir_measures 0.4 nDCG(judged_only=True)",
    unjudged="remove",
    negative="remove",
)
PYNDEVAL = Convention(
    title="pyndeval 0.0.8 (ndeval 4.5) alpha-nDCG, ERR-IA and their kin",
    ties="doc_ascending",
    missing="skip",
    first_rank="as_is",
    measures=tuple(name for name in _NDEVAL_MEASURES if not name.endswith("@")),
    note="it has no nDCG; where nothing is relevant its nNRBP is undefined, and 0 here",
)
GDEVAL = Convention(
    measures=("nDCG", "ERR"),
    title="gdeval.pl 1.2 ndcg",
    max_grade=4,
    gain="exp",
    discount="log",
    b=e,
    fractional="error",
    empty="skip",
    missing="skip",
    duplicates="count",
    decimals=5,
    note="grades above 4 are refused there",
)
IR_MEASURES_EXP = evolve(
    GDEVAL,
    title="ir_measures 0.4 nDCG(dcg='exp-log2')@k",
    empty=0,
    missing="zero",
    note="runs gdeval.pl",
)
BEIR = evolve(
    PYTREC_EVAL,
    title="BEIR 2.2 NDCG@k",
    namesake="remove",
    measures=("nDCG", "AP", "R", "P", "RR", "relP", "Success", "Unjudged"),
    note="the mean is rounded to 5 decimals there",
)
_RANX_MEASURES = (
    *("nDCG", "AP", "P", "R", "RR", "Rprec", "SetF", "RBP", "Bpref", "Success", "Hits"),
)
RANX = Convention(
    measures=_RANX_MEASURES,
    need_useless=("Bpref",),
    unstable_ties=dict.fromkeys(_RANX_MEASURES, 16),
    rbp_grades="grade",
    title="ranx 0.3 ndcg",
    ties="input",
    fractional="truncate",
    missing="error",
    extra="error",
    duplicates="last",
    note="its sort is unstable: many tied documents may come in any order; its bpref is undefined "
    "where nothing is judged useless",
)
RANX_COMPARABLE = evolve(
    RANX,
    title="ranx 0.3 ndcg, make_comparable=True",
    missing="zero",
    extra="ignore",
)
RANX_BURGES = evolve(RANX, title="ranx 0.3 ndcg_burges", gain="exp")
TRECTOOLS = Convention(
    measures=("nDCG",),
    title="trectools 0.0.50 get_ndcg(trec_eval=True)",
    cutoff=1000,
    ties="doc_ascending",
    missing="skip",
    extra="zero",
)
TRECTOOLS_EXP = evolve(
    TRECTOOLS,
    title="trectools 0.0.50 get_ndcg(trec_eval=False)",
    gain="exp",
)
NTCIREVAL = Convention(
    measures=("nDCG", "Qmeasure", "Omeasure", "Pmeasure", "Pplus", "NCU"),
    title="pyNTCIREVAL 0.0.3 nDCG",
    discount="jk2002",
    b=2,
    cutoff=1000,
    ties="input",
    negative="error",
    fractional="error",
    empty="error",
    missing="error",
    duplicates="count",
    note="the user gives a table of gains; a negative grade reads it from its end",
)
NTCIREVAL_MS = evolve(
    NTCIREVAL,
    title="pyNTCIREVAL 0.0.3 MSnDCG",
    discount="log",
    b=e,
)

TREC_TOOLS = list_conventions(globals(), Convention)
