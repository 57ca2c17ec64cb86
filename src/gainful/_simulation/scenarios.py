"""The four scenarios of the simulated study: what is looked for, and what people type for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen


@frozen
class Scenario:
    """A task of a searcher, and how much there is to be found for it."""

    name: str
    task: str
    difficulty: float  # from 0: the harder, the more queries
    docs_per_grade: Mapping[int, int]  # how many documents have each grade
    good_queries: Sequence[str]  # what brings a good result
    broad_queries: Sequence[str]  # what brings too much
    narrow_queries: Sequence[str]  # what brings the wrong things, or next to nothing


_ALL = (
    Scenario(
        name="A",
        task="May a pregnant woman with asthma go on with her inhaled steroids?",
        difficulty=0.0,
        docs_per_grade={3: 6, 2: 9, 1: 15, 0: 30},
        good_queries=("asthma pregnancy inhaled steroids", "budesonide pregnancy safety"),
        broad_queries=("asthma", "pregnancy", "steroids", "asthma treatment"),
        narrow_queries=(
            "Budesonide 200 dose third trimester",
            "asthma pregancy",
            "inhalation steroid NPV",
        ),
    ),
    Scenario(
        name="B",
        task="Where is a patient with suspected melanoma referred to, and how soon?",
        difficulty=0.2,
        docs_per_grade={3: 5, 2: 10, 1: 15, 0: 30},
        good_queries=("melanoma referral pathway", "suspected melanoma urgent referral"),
        broad_queries=("melanoma", "skin cancer", "referral", "mole"),
        narrow_queries=(
            "melanom referral",
            "Melanoma outpatient clinic Odense",
            "naevus excision form 14",
        ),
    ),
    Scenario(
        name="C",
        task="Which tests come before lithium is begun, and how often are they repeated?",
        difficulty=0.4,
        docs_per_grade={3: 4, 2: 8, 1: 18, 0: 30},
        good_queries=("lithium monitoring blood tests", "lithium treatment start tests"),
        broad_queries=("lithium", "bipolar disorder", "blood tests", "mood stabiliser"),
        narrow_queries=("litium", "Lithium 12-hour serum TSH Ca", "lithium side effects brochure"),
    ),
    Scenario(
        name="D",
        task="What rehabilitation does the municipality offer after a stroke?",
        difficulty=0.7,
        docs_per_grade={3: 3, 2: 7, 1: 20, 0: 30},
        good_queries=(
            "stroke rehabilitation municipality",
            "community rehabilitation after stroke",
        ),
        broad_queries=("stroke", "rehabilitation", "municipality", "apoplexy"),
        narrow_queries=(
            "Apoplexia cerebri training §140",
            "stroke rehablitation",
            "aphasia speech plan",
        ),
    ),
)

SCENARIOS: Mapping[str, Scenario] = {scenario.name: scenario for scenario in _ALL}


def query_text(scenario: Scenario, kind_draw: float, text_draw: float, *, good: bool) -> str:
    """What is typed for a good or a poor query; two numbers from 0 to 1 choose it.

    Poor queries are of the kinds that the paper observed: too broad, too specific, misspelt, a
    capital where there should be none.
    """
    poor_queries = scenario.broad_queries if kind_draw < 0.5 else scenario.narrow_queries
    texts = scenario.good_queries if good else poor_queries
    return texts[int(text_draw * len(texts))]
