"""Random small designs, and parts made for them, so that everything can be expanded."""

from __future__ import annotations

from hypothesis import strategies as st

from toposmith.catalog import (
    Cages,
    Catalog,
    Gpu,
    Nic,
    Node,
    NvlinkFabric,
    NvlinkPort,
    Part,
    Pcie,
    PcieBranch,
    PortMode,
    Slots,
    Switch,
)
from toposmith.design.document import Design, FittedNics, Group, Link
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

_COMMON = {"vendor": "test", "source": "made for the tests"}


def gpu(links: int = 4) -> Gpu:
    return Gpu(
        id="gpu",
        name="GPU",
        compute_capability=80,
        memory_gb=80,
        pcie=Pcie(generation=4),
        nvlink=NvlinkPort(generation=3, links=links, GBps_per_link=25),
        **_COMMON,
    )


def node(gpus: int, slots: int, *, part: str = "node") -> Node:
    """GPUs on an NVSwitch; pairs of GPUs and NICs share a PCIe switch."""
    halves = [
        PcieBranch(
            socket=branch % 2,
            gpus=tuple(range(branch, gpus, 2)),
            slots={"compute": tuple(range(branch, slots, 2))},
        )
        for branch in range(2)
    ]
    return Node(
        id=part,
        name=part,
        gpu="gpu",
        gpus=gpus,
        sockets=2,
        cpu_vendor="amd",
        inter_socket_GBps=16,
        nvlink=NvlinkFabric(shape="nvswitch", switches=1),
        branches=tuple(halves),
        slots={"compute": Slots(count=slots, pcie=Pcie(generation=4))},
        **_COMMON,
    )


def nic(gbit: int = 100, ports: int = 1) -> Nic:
    return Nic(
        id=f"nic-{ports}x{gbit}",
        name="NIC",
        ports=ports,
        speed_gbit=gbit,
        cage="qsfp28",
        lanes=4,
        protocols=("ethernet",),
        pcie=Pcie(generation=4),
        **_COMMON,
    )


def switch(ports: int = 512, gbit: int = 100) -> Switch:
    return Switch(
        id="switch",
        name="Switch",
        protocol="ethernet",
        cages=Cages(
            count=ports,
            cage="qsfp28",
            lanes=4,
            modes=(PortMode(ports=1, speed_gbit=gbit), PortMode(ports=1, speed_gbit=gbit // 2)),
        ),
        **_COMMON,
    )


def catalog(*extra: Part) -> Catalog:
    parts: list[Part] = [gpu(), nic(), nic(ports=2), nic(ports=4), switch()]
    parts += [node(g, 4, part=f"node{g}") for g in (1, 2, 4)]
    return Catalog([*parts, *extra])


CATALOG = catalog()


@st.composite
def designs(draw: st.DrawFn, *, faults: bool = True, unlike: bool = False) -> Plan:
    """A fabric of up to three tiers with shared, private and missing axes, dealt ports, faults.

    ``unlike`` also draws what makes bundles of cables unlike: NICs with more ports than leaves to
    deal them to, and slower cables beside the others.
    """
    axes = {
        name: draw(st.integers(1, 3), label=name)
        for name in draw(st.sets(st.sampled_from(["su", "rail", "plane"])), label="axes")
    }
    groups: dict[str, Group] = {}
    links: list[Link] = []
    per_node = tuple(a for a in ("su",) if a in axes)
    names = ["node"] + (["other"] if draw(st.booleans(), label="two groups") else [])
    leaf_per = tuple(a for a in ("su", "rail") if a in axes and draw(st.booleans(), label=a))
    leaf_count = draw(st.integers(1, 2), label="leaves")
    groups["leaf"] = Group(part="switch", per=leaf_per, count=leaf_count)
    for name in names:
        per = per_node if draw(st.booleans(), label=f"{name} per su") else ()
        nics = draw(st.integers(1, 4), label=f"{name} NICs")
        ports = draw(st.sampled_from([1, 2, 4] if unlike else [1, 2]), label="ports per NIC")
        groups[name] = Group(
            part=draw(st.sampled_from(["node1", "node2", "node4"]), label="part"),
            per=per,
            count=draw(st.integers(1, 3), label=f"{name} count"),
            nics={"compute": FittedNics(part=f"nic-{ports}x100", count=nics)},
        )
        peers = leaf_count
        for axis in leaf_per:
            if axis not in per:
                peers *= axes[axis]
        cables = max(1, nics * ports // peers)
        if unlike and draw(st.booleans(), label="all ports"):
            cables = -(-nics * ports // peers)
        links.append(Link(between=(f"{name}.compute", "leaf"), cables=cables))
    if draw(st.booleans(), label="spine"):
        spine_per = tuple(a for a in axes if draw(st.booleans(), label=f"spine per {a}"))
        groups["spine"] = Group(
            part="switch", per=spine_per, count=draw(st.integers(1, 2), label="spines")
        )
        links.append(Link(between=("leaf", "spine"), cables=draw(st.integers(1, 2))))
        if unlike and draw(st.booleans(), label="slower cables"):
            links.append(Link(between=("leaf", "spine"), speed=50))
        if draw(st.booleans(), label="core"):
            groups["core"] = Group(part="switch", count=draw(st.integers(1, 2), label="cores"))
            links.append(Link(between=("core", "spine")))
    design = Design(axes=axes, groups=groups, links=tuple(links))
    if faults:
        chosen = [draw(_faults(design)) for _ in range(draw(st.integers(0, 2), label="faults"))]
        keys = [draw(st.sampled_from(["absent", "down"])) for _ in chosen]
        design = design.model_copy(
            update={
                key: tuple(f for f, k in zip(chosen, keys, strict=True) if k == key)
                for key in ("absent", "down")
            }
        )
        if draw(st.integers(0, 3), label="slow") == 0:
            speed = draw(st.sampled_from([50, 25, "50 %", "12.5 %"]), label="speed")
            chosen = [draw(_faults(design)) for _ in range(draw(st.integers(1, 2)))]
            design = design.model_copy(update={"slow": dict.fromkeys(chosen, speed)})
    return plan_design(design, CATALOG)


@st.composite
def _faults(draw: st.DrawFn, design: Design) -> str:
    kind = draw(st.sampled_from(["device", "device", "port", "cable"]))
    if kind == "cable":
        link = draw(st.sampled_from(design.links))
        ends = [end.partition(".")[0] for end in link.between]
        cable = " - ".join(draw(_instances(design, end)) for end in ends)
        of_switches = not any(design.groups[end].nics for end in ends)
        return f"1 of {cable}" if of_switches and draw(st.booleans(), label="one of") else cable
    if kind == "port":
        name = draw(st.sampled_from([n for n in design.groups if design.groups[n].nics]))
        return f"{draw(_instances(design, name))}.compute[{draw(st.integers(0, 3))}]"
    return draw(_instances(design, draw(st.sampled_from(list(design.groups)))))


@st.composite
def _instances(draw: st.DrawFn, design: Design, name: str) -> str:
    group = design.groups[name]
    axes = {axis: design.axes[axis] for axis in group.per} | {name: group.count}
    fixed = [
        f"{axis}={draw(st.integers(0, size - 1))}"
        for axis, size in axes.items()
        if draw(st.integers(0, 3), label="fix") > 0
    ]
    return f"{name}[{','.join(fixed)}]"
