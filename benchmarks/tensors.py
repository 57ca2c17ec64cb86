"""nDCG@10 of float32 tensors on a GPU: the kernel, the array API, torchmetrics; milliseconds.

Needs PyTorch with CUDA, Triton, array-api-compat and torchmetrics. On a machine without CUDA,
`python benchmarks/tensors.py cpu 2000` shows that it runs, not how fast a GPU is.
"""

from __future__ import annotations

import statistics
import sys
import time
from datetime import UTC, datetime

import torch
from torchmetrics.retrieval import RetrievalNormalizedDCG

import gainful

DEVICE = sys.argv[1] if len(sys.argv) > 1 else "cuda"
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
SIZE, K, REPEATS, PEER_ROWS = 1_000, 10, 20, 1_000


def wait():
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def time_call(call, repeats=REPEATS):
    """The median in milliseconds, after two calls that compile what is compiled."""
    seconds = []
    for _ in range(repeats + 2):
        wait()
        start = time.perf_counter()
        value = call()
        wait()
        seconds.append(time.perf_counter() - start)
    return 1000 * statistics.median(seconds[2:]), value


def hide_kernel(call):
    """Call it as if Triton were not installed: by the array API alone."""
    name = "gainful.measure.counting_kernel"
    kept = sys.modules.pop(name, None)
    sys.modules[name] = None
    try:
        return call()
    finally:
        del sys.modules[name]
        if kept is not None:
            sys.modules[name] = kept


def time_kernel(grades, scores):
    """The milliseconds of the kernel, by the clock of the device."""
    from triton.testing import do_bench

    from gainful.measure.counting_kernel import count_gains
    from gainful.measure.discount import DISCOUNTS

    options = {"ties": "input", "drop_negative": True}
    return do_bench(
        lambda: count_gains(grades, scores, None, DISCOUNTS["log2"], K, **options),
        return_mode="median",
    )


def main() -> None:
    generator = torch.Generator(DEVICE).manual_seed(2008)
    shape, options = (ROWS, SIZE), {"device": DEVICE, "generator": generator}
    grades = torch.randint(0, 5, shape, **options).float()
    scores = torch.rand(shape, **options)
    peer, few = RetrievalNormalizedDCG(top_k=K), slice(PEER_ROWS)
    indexes = torch.arange(PEER_ROWS, device=DEVICE)[:, None].expand(-1, SIZE).flatten()

    def measure(rows=slice(None)):
        return gainful.ndcg(grades[rows], scores[rows], k=K, ties="input")

    def ask_peer():
        return peer(scores[few].flatten(), grades[few].flatten().long(), indexes=indexes)

    name = torch.cuda.get_device_name() if DEVICE == "cuda" else "CPU"
    print(f"{datetime.now(UTC):%Y-%m-%d}, {name}, PyTorch {torch.__version__}")
    print(f"{ROWS:,} rankings × {SIZE:,} scores in 32 bit, nDCG@{K}; median of {REPEATS}\n")
    whole_call, counted = time_call(measure)
    array_api, values = hide_kernel(lambda: time_call(measure))
    sort, _ = time_call(lambda: scores.sort(dim=1))
    read, _ = time_call(scores.sum)
    theirs, expected = time_call(ask_peer, 3)
    difference = abs(float(measure(few).mean()) - float(expected))
    for what, milliseconds, asked in (
        ("gainful, with the kernel" if DEVICE == "cuda" else "gainful", whole_call, ""),
        *(
            (("the kernel alone", time_kernel(grades, scores), "≤ 0.5"),)
            if DEVICE == "cuda"
            else ()
        ),
        ("gainful, array API", array_api, "≤ 15"),
        ("torch.sort of the scores alone", sort, ""),
        ("reading the scores alone", read, ""),
        (f"torchmetrics, of {PEER_ROWS:,} rankings", theirs, ""),
    ):
        print(f"{what:<36}{milliseconds:>10.2f} ms  {asked}")
    print(f"\nlargest difference of both ways {float((counted - values).abs().max()):.1e}")
    print(f"difference from torchmetrics    {difference:.1e}")


if __name__ == "__main__":
    main()
