"""The cost of the classical algorithms against figures worked out by hand."""

from __future__ import annotations

import math

import pytest

from toposmith.analysis.prediction.textbook import (
    TwoLevels,
    best_chunks,
    double_binary_tree,
    halving_doubling,
    nvls_algbw_GBps,
    quickest_all_reduce,
    recursive_doubling,
    ring_all_gather,
    ring_all_reduce,
    ring_reduce_scatter,
    sharp_all_reduce,
)

HDR = {"alpha_us": 5, "GBps": 25}
POD = TwoLevels(gpus=8, nodes=16, nvlink_GBps=240, nics_GBps=192)


def algbw(message_bytes: float, time_us: float) -> float:
    return message_bytes / time_us / 1000


def test_16_ranks_reduce_256_MB_over_25_GBps() -> None:
    assert ring_all_reduce(16, 5, 25, 256e6) == pytest.approx(19.35e3, rel=1e-3)
    assert halving_doubling(16, 5, 25, 256e6) == pytest.approx(19.24e3, rel=1e-3)
    assert recursive_doubling(16, 5, 25, 256e6) == pytest.approx(40.98e3, rel=1e-3)


def test_16_ranks_reduce_64_KiB_three_times_sooner_by_halving_and_doubling() -> None:
    assert ring_all_reduce(16, 5, 25, 65536) == pytest.approx(154.9, abs=0.05)
    assert halving_doubling(16, 5, 25, 65536) == pytest.approx(44.9, abs=0.05)


def test_a_pod_of_a100s_reduces_1_GB_in_three_phases() -> None:
    phases = POD.phases(1e9)
    assert [us / 1000 for us in phases] == pytest.approx([3.646, 9.766, 3.646], abs=0.0005)
    assert POD.all_reduce(1e9) == pytest.approx(17.06e3, rel=1e-3)
    assert algbw(1e9, POD.all_reduce(1e9)) == pytest.approx(58.6, abs=0.05)


def test_a_flat_ring_over_a_pod_of_a100s() -> None:
    flat = ring_all_reduce(128, 0, 192, 1e9)
    assert algbw(1e9, flat) == pytest.approx(96.76, abs=0.005)


def test_messages_of_a_pod_cost_latency_inside_and_outside() -> None:
    # 2 x 7 messages over NVLink at 1 us, 2 x 15 over the network at 5 us
    slow = TwoLevels(8, 16, 240, 192, nvlink_alpha_us=1, network_alpha_us=5)
    assert slow.all_reduce(1e9) - POD.all_reduce(1e9) == pytest.approx(14 + 150)


def test_one_level_alone_is_a_ring_on_that_level() -> None:
    one_node = TwoLevels(gpus=8, nodes=1, nvlink_GBps=240, nics_GBps=192)
    assert one_node.all_reduce(1e9) == pytest.approx(ring_all_reduce(8, 0, 240, 1e9))
    one_gpu_each = TwoLevels(gpus=1, nodes=16, nvlink_GBps=240, nics_GBps=24)
    assert one_gpu_each.all_reduce(1e9) == pytest.approx(ring_all_reduce(16, 0, 24, 1e9))


def test_nvswitch_reduces_8_h100s_at_329_6_GBps_of_data_at_most() -> None:
    assert nvls_algbw_GBps(8, 370.8) == pytest.approx(329.6)
    assert nvls_algbw_GBps(8, 370.8) * 2 * 7 / 8 == pytest.approx(576.8)
    # 12 us and the bound


def test_sharp_reduces_16_nodes_at_the_rate_of_their_nics() -> None:
    data = algbw(1e12, sharp_all_reduce(2, 1, 8 * 24, 1e12))
    assert data == pytest.approx(192, rel=1e-5)
    assert data * 2 * 127 / 128 == pytest.approx(381, rel=1e-4)
    # up and down two tiers at 0.5 us each; 192 kB take 1 us
    assert sharp_all_reduce(2, 0.5, 192, 192e3) == pytest.approx(3)


def test_all_gather_and_reduce_scatter_are_half_an_all_reduce() -> None:
    gather = ring_all_gather(16, 5, 25, 256e6)
    assert gather == pytest.approx(15 * 5 + 15 / 16 * 256e6 / 25e3)
    assert ring_reduce_scatter(16, 5, 25, 256e6) == gather
    assert 2 * gather == pytest.approx(ring_all_reduce(16, 5, 25, 256e6))


def test_trees_pipeline_their_chunks_up_and_down() -> None:
    # 16 ranks: height 4; 10 chunks of 100 kB take 4 us
    assert double_binary_tree(16, 5, 25, 1e6, chunks=10) == pytest.approx(2 * 13 * 9)


def test_large_messages_reach_each_algorithms_bandwidth() -> None:
    huge = 1e15
    assert algbw(huge, recursive_doubling(16, **HDR, message_bytes=huge)) == pytest.approx(25 / 4)
    double = double_binary_tree(16, **HDR, message_bytes=huge)
    assert algbw(huge, double) == pytest.approx(25 / 2, rel=1e-3)
    for busbw_reaches_line_rate in (ring_all_reduce, halving_doubling):
        time_us = busbw_reaches_line_rate(16, **HDR, message_bytes=huge)
        assert algbw(huge, time_us) * 2 * 15 / 16 == pytest.approx(25)


@pytest.mark.parametrize("depth", [0, 1, 6, 126])
@pytest.mark.parametrize("whole_us", [0.5, 40, 40_000])
def test_the_best_number_of_chunks_is_the_best_of_all(depth: int, whole_us: float) -> None:
    def time(chunks: int) -> float:
        return (depth + chunks) * (5 + whole_us / chunks)

    best = min(time(chunks) for chunks in range(1, 2001))
    assert time(best_chunks(depth, 5, whole_us, 10**6)) == pytest.approx(best)


def test_a_chunk_is_at_least_a_byte() -> None:
    assert best_chunks(6, 0, 40, 1000) == 1000
    assert best_chunks(6, 1e-9, 40, 1000) == 1000


@pytest.mark.parametrize("ranks", [3, 6, 12, 100])
def test_halving_and_doubling_wants_a_power_of_two(ranks: int) -> None:
    with pytest.raises(ValueError, match="power of two"):
        halving_doubling(ranks, 5, 25, 1e6)


def test_recursive_doubling_of_12_ranks_folds_four_of_them_in_and_out() -> None:
    # 8 ranks double in 3 rounds, the other 4 send before and receive after
    assert recursive_doubling(12, 5, 25, 1e6) == pytest.approx(5 * 45)


def test_one_rank_has_nothing_to_do() -> None:
    for algorithm in (
        *(ring_all_reduce, ring_all_gather, recursive_doubling, halving_doubling),
        double_binary_tree,
    ):
        assert algorithm(1, 5, 25, 1e6) == 0
    assert quickest_all_reduce(1, 5, 25, 1e6).time_us == 0


def test_the_quickest_all_reduce_changes_with_the_message() -> None:
    # 1 KiB: 4 rounds of 5.04 us against 8 of 5 us and more
    assert quickest_all_reduce(16, 5, 25, 1024).algorithm == "recursive doubling"
    assert quickest_all_reduce(16, 5, 25, 1024).time_us == pytest.approx(4 * 5.04096)
    assert quickest_all_reduce(16, 5, 25, 256e6).algorithm == "halving-doubling"
    assert quickest_all_reduce(16, 5, 25, 256e6).time_us == pytest.approx(19.24e3, rel=1e-3)


def test_without_a_power_of_two_long_messages_take_the_ring_and_middling_ones_the_trees() -> None:
    assert quickest_all_reduce(12, 5, 25, 256e6).algorithm == "ring"
    # 1,000 ranks, 1 MB: the ring alone has 1,998 messages; trees 2 x (9 + k) of a k-th
    quickest = quickest_all_reduce(1000, 5, 25, 1e6)
    assert quickest.algorithm == "double binary tree"
    by_hand = min(2 * (9 + k) * (5 + 40 / k) for k in range(1, 100))
    assert quickest.time_us == pytest.approx(by_hand)
    assert quickest.time_us < 12 / 10 * 11 * 45 and math.isfinite(quickest.time_us)
