"""How hard properties are tried: quick at every run, deep by `make test-deep`.

In CI examples are the same on every machine; at a desk, and deep, they are new every time.
"""

import os

from hypothesis import HealthCheck, settings

EXAMPLES = {"quick": 25, "deep": 1000}


def load_profiles() -> None:
    """Make both profiles known and begin with the quick one; `--hypothesis-profile` comes later."""
    for name, max_examples in EXAMPLES.items():
        settings.register_profile(
            name,
            deadline=None,
            max_examples=max_examples,
            derandomize="CI" in os.environ and name == "quick",
            suppress_health_check=[HealthCheck.too_slow],
        )
    settings.load_profile("quick")


def examples(quick: int) -> settings:
    """Settings for a property that needs more examples than others, or can afford fewer.

    So many in the quick profile, and so many times more as the deep one has.
    """
    share = settings.default.max_examples / EXAMPLES["quick"]
    return settings(max_examples=round(quick * share))
