"""PyTorch: the numbers of NumPy and torchmetrics, compiled graphs, and the meter."""

import os

import numpy as np
import pytest
import torch
import torch.distributed
import torchmetrics.retrieval as peers
from hypothesis import given
from profiles import examples
from refusals import refuses
from tensor_cases import cases, check_tensors

import gainful
from gainful.errors import BadValue, WrongType
from gainful.torch import Meter

rng = np.random.default_rng(9)
GRADES = torch.asarray(rng.integers(0, 4, (30, 40)))
SCORES = torch.asarray(rng.permutation(1200).reshape(30, 40) / 1200 + 0.01, dtype=torch.float32)


@examples(100)
@given(cases())
def test_torch_has_the_numbers_and_mistakes_of_numpy(case):
    check_tensors(case, torch.asarray, 1e-12)


@pytest.mark.parametrize("depth", [5, None])
def test_torchmetrics_has_the_same_numbers(depth):
    rows = torch.arange(len(GRADES))[:, None].expand(GRADES.shape)
    names = {
        "nDCG": peers.RetrievalNormalizedDCG(top_k=depth),
        "AP": peers.RetrievalMAP(top_k=depth),
        "P": peers.RetrievalPrecision(top_k=depth),
        "R": peers.RetrievalRecall(top_k=depth),
        "RR": peers.RetrievalMRR(top_k=depth),
    }
    for name, peer in names.items():
        target = GRADES if name == "nDCG" else (GRADES > 1).long()
        expected = peer(SCORES.flatten(), target.flatten(), indexes=rows.flatten())
        meter = Meter(gainful.Measure(name) @ (depth or 40), like="torchmetrics")
        for part in (slice(12), slice(12, None)):
            meter.update(target[part], SCORES[part])
        (value,) = meter.compute().values()
        assert float(value) == pytest.approx(float(expected), abs=1e-6)


# PyTorch's own, where other code of the process was compiled before
@pytest.mark.filterwarnings(
    "ignore:.*ExactWeakKeyDictionary:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled_graphs_are_whole_and_have_the_same_numbers(backend):
    for name, call in {
        "nDCG@10": lambda *tensors: gainful.ndcg(*tensors, k=10),
        "AP": gainful.average_precision,
        "RR": lambda *tensors: gainful.compute("RR", *tensors),
    }.items():
        torch.compiler.reset()
        compiled = torch.compile(
            lambda grades, scores, call=call: call(grades, 2 * scores),
            backend=backend,
            fullgraph=True,
        )
        expected = gainful.compute(name, GRADES, SCORES)
        torch.testing.assert_close(compiled(GRADES, SCORES), expected)


@pytest.mark.parametrize("ties", ["input", "average"])
def test_mapped_rankings_have_the_same_numbers(ties):
    for shapes in ((0, 0), (None, 0)):
        grades = GRADES if shapes[0] == 0 else GRADES[0]
        mapped = torch.vmap(lambda *tensors: gainful.ndcg(*tensors, ties=ties, k=7), shapes)
        expected = gainful.ndcg(grades.expand(GRADES.shape), SCORES, ties=ties, k=7)
        torch.testing.assert_close(mapped(grades, SCORES), expected)


def test_scores_of_8_bit_are_ranked_and_summed_in_32():
    scores = torch.asarray([[0.5, 2.0, 1.0]]).to(torch.float8_e4m3fn)
    values = gainful.ndcg(torch.asarray([[1, 3, 2]]), scores)
    assert (values.dtype, values.tolist()) == (torch.float32, [1.0])


def test_nested_tensors_are_ragged_lists_and_sparse_ones_are_refused():
    grades, scores = (
        torch.nested.as_nested_tensor([torch.asarray(row) for row in rows], layout=torch.jagged)
        for rows in ([[3.0, 2, 3], [0.0, 1]], [[0.9, 0.8, 0.7], [0.1, 0.2]])
    )
    expected = gainful.ndcg([[3, 2, 3], [1, 0]])
    np.testing.assert_allclose(gainful.ndcg(grades, scores).numpy(), expected, rtol=1e-6)
    with refuses(WrongType, "grades"):
        gainful.ndcg(GRADES.to_sparse(), SCORES)


def test_scores_of_16_bit_are_ranked_and_summed_in_32():
    values = gainful.ndcg(GRADES, SCORES.to(torch.bfloat16), ties="average")
    assert values.dtype == torch.float32
    expected = gainful.ndcg(
        GRADES.numpy(), SCORES.to(torch.bfloat16).double().numpy(), ties="average"
    )
    np.testing.assert_allclose(values.numpy(), expected, rtol=1e-6)


COUNTED = """if 1:
    import os, sys
    os.environ["TRITON_INTERPRET"] = "1"  # before Triton is loaded: its kernels run in Python
    sys.path.insert(0, "tests")
    import gainful, torch
    from hypothesis import given
    from profiles import examples, load_profiles
    from tensor_cases import check_tensors, kernel_cases

    load_profiles()

    @examples(40)
    @given(kernel_cases())
    def check(case):
        for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-6)):
            check_tensors(case, lambda a: torch.asarray(a, dtype=None if a.dtype == bool else dtype), tolerance)

    check()
    grades, scores = torch.tensor([[3.0, 2, 3], [0, 1, 2]]), torch.rand((2, 3))
    mapped = torch.vmap(lambda *tensors: gainful.ndcg(*tensors, k=2))(grades, scores)
    torch.testing.assert_close(mapped, gainful.ndcg(grades, scores, k=2))
    print("gainful.measure.counting_kernel" in sys.modules)
"""


def test_the_kernel_counts_what_sorting_gives(run_python):
    pytest.importorskip("triton")
    assert run_python(COUNTED) == "True"


# ── the meter ────────────────────────────────────────────────────────────────────────────────


def test_a_meter_has_the_mean_of_all_rankings():
    meter = Meter("nDCG@5", "P@3", "ERR", rel=2)
    for part in (slice(7), slice(7, None)):
        meter.update(GRADES[part], SCORES[part])
    values = meter.compute()
    assert [*values] == ["nDCG@5", "P@3", "ERR"]
    for name, options in {"nDCG@5": {}, "P@3": {"rel": 2}}.items():
        expected = gainful.compute(name, GRADES.numpy(), SCORES.double().numpy(), **options).mean()
        assert float(values[name]) == pytest.approx(expected, abs=1e-6)


def test_rankings_that_are_left_out_do_not_count():
    grades, mask = torch.tensor([[1, 0, 7], [0, 0, 7]]), torch.tensor([[1, 1, 0]] * 2) > 0
    meter = Meter("nDCG", empty="skip")
    meter.update(grades, torch.tensor([[0.1, 0.2, 9.0]] * 2), mask=mask)
    assert float(meter.compute()["nDCG"]) == pytest.approx(gainful.ndcg([0, 1]))


def test_a_meter_is_kept_and_forgotten_as_a_module_is():
    meter, other = Meter("nDCG@5"), Meter("nDCG@5")
    meter.update(GRADES, SCORES)
    other.load_state_dict(meter.state_dict())
    assert other.compute() == meter.compute()
    meter.reset()
    assert torch.isnan(meter.compute()["nDCG@5"])
    meter.update(GRADES, SCORES)
    assert other.compute() == meter.compute()


def test_a_meter_that_is_cast_with_its_model_still_counts_in_64_bit():
    expected = {"nDCG": 1.0, "P@2": 0.5}
    for cast in ("half", "bfloat16", "float"):
        model = torch.nn.ModuleDict({"layer": torch.nn.Linear(1, 1), "meter": Meter(*expected)})
        getattr(model, cast)()
        assert model["layer"].weight.dtype != torch.float64
        meter = model.to(torch.device("cpu"), torch.bfloat16)["meter"]
        for _ in range(8):
            meter.update(torch.tensor([[1, 0]] * 777), torch.tensor([[0.9, 0.1]] * 777))
        assert meter.counts.tolist() == [6216, 6216]
        assert {name: float(mean) for name, mean in meter.compute().items()} == expected
    model["meter"].to_empty(device="cpu")
    assert {buffer.device.type for buffer in model.to("meta")["meter"].buffers()} == {"meta"}


def test_a_meter_keeps_no_graph_of_grades_that_are_trained(monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")  # PyTorch computes, as on a GPU
    meter = Meter("DCG")
    meter.update(GRADES.float().requires_grad_(), SCORES)
    assert not meter.sums.requires_grad


@pytest.mark.parametrize("batch", [([[1, 0]], [[0.5, 0.2]]), (np.eye(2), np.eye(2))])
def test_a_meter_refuses_what_is_no_tensor(batch):
    with refuses(WrongType, "grades", "torch.tensor"):
        Meter("nDCG").update(*batch)
    with refuses(WrongType, "mask", "torch.tensor"):
        Meter("nDCG").update(GRADES, SCORES, mask=[True])


def test_what_is_wrong_is_refused_by_the_meter():
    with refuses(BadValue, "measures"):
        Meter()
    with refuses(BadValue, "scores[0][0]"):
        Meter("nDCG").update(GRADES, SCORES * float("nan"))


def _count_in_process(rank, port, folder):
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    torch.distributed.init_process_group("gloo", rank=rank, world_size=2)
    meter = Meter("nDCG@5")
    meter.update(*((GRADES[:10], SCORES[:10]) if rank == 0 else (GRADES[10:], SCORES[10:])))
    (folder / str(rank)).write_text(repr(float(meter.compute()["nDCG@5"])))
    torch.distributed.destroy_process_group()


def test_processes_add_up_what_they_counted(tmp_path, free_port):
    torch.multiprocessing.spawn(_count_in_process, (free_port, tmp_path), nprocs=2)
    meter = Meter("nDCG@5")
    meter.update(GRADES, SCORES)
    expected = pytest.approx(float(meter.compute()["nDCG@5"]))
    assert [float((tmp_path / str(rank)).read_text()) for rank in (0, 1)] == [expected] * 2


@pytest.fixture
def free_port():
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
