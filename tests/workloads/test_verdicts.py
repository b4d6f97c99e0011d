"""The one sentence that a workload is answered with, and what a step waits for."""

from __future__ import annotations

import pytest

from tests.workloads.designs import POD, RACK, assessed
from toposmith.text import duration
from toposmith.workloads.communications import WAITED_SHARE
from toposmith.workloads.workload_in_words import exposed_words, verdict_words


def test_training_is_answered_by_its_rate_its_gpus_and_what_it_waits_for() -> None:
    found = assessed(
        POD,
        model="llama3-70b",
        layout={"tp": 4, "pp": 4},
        training={"batch": 960, "sequence": 4096},
    )
    assert found.step is not None
    rate = f"{found.step.tokens_per_s:,.0f}"
    share = round(100 * found.step.exposed_s / found.step.step_s)
    assert verdict_words(found) == (
        f"trains at {rate} tokens/s on 960 of 1,016 GPUs, {share} % of the step waits for "
        "communication, tp inside nodes first"
    )


def test_one_port_for_eight_gpus_is_blamed_by_its_link() -> None:
    found = assessed(
        RACK, model="llama2-7b", layout={"zero": 3}, training={"batch": 64, "sequence": 2048}
    )
    assert verdict_words(found).endswith("dp over node.compute - leaf first")


def test_a_target_that_is_missed_stands_first() -> None:
    found = assessed(
        POD,
        model="llama3-70b",
        layout={"tp": 4, "pp": 4},
        training={"batch": 960, "sequence": 4096, "step_s": 1},
    )
    assert verdict_words(found).startswith("misses its target: trains at ")


def test_what_a_gpu_does_not_hold_does_not_train_or_serve() -> None:
    training = {"batch": 1016, "sequence": 4096}
    found = assessed(POD, model="llama3-70b", layout={}, training=training, serving={})
    trains, _, serves = verdict_words(found).split("; ")
    assert trains.startswith("does not train: a GPU would hold ")
    assert serves.startswith("does not serve it: a GPU would hold ")
    assert " of 80.0 GB" in trains


def test_what_a_gpu_does_not_hold_is_timed_as_if_it_did() -> None:
    # what a GPU computes does not depend on what it keeps
    layout, batch = {"tp": 2, "dp": 64}, {"batch": 64, "sequence": 4096}
    found = assessed(POD, model="llama3-70b", layout={**layout, "zero": 1}, training=batch)
    held = assessed(POD, model="llama3-70b", layout={**layout, "zero": 3}, training=batch)
    assert found.step is None
    assert found.unheld is not None
    assert held.step is not None
    assert found.unheld.forward_s == pytest.approx(held.step.forward_s)
    assert f"if it did, a step would take {duration(found.unheld.step_s)}" in verdict_words(found)


@pytest.mark.parametrize(
    ("serving", "begins"),
    [
        ({}, "serves it, but too slowly to read along: "),
        ({"decode_batch": 1}, "serves it: "),
        ({"tpot_ms": 50}, "serves it: "),
        ({"tpot_ms": 1}, "does not serve it as asked: "),
    ],
)
def test_a_service_is_answered_by_how_long_its_users_wait(
    serving: dict[str, object], begins: str
) -> None:
    found = assessed(POD, model="llama3-70b", layout={"tp": 8}, serving=serving)
    words = verdict_words(found)
    assert words.startswith(begins)
    assert words.endswith(" a token")


def test_without_a_target_people_read_along_at_50_ms_a_token() -> None:
    found = assessed(POD, model="llama3-70b", layout={"tp": 8}, serving={})
    assert found.service is not None
    (slow,) = (one for one in found.findings if one.code == "slow-to-read")
    assert slow.severity == "warning"
    assert slow.values["given_ms"] == pytest.approx(found.service.tpot_s * 1e3)
    assert slow.values["wanted_ms"] == 50


def test_a_dimension_counts_as_waited_for_by_its_seconds_not_by_what_could_hide() -> None:
    found = assessed(
        POD,
        model="llama3-70b",
        layout={"tp": 4, "pp": 4},
        training={"batch": 960, "sequence": 4096},
    ).step
    assert found is not None
    for each in found.communication:
        waited = each.exposed_s >= WAITED_SHARE * found.step_s
        assert each.verdict(found.step_s) == ("missed" if waited else "satisfied")
    tensor = [each for each in found.communication if each.dimension == "tp"]
    # its links give more than would hide it, but nothing runs beside it
    assert all(each.satisfied and each.verdict(found.step_s) == "missed" for each in tensor)


def test_what_is_waited_has_its_share_of_the_step() -> None:
    assert exposed_words(0.129, 4.67) == "129 ms, 3 %"


@pytest.mark.parametrize(("copies", "severity"), [(31, "info"), (27, "warning")])
def test_more_than_a_tenth_of_the_gpus_idle_is_a_warning(copies: int, severity: str) -> None:
    # 1,016 GPUs in copies of 32: 31 copies leave 24 idle, 27 leave 152
    found = assessed(
        POD,
        model="llama3-70b",
        layout={"tp": 8, "pp": 4, "dp": copies},
        training={"batch": copies * 32, "sequence": 4096},
    )
    (idle,) = (one for one in found.findings if one.code == "gpus-idle")
    assert idle.severity == severity
