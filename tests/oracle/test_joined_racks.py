"""Racks that cables join to one NVLink domain, switch by switch and GPU by GPU.

What is here is written from what is published of an NVL36x2 alone and shares nothing with the
engine: a GPU has 18 NVLinks of 50 GB/s, dealt evenly over the switch trays of its rack; a cable of
800 Gb/s carries 100 GB/s from a tray to its like in each other rack.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from tests.oracle import cuts, program

LINKS, LINK_GBPS, CABLE_GBPS = 18, 50, 100


@dataclass(frozen=True)
class Racks:
    """So many racks of trays and switch trays, and what is down: trays, switches, cables."""

    racks: int
    trays: int
    switches: int
    cables: int
    down_switches: frozenset[tuple[int, int]]
    down_cables: dict[tuple[int, int, int], int]
    """By two racks and the number of their switches: how many cables."""
    slow_cables: dict[tuple[int, int, int], int] = field(default_factory=dict)
    """By the same: the per cent of their rate that all cables there run at."""

    def text(self) -> str:
        gone = [f"nvswitch[rack={r},nvswitch={s}]" for r, s in sorted(self.down_switches)]
        gone += [
            f"{many} of nvswitch[rack={a},nvswitch={s}] - nvswitch[rack={b},nvswitch={s}]"
            for (a, b, s), many in sorted(self.down_cables.items())
        ]
        down = ", ".join(f'"{one}"' for one in gone)
        slow = ", ".join(
            f'"nvswitch[rack={a},nvswitch={s}] - nvswitch[rack={b},nvswitch={s}]": {rate} %'
            for (a, b, s), rate in sorted(self.slow_cables.items())
        )
        return (
            f"toposmith: 2\naxes: {{rack: {self.racks}}}\ngroups:\n"
            f"  tray: {{part: gb200-nvl36-tray, per: [rack], count: {self.trays}}}\n"
            "  nvswitch: {part: nvlink5-switch-tray-nvl36, per: [rack], "
            f"count: {self.switches}}}\nlinks:\n  - {{between: [tray.nvlink, nvswitch]}}\n"
            "  - {between: [nvswitch, nvswitch], along: {rack: other}, "
            f"cables: {self.cables}}}\ndown: [{down}]\n"
            f"slow: {{{slow}}}\n"
        )

    def cable_GBps(self, a: int, b: int, switch: int) -> Fraction:
        """What the cables that are up carry between two racks' switches of one number."""
        if {(a, switch), (b, switch)} & self.down_switches:
            return Fraction(0)
        left = self.cables - self.down_cables.get((a, b, switch), 0)
        return Fraction(left * CABLE_GBPS * self.slow_cables.get((a, b, switch), 100), 100)

    def summing(self) -> list[Fraction]:
        """Switches of one number that all meet can add up what all send: the least two exchange."""
        pairs = list(combinations(range(self.racks), 2))
        least = [min(self.cable_GBps(a, b, s) for a, b in pairs) for s in range(self.switches)]
        return [GBps for GBps in least if GBps]

    def capacities(self) -> cuts.Capacities:
        gpus = [(r, t, g) for r in range(self.racks) for t in range(self.trays) for g in range(4)]
        rates: cuts.Rates = []
        up = [
            (r, s)
            for r in range(self.racks)
            for s in range(self.switches)
            if (r, s) not in self.down_switches
        ]
        for rack, switch in up:
            for gpu in gpus:
                if gpu[0] == rack:
                    GBps = Fraction(LINKS // self.switches * LINK_GBPS)
                    rates.append((gpu, ("switch", rack, switch), GBps))
        for (a, s), (b, other) in combinations(up, 2):
            if a != b and s == other and (GBps := self.cable_GBps(a, b, s)):
                rates.append((("switch", a, s), ("switch", b, s), GBps))
        return cuts.capacities_of(rates, tuple(gpus))  # type: ignore[arg-type]


def some_racks(seed: int) -> Racks:
    rng = Random(seed)
    racks, trays = rng.choice((2, 2, 3)), rng.randint(1, 2)
    switches, cables = rng.choice((trays, 2, 3)), rng.randint(1, 4)  # 72 NVLinks a switch
    down = {
        (rng.randrange(racks), rng.randrange(switches))
        for _ in range(rng.choice((0, 0, 1)))
        if switches > 1
    }
    gone = {}
    for _ in range(rng.choice((0, 0, 1, 2))):
        a, b = sorted(rng.sample(range(racks), 2))
        gone[a, b, rng.randrange(switches)] = rng.randint(1, cables)
    slow = {}
    for _ in range(rng.choice((0, 0, 1, 2))):
        a, b = sorted(rng.sample(range(racks), 2))
        slow[a, b, rng.randrange(switches)] = rng.choice((25, 50))
    return Racks(racks, trays, switches, cables, frozenset(down), gone, slow)


def rack_cut(racks: Racks, within: cuts.Capacities) -> Fraction:
    """The least busbw of an exchange that one GPU or the GPUs of one rack allow."""
    ranks = len(within.gpus)
    sets = [{gpu} for gpu in within.gpus]
    sets += [{gpu for gpu in within.gpus if gpu[0] == rack} for rack in range(racks.racks)]
    return min(within.flow_out(one) * (ranks - 1) / (len(one) * (ranks - len(one))) for one in sets)


SEEDS = (*range(7000, 7012), 7017)
"""Two racks and three, whole and with switches and cables down or slow."""


@pytest.mark.parametrize("seed", SEEDS)
def test_cuts_between_gpus_of_joined_racks_are_those_of_max_flows(seed: int) -> None:
    racks = some_racks(seed)
    within, text = racks.capacities(), racks.text()
    errors = {one["code"] for one in program.findings(text) if one["severity"] == "error"}
    errors -= {"no-cable"}  # of the racks that are drawn here none is asked what joins them
    gather = program.analysis(text, "--collective", "all_gather")
    exchange = program.analysis(text, "--collective", "all_to_all")
    wanted = cuts.all_gather_busbw(within)
    if errors:
        # what goes by way of a third rack is not looked at
        assert errors == {"no-nvlink-up"}
        assert gather["busbw_GBps"] is exchange["busbw_GBps"] is None
        return
    assert wanted
    if gather["bound_busbw_GBps"] is not None:
        assert gather["bound_busbw_GBps"] == pytest.approx(float(wanted))
    assert exchange["bound_busbw_GBps"] == pytest.approx(float(rack_cut(racks, within)))
    if exchange["busbw_GBps"] is not None:
        assert exchange["busbw_GBps"] <= exchange["bound_busbw_GBps"] * 1.0001
        assert gather["busbw_GBps"] <= gather["bound_busbw_GBps"] * 1.0001


@pytest.mark.parametrize("seed", SEEDS)
def test_switches_add_up_what_all_gpus_send_only_where_all_of_a_number_meet(seed: int) -> None:
    racks = some_racks(seed)
    within = racks.capacities()
    found = program.analysis(racks.text(), "--with", "algorithm=nvls")
    if found["busbw_GBps"] is None:
        return
    ranks = len(within.gpus)
    # every GPU feeds all sums, and one of at most 32 heads stores each to all; the sums of each
    # number of switches, as many as of any other, cross between any two racks
    heads, each = min(ranks, 32), LINKS // racks.switches * LINK_GBPS
    sums = racks.summing()
    most = len(sums) * min(Fraction(each * heads, heads + 1), *sums) * 2 * (ranks - 1) / ranks
    assert 0.5 * most < found["busbw_GBps"] <= most


@pytest.mark.parametrize("seed", SEEDS)
def test_with_reduction_a_gpu_and_a_rack_take_in_the_result_once(seed: int) -> None:
    racks = some_racks(seed)
    within = racks.capacities()
    found = program.analysis(racks.text())["bound_with_reduction_GBps"]
    if found is None:
        return
    sets = [{gpu} for gpu in within.gpus]
    sets += [{gpu for gpu in within.gpus if gpu[0] == rack} for rack in range(racks.racks)]
    once = min(within.flow_out(one) for one in sets)
    ranks = len(within.gpus)
    assert found == pytest.approx(float(once * 2 * (ranks - 1) / ranks))
