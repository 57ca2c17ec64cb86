"""Measures of tensors where they live: PyTorch, JAX, CuPy, all that speaks the array API standard.

Rankings are dense, (batch, n), with a mask. All shapes are known beforehand and no row is looked
at alone, so that `torch.compile` and `jax.jit` can trace it. `compute_tensor` returns None for what
it does not cover and for what has to be refused: NumPy's way computes the one and says where the
other is. So it does for PyTorch's tensors in memory, many times as fast as PyTorch sorts there.
Under tracing no value can be checked; what comes out then is documented.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import find_spec
from math import prod
from os import environ
from typing import Any

import numpy as np
from attrs import field, frozen

from gainful.errors import BadShape, WrongType
from gainful.match.ties import TIE_POLICIES
from gainful.measure.entry import Recipe
from gainful.rounding import FINE_ROUNDING

_BINARY = ("P", "R", "RR", "AP")


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
    xp = _find_namespace(tensors)
    if xp is None:
        _refuse_other_libraries(tensors)
        return None
    settings = recipe.convention
    is_known = recipe.entry.cumulated or recipe.entry.name in _BINARY
    covered = is_known and not recipe.entry.registered
    if not covered or settings.short != "as_is" or settings.decimals is not None:
        return None
    _check_layout(xp, tensors)
    is_empty = any(0 in tensor.shape for tensor in tensors.values())
    if is_empty or grades.ndim == 0 or _is_in_memory(grades):
        return None
    rankings = _Rankings(xp, recipe, **tensors)
    size = prod(grades.shape[:-1])
    values = xp.broadcast_to(rankings.compute(), (size,))  # one pool may be that of all rankings
    if _is_true(xp.any(xp.stack(rankings.faults))):
        return None
    return xp.reshape(values, grades.shape[:-1])


def return_tensor(values: Any, grades: Any, scores: Any) -> Any:
    """Values of NumPy as a tensor where the grades are; None where their library is not known.

    What the convention leaves out is NaN.
    """
    xp = _find_namespace({"grades": grades})
    if xp is None:
        return None
    from array_api_compat import device  # noqa: PLC0415  (an extra)

    scores = scores if is_tensor(scores) else None
    plain = np.ma.filled(np.ma.asarray(values), np.nan)
    return xp.asarray(plain, dtype=_choose_dtype(xp, grades, scores), device=device(grades))


def _choose_dtype(xp: Any, *tensors: Any) -> Any:
    types = [tensor.dtype for tensor in tensors if tensor is not None]
    return xp.result_type(
        xp.float32, *(kind for kind in types if xp.isdtype(kind, "real floating"))
    )


def _find_namespace(tensors: dict[str, Any]) -> Any:
    try:
        from array_api_compat import array_namespace  # noqa: PLC0415  (an extra)

        return array_namespace(*tensors.values())
    except (ImportError, TypeError):
        return None


def _refuse_other_libraries(tensors: dict[str, Any]) -> None:
    """Tensors of two libraries; lists and arrays of NumPy go with those of any."""
    wanted = type(tensors["grades"]).__module__
    for name, tensor in tensors.items():
        library = _find_namespace({name: tensor}) if is_tensor(tensor) else None
        if library is not None and library is not _find_namespace({"grades": tensors["grades"]}):
            made = type(tensor).__module__
            raise WrongType(name, f"a tensor of {made}", f"one of {wanted}, as the grades")


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
        if place != wanted:
            raise WrongType(name, f"a tensor on {place}", f"one on {wanted}, where the grades are")
    if "scores" in tensors and not xp.isdtype(tensors["scores"].dtype, "real floating"):
        raise WrongType("scores", f"a tensor of {tensors['scores'].dtype}", "a tensor of floats")


def _is_true(flag: Any) -> bool:
    if _is_compiling():
        return False
    try:
        return bool(flag)
    except (RuntimeError, TypeError):  # of PyTorch under vmap, of a tracer of JAX
        return False


def _is_in_memory(tensor: Any) -> bool:
    on_cpu = hasattr(tensor, "detach") and tensor.device.type == "cpu"
    return on_cpu and not _is_compiling() and "TRITON_INTERPRET" not in environ


@cache
def has_triton() -> bool:
    """Is Triton installed?"""
    return find_spec("triton") is not None


def _is_compiling() -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


@frozen(eq=False)
class _Rankings:
    """A batch of rankings, under one recipe; `faults` collects flags of what must not be."""

    xp: Any
    recipe: Recipe
    grades: Any
    scores: Any = None
    judged: Any = None
    mask: Any = None
    faults: list[Any] = field(factory=list)

    def compute(self) -> Any:
        """One value for each ranking."""
        entry, settings = self.recipe.entry, self.recipe.convention
        dtype = _choose_dtype(self.xp, self.grades, self.scores)
        actual = ideal = None
        if self._can_count(dtype):
            actual, ideal = self._count_gains(dtype)
        else:
            grades, present = self._read(self.grades, self.mask, dtype)
            pool, in_pool = grades, present
            if self.judged is not None:
                pool, in_pool = self._read(self.judged, None, dtype)
            if entry.name in _BINARY:
                return self._compare_hits(grades, present, pool, in_pool)
            if settings.ideal == "list":
                pool, in_pool = grades, present
            gain = self._find_gains(grades, present)
            pool_gain = gain if pool is grades else self._find_gains(pool, in_pool)
            if entry.gain_of != "ideal":
                actual = self._sum_gains(gain, present)
            if entry.normalised or entry.gain_of == "ideal":
                ideal = self._sum_ideal(pool_gain, in_pool, present, gain.shape[1])
        if entry.gain_of == "ideal":
            return ideal
        return self._normalise(actual, ideal) if entry.normalised else actual

    def _can_count(self, dtype: Any) -> bool:
        """Is it a case for the kernel: the first ranks of tensors on CUDA, in usual settings?"""
        recipe, settings = self.recipe, self.recipe.convention
        interpreted = "TRITON_INTERPRET" in environ and hasattr(self.grades, "detach")
        on_gpu = getattr(self.grades, "is_cuda", False) or interpreted
        if not on_gpu or _is_compiling() or not has_triton():
            return False
        is_small = recipe.k is not None and recipe.k <= 64 and self.grades.shape[-1] <= 1 << 14
        is_exact = dtype == self.xp.float32 or settings.score_bits == settings.grade_bits == 64
        is_plain = settings.negative in ("zero", "keep") and settings.ideal_depth == "k"
        by_rank = settings.ties in {"input", "average", "doc_descending", "doc_ascending"}
        has_tensors = self.scores is not None and self.judged is None
        is_cumulated = recipe.entry.cumulated
        return is_small and is_exact and is_plain and by_rank and has_tensors and is_cumulated

    def _count_gains(self, dtype: Any) -> tuple[Any, Any]:
        """The gain of each ranking and of its ideal, by the kernel."""
        from gainful.measure.counting_kernel import count_gains  # noqa: PLC0415  (it loads torch)

        xp, settings, shape = self.xp, self.recipe.convention, (-1, self.grades.shape[-1])
        present = None if self.mask is None else xp.reshape(self.mask, shape)
        gain = xp.astype(xp.reshape(self.grades, shape), dtype, copy=False)
        is_grade = self.recipe.gain.name == "linear" and settings.fractional == "keep"
        is_grade &= present is None or xp.isdtype(present.dtype, "bool")
        if not is_grade:
            gain, present = self._read(self.grades, self.mask, dtype)
            gain = self._find_gains(gain, present)
        actual, ideal, fault = count_gains(
            gain,
            xp.astype(xp.reshape(self.scores, shape), dtype, copy=False),
            present,
            self.recipe.discount,
            self._cut(gain.shape[1]),
            ties=settings.ties if self.recipe.entry.gain_of == "ranking" else "average",
            drop_negative=is_grade and settings.negative == "zero",
        )
        self.faults.append(fault)
        return actual, ideal

    def _read(self, tensor: Any, mask: Any, dtype: Any) -> tuple[Any, Any]:
        """Grades as a matrix of floats, and which places hold a document; None where all do."""
        xp, settings = self.xp, self.recipe.convention
        grades = xp.astype(xp.reshape(tensor, (-1, tensor.shape[-1])), dtype, copy=False)
        present = None
        if mask is not None:
            present = xp.reshape(mask, grades.shape)
            if not xp.isdtype(present.dtype, "bool"):
                self.faults.append(xp.any((present != 0) & (present != 1)))
                present = present != 0
            grades = xp.where(present, grades, 0.0)
        self.faults.append(~xp.all(xp.isfinite(grades)))
        if settings.negative == "remove":
            kept = grades >= 0
            present = kept if present is None else present & kept
        if settings.fractional != "keep":
            whole = xp.trunc(grades)
            if settings.fractional == "error":
                self.faults.append(xp.any(whole != grades))
            grades = whole
        return grades, present

    def _find_gains(self, grades: Any, present: Any) -> Any:
        """What each document is worth; what is no document, nothing."""
        xp, settings, formula = self.xp, self.recipe.convention, self.recipe.gain
        if formula.grades:
            known = [grades == grade for grade in formula.grades]
            unknown = ~xp.any(xp.stack(known), axis=0)
            self.faults.append(xp.any(unknown if present is None else unknown & present))
        elif settings.grade_bits == 32:
            grades = xp.astype(xp.astype(grades, xp.float32), grades.dtype)
        gain = formula.evaluate_on(xp, grades)
        if settings.negative == "error":
            self.faults.append(xp.any(grades < 0))
        if settings.negative == "zero" and not formula.signed:
            gain = xp.where(grades < 0, 0.0, gain)
        gain = gain if present is None else xp.where(present, gain, 0.0)
        self.faults.append(~xp.all(xp.isfinite(gain)))
        return gain

    def _find_order(self, key: Any, present: Any, depth: int) -> tuple[Any, Any]:
        """The columns by score, equal scores as the tie policy has them; and the scores so."""
        xp, ties = self.xp, self.recipe.convention.ties
        score = xp.reshape(self.scores, key.shape) + 0.0  # minus zero is zero
        finite = xp.isfinite(score)
        self.faults.append(~xp.all(finite if present is None else finite | ~present))
        if self.recipe.convention.score_bits == 32:
            score = xp.astype(score, xp.float32)
        if present is not None:  # what is no document comes last
            lowest = float(xp.finfo(score.dtype).min)
            score = xp.where(present, xp.maximum(score, lowest), -float("inf"))
        if ties == "reversed":
            order = key.shape[1] - 1 - self._sort_columns(xp.flip(score, axis=-1))
        elif TIE_POLICIES[ties].needs == "grades":
            before = self._sort_columns(key if ties == "best" else -key)
            order = xp.take_along_axis(
                before, self._sort_columns(xp.take_along_axis(score, before, axis=-1)), axis=-1
            )
        else:
            order = self._sort_columns(score)
        score = xp.take_along_axis(score, order, axis=-1)
        if TIE_POLICIES[ties].needs == "ids":  # which arrays have not
            key = xp.take_along_axis(key, order, axis=-1)
            differ = (score[:, 1:] == score[:, :-1]) & (key[:, 1:] != key[:, :-1])
            in_view = score[:, 1:] >= score[:, depth - 1 : depth]
            self.faults.append(xp.any(differ & in_view & (score[:, 1:] > -float("inf"))))
        return order, score

    def _sort_columns(self, key: Any) -> Any:
        return self.xp.argsort(key, axis=-1, descending=True, stable=True)

    def _close_gaps(self, values: Any, present: Any) -> Any:
        if present is None:
            return values
        order = self._sort_columns(self.xp.astype(present, values.dtype))
        return self.xp.take_along_axis(values, order, axis=-1)

    def _sum_gains(self, gain: Any, present: Any) -> Any:
        """The discounted gain of each ranking; ties that are averaged, as expected."""
        depth = self._cut(gain.shape[1])
        if self.scores is None:
            gain = self._close_gaps(gain, present)
        else:
            order, score = self._find_order(gain, present, depth)
            averages = TIE_POLICIES[self.recipe.convention.ties].averages
            columns = order if averages else order[:, :depth]
            gain = self.xp.take_along_axis(gain, columns, axis=-1)
            gain = self._average_ties(gain, score) if averages else gain
        return self.xp.sum(gain[:, :depth] * self._find_discounts(gain, depth), axis=-1)

    def _average_ties(self, gain: Any, score: Any) -> Any:
        """Of each block of equal scores the mean at all its ranks, or all at the middle one."""
        xp = self.xp
        starts = xp.concat((xp.ones_like(score[:, :1]) > 0, score[:, 1:] != score[:, :-1]), axis=1)
        single = xp.ones_like(gain)
        total, size = self._sum_blocks(gain, starts), self._sum_blocks(single, starts)
        if self.recipe.convention.ties == "average":
            return total / size
        place = self._scan_blocks(single, starts)
        return xp.where(place == xp.floor((size + 1) / 2), total, 0.0)

    def _sum_blocks(self, values: Any, starts: Any) -> Any:
        xp = self.xp
        ends = xp.concat((starts[:, 1:], xp.ones_like(starts[:, :1])), axis=1)
        backwards = self._scan_blocks(xp.flip(values, axis=-1), xp.flip(ends, axis=-1))
        return self._scan_blocks(values, starts) + xp.flip(backwards, axis=-1) - values

    def _scan_blocks(self, values: Any, starts: Any) -> Any:
        """The sum of a block down to each rank, by doubling: no large sums are subtracted."""
        xp, step = self.xp, 1
        while step < values.shape[1]:
            nothing, start = xp.zeros_like(values[:, :step]), xp.ones_like(starts[:, :step])
            above = xp.concat((nothing, values[:, :-step]), axis=1)
            values = xp.where(starts, values, values + above)
            starts = starts | xp.concat((start, starts[:, :-step]), axis=1)
            step *= 2
        return values

    def _sum_ideal(self, gain: Any, in_pool: Any, present: Any, size: int) -> Any:
        """The discounted gain of the best ranking of the pool."""
        xp, settings = self.xp, self.recipe.convention
        worth = xp.maximum(gain, 0.0)
        if settings.negative == "in_ideal":
            worth = gain if in_pool is None else xp.where(in_pool, gain, -float("inf"))
        depth = gain.shape[1] if settings.ideal_depth == "all" else self._cut(gain.shape[1])
        if depth < gain.shape[1] and hasattr(xp, "topk"):  # which PyTorch alone has
            best = xp.topk(worth, depth, dim=-1).values
        else:
            best = xp.sort(worth, axis=-1, descending=True)[:, :depth]
        best = xp.where(xp.isfinite(best), best, 0.0)
        discounts = self._find_discounts(best, depth)
        if settings.ideal_depth == "retrieved":
            rank = xp.cumulative_sum(xp.ones_like(best[:1, :]), axis=-1)
            lengths: Any = size
            if present is not None:
                lengths = xp.sum(xp.astype(present, best.dtype), axis=-1, keepdims=True)
            discounts = xp.where(rank <= lengths, discounts, 0.0)
        return xp.sum(best * discounts, axis=-1)

    def _find_discounts(self, like: Any, depth: int) -> Any:
        rank = self.xp.cumulative_sum(self.xp.ones_like(like[:1, :depth]), axis=-1)
        discounts = self.recipe.discount.evaluate_on(self.xp, rank)
        self.faults.append(~self.xp.all(self.xp.isfinite(discounts)))
        return discounts

    def _cut(self, size: int) -> int:
        return size if self.recipe.k is None else min(size, self.recipe.k)

    def _compare_hits(self, grades: Any, present: Any, pool: Any, in_pool: Any) -> Any:
        """Precision, recall, reciprocal rank or average precision."""
        xp, name, arguments = self.xp, self.recipe.entry.name, self.recipe.function_arguments()
        is_relevant, in_base = grades >= arguments["rel"], pool >= arguments["rel"]
        is_relevant = is_relevant if present is None else is_relevant & present
        in_base = in_base if in_pool is None else in_base & in_pool
        hit, base = (xp.astype(flags, grades.dtype) for flags in (is_relevant, in_base))
        base = xp.sum(base, axis=-1)
        depth = self._cut(grades.shape[1])
        if self.scores is None:
            hit = self._close_gaps(hit, present)[:, :depth]
        else:
            order, _ = self._find_order(grades, present, grades.shape[1])
            hit = xp.take_along_axis(hit, order[:, :depth], axis=-1)
        count, rank = xp.sum(hit, axis=-1), xp.cumulative_sum(xp.ones_like(hit), axis=-1)
        if name == "P":
            return count / self.recipe.k
        if name == "R":
            return self._normalise(count, base)
        if name == "RR":
            return xp.max(hit / rank, axis=-1)
        k, divisor = self.recipe.k, arguments["divisor"]
        if divisor == "found":
            base = count
        elif divisor == "reachable" and k is not None:
            base = xp.minimum(base, float(k))
        elif divisor == "k" and k is not None:
            base = xp.where(base > 0, float(k), base)
        return self._normalise(xp.sum(hit * xp.cumulative_sum(hit, axis=-1) / rank, axis=-1), base)

    def _normalise(self, actual: Any, ideal: Any) -> Any:
        """Actual over ideal; NaN where the convention leaves a ranking out."""
        xp, settings = self.xp, self.recipe.convention
        if settings.negative_ideal == "divide_or_dcg":
            ideal = xp.where((ideal == 0) & (actual != 0), 1.0, ideal)
        divisible = ideal > 0 if settings.negative_ideal == "empty" else ideal != 0
        if settings.empty == "error":
            self.faults.append(~xp.all(divisible))
        nothing = float(settings.empty) if settings.empty in (0, 1) else float("nan")
        values = xp.where(divisible, actual / xp.where(divisible, ideal, 1.0), nothing)
        rounding = max(FINE_ROUNDING, 4 * float(xp.finfo(values.dtype).eps))
        return xp.where(xp.abs(values - 1) < rounding, 1.0, values)
