"""A run of one's own sets how much slower than predicted compute is."""

from __future__ import annotations

import pytest

from tests.workloads.designs import POD, assessed, parts, saved
from toposmith.workloads.assess import Assessment, compute_factor
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.workload_assumptions import step_words


def trained(batch: int = 127, layout: dict[str, object] | None = None, **run: object) -> Assessment:
    return assessed(
        POD,
        model="llama3-8b",
        layout=layout or {"tp": 8},
        training={"batch": batch, "sequence": 8192, **run},
    )


def test_compute_takes_so_many_times_as_long() -> None:
    plain, slower = trained().step, trained(compute_factor=1.5).step
    assert plain is not None
    assert slower is not None
    assert slower.forward_s == pytest.approx(1.5 * plain.forward_s)
    assert slower.backward_s == pytest.approx(1.5 * plain.backward_s)
    assert [c.total_s for c in slower.communication] == [c.total_s for c in plain.communication]


def test_the_factor_of_a_measured_step_gives_that_step() -> None:
    found = trained()
    assert found.step is not None
    measured = 1.4 * found.step.step_s
    factor = compute_factor(saved(POD), parts(), found, measured)
    again = trained(compute_factor=factor).step
    assert again is not None
    assert again.step_s == pytest.approx(measured, rel=1e-4)


def test_one_measured_point_moves_the_others() -> None:
    found = trained()
    assert found.step is not None
    factor = compute_factor(saved(POD), parts(), found, 1.3 * found.step.step_s)
    layout: dict[str, object] = {"tp": 4}
    other = trained(254, layout).step
    moved = trained(254, layout, compute_factor=factor).step
    assert other is not None
    assert moved is not None
    assert moved.forward_s == pytest.approx(factor * other.forward_s)
    assert other.step_s < moved.step_s < factor * other.step_s


@pytest.mark.parametrize("measured", [1e-9, 1e9, float("nan")])
def test_a_step_out_of_proportion_is_refused(measured: float) -> None:
    with pytest.raises(WorkloadError, match=r"measured step: .* works"):
        compute_factor(saved(POD), parts(), trained(), measured)


def test_the_run_is_named_beside_the_figure() -> None:
    found = trained(compute_factor=1.2, compute_factor_of="our FSDP run of May")
    words = step_words(found.times_label, found.gpu, found.workload.training)
    assert words.endswith("compute x 1.2 by our FSDP run of May")
    assert "compute x" not in step_words(
        trained().times_label, trained().gpu, trained().workload.training
    )
