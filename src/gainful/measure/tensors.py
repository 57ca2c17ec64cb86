"""Measures of tensors where they live: PyTorch, JAX, CuPy, all that speaks the array API standard.

Rankings are dense, (batch, n), with a mask. All shapes are known beforehand and no row is looked
at alone, so that `torch.compile` and `jax.jit` can trace it. `compute_tensor` returns None for what
it does not cover and for what has to be refused: NumPy's way computes the one and says where the
other is. So it does for PyTorch's tensors in memory, many times as fast as PyTorch sorts there.
Under tracing no value can be checked; what comes out then is documented.
"""

from __future__ import annotations

from math import prod
from os import environ
from typing import Any

import numpy as np
from attrs import field, frozen

from gainful.errors import BadShape, WrongType
from gainful.match.ties import TIE_POLICIES
from gainful.measure.entry import Recipe
from gainful.measure.functions.graded import rank_discounts
from gainful.measure.ranked_run import apply_fractional, divide_by_ideal, weigh_grades
from gainful.types import Array

_BINARY = ("P", "R", "RR", "AP")
_ABSENT = -float("inf")  # the grade, and the score, of what is no document


def is_tensor(value: object) -> bool:
    """Is it an array of another library than NumPy that computes by itself?"""
    if isinstance(value, (list, tuple, str, np.ndarray, np.generic)):
        return False
    return hasattr(value, "__array_namespace__") or hasattr(value, "detach")


def compute_tensor(
    recipe: Recipe, grades: Any, scores: Any = None, judged: Any = None, mask: Any = None
) -> Any | None:
    """The value of each ranking, on the device of the tensors; None where NumPy has to do it."""
    given = {"grades": grades, "scores": scores, "judged": judged, "mask": mask}
    tensors = {name: value for name, value in given.items() if value is not None}
    xp, settings = _find_namespace(tensors), recipe.convention
    is_known = recipe.entry.cumulated or recipe.entry.name in _BINARY
    covered = is_known and not recipe.entry.registered
    covered &= settings.short == "as_is" and settings.decimals is None
    if xp is None or not covered or not all(map(_is_dense, tensors.values())):
        return None
    _check_layout(xp, tensors)
    has_none = any(value.ndim == 0 or 0 in value.shape for value in tensors.values())
    on_host = all(map(_has_memory, tensors.values()))
    uses_kernel = on_host and (grades.is_cuda or "TRITON_INTERPRET" in environ)
    if has_none or (on_host and grades.is_cpu and not uses_kernel):
        return None
    dtype = _choose_dtype(xp, grades, scores)
    rows = {name: xp.reshape(value, (-1, value.shape[-1])) for name, value in tensors.items()}
    for name in rows.keys() - {"mask"}:
        in_32_bit = name == "scores" and settings.score_bits == 32
        rows[name] = xp.astype(rows[name], xp.float32 if in_32_bit else dtype, copy=False)
    rankings = _Rankings(xp, recipe, uses_kernel, **rows)
    size = prod(grades.shape[:-1])
    values = xp.broadcast_to(rankings.compute(), (size,))  # one pool may be that of all rankings
    if _is_true(xp.any(xp.stack(rankings.faults))):
        return None
    return xp.reshape(values, grades.shape[:-1])


def return_tensor(values: Any, grades: Any, scores: Any) -> Any:
    """Values of NumPy as a tensor where the grades are; None where their library is not known.

    What the convention leaves out is NaN.
    """
    xp = _find_library(grades)
    if xp is None:
        return None
    from array_api_compat import device  # noqa: PLC0415  (an extra)

    plain = np.ma.filled(np.ma.asarray(values), np.nan)
    return xp.asarray(plain, dtype=_choose_dtype(xp, grades, scores), device=device(grades))


def _choose_dtype(xp: Any, *numbers: Any) -> Any:
    in_64_bit = any(is_tensor(tensor) and tensor.dtype == xp.float64 for tensor in numbers)
    return xp.float64 if in_64_bit else xp.float32


def _find_namespace(tensors: dict[str, Any]) -> Any:
    """The library of all tensors; None where NumPy reads lists and arrays beside them."""
    libraries = {name: _find_library(tensor) for name, tensor in tensors.items()}
    for name, library in libraries.items():
        if library not in (None, libraries["grades"]):
            made, wanted = (type(tensors[key]).__module__ for key in (name, "grades"))
            raise WrongType(name, f"a tensor of {made}", f"one of {wanted}, as the grades")
    return None if None in libraries.values() else libraries["grades"]


def _find_library(tensor: Any) -> Any:
    try:
        from array_api_compat import array_namespace  # noqa: PLC0415  (an extra)

        return array_namespace(tensor) if is_tensor(tensor) else None
    except (ImportError, TypeError):
        return None


def _check_layout(xp: Any, tensors: dict[str, Any]) -> None:
    """Tensors are on one device and of shapes that go together; scores are floats."""
    from array_api_compat import device  # noqa: PLC0415  (an extra)

    shape = tensors["grades"].shape
    for name, tensor in tensors.items():
        fits = tensor.shape == shape if name != "judged" else tensor.shape[:-1] in ((), shape[:-1])
        if not fits:
            size, wanted = (" × ".join(map(str, sides)) for sides in (tensor.shape, shape))
            raise BadShape(name, size or "1", f"as many as grades: {wanted}")
        place, wanted = device(tensor), device(tensors["grades"])
        if place != wanted and None not in (place, wanted):  # None: JAX traces it
            raise WrongType(name, f"a tensor on {place}", f"one on {wanted}, where the grades are")
        kinds = "real floating" if name == "scores" else ("bool", "integral", "real floating")
        if not xp.isdtype(tensor.dtype, kinds):
            allowed = f"a tensor of {'floats' if name == 'scores' else 'real numbers'}"
            raise WrongType(name, f"a tensor of {tensor.dtype}", allowed)


def _is_dense(tensor: Any) -> bool:
    """PyTorch also has nested tensors, which NumPy's way reads, and sparse ones."""
    in_torch = hasattr(tensor, "detach")
    return not in_torch or (str(tensor.layout) == "torch.strided" and not tensor.is_nested)


def _has_memory(tensor: Any) -> bool:
    """Is it a tensor of PyTorch with numbers, not traced by torch.compile or torch.vmap?"""
    try:
        return hasattr(tensor, "detach") and tensor.data_ptr() != 0
    except RuntimeError:
        return False


def _is_true(flag: Any) -> bool:
    """Not what is traced: it has no value."""
    if hasattr(flag, "detach"):
        return _has_memory(flag) and bool(flag)
    try:
        return bool(flag)
    except TypeError:  # of JAX
        return False


@frozen(eq=False)
class _RankedGrades:
    """What functions of the catalogue ask of a `RankedRun`, for a batch that is cut at k."""

    xp: Any
    grade: Any  # in rank order
    pool_grade: Any
    rank: Any

    def relevant(self, rel: float, _: int | None) -> Any:
        return self.grade >= rel

    def recall_base(self, rel: float) -> Any:
        return self.count(self.pool_grade >= rel)

    def count(self, flags: Any) -> Any:
        return self.xp.sum(self.xp.astype(flags, self.rank.dtype), axis=-1)

    def total(self, values: Any, where: Any) -> Any:
        return self.xp.sum(self.xp.where(where, values, 0.0), axis=-1)

    def cumulate(self, flags: Any) -> Any:
        return self.xp.cumulative_sum(self.xp.astype(flags, self.rank.dtype), axis=-1)


@frozen(eq=False)
class _Rankings:
    """A batch of rankings, under one recipe; `faults` collects flags of what must not be."""

    xp: Any
    recipe: Recipe
    uses_kernel: bool
    grades: Any
    scores: Any = None
    judged: Any = None
    mask: Any = None
    faults: list[Any] = field(factory=list)

    def compute(self) -> Any:
        """One value for each ranking."""
        entry = self.recipe.entry
        values: Any = self._count_gains()
        if values is None:
            grades = self._read(self.grades, self.mask)
            pool = grades if self.judged is None else self._read(self.judged, None)
            if entry.cumulated:
                values = self._sum_both(grades, pool)
            else:
                ranked = self._rank_grades(grades, pool)
                values = entry.function(ranked, **self.recipe.function_arguments())
        if entry.normalised:
            return self._normalise(*values)
        if entry.cumulated:
            values = values[entry.gain_of == "ideal"]
            self._refuse(~self.xp.isfinite(values))
        return values

    def _refuse(self, flags: Any, _: str = "") -> None:
        """Note that numbers are flagged, which NumPy's way then finds."""
        self.faults.append(self.xp.any(flags))

    def _count_gains(self) -> tuple[Any, Any] | None:
        """The gain of each ranking and of its ideal by the kernel: the first ranks, on CUDA."""
        xp, recipe, settings = self.xp, self.recipe, self.recipe.convention
        gain, present = self.grades, self.mask
        is_small = recipe.k is not None and recipe.k <= 64 and gain.shape[1] <= 1 << 14
        is_plain = settings.negative in ("zero", "keep") and settings.ideal_depth == "k"
        by_rank = settings.ties in {"input", "average", "doc_descending", "doc_ascending"}
        has_scores = self.scores is not None and self.judged is None and recipe.entry.cumulated
        if not (self.uses_kernel and is_small and is_plain and by_rank and has_scores):
            return None
        try:
            from gainful.measure.counting_kernel import count_gains  # noqa: PLC0415  (loads torch)
        except ImportError:  # there is no Triton
            return None
        is_grade = recipe.gain.name == "linear" and settings.fractional == "keep"
        is_grade &= gain.dtype == xp.float32 or settings.grade_bits == 64
        is_grade &= present is None or xp.isdtype(present.dtype, "bool")
        if not is_grade:
            grades = self._read(gain, present)
            gain = self._find_gains(grades)
            present = None if present is None else grades > _ABSENT
        actual, ideal, fault = count_gains(
            gain,
            self.scores,
            present,
            recipe.discount,
            self._cut(gain.shape[1]),
            ties=settings.ties if recipe.entry.gain_of == "ranking" else "average",
            drop_negative=is_grade and settings.negative == "zero",
        )
        self._refuse(fault)
        return actual, ideal

    def _read(self, grades: Any, mask: Any) -> Any:
        """Grades, with `_ABSENT` where there is no document."""
        xp, settings = self.xp, self.recipe.convention
        if mask is None:
            self._refuse(~xp.isfinite(grades))
        else:
            present = xp.astype(mask, xp.bool)
            self._refuse(xp.astype(present, mask.dtype) != mask)
            self._refuse(present & ~xp.isfinite(grades))
            grades = xp.where(present, grades, _ABSENT)
        if settings.negative == "remove":
            grades = xp.where(grades < 0, _ABSENT, grades)
        return apply_fractional(grades, settings, self._refuse, xp)

    def _find_gains(self, grades: Any) -> Any:
        """What each document is worth; what is no document, nothing."""
        xp, settings, present = self.xp, self.recipe.convention, None
        if self.mask is not None or settings.negative == "remove":
            present = grades > _ABSENT
            grades = xp.where(present, grades, 0.0)
        bits, formula = settings.grade_bits, self.recipe.gain
        return weigh_grades(grades, formula, settings, self._refuse, present, bits=bits, xp=xp)

    def _find_order(self, grades: Any, key: Any, depth: int) -> tuple[Any, Any]:
        """The columns by score, equal scores as the tie policy has them; and the scores so."""
        xp, ties, absent = self.xp, self.recipe.convention.ties, grades == _ABSENT
        if self.scores is None:  # in rank order, but for gaps
            score, ties = xp.zeros_like(grades), "input"
        else:
            score = self.scores + 0.0  # minus zero is zero
            self._refuse(~(xp.isfinite(score) | absent))
        score = xp.where(absent, _ABSENT, score)
        if ties == "reversed":
            order = score.shape[1] - 1 - self._sort_columns(xp.flip(score, axis=-1))
        elif ties in {"best", "worst"}:
            by_key = self._sort_columns(key if ties == "best" else -key)
            order = self._sort_columns(xp.take_along_axis(score, by_key, axis=-1))
            order = xp.take_along_axis(by_key, order, axis=-1)
        else:
            order = self._sort_columns(score)
        score = xp.take_along_axis(score, order, axis=-1)
        if TIE_POLICIES[ties].needs == "ids":  # which arrays have not
            key = xp.take_along_axis(key, order, axis=-1)
            differ = (score[:, 1:] == score[:, :-1]) & (key[:, 1:] != key[:, :-1])
            in_view = score[:, 1:] >= score[:, depth - 1 : depth]
            self._refuse(differ & in_view & (score[:, 1:] > _ABSENT))
        return order, score

    def _sort_columns(self, key: Any) -> Any:
        return self.xp.argsort(key, axis=-1, descending=True, stable=True)

    def _rank_grades(self, grades: Any, pool: Any) -> _RankedGrades:
        xp, order = self.xp, self._find_order(grades, grades, grades.shape[1])[0]
        ranked = xp.take_along_axis(grades, order[:, : self._cut(grades.shape[1])], axis=-1)
        rank = xp.cumulative_sum(xp.ones_like(ranked[:1, :]), axis=-1)
        return _RankedGrades(xp, ranked, pool, rank)

    def _sum_both(self, grades: Any, pool: Any) -> tuple[Any, Any]:
        """The discounted gain of each ranking and of its ideal; None for what is not asked."""
        entry, actual, ideal = self.recipe.entry, None, None
        pool = grades if self.recipe.convention.ideal == "list" else pool
        gain = self._find_gains(grades)
        pool_gain = gain if pool is grades else self._find_gains(pool)
        if entry.gain_of == "ranking":
            actual = self._sum_gains(grades, gain)
        if entry.normalised or entry.gain_of == "ideal":
            ideal = self._sum_ideal(grades, pool, pool_gain)
        return actual, ideal

    def _sum_gains(self, grades: Any, gain: Any) -> Any:
        """The discounted gain of each ranking; ties that are averaged, as expected."""
        width, depth = gain.shape[1], self._cut(gain.shape[1])
        discounts = rank_discounts(self.recipe, depth)
        columns, score = self._find_order(grades, gain, depth)
        if self.scores is not None and TIE_POLICIES[self.recipe.convention.ties].averages:
            weights = self._average_discounts(score, np.pad(discounts, (0, width - depth)), gain)
        else:
            columns, weights = columns[:, :depth], self._place(discounts, gain)
        return self.xp.sum(self.xp.take_along_axis(gain, columns, axis=-1) * weights, axis=-1)

    def _average_discounts(self, score: Any, discounts: Array, gain: Any) -> Any:
        """Of each block of equal scores the mean discount, or that of its middle rank."""
        xp, edge = self.xp, self.xp.ones_like(score[:, :1], dtype=self.xp.bool)
        opens = xp.concat((edge, score[:, 1:] != score[:, :-1], edge), axis=1)
        begin = self._sort_columns(xp.astype(opens, xp.int8))  # of each block, and the end of all
        block = xp.cumulative_sum(xp.astype(opens[:, :-1], begin.dtype), axis=-1)
        first = xp.take_along_axis(begin, block - 1, axis=-1)
        end = xp.take_along_axis(begin, block, axis=-1)
        if self.recipe.convention.ties == "mean_rank":
            first = (first + end - 1) // 2
            end = first + 1
        total = np.append(0.0, np.cumsum(discounts, dtype=np.longdouble))
        weights = xp.zeros_like(gain)
        high = total.astype(np.float32).astype(np.float64)  # sums in two parts, precise in 32 bit
        for part in (high, (total - high).astype(np.float64)):
            sums = xp.broadcast_to(self._place(part, gain), opens.shape)
            weights = weights + xp.take_along_axis(sums, end, axis=-1)
            weights = weights - xp.take_along_axis(sums, first, axis=-1)
        return weights / xp.astype(end - first, gain.dtype)

    def _sum_ideal(self, grades: Any, pool: Any, gain: Any) -> Any:
        """The discounted gain of the best ranking of the pool."""
        xp, settings = self.xp, self.recipe.convention
        worth = xp.maximum(gain, 0.0)
        if settings.negative == "in_ideal":
            worth = xp.where(pool == _ABSENT, _ABSENT, gain)
        depth = gain.shape[1] if settings.ideal_depth == "all" else self._cut(gain.shape[1])
        if depth < gain.shape[1] and hasattr(xp, "topk"):  # which PyTorch alone has
            best = xp.topk(worth, depth, dim=-1).values
        else:
            best = xp.sort(worth, axis=-1, descending=True)[:, :depth]
        best = xp.where(best == _ABSENT, 0.0, best)
        discounts = self._place(rank_discounts(self.recipe, depth), gain)
        if settings.ideal_depth == "retrieved":
            rank = xp.cumulative_sum(xp.ones_like(discounts), axis=-1)
            present = xp.astype(grades > _ABSENT, gain.dtype)
            lengths = xp.sum(present, axis=-1, keepdims=True)
            discounts = xp.where(rank <= lengths, discounts, 0.0)
        return xp.sum(best * discounts, axis=-1)

    def _place(self, numbers: Array, like: Any) -> Any:
        """Numbers as one row of the kind and on the device of a tensor."""
        from array_api_compat import device, is_jax_array  # noqa: PLC0415  (an extra)

        where = None if is_jax_array(like) else device(like)  # JAX moves them where they are used
        return self.xp.asarray(numbers[None, :], dtype=like.dtype, device=where)

    def _cut(self, size: int) -> int:
        return size if self.recipe.k is None else min(size, self.recipe.k)

    def _normalise(self, actual: Any, ideal: Any) -> Any:
        """Actual over ideal; NaN where the convention leaves a ranking out."""
        empty, by = self.recipe.convention.empty, self.recipe.convention.negative_ideal
        self._refuse(~(self.xp.isfinite(actual) & self.xp.isfinite(ideal)))
        nothing = float(empty) if empty in (0, 1) else float("nan")
        values, divisible = divide_by_ideal(actual, ideal, nothing, by, self.xp)
        if empty == "error":
            self._refuse(~divisible)
        return values
