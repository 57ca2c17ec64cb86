"""PyTorch: a meter for training loops, and what `torch.compile` has to know.

Examples:
    >>> import torch
    >>> meter = Meter("nDCG@10", "RR")
    >>> meter.update(
    ...     torch.tensor([[3, 2, 0], [0, 1, 0]]), torch.tensor([[0.9, 0.4, 0.5], [3.0, 2, 1]])
    ... )
    >>> {name: round(float(value), 4) for name, value in meter.compute().items()}
    {'nDCG@10': 0.7847, 'RR': 0.75}
"""

from __future__ import annotations

from typing import Any, Unpack

from gainful.convention import Convention
from gainful.errors import BadValue, NotInstalled, WrongType
from gainful.measure import arrays
from gainful.measure.build_recipes import Options, build_recipes
from gainful.measure.measure import Measure
from gainful.text import show_public_names

try:
    import array_api_compat  # noqa: F401  (tensors are computed by it)
    import torch
except ImportError:
    raise NotInstalled("gainful.torch", "torch") from None

__all__ = ["Meter"]

_CUMULATED = (arrays.cg, arrays.ncg, arrays.dcg, arrays.idcg, arrays.ndcg)
_OTHERS = (arrays.precision, arrays.recall, arrays.reciprocal_rank, arrays.average_precision)
for _function in (*_CUMULATED, *_OTHERS, arrays.compute):
    # One node of the graph: what is traced is the tensors, not the options
    torch.compiler.allow_in_graph(_function)


class Meter(torch.nn.Module):  # type: ignore[misc]  # torch is not always there to be checked
    """The means of measures over all rankings of a training or validation run.

    Sums are kept on the device of the meter, which moves with `.to(device)` as any module does, and
    are part of its state dict; they stay in 64 bit when a model is cast. Where `torch.distributed`
    runs, `compute` adds up all processes.

    Args:
        measures: such as "nDCG@10" and "AP".
        like: the tool whose settings to follow; "torchmetrics" for the numbers of its retrieval
            metrics.
        **options: gain, discount, their parameters, and single settings, such as `ties="average"`.
    """

    def __init__(
        self,
        *measures: str | Measure,
        like: str | Convention | None = None,
        **options: Unpack[Options],
    ) -> None:
        super().__init__()
        if not measures:
            raise BadValue("measures", "()", "at least one, such as 'nDCG@10'")
        self._convention, recipes = build_recipes(list(measures), like, options)
        self._measures = {name: recipe.measure for name, recipe in recipes.items()}
        size = len(self._measures)
        self.register_buffer("sums", torch.zeros(size, dtype=torch.float64))
        self.register_buffer("counts", torch.zeros(size, dtype=torch.int64))
        self.sums: torch.Tensor
        self.counts: torch.Tensor

    def _apply(self, *arguments: Any, **options: Any) -> Meter:
        # What moves and casts every module; sums only move
        sums = self.sums
        super()._apply(*arguments, **options)
        if self.sums.dtype != sums.dtype:
            self.sums = sums.to(self.sums.device)
        return self

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def update(
        self,
        grades: torch.Tensor,
        scores: torch.Tensor,
        *,
        judged: torch.Tensor | None = None,
        mask: torch.Tensor | None = None,
    ) -> None:
        """Count a batch: (batch, n) grades and scores, and a mask where rankings are shorter."""
        given = {"grades": grades, "scores": scores, "judged": judged, "mask": mask}
        for name, value in given.items():
            if not isinstance(value, (torch.Tensor, type(None))):
                raise WrongType(name, value, f"a tensor, such as torch.tensor({name})")
        options: Any = {"judged": judged, "mask": mask, "like": self._convention}
        for place, measure in enumerate(self._measures.values()):
            values: Any = arrays.compute(measure, grades, scores, **options)
            counted = ~torch.isnan(values)  # what the convention leaves out
            self.sums[place] += torch.where(counted, values, 0.0).sum()
            self.counts[place] += counted.sum()

    def compute(self) -> dict[str, torch.Tensor]:
        """The mean of each measure so far, over the rankings of all processes."""
        totals = torch.stack((self.sums, self.counts.double()))
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            torch.distributed.all_reduce(totals)
        return dict(zip(self._measures, totals[0] / totals[1], strict=True))

    def reset(self) -> None:
        """Forget what was counted."""
        self.sums.zero_()
        self.counts.zero_()


show_public_names(__name__)
