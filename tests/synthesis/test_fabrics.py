"""Fabrics by their numbers, and the front of those that meet requirements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Literal

import pytest

from tests.review.findings.test_rails_apart import apart_by_hand
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.analysis.request import Request
from toposmith.bill.terms import Terms
from toposmith.catalog import Cages, Catalog, PortMode, Switch, load_catalog
from toposmith.catalog.prices import Price, PriceList
from toposmith.design.edits import rename_group, set_count
from toposmith.design.stored_files import load_file
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.text_plot.curves import Axis, scatter
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.fabric.port_use import port_findings
from toposmith.labels import MODEL, Labelled
from toposmith.review.failures.sweep import sweep
from toposmith.saved_designs import saved_path
from toposmith.synthesis.analysed_fabrics import (
    KEPT,
    AnalysedFabrics,
    Proposal,
    every_fabric,
    front_plot,
)
from toposmith.synthesis.fabric_requirements import Requirements, all_ports, shape_named
from toposmith.synthesis.fabric_search import MOST_WAITING, search
from toposmith.synthesis.fabrics import Fabric, Ports, fabrics
from toposmith.synthesis.fabrics_table import fabric_names
from toposmith.synthesis.side_effects import same_as
from toposmith.templates import new_design

CATALOG = load_catalog()
SUPERPOD = Requirements(
    64,
    "dgx-b200",
    switches=("qm9700",),
    shapes=("rail-optimised", "three tiers"),
    oversubscription=1,
)


def cheapest(asked: Requirements, **how: object) -> Proposal:
    found = search(asked, CATALOG, failures=False, **how)  # type: ignore[arg-type]
    assert found.proposals, found.reasons
    return found.proposals[0]


def busbw(proposal: Proposal, collective: str) -> float:
    value = proposal.figures[collective].value
    assert value is not None
    return value


# NVIDIA DGX SuperPOD B200, network fabrics: leaf, spine and core switches, cables of each tier


@pytest.mark.parametrize(
    ("nodes", "leaves", "spines", "cores"),
    [
        (64, 16, 8, 0),
        (128, 32, 16, 0),
        (256, 64, 32, 0),
        (512, 128, 128, 64),
        (1024, 256, 256, 128),
        (2048, 512, 512, 256),
    ],
)
def test_non_blocking_rails_of_b200_come_out_as_published(
    nodes: int, leaves: int, spines: int, cores: int
) -> None:
    made = cheapest(replace(SUPERPOD, nodes=nodes)).fabric
    assert (made.leaves, made.spine_switches, made.core_switches) == (leaves, spines, cores)
    assert made.cables == 8 * nodes * (3 if cores else 2)  # from tier to tier as many


def test_closed_forms_count_what_the_design_has() -> None:
    """Every tenth of all fabrics for 100 nodes, against the design as the engine expands it."""
    asked = Requirements(100, "dgx-h100", switches=("qm9700", "qm8700"))
    found = list(every_fabric(asked, CATALOG))
    assert len(found) > 100
    for one in found[::10]:
        plan = EvaluatedDesign(one.design(), CATALOG).plan
        devices, cables = device_counts(plan), cable_counts(plan)
        assert devices["node"] == 100, one
        assert devices["leaf"] == one.leaves
        assert devices.get("spine", 0) == one.spine_switches
        assert devices.get("core", 0) == one.core_switches
        assert cables[0] == 100 * one.ports.node_ports
        assert sum(cables.values()) == one.cables


def test_a_48_ary_fat_tree_has_27648_hosts_and_2880_switches() -> None:
    """Al-Fares et al., SIGCOMM 2008: k^3 / 4 hosts, 5 k^2 / 4 switches."""
    ports = Ports("host", "nic", None, 0, 1, 1, 1, 1, "k48", "k48", 48, 48, 1, 1, 1)
    found = [one for one in fabrics(ports, 27_648) if one.cores and one.oversubscription <= 1]
    full = [one for one in found if one.switches == 2880]
    assert full
    assert min(one.switches for one in found) == 2880
    assert (full[0].leaves, full[0].spine_switches, full[0].core_switches) == (1152, 1152, 576)
    assert full[0].cables == 3 * 27_648


def test_fifteen_segments_of_two_planes_take_240_leaves_and_120_spines() -> None:
    """HPN (SIGCOMM 2024): 128 x 200G down and 60 x 400G up of a 51.2T switch, 120 of 128 ports."""
    asked = Requirements(
        1920, "hgx-b200-8", nics=("bluefield-3-b3220",), nics_per_node=8, switches=("sn5640",),
        shapes=("planes",), align=128, oversubscription=1.07,
    )  # fmt: skip
    found = list(every_fabric(asked, CATALOG))
    made = next(one for one in found if one.uplinks == 60)
    assert (made.units, made.unit, made.leaves, made.spine_switches) == (15, 128, 240, 120)
    assert made.oversubscription == Fraction(128 * 200, 60 * 400)
    assert made.leaves // 2 * made.bundle == 120


def test_one_leaf_of_two_planes_lost_cuts_nobody_off() -> None:
    two = Requirements(
        130, "hgx-b200-8", nics=("bluefield-3-b3220",), nics_per_node=8, switches=("sn5640",),
        shapes=("planes",), survive=frozenset({"switch"}), oversubscription=1.0,
    )  # fmt: skip
    made = cheapest(two, most_analysed=6)
    found = sweep(EvaluatedDesign(made.design, CATALOG).plan, CATALOG, collectives=())
    assert {one.gpus_cut_off for one in found.survival if one.kind in ("leaf", "spine")} == {0}


def test_one_switch_for_all_does_not_survive_a_switch() -> None:
    asked = Requirements(
        8, "dgx-h100", switches=("qm9700",), shapes=("one switch",), survive=frozenset({"switch"})
    )
    found = search(asked, CATALOG)
    assert found.proposals == ()
    assert [reason.key for reason in found.reasons] == ["survive"]
    kept = search(replace(asked, survive=frozenset({"cable"})), CATALOG)
    assert len(kept.proposals) == 1


def test_traffic_that_stays_in_its_rail_needs_no_spine() -> None:
    job = Job(layout=parse_layout("tp=8,dp=64"), kind="dp")
    asked = Requirements(
        64, "dgx-b200", needs={"all_reduce": 40.0}, request=Request(job=job), switches=("qm9700",)
    )
    made = cheapest(asked, most_analysed=40)
    assert made.fabric.shape == "rails alone"
    assert made.fabric.switches == 8
    assert made.figures["all_to_all"].value is not None  # shown though nobody asked for it


@pytest.mark.parametrize(
    ("nic", "many", "GBps", "switch"),
    [
        ("connectx-6-dx-100gbe", 1, 100 / 8 / 8, "sn4600c"),
        ("connectx-6-dx-100gbe", 8, 100 / 8, "sn4600c"),
        ("connectx-6-hdr100", 8, 100 / 8, "cs8500"),
        ("connectx-6-hdr", 8, 200 / 8, "cs8500"),
        ("connectx-7-ndr-ib", 8, 400 / 8, "qm9700"),
    ],
)
def test_groups_with_a_rank_a_node_get_the_line_rate_of_their_share_of_the_nics(
    nic: str, many: int, GBps: float, switch: str
) -> None:
    """Groups of 8, one rank on each of 8 nodes; at most line rate, and 0.9 of it is reached."""
    node = "hgx-h100-8" if nic.startswith("connectx-7") else "hgx-a100-8"
    job = Job(layout=parse_layout("tp=8,dp=8"), kind="dp")
    asked = Requirements(
        8, node, request=Request(job=job), nics=(nic,), nics_per_node=many, switches=(switch,)
    )
    best = max(busbw(one, "all_reduce") for one in search(asked, CATALOG, failures=False).proposals)
    assert 0.9 * GBps <= best <= GBps


def test_eight_hdr_meet_14_and_eight_100gbe_do_not() -> None:
    job = Job(layout=parse_layout("tp=8,dp=8"), kind="dp")
    asked = Requirements(
        8, "hgx-a100-8", needs={"all_reduce": 14.0}, request=Request(job=job),
        nics=("connectx-6-dx-100gbe", "connectx-6-hdr"), switches=("sn4600", "sn4600c"),
    )  # fmt: skip
    made = cheapest(asked).fabric
    assert (made.ports.nic, made.ports.nics) == ("connectx-6-hdr", 8)


def test_a_scalable_unit_of_a100_costs_no_more_than_the_published_one() -> None:
    asked = Requirements(20, "dgx-a100", switches=("qm8790",), oversubscription=1)
    made = cheapest(asked)
    path = saved_path("dgx-a100-su")
    assert path is not None
    saved = EvaluatedDesign(load_file(path).design, CATALOG)
    assert made.counts["switch"] <= saved.bill.quantity("switch")
    fresh = EvaluatedDesign(made.design, CATALOG)
    assert fresh.analysis.bound_busbw_GBps == pytest.approx(saved.analysis.bound_busbw_GBps)


def test_the_numbers_of_a_leaf_spine_are_those_of_the_template() -> None:
    made = cheapest(replace(SUPERPOD, nodes=96)).design
    drawn = new_design("leaf-spine", {"su": 3, "node": "dgx-b200", "nodes": 32}, catalog=CATALOG)
    assert made.groups == drawn.groups
    assert made.axes == drawn.axes
    assert [link.between for link in made.links] == [link.between for link in drawn.links]
    assert [link.cables or 1 for link in made.links] == [link.cables or 1 for link in drawn.links]


# The front against brute force


def _switch(part: str, ports: int, protocol: Literal["infiniband", "ethernet"]) -> Switch:
    mode = PortMode(ports=1, speed_gbit=200)
    return Switch(
        id=part, name=part, vendor="test", source="made for the tests", protocol=protocol,
        power_w=10.0 * ports, rack_units=1, sharp=False,
        cages=Cages(cage="qsfp56", count=ports, lanes=4, modes=(mode,)),
    )  # fmt: skip


MADE = {
    one.id: one
    for one in (
        _switch("small", 12, "infiniband"),
        _switch("large", 24, "infiniband"),
        _switch("thin", 16, "ethernet"),
        _switch("wide", 32, "ethernet"),
    )
}
SMALL = Catalog([*CATALOG, *CATALOG.facility, *MADE.values()])
COLLECTIVES = ("all_reduce", "all_to_all")
NEAR = 0.99
"""Figures this near are one figure to the search."""


@dataclass(frozen=True)
class Counted:
    """A fabric counted and analysed as a design, by nothing that the search uses."""

    fabric: Fabric
    costs: tuple[float, ...]
    gains: tuple[float, ...]

    def meets(self, asked: Requirements) -> bool:
        figures = dict(zip(COLLECTIVES, self.gains, strict=False))
        return all(figures[name] >= least for name, least in asked.needs.items())

    def beats(self, other: Counted) -> bool:
        """Whether it is clearly better in one thing, and in none worse."""
        if any(mine > theirs for mine, theirs in zip(self.costs, other.costs, strict=True)):
            return False
        pairs = list(zip(self.gains, other.gains, strict=True))
        if any(mine < theirs for mine, theirs in pairs):
            return False
        return self.costs != other.costs or any(mine * NEAR > theirs for mine, theirs in pairs)

    def stands_for(self, other: Counted) -> bool:
        """Whether who buys it instead of another pays no more and gets as much."""
        cheap = all(mine <= theirs for mine, theirs in zip(self.costs, other.costs, strict=True))
        return cheap and all(
            mine >= theirs * NEAR for mine, theirs in zip(self.gains, other.gains, strict=True)
        )


def counted_alone(one: Fabric, terms: Terms | None) -> Counted | None:
    """Counts of the planned design, watts and cages of the parts made here, figures one by one."""
    design = one.design()
    whole = EvaluatedDesign(design, SMALL, terms=terms or Terms())
    if any(each.severity == "error" for each in (*whole.plan.findings, *port_findings(whole.plan))):
        return None
    devices, cables = device_counts(whole.plan), sum(cable_counts(whole.plan).values())
    made = [
        (MADE[group.part], devices[name])
        for name, group in design.groups.items()
        if group.part in MADE
    ]
    switches = sum(many for _, many in made)
    nics = sum(fitted.count * devices["node"] for fitted in design.groups["node"].nics.values())
    cages = sum(part.cages.count * many for part, many in made)
    watts = sum((part.power_w or 0) * many for part, many in made)
    costs: tuple[float, ...] = (switches, nics, cables + nics + cages / 4, watts)
    if terms is not None:
        price = whole.bill.price.only
        assert price is not None
        costs = (float(price[0]),)
    apart = bool(apart_by_hand(whole.plan))
    figures = [
        EvaluatedDesign(design, SMALL, Request(collective=name)).analysis.busbw_GBps or 0.0
        for name in COLLECTIVES
    ]
    return Counted(one, costs, (*figures, float(not apart), float(whole.bill.listed)))


@cache
def counted_once(one: Fabric) -> Counted | None:
    """The same without prices: other needs ask about the same fabrics."""
    return counted_alone(one, None)


def all_of(asked: Requirements, terms: Terms | None = None) -> list[Counted]:
    found = every_fabric(asked, SMALL)
    every = (counted_alone(one, terms) if terms else counted_once(one) for one in found)
    return [one for one in every if one is not None and one.meets(asked)]


ASKED = {
    "six nodes of eight ports": Requirements(6, "dgx-a100", switches=("small", "large")),
    "with a need of all-to-all": Requirements(
        6, "dgx-a100", needs={"all_to_all": 15.0}, switches=("small", "large")
    ),
    "with a need of all-reduce": Requirements(
        6, "dgx-a100", needs={"all_reduce": 120.0}, switches=("small", "large")
    ),
    "NICs of two ports, in planes or not": Requirements(
        6, "hgx-b200-8", nics=("bluefield-3-b3220",), nics_per_node=2, switches=("thin", "wide")
    ),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_the_front_is_that_of_analysing_every_fabric(asked: Requirements) -> None:
    found = search(asked, SMALL, failures=False, most_analysed=10_000)
    assert found.complete
    assert found.more == 0
    every = all_of(asked)
    lines = {one.fabric: one for one in every}
    shown = [lines[one.fabric] for one in found.proposals]
    assert found.analysed < len(every)  # the promise spared some
    for one in every:
        assert not any(one.beats(line) for line in shown), one.fabric.words
        assert any(line.stands_for(one) for line in shown), one.fabric.words


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_no_fabric_gives_more_than_its_numbers_promise(asked: Requirements) -> None:
    """Before anything was analysed, and after everything was."""
    analysed = AnalysedFabrics(asked, SMALL, Terms())
    for _ in range(2):
        for one in analysed.everything:
            promise, outcome = analysed.promise(one), analysed.proof(one)
            for name in COLLECTIVES if outcome else ():
                assert outcome is not None
                assert outcome.gains.get(name, 0.0) <= promise[name] * 1.0001, one.words


@pytest.mark.parametrize(
    "name", ["six nodes of eight ports", "NICs of two ports, in planes or not"]
)
def test_no_fabric_keeps_more_after_a_failure_than_its_numbers_promise(name: str) -> None:
    """Also where one leaf takes all ports of a node: what is left goes on among the others."""
    analysed = AnalysedFabrics(replace(ASKED[name], survive=frozenset({"cable"})), SMALL, Terms())
    outcomes = [(one, analysed.proof(one)) for one in analysed.everything[::5]]
    kept = [(one, outcome.gains[KEPT]) for one, outcome in outcomes if outcome is not None]
    assert len(kept) > 20
    assert all(share <= analysed.promise(one)[KEPT] + 1e-9 for one, share in kept)


def test_the_cheapest_analysed_anew_meets_the_needs() -> None:
    needs = {"all_to_all": 8.0, "all_reduce": 120.0}
    asked = Requirements(5, "dgx-a100", needs=needs, switches=("small", "large"))
    for one in search(asked, SMALL, failures=False).proposals:
        for collective, least in needs.items():
            fresh = EvaluatedDesign(one.design, SMALL, Request(collective=collective)).analysis
            assert fresh.busbw_GBps == one.figures[collective].value
            assert fresh.busbw_GBps >= least
            assert not [each for each in fresh.findings if each.severity == "error"]


# Money, growth, and needs that nothing meets


def prices(parts: dict[str, int]) -> Terms:
    day = date(2026, 1, 1)
    listed = {part: Price(Decimal(cost), "USD", day, "test") for part, cost in parts.items()}
    return Terms(prices=PriceList(listed))


def all_priced(switch: int = 10_000) -> Terms:
    costs = {part.id: 100 for part in SMALL if part.kind != "switch"}
    return prices({**costs, "small": switch, "large": 10 * switch})


def test_money_decides_where_everything_has_a_price() -> None:
    asked = Requirements(5, "dgx-a100", switches=("small", "large"))
    found = search(asked, SMALL, all_priced(), failures=False, most_analysed=10_000)
    costs = [one.price[0] for one in found.proposals if one.price]
    assert costs == sorted(costs)
    names = ("all_reduce", "all_to_all")
    for cheaper, dearer in pairwise(found.proposals):
        more = any(busbw(cheaper, name) < busbw(dearer, name) for name in names)
        assert more or dearer.fabric.joined > cheaper.fabric.joined
    every = all_of(asked, all_priced())
    lines = {one.fabric: one for one in every}
    for one in every:
        assert not any(one.beats(lines[line.fabric]) for line in found.proposals)
        assert any(lines[line.fabric].stands_for(one) for line in found.proposals)


def test_a_budget_that_is_too_small_says_by_how_much() -> None:
    asked = Requirements(9, "dgx-a100", switches=("small", "large"), budget=(Decimal(1000), "USD"))
    found = search(asked, SMALL, all_priced(), failures=False)
    assert found.proposals == ()
    assert "above 1,000 USD" in found.reasons[0].words
    # a part without a price is not within any budget
    unpriced = replace(asked, budget=(Decimal(10**9), "USD"))
    unpriced = search(unpriced, SMALL, failures=False, most_analysed=5)
    assert unpriced.proposals == ()
    assert "without a price" in unpriced.reasons[0].words


def test_a_need_above_the_nics_names_the_most_that_they_take_in() -> None:
    asked = Requirements(64, "dgx-b200", needs={"all_to_all": 60.0}, switches=("qm9700",))
    found = search(asked, CATALOG)
    assert (found.proposals, found.analysed) == ((), 0)
    # 0.96 of 8 x 50 GB/s into 8 GPUs, of which 504 of 511 others send from outside
    assert "48.7 GB/s" in found.reasons[0].words


def test_growth_with_room_at_the_spines_moves_no_cable() -> None:
    ports = next(all_ports(SUPERPOD, CATALOG))
    four = Fabric(ports, 64, 32, 2, 8, spines=16, bundle=2)
    after, moved = four.grown(128) or (None, None)
    assert moved == 0
    assert after is not None
    assert (after.leaves, after.spine_switches, after.bundle) == (32, 16, 2)
    # bundles of 4 fill the spines at 16 leaves: with 32, half of each bundle moves to new spines
    thick = Fabric(ports, 64, 32, 2, 8, spines=8, bundle=4)
    after, moved = thick.grown(128) or (None, None)
    assert moved == 16 * 8 * 2
    assert after is not None
    assert (after.spine_switches, after.bundle) == (16, 2)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (Requirements(0, "dgx-b200"), "from 1 to"),
        (Requirements(10**9, "dgx-b200"), "from 1 to"),
        (Requirements(8, "dgx-b200", nics=("connectx-6-hdr",)), "part of its board"),
        (Requirements(8, "hgx-a100-8", nics_per_node=99), "slots for NICs"),
        (Requirements(8, "dgx-b200", later=4), "growth goes up"),
        (Requirements(18, "gb200-nvl72-tray"), "nvlink-racks"),
        (Requirements(8, "p5-48xlarge"), "provider's"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_what_would_be_right(
    asked: Requirements, words: str
) -> None:
    with pytest.raises(EditError, match=words):
        search(asked, CATALOG)


def test_no_fabric_at_all_is_said() -> None:
    asked = Requirements(500, "dgx-b200", switches=("qm9700",), shapes=("one switch",))
    found = search(asked, CATALOG)
    assert found.proposals == ()
    assert "no fabric" in found.reasons[0].words


def test_a_search_that_is_cancelled_keeps_what_it_has() -> None:
    asked = Requirements(9, "dgx-a100", switches=("small", "large"))
    found = search(asked, SMALL, failures=False, progress=lambda done, _of: done < 5)
    assert not found.complete
    assert found.analysed == 5
    assert found.proposals


def test_shapes_are_found_however_they_are_written() -> None:
    assert shape_named("Rail_Optimised") == "rail-optimised"
    with pytest.raises(EditError, match="top-of-rack"):
        shape_named("star")


def test_a_switch_in_no_proposal_is_named_with_what_beats_or_excludes_it() -> None:
    """Either switch joins 4 nodes alone, so that one of the two has no line of its own."""
    asked = Requirements(4, "dgx-h100", switches=("qm9700", "sn5600"))
    found = search(asked, CATALOG, failures=False)
    used = {one.fabric.ports.leaf for one in found.proposals}
    told = {each.key: each.words for each in found.left_out}
    assert used | told.keys() == {"qm9700", "sn5600"}
    assert not used & told.keys()
    assert all("line 1 " in words for words in told.values())


def test_the_drawing_of_a_front_has_every_number_once_and_the_chosen_one_in_brackets() -> None:
    figures = {"all_to_all": Labelled(10.0, MODEL)}
    low = next(iter(search(Requirements(4, "dgx-h100", switches=("qm9700",)), CATALOG).proposals))
    high = {"all_to_all": Labelled(20.0, MODEL)}
    cheap = replace(low, figures=figures, counts={"switch": 1, "cable": 9})
    dear = replace(low, figures=high, counts={"switch": 5, "cable": 95})
    drawn = front_plot([cheap, dear], 60, 10, chosen=1, ascii_only=True)
    assert len(drawn) == 10
    assert all(len(line) <= 60 for line in drawn)
    assert "[2]" in drawn[1]  # the best stands on top, at the right
    assert drawn[1].endswith("[2]")
    assert drawn[-3].lstrip().startswith("10.0 GB/s| 1")
    assert "10 parts" in drawn[-1]
    assert drawn[-1].endswith("100 parts")
    assert front_plot([cheap], 60, 10) == []
    assert front_plot([cheap, dear], 10, 10) == []
    alike = front_plot([cheap, replace(dear, figures=figures)], 60, 10)
    assert 0 < len(alike) <= 6, "points on one line need no height"


B200 = Requirements(64, "dgx-b200")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        # 64 ports of 400G: 8 nodes of 8 ports
        (
            replace(B200, switches=("qm9700",), shapes=("one switch",)),
            ("shapes one switch: collides with", "it joins up to 8 nodes, 56 fewer than asked"),
        ),
        # a leaf never has more uplinks than ports to nodes
        (
            replace(B200, switches=("qm9700",), oversubscription=0.5, shapes=("rail-optimised",)),
            ("at most 0.5:1: collides with switches qm9700", "none below 1:1"),
        ),
        (
            replace(B200, switches=("sn2201",)),
            ("switches sn2201: collides with 64 nodes",),
        ),
    ],
)
def test_limits_that_leave_no_fabric_are_said_with_by_how_much(
    asked: Requirements, words: tuple[str, ...]
) -> None:
    said = "\n".join(one.words for one in search(asked, CATALOG).reasons)
    assert all(each in said for each in words), said


def test_a_rack_limit_below_a_node_names_the_node_and_its_power() -> None:
    found = search(replace(B200, switches=("qm9700",), kw_per_rack=5.0), CATALOG, most_analysed=5)
    assert "a dgx-b200 of 14.3 kW, above 5 kW" in found.reasons[0].words


def test_fabrics_are_named_before_they_are_analysed_and_never_after() -> None:
    told: list[tuple[int, set[Fabric], set[Fabric]]] = []

    def note(now: Sequence[Proposal], waiting: Sequence[Fabric]) -> None:
        told.append((len(now), {one.fabric for one in now}, set(waiting)))

    search(replace(B200, switches=("qm9700",)), CATALOG, failures=False, found=note)
    first, *later = told
    assert first[0] == 0
    assert first[2]
    assert all(not analysed & waiting for _, analysed, waiting in later)
    assert all(waiting <= first[2] or len(first[2]) == MOST_WAITING for *_, waiting in later)


def test_no_two_fabrics_of_a_search_are_called_alike() -> None:
    asked = Requirements(8, "as-4124go-nart", switches=("qm8700", "sn3700", "sn5400"))
    found = search(asked, CATALOG, most_analysed=60, failures=False)
    names = fabric_names(found.proposals)
    words = [one.fabric.words for one in found.proposals]
    assert len(set(words)) < len(words) == len(set(names))


def test_a_design_is_the_fabric_that_it_was_made_of_whatever_its_groups_are_called() -> None:
    asked = replace(B200, switches=("qm9700",), shapes=("rail-optimised", "top-of-rack"))
    found = search(asked, CATALOG, most_analysed=40, failures=False)
    assert len(found.proposals) > 1
    for at, one in enumerate(found.proposals):
        renamed = rename_group(one.design, "leaf", "edge").design
        assert same_as(renamed, found, CATALOG) == {at}
    node = found.proposals[0].design.groups["node"].count
    smaller = set_count(found.proposals[0].design, "node", node - 1).design
    assert same_as(smaller, found, CATALOG) == frozenset()


def test_an_axis_with_one_figure_has_it_once() -> None:
    points = [(1.0, 24.0), (2.0, 24.0)]
    axes = Axis("parts", "9 parts", "49 parts"), Axis("all-to-all", "24.0 GB/s", "24.0 GB/s")
    lines = scatter(points, *axes, 60, 12)
    assert [line.count("24.0 GB/s") for line in lines].count(1) == 1
    row = next(line for line in lines if "24.0 GB/s" in line)
    assert " 1" in row
