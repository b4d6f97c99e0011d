"""The oracle's own measures against fabrics worked out by hand, or by looking at all sets."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.oracle import cuts, program
from tests.oracle.designs import random_design
from tests.oracle.expansion import expand
from tests.oracle.tiers import tiers
from tests.oracle.traffic import Hop, Routes, exchange_loads, fullest_by_link, ring_loads

LEAF_SPINE = """\
toposmith: 1
name: two racks of two nodes with two NICs, 4 ports down and 2 up
axes: {rack: 2}
groups:
  node: {part: hgx-h100-4, per: [rack], count: 2, nics: {compute: {part: connectx-7-ndr, count: 2}}}
  leaf: {part: qm9700, per: [rack]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine]}
"""


def _fullest(text: str, loads: dict[Hop, Fraction]) -> dict[int, Fraction]:
    """Load of the fullest cable of each link, where all of it runs at one speed."""
    return {link: load for (link, _), load in fullest_by_link(expand(text), loads).items()}


def test_a_ring_crosses_a_leaf_once_each_way():
    # Two NICs carry half each; the node at the end of a rack sends both halves up two cables.
    loads = _fullest(LEAF_SPINE, ring_loads(Routes(expand(LEAF_SPINE))))
    assert loads == {0: Fraction(1, 2), 1: Fraction(1, 2)}


def test_adaptive_routing_reaches_96_percent_of_an_even_spread_above_the_leaf():
    options = ("--collective", "all_gather", "--with", "algorithm=ring", "--routing", "adaptive")
    found = program.analysis(LEAF_SPINE, *options)
    loads = {row["link"]: row["load_GBps"] / found["busbw_GBps"] for row in found["limits"]}
    assert loads["node.compute - leaf"] == pytest.approx(1 / 2)
    assert loads["leaf - spine"] == pytest.approx(1 / 2 / 0.96)


def test_an_exchange_sends_two_thirds_of_what_leaves_a_node_out_of_its_rack():
    # 4 nodes of 4 GPUs, N - 1 = 15: a node sends 3 x 16/15 over 2 NICs; a rack sends 4 x 16/15
    # over 2 uplinks.
    loads = _fullest(LEAF_SPINE, exchange_loads(Routes(expand(LEAF_SPINE))))
    assert loads == {0: Fraction(3 * 16, 15 * 2), 1: Fraction(4 * 16, 15 * 2)}


def test_a_leaf_that_lost_a_cable_of_two_is_sent_less_by_all_others():
    # Rack 0 lost its cable to one of three spines: nothing that is meant for it goes there.
    text = LEAF_SPINE.replace("spine: {part: qm9700, count: 2}", "spine: {part: qm9700, count: 3}")
    text += 'down: ["leaf[rack=0] - spine[spine=2]"]\n'
    loads = ring_loads(Routes(expand(text)))
    into_rack_0 = [
        load
        for (cable, _, head), load in loads.items()
        if cable.link == 1 and head in (cable.a,) and cable.a.coordinates["rack"] == 0
    ]
    assert into_rack_0 == [Fraction(1, 2)] * 2
    assert _fullest(text, loads)[1] == Fraction(1, 2)


def test_bundles_are_filled_by_what_they_can_pass_on():
    # s has 3 cables to la and 1 to lb, t the other way round.
    text = """\
toposmith: 1
name: crossed
groups:
  a: {part: hgx-h100-4, nics: {compute: {part: connectx-7-ndr, count: 1}}}
  b: {part: hgx-h100-4, nics: {compute: {part: connectx-7-ndr, count: 1}}}
  la: {part: qm9700}
  lb: {part: qm9700}
  s: {part: qm9700}
  t: {part: qm9700}
links:
  - {between: [a, la]}
  - {between: [b, lb]}
  - {between: [la, s], cables: 3}
  - {between: [s, lb], cables: 1}
  - {between: [la, t], cables: 1}
  - {between: [t, lb], cables: 3}
"""
    # To b: lb is beside its NIC and without limit, so s passes on 50 GB/s, t 150. la splits by
    # min(150, 50) : min(50, 150), a half each: a third of a half on each of three cables.
    # Back, for a, the same the other way round.
    loads = _fullest(text, ring_loads(Routes(expand(text))))
    half, sixth = Fraction(1, 2), Fraction(1, 6)
    assert loads == {0: 1, 1: 1, 2: sixth, 3: half, 4: half, 5: sixth}
    found = program.analysis(text, "--collective", "all_gather", "--with", "algorithm=ring")
    by_link = {
        row["link"]: row["load_GBps"] / found["busbw_GBps"]
        for row in found["limits"]
        if " - " in row["link"]
    }
    assert by_link["la - s"] == by_link["t - lb"] == pytest.approx(1 / 6)
    assert by_link["la - t"] == by_link["s - lb"] == pytest.approx(1 / 2)


def test_a_ring_pairs_what_faults_left_of_unlike_nodes_in_order():
    # 8 NICs of two nodes to 8 leaves; one lost 2 and 3, the other 5 and 6. Four stay on their rail;
    # 5 meets 2 and 6 meets 3. Spines 5 and 6 join only these leaves, so no other pairing has a way.
    lines = ["toposmith: 1", "name: pairs", "groups:"]
    for node in ("a", "b"):
        nics = "nics: {compute: {part: connectx-7-ndr, count: 8}}"
        lines.append(f"  {node}: {{part: hgx-h100-8, {nics}}}")
    lines += [f"  l{rail}: {{part: qm9700}}" for rail in range(8)]
    lines += ["  s5: {part: qm9700}", "  s6: {part: qm9700}", "links:"]
    lines += [
        f"  - {{between: [{node}.compute, l{rail}], cables: 1}}"
        for node in ("a", "b")
        for rail in range(8)
    ]
    lines += [f"  - {{between: [l{one}, s{two}]}}" for one, two in ((5, 5), (2, 5), (6, 6), (3, 6))]
    lost = [f'"a.compute[{port}]"' for port in (2, 3)] + [f'"b.compute[{port}]"' for port in (5, 6)]
    text = "\n".join([*lines, f"down: [{', '.join(lost)}]"]) + "\n"
    loads = ring_loads(Routes(expand(text)))
    assert set(loads.values()) == {Fraction(1, 6)}
    # 4 NICs on their rail and 2 across, out and in at both nodes; 2 x 2 cables to spines, each way.
    assert len(loads) == 6 * 4 + 2 * 2 * 2
    found = program.analysis(text, "--collective", "all_gather", "--with", "algorithm=ring")
    crossing = [row for row in found["limits"] if row["link"] in ("l5 - s5", "l3 - s6")]
    assert [row["load_GBps"] / found["busbw_GBps"] for row in crossing] == pytest.approx(
        [1 / 6] * 2
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_worst_cut_is_the_worst_of_every_set_of_gpus(seed):
    for one in range(40 * seed, 40 * seed + 40):
        fabric = expand(random_design(one, 8))
        capacities = cuts.cluster(fabric)
        if 2 <= len(capacities.gpus) <= 8:
            of_every_set = cuts.all_gather_busbw_of_every_set(capacities)
            assert cuts.all_gather_busbw(capacities) == of_every_set
            return
    pytest.fail("no small design")


def test_eight_nics_and_nvlink_are_what_a_gpu_takes_in():
    # H100: 18 NVLinks of 25 GB/s and its own NIC of 400 Gb/s; 31 of 32 GPUs are on the other side.
    text = LEAF_SPINE.replace("hgx-h100-4", "hgx-h100-8").replace("count: 2}}}", "count: 8}}}")
    text = text.replace("[leaf, spine]", "[leaf, spine], cables: 16")
    capacities = cuts.cluster(expand(text))
    assert cuts.all_gather_busbw(capacities) == 450 + 50
    # With reduction: what a node sends once, 8 x 50 GB/s.
    assert cuts.with_reduction_busbw(capacities) == 400 * 2 * Fraction(31, 32)


def test_a_pcie_node_is_bounded_by_its_gpus_slots_and_then_by_its_sockets():
    # A100 PCIe: 16 lanes of generation 4, 16 GT/s at 128 of 130 bits; sockets 16 GB/s by the part.
    text = """\
toposmith: 1
name: pcie
groups:
  node: {part: a100-pcie-4, count: 2, nics: {compute: {part: connectx-6-hdr, count: 2}}}
  leaf: {part: qm8700}
links:
  - {between: [node, leaf]}
"""
    slot = Fraction(16 * 16 * 128, 130 * 8)
    assert cuts.all_gather_busbw(cuts.cluster(expand(text))) == slot
    # One NIC, on socket 0: what the two GPUs of socket 1 take in of 6 others comes by 16 GB/s.
    text = text.replace("count: 2}}}", "count: 1}}}")
    assert cuts.all_gather_busbw(cuts.cluster(expand(text))) == Fraction(16 * 7, 6)
    found = program.analysis(text, "--collective", "all_gather")
    assert found["bound_busbw_GBps"] == pytest.approx(16 * 7 / 6)


def test_the_smaller_half_of_three_nodes_bounds_the_bisection():
    text = LEAF_SPINE.replace("rack: 2", "rack: 3").replace(", count: 2, nics", ", nics")
    # 3 nodes of 2 NICs of 50 GB/s: two against one.
    assert cuts.bisection_GBps(expand(text)) == 100
    assert program.analysis(text)["bisection_GBps"] == 100


def test_tiers_count_cabled_ports_both_ways():
    leaf, spine = tiers(expand(LEAF_SPINE))
    assert (leaf.switches, leaf.ports_down, leaf.ports_up, leaf.oversubscription) == (2, 8, 4, 2)
    assert (spine.switches, spine.ports_down, spine.oversubscription) == (2, 4, None)
