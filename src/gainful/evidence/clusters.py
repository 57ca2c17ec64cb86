r"""Clusters: which queries belong together, such as the turns of a conversation?

What one query of a cluster says is partly what the others say. So a cluster is flipped and drawn as
a whole, and the evidence is that of so many clusters, not of so many queries.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from attrs import evolve, frozen

from gainful.errors import BadValue, WrongType
from gainful.evidence.pairing import PairedValues
from gainful.read.conversations import TURN
from gainful.text import count_noun, quote

EXAMPLE = r"^(.+)_\d+$"
CLUSTER_CHOICES = f"a pattern with a group, such as '{EXAMPLE}', or a column of the qrels or a run"
ClusterChoice = str | Mapping[str, str]


@frozen(eq=False)
class Clusters:
    """The cluster of each query, by a pattern of its id or by name."""

    source: str  # the pattern, or the column
    find: Callable[[str], str | None]  # the cluster of a query; None if it has none

    def assign(self, paired: PairedValues) -> PairedValues:
        """Values whose queries know their clusters: at least two, and one for each query."""
        labels = self.name_each(paired.queries)
        if len({*labels}) < 2 <= len(labels):
            number = f"in {paired.measure} all {len(labels)} queries are in one"
            allowed = f"at least 2 clusters ({number}, {quote(labels[0])})"
            raise BadValue("cluster", self.source, allowed)
        return evolve(paired, clusters=labels)

    def name_each(self, queries: Sequence[str]) -> list[str]:
        """The cluster of each query; one that has none is refused."""
        labels = [(query, self.find(query)) for query in queries]
        without = list(dict.fromkeys(query for query, label in labels if label is None))
        if without:
            number = f"{len(without)} of {len({*queries})} queries"
            allowed = f"what gives every query a cluster ({number} have none,"
            raise BadValue("cluster", self.source, f"{allowed} such as {quote(without[0])})")
        return [label for _, label in labels if label is not None]


def is_pattern(cluster: object) -> bool:
    """Is it a pattern, not the name of a column? A pattern has a group."""
    return isinstance(cluster, str) and "(" in cluster


def read_clusters(cluster: ClusterChoice) -> Clusters:
    r"""Clusters by a pattern with a group, or from a dict of the cluster of each query.

    Examples:
        >>> read_clusters(r"^(.+)_\d+$").find("106_3")
        '106'
        >>> read_clusters({"106_3": "106"}).find("31_1") is None
        True
        >>> read_clusters("^(.+_")
        Traceback (most recent call last):
        ...
        gainful.errors.BadValue: cluster is '^(.+_'; allowed: a pattern with a group, such as ...
    """
    if isinstance(cluster, Mapping):
        by_query = {str(query): str(label) for query, label in cluster.items()}
        return Clusters("a dict", by_query.get)
    if not isinstance(cluster, str):
        raise WrongType("cluster", cluster, CLUSTER_CHOICES)
    try:
        pattern = re.compile(cluster)
    except re.error as problem:
        raise BadValue("cluster", cluster, f"{CLUSTER_CHOICES} ({problem})") from None
    if not pattern.groups:
        raise BadValue("cluster", cluster, CLUSTER_CHOICES)
    return Clusters(cluster, lambda query: _first_group(pattern, query))


def _first_group(pattern: re.Pattern[str], query: str) -> str | None:
    match = pattern.search(query)
    return None if match is None else match.group(1)


def describe_turns(
    queries: Sequence[str], *, verb: str = "compares", takes_clusters: bool = True
) -> str | None:
    """What is said of queries whose ids look like turns, where these are taken one by one.

    `verb` is what is done by clusters instead, where these are named; `takes_clusters` is whether
    they can be, or only in a comparison.

    Examples:
        >>> describe_turns(["31_1", "31_2", "32_1", "32_2"]) is None, describe_turns(["1", "2"])
        (False, None)
    """
    matches = [re.match(TURN, query) for query in queries]
    conversations = Counter(match.group(1) for match in matches if match is not None)
    repeated = [name for name, number in conversations.items() if number > 1]
    if sum(conversations.values()) < len(queries) or len(conversations) < 2:
        return None
    if 2 * len(repeated) < len(conversations):
        return None
    turns = [query for query in queries if query.rpartition("_")[0] == repeated[0]][:2]
    clusters = count_noun(len(conversations), "cluster")
    advice = f"--cluster '{EXAMPLE}' {verb} by {clusters}"
    if not takes_clusters:
        advice = f"p and limits are surer than they should be; in compare {advice}"
    return (
        f"query ids look like turns ({', '.join(turns)}), and turns of a conversation are not "
        f"independent: {advice}"
    )
