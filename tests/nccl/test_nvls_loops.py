"""Loops into which NCCL cuts an all-reduce that NVSwitches sum.

Sizes are worked out by hand from src/enqueue.cc and src/transport/nvls.cc of NVIDIA/nccl.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.nccl.nodes import nvswitch
from toposmith.analysis.prediction.calibration import (
    NVLS_LOOP_US,
    NVLS_SHARE,
    Pace,
    nvls_pace,
    nvls_tree_pace,
)
from toposmith.nccl.nccl_version import NcclVersion
from toposmith.nccl.node import PathType
from toposmith.nccl.nvls_loops import nvls_channels, nvls_loop, nvls_tree_loop

MIB = 1 << 20
NEW, OLD = NcclVersion(2, 28, 7), NcclVersion(2, 26, 2)
HOPPER, BLACKWELL, RACK = nvswitch(90), nvswitch(100), nvswitch(100, gpus=72)


def test_blackwell_has_fewer_channels_inside_a_domain_from_2_27_on() -> None:
    assert nvls_channels(HOPPER, NEW, one_domain=True) == 16
    assert nvls_channels(BLACKWELL, OLD, one_domain=True) == 32
    assert nvls_channels(BLACKWELL, NEW, one_domain=True) == 24
    assert nvls_channels(BLACKWELL, NEW, one_domain=False) == 32


@pytest.mark.parametrize(("capability", "alone", "several"), [(103, 24, 32), (107, 48, 64)])
def test_rubin_has_twice_the_channels_of_blackwell(
    capability: int, alone: int, several: int
) -> None:
    # src/transport/nvls.cc: RUBIN 48 and 64, SM100 24 and 32
    node, newest = replace(RACK, compute_capability=capability), NcclVersion(2, 32, 3)
    assert nvls_channels(node, newest, one_domain=True) == alone
    assert nvls_channels(node, newest, one_domain=False) == several


@pytest.mark.parametrize(
    ("node", "version", "message_mib", "loop_mib"),
    [
        # 16 channels x 8 heads x 128 KiB; less than 64 such loops (1 GiB), 8 of 64 KiB, 2 of 32 KiB
        (HOPPER, NEW, 1024, 16),
        (HOPPER, NEW, 1023, 8),
        (HOPPER, NEW, 64, 8),
        (HOPPER, NEW, 63, 4),
        (HOPPER, NEW, 8, 4),
        (HOPPER, NEW, 7, 2),
        # 24 channels x 8 heads, then x 32 heads of a rack's 72 GPUs
        (BLACKWELL, NEW, 1536, 24),
        (BLACKWELL, NEW, 1535, 12),
        (BLACKWELL, OLD, 1536, 16),
        (RACK, NEW, 6144, 96),
        (RACK, NEW, 6143, 48),
        (RACK, OLD, 8191, 64),
        (RACK, NEW, 3, 3),  # smaller than a loop
    ],
)
def test_a_loop_takes_a_chunk_for_every_channel_and_head(
    node: object, version: NcclVersion, message_mib: int, loop_mib: int
) -> None:
    loop = nvls_loop(node, version, message_mib * MIB)  # type: ignore[arg-type]
    assert loop.loop_bytes == loop_mib * MIB
    assert loop.loops == pytest.approx(message_mib / loop_mib)


def test_between_four_domains_and_more_chunks_are_half_as_large() -> None:
    # 32 channels x 32 heads x 128 KiB = 128 MiB
    assert nvls_tree_loop(RACK, NEW, 16384 * MIB, 2).loop_bytes == 128 * MIB
    assert nvls_tree_loop(RACK, NEW, 511 * MIB, 2).loop_bytes == 64 * MIB
    assert nvls_tree_loop(RACK, NEW, 16384 * MIB, 4).loop_bytes == 64 * MIB
    assert nvls_tree_loop(RACK, NEW, 63 * MIB, 4).loop_bytes == 32 * MIB


def stage_by_stage(loops: int, loop_us: float, stages: int = 3) -> float:
    """When the last loop leaves the last stage, each stage taking one loop at a time."""
    free = [0.0] * stages
    for _ in range(loops):
        ready = 0.0
        for stage in range(stages):
            free[stage] = ready = max(ready, free[stage]) + loop_us
    return free[-1]


def taken_us(pace: Pace, message_bytes: int) -> float:
    return pace.fill_us + message_bytes / (1000 * pace.algbw_GBps)


@pytest.mark.parametrize(
    ("node", "capability", "loop_mib"), [(HOPPER, 90, 16), (BLACKWELL, 100, 24)]
)
def test_a_message_takes_what_its_loops_take_through_three_stages(
    node: object, capability: int, loop_mib: int
) -> None:
    loops = 96
    message = loops * loop_mib * MIB
    carried = {90: 370.8, 100: 721.8}[capability] * NVLS_SHARE * 8 / 9
    loop_us = loop_mib * MIB / (1000 * carried) + NVLS_LOOP_US[capability]
    pace = nvls_pace(node, NEW, message)  # type: ignore[arg-type]
    assert taken_us(pace, message) == pytest.approx(stage_by_stage(loops, loop_us))


def test_eight_b200_take_a_gibibyte_as_published() -> None:
    # AWS p6-b200, NCCL 2.27.7, from which nothing was read off; latency apart
    for mib, published in ((512, 1364), (1024, 2598), (8192, 17916), (16384, 35551)):
        assert taken_us(nvls_pace(BLACKWELL, NEW, mib * MIB), mib * MIB) == pytest.approx(
            published, rel=0.05
        )


def test_72_gb200_take_as_long_as_published() -> None:
    # CoreWeave's rack, NCCL 2.26.2, from which nothing was read off
    for mib, published in ((512, 1821), (1024, 3017), (2048, 5532), (4096, 10118), (8192, 20153)):
        assert taken_us(nvls_pace(RACK, OLD, mib * MIB), mib * MIB) == pytest.approx(
            published, rel=0.08
        )


def test_every_level_of_trees_between_racks_is_a_stage_up_and_one_down() -> None:
    two, twenty = (nvls_tree_pace(RACK, NEW, 16384 * MIB, many) for many in (2, 20))
    assert two.fill_us / (128 * MIB / (1000 * two.algbw_GBps)) == pytest.approx(2 + 2)
    assert twenty.fill_us / (64 * MIB / (1000 * twenty.algbw_GBps)) == pytest.approx(2 + 10)


@pytest.mark.parametrize(
    ("gpus", "nic_GBps", "near", "domains", "loop_mib"),
    [
        # channels x heads x chunk, src/transport/nvls.cc of v2.30.7-1, for messages of many loops
        (8, 50.0, True, 2, 32 * 8 * 64 / 1024),
        (8, 50.0, False, 2, 32 * 8 * 128 / 1024),
        (4, 50.0, True, 2, 32 * 4 * 256 / 1024),
        (72, 50.0, False, 2, 32 * 32 * 64 / 1024),
        (8, 50.0, True, 3, 24 * 8 * 64 / 1024),
        (72, 50.0, False, 3, 24 * 32 * 128 / 1024),
        (72, 50.0, False, 8, 24 * 32 * 128 / 1024),
        (8, 100.0, True, 3, 24 * 8 * 256 / 1024),
        (16, 100.0, False, 3, 32 * 16 * 128 / 1024),
        (72, 100.0, False, 3, 32 * 32 * 64 / 1024),
        (8, 100.0, True, 2, 32 * 8 * 128 / 1024),
        # slower NICs as before
        (8, 25.0, True, 3, 32 * 8 * 128 / 1024),
        (8, 25.0, True, 4, 32 * 8 * 64 / 1024),
    ],
)
def test_blackwell_between_domains_goes_by_its_nics_from_2_30_on(
    gpus: int, nic_GBps: float, near: bool, domains: int, loop_mib: float
) -> None:
    path = PathType.PXB if near else PathType.PHB
    node = replace(nvswitch(100, gpus=gpus), nic_GBps=nic_GBps, nic_path=path)
    large = 64 * 1024 * MIB
    before, since = NcclVersion(2, 29, 7), NcclVersion(2, 30, 3)
    assert nvls_tree_loop(node, since, large, domains).loop_bytes == loop_mib * MIB
    whole = 32 * min(gpus, 32) * (64 if domains >= 4 else 128) / 1024
    assert nvls_tree_loop(node, before, large, domains).loop_bytes == whole * MIB


def test_a_message_of_few_loops_has_smaller_chunks_between_domains() -> None:
    node = replace(nvswitch(100), nic_GBps=100.0)
    newest = NcclVersion(2, 32, 3)
    # 24 channels x 8 heads: 48 MiB with chunks of 256 KiB, which 16 such loops keep
    assert nvls_tree_loop(node, newest, 768 * MIB, 3).loop_bytes == 48 * MIB
    assert nvls_tree_loop(node, newest, 767 * MIB, 3).loop_bytes == 24 * MIB
    assert nvls_tree_loop(node, newest, 95 * MIB, 3).loop_bytes == 12 * MIB
    assert nvls_tree_loop(node, newest, 11 * MIB, 3).loop_bytes == 6 * MIB


@pytest.mark.parametrize(("gbit", "near"), [(400, False), (400, True), (800, False)])
def test_more_racks_never_read_more(gbit: int, near: bool) -> None:
    path = PathType.PXB if near else PathType.PHB
    rack, newest = replace(RACK, nic_GBps=gbit / 8, nic_path=path), NcclVersion(2, 32, 3)
    taken = [
        taken_us(nvls_tree_pace(rack, newest, 8192 * MIB, racks), 8192 * MIB)
        for racks in range(2, 41)
    ]
    assert taken == sorted(taken)
