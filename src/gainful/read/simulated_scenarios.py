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
    judged: Mapping[int, int]  # how many documents have each grade
    right: Sequence[str]  # what brings a good result
    broad: Sequence[str]  # what brings too much
    narrow: Sequence[str]  # what brings the wrong things, or next to nothing


_ALL = (
    Scenario(
        name="A",
        task="May a pregnant woman with asthma go on with her inhaled steroids?",
        difficulty=0.0,
        judged={3: 6, 2: 9, 1: 15, 0: 30},
        right=("asthma pregnancy inhaled steroids", "budesonide pregnancy safety"),
        broad=("asthma", "pregnancy", "steroids", "asthma treatment"),
        narrow=("Budesonide 200 dose third trimester", "asthma pregancy", "inhalation steroid NPV"),
    ),
    Scenario(
        name="B",
        task="Where is a patient with suspected melanoma referred to, and how soon?",
        difficulty=0.2,
        judged={3: 5, 2: 10, 1: 15, 0: 30},
        right=("melanoma referral pathway", "suspected melanoma urgent referral"),
        broad=("melanoma", "skin cancer", "referral", "mole"),
        narrow=("melanom referral", "Melanoma outpatient clinic Odense", "naevus excision form 14"),
    ),
    Scenario(
        name="C",
        task="Which tests come before lithium is begun, and how often are they repeated?",
        difficulty=0.4,
        judged={3: 4, 2: 8, 1: 18, 0: 30},
        right=("lithium monitoring blood tests", "lithium treatment start tests"),
        broad=("lithium", "bipolar disorder", "blood tests", "mood stabiliser"),
        narrow=("litium", "Lithium 12-hour serum TSH Ca", "lithium side effects brochure"),
    ),
    Scenario(
        name="D",
        task="What rehabilitation does the municipality offer after a stroke?",
        difficulty=0.7,
        judged={3: 3, 2: 7, 1: 20, 0: 30},
        right=("stroke rehabilitation municipality", "community rehabilitation after stroke"),
        broad=("stroke", "rehabilitation", "municipality", "apoplexy"),
        narrow=("Apoplexia cerebri training §140", "stroke rehablitation", "aphasia speech plan"),
    ),
)

SCENARIOS: Mapping[str, Scenario] = {known.name: known for known in _ALL}


def query_text(scenario: Scenario, kind: float, one: float, *, good: bool) -> str:
    """What is typed for a good or a poor query; two numbers from 0 to 1 choose it.

    Poor queries are of the kinds that the paper observed: too broad, too specific, misspelt, a
    capital where there should be none.
    """
    texts = scenario.right if good else scenario.broad if kind < 0.5 else scenario.narrow
    return texts[int(one * len(texts))]
