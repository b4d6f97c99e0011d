"""Dimension-order routing by classes is that of every pair walked over the expanded torus."""

from __future__ import annotations

from collections import defaultdict
from random import Random

import networkx as nx
import pytest

from tests.expanded import Expanded, Vertex
from tests.node_hops import carried
from tests.small_designs import CATALOG
from toposmith.analysis.analyse import analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Request, Routing
from toposmith.analysis.traffic.dimension_order import DimensionOrder
from toposmith.analysis.traffic.ordered_exchange import exchange_in_order
from toposmith.analysis.traffic.unreachable import Unreachable
from toposmith.design.consistency import consistency_problems
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

IN_ORDER = Request(routing=Routing("dimension-order"))


def torus(
    sizes: tuple[int, ...], *words: str, nodes: int = 1, cables: int = 1, down: tuple[str, ...] = ()
) -> Plan:
    axes = dict(zip("xyz", sizes, strict=False))
    per = tuple(axes)
    along = dict(zip(axes, words or ["next"] * len(axes), strict=True))
    links = [Link(between=("sw", "sw"), along={a: w}, cables=cables) for a, w in along.items()]
    node = Group(
        part="node2", per=per, count=nodes, nics={"compute": FittedNics(part="nic-1x100", count=2)}
    )
    design = Design(
        axes=axes,
        groups={"node": node, "sw": Group(part="switch", per=per)},
        links=(Link(between=("node.compute", "sw")), *links),
        down=down,
    )
    assert consistency_problems(design) == []
    return plan_design(design, CATALOG)


class Walked:
    """Every pair's traffic walked over single switches, one axis after the other."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.brute = Expanded(plan)
        self.loads: dict[tuple[Vertex, Vertex], float] = defaultdict(float)
        self.cut_off = False
        switches = [v for v in self.brute.graph if v[:2] == ("device", "sw")]
        self.between = nx.MultiGraph(self.brute.graph.subgraph(switches))

    def send(self, start: Vertex, end: Vertex, amount: float) -> None:
        here = start
        for at in range(len(start[2])):
            corner = (*here[:2], (*here[2][:at], end[2][at], *here[2][at + 1 :]))
            if here != corner:
                self._along(at, here, corner, amount)
                here = corner

    def _along(self, at: int, start: Vertex, end: Vertex, amount: float) -> None:
        def others(switch: Vertex) -> tuple[int, ...]:
            return (*switch[2][:at], *switch[2][at + 1 :])

        line = self.between.subgraph(v for v in self.between if others(v) == others(start))
        if start not in line or end not in line or not nx.has_path(line, start, end):
            self.cut_off = True
            return
        left = nx.single_source_shortest_path_length(line, end)
        amounts = {start: amount}
        for here in sorted(left, key=lambda v: -left[v]):
            part = amounts.pop(here, 0.0)
            if not part or here == end:
                continue
            closer = [peer for peer in line[here] if left[peer] < left[here]]
            for peer in closer:
                share = part / len(closer)
                self.loads[here, peer] += share / line.number_of_edges(here, peer)
                amounts[peer] = amounts.get(peer, 0.0) + share

    def by_link(self) -> dict[int, float] | None:
        if self.cut_off:
            return None
        worst: dict[int, float] = defaultdict(float)
        for (u, v), load in self.loads.items():
            for data in self.between.get_edge_data(u, v).values():
                worst[data["link"]] = max(worst[data["link"]], load)
        return dict(worst)

    def ring(self) -> dict[int, float] | None:
        nodes = self.brute.nodes
        for sender, receiver in zip(nodes, [*nodes[1:], nodes[0]], strict=True):
            for out, back in self.brute._pairs(sender, receiver):
                self.send(self._switch(out), self._switch(back), 1.0)
        return self.by_link()

    def all_to_all(self) -> dict[int, float] | None:
        for sender in self.brute.nodes:
            for receiver in self.brute.nodes:
                if sender != receiver:
                    amount = self.brute.gpus[sender] * self.brute.gpus[receiver] / self.brute.total
                    ends = (self._switch(self.brute.nics(one)[0]) for one in (sender, receiver))
                    self.send(*ends, amount)
        return self.by_link()

    def _switch(self, nic: Vertex) -> Vertex:
        (found,) = {v for v in self.brute.graph.neighbors(nic) if v[:2] == ("device", "sw")}
        return found


def _by_link(plan: Plan, work) -> dict[int, float] | None:
    try:
        loads = work()
    except Unreachable:
        return None
    graph = ComputeNetwork(plan).classes.graph
    worst: dict[int, float] = defaultdict(float)
    for arc, load in loads.items():
        ends = {graph.nodes[vertex]["kind"] for vertex in arc[:2]}
        if ends == {"switch"}:
            link = graph.edges[arc]["link"]
            worst[link] = max(worst[link], load)
    return dict(worst)


def unlike(plan: Plan) -> list[str]:
    network, order = ComputeNetwork(plan), DimensionOrder.of(plan.design)
    pairs = {
        "ring": (
            _by_link(plan, lambda: carried(network, mode="dimension-order")),
            Walked(plan).ring(),
        ),
        "all-to-all": (
            _by_link(plan, lambda: exchange_in_order(network, order)),
            Walked(plan).all_to_all(),
        ),
    }
    return [
        f"{name}: {found}, walked {walked}"
        for name, (found, walked) in pairs.items()
        if (found is None) != (walked is None)
        or (found is not None and found != pytest.approx(walked, abs=1e-9))
    ]


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((6,), ("next",)),
        ((4, 4), ("next", "next")),
        ((5, 3), ("next", "next")),
        ((2, 4, 3), ("next", "next", "next")),
        ((4, 3), ("next", "other")),
        ((3, 1, 4), ("next", "next", "next")),
    ],
)
def test_loads_are_those_of_every_pair_walked(sizes, words) -> None:
    assert unlike(torus(sizes, *words, nodes=2)) == []


@pytest.mark.parametrize("seed", range(16))
def test_with_faults_the_other_way_around_is_taken(seed: int) -> None:
    rng = Random(seed)
    sizes = rng.choice([(4, 4), (5, 3), (3, 4), (6,), (3, 2, 4)])
    down = []
    for _ in range(rng.randint(1, 2)):
        at = [rng.randrange(size) for size in sizes]
        along = rng.randrange(len(sizes))
        beside = [*at]
        beside[along] = (at[along] + 1) % sizes[along]
        ends = [
            ",".join(f"{axis}={value}" for axis, value in zip("xyz", one, strict=False))
            for one in (at, beside)
        ]
        cable = f"sw[{ends[0]}] - sw[{ends[1]}]"
        down.append(rng.choice((f"1 of {cable}", cable)))
    assert unlike(torus(sizes, cables=2, down=tuple(dict.fromkeys(down)))) == []


def test_where_two_of_a_full_mesh_lost_their_cables_all_others_pass_on_as_much() -> None:
    lost = "sw[x=0,y=0] - sw[x=0,y=1]", "1 of sw[x=0,y=0] - sw[x=0,y=2]"
    assert unlike(torus((3, 4), "next", "other", cables=2, down=lost)) == []


@pytest.mark.parametrize("gone", [1, 3, 5])
def test_half_goes_either_way_however_many_cables_are_left(gone: int) -> None:
    """A quarter of what a switch's GPUs send is for each x: of x = 0 all for 1 and half for 2.

    From x = 3 half of what is for 1 comes by way of 0: 1 + 1/2 + 1/2 quarters go from 0 to 1.
    """
    end = "sw[x=0,y=0,z=0] - sw[x=1,y=0,z=0]"
    plan = torus((4, 3, 5), nodes=2, cables=8, down=(f"{gone} of {end}",))
    network = ComputeNetwork(plan)
    each = network.world.gpus // 60
    found = _by_link(plan, lambda: exchange_in_order(network, DimensionOrder.of(plan.design)))
    assert found is not None
    assert found[1] == pytest.approx(each * (1 + 1 / 2 + 1 / 2) / 4 / (8 - gone))


def test_all_traffic_of_a_ring_through_a_corner_takes_the_first_axis_first() -> None:
    """On a 3 x 3 torus the packed ring goes along y and steps in x at each row's end.

    The step (x, 2) -> (x + 1, 0) goes along x at y = 2, then along y from 2 around to 0: every
    cable along y carries the two NICs of one hop, along x those of one hop at y = 2.
    """
    plan = torus((3, 3))
    network = ComputeNetwork(plan)
    loads = carried(network, mode="dimension-order")
    assert max(loads.values()) == pytest.approx(2.0)
    assert Walked(plan).ring() == {1: 2.0, 2: 2.0}


def test_a_ring_cut_twice_has_no_path_in_order_and_says_so() -> None:
    down = ("sw[x=0] - sw[x=1]", "sw[x=2] - sw[x=3]")
    found = analyse(torus((4,), down=down), CATALOG, IN_ORDER)
    assert found.busbw_GBps is None
    plan = torus((4, 4), down=tuple(f"sw[x={a},y=3] - sw[x={a + 1},y=3]" for a in (0, 2)))
    cut = analyse(plan, CATALOG, IN_ORDER)
    assert cut.busbw_GBps is None
    assert any("one axis after the other" in one.text for one in cut.findings)
    assert analyse(plan, CATALOG).busbw_GBps is not None


def test_a_tree_has_no_dimensions_to_go_along() -> None:
    tree = Design(
        axes={"su": 2},
        groups={
            "node": Group(part="node2", per=("su",), count=2),
            "leaf": Group(part="switch", per=("su",)),
            "spine": Group(part="switch"),
        },
        links=(Link(between=("node.compute", "leaf")), Link(between=("leaf", "spine"))),
        routing="dimension-order",
    )
    ((location, text),) = consistency_problems(tree)
    assert location == ("routing",)
    assert "along: {axis: next}" in text


def test_links_along_two_axes_at_once_have_no_order() -> None:
    design = torus((3, 3)).design
    diagonal = Link(between=("sw", "sw"), along={"x": "next", "y": "next"})
    wrong = design.model_copy(
        update={"links": (*design.links, diagonal), "routing": "dimension-order"}
    )
    ((location, text),) = consistency_problems(wrong)
    assert location == ("links", 3)
    assert "one axis" in text
