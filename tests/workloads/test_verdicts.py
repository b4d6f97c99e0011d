"""The one sentence that a workload is answered with, and what a step waits for."""

from __future__ import annotations

import pytest

from tests.workloads.designs import POD, RACK, assessed
from toposmith.command.reports.workload import workload_report
from toposmith.workloads.communications import WAITED_SHARE
from toposmith.workloads.workload_assumptions import run_words
from toposmith.workloads.workload_in_words import exposed_words, verdict_words, waits_of_each


def test_training_is_answered_by_its_rate_its_gpus_and_what_it_waits_for() -> None:
    found = assessed(
        POD,
        model="llama3-70b",
        layout={"tp": 4, "pp": 4},
        training={"batch": 960, "sequence": 4096},
    )
    assert found.step is not None
    rate = f"{found.step.tokens_per_s:,.0f}"
    inside = sum(each.exposed_s for each in found.step.communication if each.nodes == 1)
    # what it waits for between nodes is less than a hundredth of the step, but not nothing
    assert 0 < found.step.exposed_s - inside < 0.01 * found.step.step_s
    between = [each for each in found.step.communication if each.nodes > 1]
    worst = max(between, key=lambda each: each.exposed_s)
    assert verdict_words(found) == (
        f"trains at {rate} tokens/s on 960 of 1,016 GPUs, "
        f"{100 * inside / found.step.step_s:.0f} % of the step waits inside nodes (tp first), "
        f"1 % for the network ({worst.dimension} over {worst.link or worst.fullest} first)"
    )


@pytest.mark.parametrize("design", [POD, RACK])
@pytest.mark.parametrize(
    ("model", "layout"),
    [
        ("llama3-70b", {"cp": 4, "pp": 8, "dp": 1}),
        ("llama3-70b", {"tp": 2, "cp": 2, "pp": 4, "dp": 4}),
        ("llama3-405b", {"tp": 8, "cp": 8, "dp": 1, "zero": 3}),
        ("deepseek-v3", {"ep": 8, "pp": 4, "dp": 16}),
        ("llama2-7b", {"dp": 8}),
        ("llama2-7b", {"tp": 8, "dp": 1}),
    ],
)
def test_the_sentence_says_what_the_table_does(
    design: str, model: str, layout: dict[str, int]
) -> None:
    found = assessed(design, model=model, layout=layout, training={"batch": 512})
    step, words = found.step, verdict_words(found)
    assert step is not None
    assert ("waiting for no communication" in words) == (step.exposed_s == 0)
    if step.exposed_s == 0:
        return
    worst = max(step.communication, key=lambda each: each.exposed_s)
    (said,) = (line for line in workload_report(found).splitlines() if "waits most for" in line)
    # the ranks of a sequence hold the same weights, so that its gradients run among them as well
    dimension = worst.dimension
    if dimension == "dp" and step.split.cp > 1:
        dimension = "dp with cp"
    assert f"{dimension} {worst.what}" in said
    first = words[words.index("(") + 1 :]
    assert first.startswith(f"{dimension} ")
    assert "inside nodes" in words.partition("(")[0] or worst.nodes > 1
    places = {each.inside_node for each in step.communication if each.exposed_s > 0}
    assert words.count(" first)") == len(places)


def test_what_weights_are_sharded_by_stands_with_the_layout() -> None:
    layout = {"tp": 8, "cp": 8, "dp": 1, "zero": 3}
    found = assessed(RACK, model="llama3-405b", layout=layout, training={"batch": 64})
    assert "tp=8,cp=8, zero=3\n" in workload_report(found)
    assert "(dp with cp over node.compute - leaf first)" in verdict_words(found)


def test_one_port_for_eight_gpus_is_blamed_by_its_link() -> None:
    found = assessed(
        RACK, model="llama2-7b", layout={"zero": 3}, training={"batch": 64, "sequence": 2048}
    )
    assert verdict_words(found).endswith("(dp over node.compute - leaf first)")


def test_a_target_that_is_missed_stands_first() -> None:
    found = assessed(
        POD,
        model="llama3-70b",
        layout={"tp": 4, "pp": 4},
        training={"batch": 960, "sequence": 4096, "step_s": 1},
    )
    assert verdict_words(found).startswith("misses its target: trains at ")


def test_what_a_gpu_does_not_hold_is_told_with_what_is_over_and_timed_as_if_it_did() -> None:
    # what a GPU computes does not depend on what it keeps
    layout, batch = {"tp": 2, "dp": 64}, {"batch": 64, "sequence": 4096}
    found = assessed(POD, model="llama3-70b", layout={**layout, "zero": 1}, training=batch)
    held = assessed(POD, model="llama3-70b", layout={**layout, "zero": 3}, training=batch)
    assert found.step is not None and held.step is not None
    assert (found.step.fits, held.step.fits) == (False, True)
    assert found.step.forward_s == pytest.approx(held.step.forward_s)
    use = found.step.held.use.total / 1e9
    assert verdict_words(found).startswith(
        f"does not fit: {use:,.0f} GB on a GPU of 80.0, {use - 80:,.0f} over; if it did, it would "
        f"train at {found.step.tokens_per_s:,.0f} tokens/s on 128 of 1,016 GPUs"
    )
    assert not found.ok
    served = assessed(POD, model="llama3-405b", layout={"tp": 8}, serving={})
    assert verdict_words(served).startswith("does not fit: 1")
    assert "it would serve" in verdict_words(served)


@pytest.mark.parametrize(
    ("serving", "begins"),
    [
        # two seconds, and 20 tokens a second, where nothing is asked
        (
            {},
            "serves it (wanted: 2.00 s to the first token and 50.0 ms a token, assumed): ",
        ),
        (
            {"prompt": 200_000},
            "does not serve it to readers (wanted: 2.00 s to the first token and 50.0 ms a token, "
            "assumed): ",
        ),
        ({"decode_batch": 1}, "serves it: "),
        ({"tpot_ms": 50}, "serves it (wanted: 50.0 ms a token): "),
        ({"tpot_ms": 1}, "does not serve it as asked (wanted: 1.00 ms a token): "),
        (
            {"tpot_ms": 50, "tokens_per_s": 1000},
            "serves it (wanted: 50.0 ms a token and 1,000 tokens/s): ",
        ),
    ],
)
def test_a_service_is_answered_by_how_long_its_users_wait(
    serving: dict[str, object], begins: str
) -> None:
    found = assessed(POD, model="llama3-70b", layout={"tp": 8}, serving=serving)
    words = verdict_words(found)
    assert words.startswith(begins)
    assert words.endswith(" a token")


def test_without_a_target_a_batch_is_the_largest_that_people_can_read_along_with() -> None:
    found = assessed(POD, model="llama3-70b", layout={"tp": 8}, serving={})
    larger = {"decode_batch": found.service.batch + 1} if found.service else {}
    more = assessed(POD, model="llama3-70b", layout={"tp": 8}, serving=larger)
    assert found.service is not None and more.service is not None
    assert found.service.tpot_s <= 50e-3 < more.service.tpot_s
    assert found.service.ttft_s <= 2


def test_a_prompt_that_takes_longer_than_people_wait_is_a_warning() -> None:
    found = assessed(POD, model="llama3-70b", layout={"tp": 8}, serving={"prompt": 200_000})
    slow = next(one for one in found.findings if one.where == "serving.ttft_ms")
    assert (slow.code, slow.severity) == ("target-missed", "warning")
    assert "(assumed: the workload names no target)" in slow.text


def test_a_model_alone_is_served_and_trained_in_a_layout_that_fits_on_all_gpus() -> None:
    trained = assessed("dgx-h100-superpod-1su", model="llama3-70b", training={})
    served = assessed("dgx-h100-superpod-1su", model="llama3-70b", serving={})
    assert trained.step is not None and served.service is not None
    assert trained.step.fits and served.service.fits
    assert verdict_words(served).startswith("serves it (wanted: ")
    assert trained.split.gpus == trained.gpus == 248
    assert trained.step.tokens == 992 * 4096  # 248 x 4, the nearest to 1,024
    assert run_words(trained.workload).startswith("992 sequences (assumed) of 4,096")
    # no copy of another size serves more within the same times
    for tp in (2, 8):
        other = assessed(
            "dgx-h100-superpod-1su", model="llama3-70b", layout={"tp": tp}, serving={}
        ).service
        assert other is not None
        assert other.tokens_per_s <= served.service.tokens_per_s


def test_a_batch_that_is_not_named_fills_the_copies_of_a_layout() -> None:
    found = assessed("dgx-h100-superpod-1su", model="llama3-70b", layout={"tp": 8}, training={})
    assert found.split.dp == 31
    assert found.step is not None
    assert found.step.tokens == 31 * 33 * 4096  # 1,023 sequences


def test_a_dimension_counts_as_waited_for_by_its_seconds_not_by_what_could_hide() -> None:
    found = assessed(
        POD,
        model="llama3-70b",
        layout={"tp": 4, "pp": 4},
        training={"batch": 960, "sequence": 4096},
    ).step
    assert found is not None
    waits = {name: verdict for name, _, verdict in waits_of_each(found)}
    for name, verdict in waits.items():
        exposed = sum(each.exposed_s for each in found.communication if each.dimension == name)
        waited = exposed >= WAITED_SHARE * found.step_s
        assert verdict == ("missed" if waited else "satisfied")
    # its links give more than would hide it, but nothing runs beside it
    assert all(each.satisfied for each in found.communication if each.dimension == "tp")
    assert waits["tp"] == "missed"


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
