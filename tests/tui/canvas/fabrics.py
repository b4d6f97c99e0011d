"""Small parts and designs for the canvas tests, so that the shipped catalog may change freely."""

from __future__ import annotations

from toposmith.analysis.result import Analysis, Communicator, LinkLoad, Tier
from toposmith.catalog import Catalog
from toposmith.catalog.parts import Cages, Gpu, Nic, Node, Pcie, PcieBranch, PortMode, Slots, Switch
from toposmith.design.document import Design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

_PCIE = Pcie(generation=5)


def _nic(part_id: str, name: str) -> Nic:
    return Nic(
        id=part_id,
        name=name,
        vendor="test",
        source="test",
        ports=1,
        speed_gbit=400,
        cage="osfp",
        lanes=4,
        protocols=("infiniband",),
        pcie=_PCIE,
    )


def _node(part_id: str, name: str, slots: dict[str, Slots]) -> Node:
    return Node(
        id=part_id,
        name=name,
        vendor="test",
        source="test",
        gpu="gpu",
        gpus=8,
        sockets=2,
        cpu_vendor="intel",
        branches=(PcieBranch(socket=0, gpus=tuple(range(8))),),
        slots=slots,
    )


def _switch(part_id: str, name: str, protocol: str = "infiniband") -> Switch:
    return Switch.model_validate(
        {
            "id": part_id,
            "name": name,
            "vendor": "test",
            "source": "test",
            "protocol": protocol,
            "cages": Cages(
                count=32, cage="osfp", lanes=8, modes=(PortMode(ports=2, speed_gbit=400),)
            ),
        }
    )


CATALOG = Catalog(
    [
        Gpu(
            id="gpu",
            name="GPU",
            vendor="test",
            source="test",
            compute_capability=90,
            memory_gb=80,
            pcie=_PCIE,
        ),
        _nic("nic", "ConnectX-7 NDR/400GbE, single-port"),
        _node(
            "dgx",
            "DGX H100",
            {
                "compute": Slots(count=8, pcie=_PCIE, nic="nic", fitted=8),
                "storage": Slots(count=2, pcie=_PCIE),
            },
        ),
        _node("evil", "[red]Evil\x1b[31m[/red]", {"compute": Slots(count=8, pcie=_PCIE)}),
        _switch("qm9700", "QM9700 NDR switch, managed"),
        _switch("ether", "Ether 64", "ethernet"),
    ]
)

SUPERPOD = {
    "axes": {"su": 4, "rail": 8},
    "groups": {
        "node": {"part": "dgx", "per": ["su"], "count": 32},
        "leaf": {"part": "qm9700", "per": ["su", "rail"]},
        "spine": {"part": "qm9700", "count": 16},
    },
    "links": [
        {"between": ["node.compute", "leaf"]},
        {"between": ["leaf", "spine"], "cables": 2},
    ],
    "absent": ["node[su=3,node=31]"],
}
TWO_SORTS = {
    "axes": {"rail": 8},
    "groups": {
        "new": {"part": "dgx", "count": 16},
        "old": {"part": "dgx", "count": 16},
        "leaf": {"part": "qm9700", "per": ["rail"]},
        "spine": {"part": "qm9700", "count": 4},
    },
    "links": [
        {"between": ["new.compute", "leaf"]},
        {"between": ["old.compute", "leaf"]},
        {"between": ["leaf", "spine"], "cables": 2},
    ],
}
MESH = {
    "groups": {
        **{f"node{i}": {"part": "dgx"} for i in range(3)},
        **{f"leaf{i}": {"part": "qm9700"} for i in range(3)},
    },
    "links": [
        {"between": [f"node{i}.compute", f"leaf{j}"], "cables": 2}
        for i in range(3)
        for j in range(3)
    ],
}


def plan_of(data: dict[str, object]) -> Plan:
    return plan_design(Design.model_validate({"name": "test", **data}), CATALOG)


def analysis_of(
    plan: Plan, used: dict[int, float], ratios: dict[str, float] | None = None
) -> Analysis:
    """An analysis with these utilisations by link index and ratios by group."""
    loads = tuple(
        LinkLoad(
            link.label,
            link.index,
            "nic",
            16,
            link.line_GBps,
            link.line_GBps * used[link.index],
            used[link.index],
        )
        for link in plan.links
        if link.index in used
    )
    tiers = tuple(Tier("leaf", (group,), 1, 1, 1, ratio) for group, ratio in (ratios or {}).items())
    return Analysis(
        design="test",
        gpus=8,
        nodes=1,
        communicator=Communicator("world", 8, 1),
        collective="all_reduce",
        message_bytes=2**33,
        algorithm="ring",
        protocol="simple",
        channels=8,
        busbw_GBps=None,
        algbw_GBps=None,
        time_us=None,
        bound_busbw_GBps=None,
        limits=loads,
        bound_cut=(),
        tiers=tiers,
        bisection_GBps=None,
        findings=(),
    )
