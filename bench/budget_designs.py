"""Designs that ask for much work in little text: each kind at any size, for the budget of a file.

Each function gives the text of a design file. The kinds stand in :data:`KINDS`, with the size at
which a file comes near a megabyte, or at which its cluster is larger than any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

Lines = Iterable[str]


def design(axes: str, groups: Lines, links: Lines, *more: str) -> str:
    """The text of a design of these axes, groups and links, and blocks behind them."""
    text = f"toposmith: 2\naxes: {{{axes}}}\ngroups:\n"
    text += "".join(f"  {one}\n" for one in groups)
    wired = "".join(f"  - {{{one}}}\n" for one in links)
    return text + (f"links:\n{wired}" if wired else "links: []\n") + "".join(more)


def block(key: str, entries: Lines) -> str:
    """A block of entries, each in a line of its own."""
    return f"{key}:\n" + "".join(f"  {one}\n" for one in entries)


def listed(key: str, selectors: Lines) -> str:
    """A block of selectors."""
    return block(key, (f'- "{one}"' for one in selectors))


# Groups of one


def single_groups(nodes: int) -> str:
    """Nodes as groups of one, a leaf for four of them, eight spines."""
    leaves = range(max(1, nodes // 4))
    groups = [f"n{at}: {{part: dgx-h100}}" for at in range(nodes)]
    groups += [f"leaf{at}: {{part: qm9700}}" for at in leaves]
    links = [f"between: [n{at}.compute, leaf{min(at // 4, leaves[-1])}]" for at in range(nodes)]
    links += [f"between: [leaf{at}, spine]" for at in leaves]
    return design("", [*groups, "spine: {part: qm9700, count: 8}"], links)


def single_groups_single_spines(nodes: int) -> str:
    """The same where each spine is a group, too."""
    leaves = range(max(1, nodes // 4))
    groups = [f"n{at}: {{part: dgx-h100}}" for at in range(nodes)]
    groups += [f"leaf{at}: {{part: qm9700}}" for at in leaves]
    groups += [f"s{at}: {{part: qm9700}}" for at in range(8)]
    links = [f"between: [n{at}.compute, leaf{min(at // 4, leaves[-1])}]" for at in range(nodes)]
    links += [f"between: [leaf{at}, s{spine}]" for at in leaves for spine in range(8)]
    return design("", groups, links)


def unwired_groups(nodes: int) -> str:
    """Nodes as groups of one without a cable."""
    return design("", (f"n{at}: {{part: dgx-h100}}" for at in range(nodes)), ())


def chained_leaves(switches: int) -> str:
    """Switches as groups of one in a chain, each with a node."""
    groups = [f"n{at}: {{part: dgx-h100}}" for at in range(switches)]
    groups += [f"s{at}: {{part: qm9700}}" for at in range(switches)]
    links = [f"between: [n{at}.compute, s{at}]" for at in range(switches)]
    links += [f"between: [s{at}, s{at + 1}], cables: 8" for at in range(switches - 1)]
    return design("", groups, links)


def node_pairs(pairs: int) -> str:
    """Nodes cabled back to back, each a group of one, in pairs."""
    groups = [f"{side}{at}: {{part: dgx-h100}}" for at in range(pairs) for side in "ab"]
    links = [f"between: [a{at}.compute, b{at}.compute]" for at in range(pairs)]
    return design("", groups, links)


def unknown_parts(groups: int) -> str:
    """Groups of parts that no catalog has."""
    return design("", (f"g{at}: {{part: dgx-x{at}}}" for at in range(groups)), ())


def single_spares(groups: int) -> str:
    """Groups of one with NICs of their own choice, on one leaf each."""
    chosen = "nics: {compute: {part: connectx-6-hdr, count: 4}}"
    rows = [f"n{at}: {{part: dgx-a100, {chosen}}}" for at in range(groups)]
    rows += [f"l{at}: {{part: qm8700}}" for at in range(groups)]
    links = [f"between: [n{at}.compute, l{at}]" for at in range(groups)]
    return design("", rows, links)


# Axes, links, sizes


def many_axes(axes: int) -> str:
    """A group that repeats over very many axes of two values."""
    names = [f"a{at}" for at in range(axes)]
    sizes = ", ".join(f"{name}: 2" for name in names)
    per = ", ".join(names)
    groups = [
        f"node: {{part: dgx-h100, per: [{per}]}}",
        f"leaf: {{part: qm9700, per: [{per}]}}",
        "spine: {part: qm9700}",
    ]
    return design(sizes, groups, ["between: [node.compute, leaf]", "between: [leaf, spine]"])


def many_groups_on_axes(groups: int) -> str:
    """Groups that each repeat over an axis of their own."""
    sizes = ", ".join(f"a{at}: 4" for at in range(groups))
    rows = [f"n{at}: {{part: dgx-h100, per: [a{at}], count: 8}}" for at in range(groups)]
    rows += [f"l{at}: {{part: qm9700, per: [a{at}]}}" for at in range(groups)]
    rows += ["spine: {part: qm9700, count: 8}"]
    links = [f"between: [n{at}.compute, l{at}]" for at in range(groups)]
    links += [f"between: [l{at}, spine]" for at in range(groups)]
    return design(sizes, rows, links)


def parallel_links(links: int) -> str:
    """Very many links between the same two groups."""
    groups = ["node: {part: dgx-h100, count: 16}", "leaf: {part: qm9700, count: 4}"]
    wired = ["between: [node.compute, leaf]", *["between: [leaf, spine]"] * links]
    return design("", [*groups, "spine: {part: qm9700, count: 2}"], wired)


def parallel_node_links(links: int) -> str:
    """Very many links from the ports of the same nodes."""
    groups = ["node: {part: dgx-h100, count: 16}", "leaf: {part: qm9700, count: 4}"]
    return design("", groups, ["between: [node.compute, leaf], cables: 1"] * links)


def every_pair(groups: int) -> str:
    """Switches as groups of one, each linked to each."""
    rows = [f"s{at}: {{part: qm9700}}" for at in range(groups)]
    links = [f"between: [s{a}, s{b}]" for a in range(groups) for b in range(a)]
    rows += [f"n{at}: {{part: dgx-h100}}" for at in range(groups)]
    return design("", rows, [f"between: [n{at}.compute, s{at}]" for at in range(groups)] + links)


def huge_sizes(size: int) -> str:
    """Axes and counts as long as they go."""
    groups = [
        f"node: {{part: dgx-h100, per: [su, pod], count: {size}}}",
        "leaf: {part: qm9700, per: [su, pod, rail]}",
        f"spine: {{part: qm9700, per: [rail], count: {size}}}",
    ]
    links = ["between: [node.compute, leaf]", "between: [leaf, spine], cables: 1024"]
    return design(f"su: {size}, pod: {size}, rail: 8", groups, links)


def huge_count(size: int) -> str:
    """One group of nodes and one of switches, as many as there can be."""
    groups = [f"node: {{part: dgx-h100, count: {size}}}", f"leaf: {{part: qm9700, count: {size}}}"]
    return design("", groups, ["between: [node.compute, leaf], cables: 1"])


def huge_switches(size: int) -> str:
    """Few nodes below very many switches."""
    groups = [
        "node: {part: dgx-h100, count: 8}",
        f"leaf: {{part: qm9700, per: [x, y], count: {size}}}",
    ]
    links = ["between: [node.compute, leaf], cables: 1"]
    return design(f"x: {size}, y: {size}", groups, links)


def huge_blocks(size: int) -> str:
    """As many scalable units as an analysis takes, of nodes of one."""
    groups = [
        "node: {part: dgx-h100, per: [su], count: 1}",
        "leaf: {part: qm9700, per: [su]}",
        "spine: {part: qm9700, count: 8}",
    ]
    links = ["between: [node.compute, leaf]", "between: [leaf, spine]"]
    return design(f"su: {size}", groups, links)


# Marks


POD = (
    "node: {part: dgx-h100, per: [su], count: 32}",
    "leaf: {part: qm9700, per: [su, rail]}",
    "spine: {part: qm9700, count: 32}",
)
POD_LINKS = ("between: [node.compute, leaf]", "between: [leaf, spine]")


def pod(su: int, *more: str) -> str:
    """Scalable units of 32 nodes on eight rails under 32 spines."""
    return design(f"su: {su}, rail: 8", POD, POD_LINKS, *more)


def _places(random: Random, kind: str, su: int) -> str:
    unit, node, port, spine = (random.randrange(n) for n in (su, 32, 8, 32))
    return {
        "cables": f"leaf[su={unit},rail={port}] - spine[spine={spine}]",
        "ports": f"node[su={unit},node={node}].compute[{port}]",
        "nodes": f"node[su={unit},node={node}]",
        "leaves": f"leaf[su={unit},rail={port}]",
    }[kind]


def marks(key: str, kind: str, su: int = 64) -> Callable[[int], str]:
    """Random things of a kind that are absent or down."""

    def of(many: int) -> str:
        random = Random(1)
        named = {_places(random, kind, su): None for _ in range(many)}
        return pod(su, listed(key, named))

    return of


def slow_ports(many: int) -> str:
    """Random ports that run slow, each at a speed of its own."""
    random = Random(1)
    named = {_places(random, "ports", 64): None for _ in range(many)}
    rows = (f'"{one}": {1 + at % 399}' for at, one in enumerate(named))
    return pod(64, block("slow", rows))


def slow_cables(many: int) -> str:
    """Random cables between switches that run slow."""
    random = Random(1)
    named = {_places(random, "cables", 64): None for _ in range(many)}
    return pod(64, block("slow", (f'"{one}": {1 + at % 99}' for at, one in enumerate(named))))


def counted_cables(many: int) -> str:
    """One of the cables between two switches that are down, again and again."""
    random = Random(1)
    named = (f"1 of {_places(random, 'cables', 64)}" for _ in range(many))
    return pod(64, listed("down", named))


def many_sets(many: int) -> str:
    """Sets of things that go together."""
    random = Random(1)
    each = max(1, min(many, 1000))
    rows = []
    for at in range(each):
        kinds = [_places(random, "nodes", 64) for _ in range(max(1, many // each))]
        rows.append(f"s{at}: [" + ", ".join(f'"{one}"' for one in kinds) + "]")
    return pod(64, block("sets", rows))


def moved_cables(many: int) -> str:
    """Single cables that go elsewhere, from random ports."""
    random = Random(1)
    ports = random.sample(range(64 * 32 * 8), many)
    rows = []
    for number in ports:
        (unit, node), port = divmod(number // 8, 32), number % 8
        leaf = f"leaf[su={unit},rail={(port + 1) % 8}]"
        rows.append(f'- {{a: "node[su={unit},node={node}].compute[{port}]", z: "{leaf}"}}')
    return pod(64, block("cables", rows))


def added_cables(many: int) -> str:
    """Single cables between switches that no link joins."""
    random = Random(1)
    rows = []
    for _ in range(many):
        a, b = random.sample(range(64 * 8), 2)
        ends = [f"leaf[su={one // 8},rail={one % 8}]" for one in (a, b)]
        rows.append(f'- {{a: "{ends[0]}", z: "{ends[1]}"}}')
    return pod(64, block("cables", rows))


def wide_selectors(axes: int) -> str:
    """Selectors that name as many axes as there are."""
    sizes = ", ".join(f"a{at}: 1" for at in range(axes))
    per = ", ".join(f"a{at}" for at in range(axes))
    named = ",".join(f"a{at}=0..0" for at in range(axes))
    groups = [f"node: {{part: dgx-h100, per: [{per}], count: 4}}", "leaf: {part: qm9700}"]
    rows = listed("down", [f"node[{named},node={at}]" for at in range(2)])
    return design(sizes, groups, ["between: [node.compute, leaf]"], rows)


def ranged_marks(many: int) -> str:
    """Ranges of nodes that overlap in every way."""
    named = (f"node[su={at % 64}..63,node={at % 31}..{at % 31 + 1}]" for at in range(many))
    return pod(64, listed("down", dict.fromkeys(named)))


def marks_on_long_axis(many: int) -> str:
    """Nodes down here and there in one group that is as large as it can be."""
    groups = ["node: {part: dgx-h100, count: 1000000}", "leaf: {part: qm9700, count: 8}"]
    named = (f"node[node={at * 49}]" for at in range(many))
    return design("", groups, ["between: [node.compute, leaf]"], listed("down", named))


# Fabrics of three tiers, of two planes


def three_tiers(faults: int, su: int = 64) -> str:
    """Three tiers at 16,384 GPUs with random faults of all kinds."""
    groups = (
        *POD[:2],
        "spine: {part: qm9700, per: [rail], count: 32}",
        "core: {part: qm9700, per: [rail], count: 16}",
    )
    random = Random(1)
    kinds = ("ports", "nodes", "leaves")
    named = {_places(random, random.choice(kinds), su): None for _ in range(faults)}
    links = (*POD_LINKS, "between: [spine, core], cables: 2")
    rows = listed("down", named) if named else ""
    return design(f"su: {su}, rail: 8", groups, links, rows)


def two_planes(faults: int, su: int = 64) -> str:
    """Ports of NICs on two planes, with random faults of all kinds."""
    nics = "nics: {compute: {part: connectx-7-ndr200-2p, count: 8}}"
    groups = (
        f"node: {{part: dgx-h100, per: [su], count: 32, {nics}}}",
        "leaf: {part: qm9700, per: [su, rail, plane]}",
        "spine: {part: qm9700, per: [plane], count: 16}",
    )
    random = Random(1)
    named = []
    for _ in range(faults):
        unit, node, port, rail = (random.randrange(n) for n in (su, 32, 16, 8))
        named.append(
            random.choice(
                (
                    f"node[su={unit},node={node}]",
                    f"node[su={unit},node={node}].compute[{port}]",
                    f"leaf[su={unit},rail={rail},plane={port % 2}]",
                    f"leaf[su={unit},rail={rail},plane={port % 2}] - spine[spine={port}]",
                )
            )
        )
    rows = listed("down", dict.fromkeys(named)) if named else ""
    return design(f"su: {su}, rail: 8, plane: 2", groups, POD_LINKS, rows)


def three_tiers_two_planes(faults: int, su: int = 32) -> str:
    """Both at once, with tiers that agree on few axes."""
    nics = "nics: {compute: {part: connectx-7-ndr200-2p, count: 8}}"
    groups = (
        f"node: {{part: dgx-h100, per: [pod, su], count: 16, {nics}}}",
        "leaf: {part: qm9700, per: [pod, su, rail, plane]}",
        "spine: {part: qm9700, per: [pod, plane], count: 16}",
        "core: {part: qm9700, per: [plane], count: 16}",
    )
    random = Random(1)
    named = []
    for _ in range(faults):
        unit, node, port, rail = (random.randrange(n) for n in (su, 16, 16, 8))
        named.append(f"node[pod={port % 4},su={unit},node={node}].compute[{port}]")
        named.append(f"leaf[pod={port % 4},su={unit},rail={rail},plane={node % 2}]")
    rows = listed("down", dict.fromkeys(named)) if named else ""
    links = (*POD_LINKS, "between: [spine, core], cables: 2")
    return design(f"pod: 4, su: {su}, rail: 8, plane: 2", groups, links, rows)


# Links along axes


def _along(axes: dict[str, int], rings: Lines, *more: str, nodes: int = 1) -> str:
    per = ", ".join(axes)
    sizes = ", ".join(f"{axis}: {size}" for axis, size in axes.items())
    groups = (
        f"node: {{part: gh200-quad, per: [{per}], count: {nodes}}}",
        f"sw: {{part: slingshot-64p, per: [{per}]}}",
    )
    links = ["between: [node.compute, sw]", *(f"between: [sw, sw], {one}" for one in rings)]
    return design(sizes, groups, links, *more)


def torus(size: int, *more: str) -> str:
    """Rings along three axes of this size."""
    return _along(dict.fromkeys("xyz", size), (f"along: {{{a}: next}}" for a in "xyz"), *more)


def broken_torus(faults: int) -> str:
    """A torus of 16 x 16 x 16 with random switches, nodes and cables down."""
    random = Random(1)
    named = []
    for _ in range(faults):
        x, y, z = (random.randrange(16) for _ in "xyz")
        cable = f"sw[x={x},y={y},z={z}] - sw[x={(x + 1) % 16},y={y},z={z}]"
        at = f"[x={x},y={y},z={z}]"
        named.append(random.choice((f"sw{at}", f"node{at}", cable)))
    return torus(16, listed("down", dict.fromkeys(named)))


def hyperx(size: int) -> str:
    """Full meshes along three axes."""
    return _along(dict.fromkeys("xyz", size), (f"along: {{{a}: other}}" for a in "xyz"), nodes=2)


def dragonfly(groups: int, *more: str) -> str:
    """Groups of 32 routers, joined by dealt cables."""
    rings = ("along: {r: other}", "along: {g: other, r: dealt}, cables: 2")
    return _along({"g": groups, "r": 32}, rings, *more, nodes=4)


def broken_dragonfly(faults: int) -> str:
    """A dragonfly of 74 groups with random faults."""
    random = Random(1)
    named = []
    for _ in range(faults):
        g, r = random.randrange(74), random.randrange(32)
        at = f"[g={g},r={r}]"
        mesh = f"sw{at} - sw[g={g},r={(r + 1) % 32}]"
        named.append(random.choice((f"sw{at}", f"node{at}", mesh)))
    return dragonfly(74, listed("down", dict.fromkeys(named)))


def detoured_dragonfly(groups: int) -> str:
    """A dragonfly whose traffic takes detours."""
    return dragonfly(groups, "routing: detour\n")


def ordered_torus(size: int) -> str:
    """A torus routed in the order of its dimensions."""
    return torus(size, "routing: dimension-order\n")


def many_dimensions(axes: int) -> str:
    """Rings of three along very many axes."""
    sizes = {f"a{at}": 3 for at in range(axes)}
    return _along(sizes, (f"along: {{{axis}: next}}" for axis in sizes))


def long_ring(size: int) -> str:
    """One ring."""
    return _along({"x": size}, ("along: {x: next}",))


def broken_ring(size: int) -> str:
    """One ring without one of its switches."""
    return _along({"x": size}, ("along: {x: next}",), listed("down", ["sw[x=1]"]))


# NVLink domains, networks beside


def nvlink_racks(racks: int, *more: str) -> str:
    """Racks of 18 trays with their NVLink switches."""
    groups = (
        "tray: {part: gb200-nvl72-tray, per: [rack], count: 18}",
        "nvswitch: {part: nvlink5-switch-tray, per: [rack], count: 9}",
        "leaf: {part: qm9700, per: [rack, rail]}",
        "spine: {part: qm9700, count: 9}",
    )
    links = (
        "between: [tray.nvlink, nvswitch]",
        "between: [tray.compute, leaf]",
        "between: [leaf, spine], cables: 2",
    )
    return design(f"rack: {racks}, rail: 4", groups, links, *more)


def broken_nvlink_racks(faults: int) -> str:
    """Racks whose trays and switches are down here and there."""
    random = Random(1)
    named = []
    for _ in range(faults):
        rack, tray = random.randrange(64), random.randrange(18)
        named.append(f"tray[rack={rack},tray={tray}]")
        named.append(f"nvswitch[rack={rack},nvswitch={tray % 9}]")
    return nvlink_racks(64, listed("down", dict.fromkeys(named)))


def single_nvlink_racks(racks: int) -> str:
    """Racks as groups of their own."""
    groups = [f"t{at}: {{part: gb200-nvl72-tray, count: 18}}" for at in range(racks)]
    groups += [f"v{at}: {{part: nvlink5-switch-tray, count: 9}}" for at in range(racks)]
    groups += [f"l{at}: {{part: qm9700, count: 4}}" for at in range(racks)]
    links = []
    for at in range(racks):
        links += [f"between: [t{at}.nvlink, v{at}]", f"between: [t{at}.compute, l{at}]"]
        links += [f"between: [l{at}, spine]"]
    return design("", [*groups, "spine: {part: qm9700, count: 8}"], links)


def networks_beside(many: int) -> str:
    """Storage networks and management switches, each a network of its own."""
    groups = ["node: {part: dgx-h100, count: 16}", "leaf: {part: qm9700, count: 4}"]
    links = ["between: [node.compute, leaf]"]
    for at in range(many):
        groups += [f"n{at}: {{part: dgx-h100, count: 2}}", f"st{at}: {{part: qm9700, count: 2}}"]
        groups += [f"oob{at}: {{part: sn2201}}"]
        links += [f"between: [n{at}.compute, leaf], cables: 1"] if at < 8 else []
        links += [f"between: [n{at}.storage, st{at}]", f"between: [n{at}.management, oob{at}]"]
    return design("", groups, links)


def one_management_switch(many: int) -> str:
    """Every switch of a design on one management network."""
    groups = [f"s{at}: {{part: qm9700}}" for at in range(many)]
    groups += ["oob: {part: sn2201, count: 4}", "node: {part: dgx-h100, count: 8}"]
    links = [f"between: [s{at}.management, oob], cables: 1" for at in range(many)]
    links += ["between: [node.compute, s0]", "between: [node.management, oob], cables: 1"]
    return design("", groups, links)


# Other blocks


def many_jobs(selectors: int) -> str:
    """Jobs that each name their nodes one by one."""
    named = [f"node[su={at // 32 % 64},node={at % 32}]" for at in range(selectors)]
    each = max(1, min(1000, selectors // 50))
    rows = []
    for job in range(0, min(len(named), 50 * each), each):
        nodes = ", ".join(f'"{one}"' for one in named[job : job + each])
        rows.append(f"- {{name: j{job}, nodes: [{nodes}], runs: all_to_all}}")
    return pod(64, block("jobs", rows))


def many_waivers(many: int) -> str:
    """Findings that are accepted one by one."""
    rows = (
        f"- {{code: single-leaf, where: n{at}.compute, reason: known, date: '2026-01-31'}}"
        for at in range(many)
    )
    return pod(2, block("waivers", rows))


def placed_devices(many: int) -> str:
    """Devices placed by name."""
    rows = (
        f'"node[su={at // 32},node={at % 32}]": {{rack: A{at % 9999 + 1:02}, unit: 1}}'
        for at in range(many)
    )
    text = "placement:\n  devices:\n" + "".join(f"    {row}\n" for row in rows)
    return pod(max(1, -(-many // 32)), text)


def stacked_devices(many: int) -> str:
    """Devices that are all placed in the same unit."""
    groups = [f"n{at}: {{part: dgx-h100}}" for at in range(many)]
    rows = (f"    n{at}: {{rack: A01, unit: 1}}\n" for at in range(many))
    return design("", groups, (), "placement:\n  devices:\n" + "".join(rows))


def moved_on_canvas(many: int) -> str:
    """Positions of groups that are not there."""
    rows = ", ".join(f"g{at}: {at}" for at in range(many))
    return pod(2, f"view: {{positions: {{{rows}}}}}\n")


def many_pins(many: int) -> str:
    """Pins of parts that are not there."""
    digest = "0" * 64
    rows = "".join(f"    p{at}: {digest}\n" for at in range(many))
    return pod(2, f"pins:\n  date: '2026-11-22'\n  design: {digest}\n  parts:\n{rows}")


def wide_communicator(sizes: int) -> str:
    """A layout of very many dimensions."""
    layout = ",".join(f"d{at}=1" for at in range(sizes))
    return pod(2, f'communicator: {{layout: "{layout}"}}\n')


def wide_workload(keys: int) -> str:
    """A workload of very many keys."""
    rows = "".join(f"  k{at}: {at}\n" for at in range(keys))
    return pod(2, "workload:\n  model: llama3-70b\n" + rows)


def long_workload_layout(sizes: int) -> str:
    """A workload whose layout is very long."""
    layout = ",".join(f"tp={at + 1}" for at in range(sizes))
    return pod(
        2, f'workload: {{model: llama3-70b, layout: "{layout}", training: {{batch: 960}}}}\n'
    )


# Text that is hardly a design


def deep(levels: int) -> str:
    """Lists within lists."""
    return "toposmith: 2\nnote: " + "[" * levels + "]" * levels + "\n"


def deep_lines(levels: int) -> str:
    """Keys within keys, a line each."""
    return "toposmith: 2\n" + "".join(" " * at + "a:\n" for at in range(levels))


def laughs(aliases: int) -> str:
    """A billion laughs."""
    text = "toposmith: 2\nx0: &x0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n"
    for at in range(1, aliases):
        text += f"x{at}: &x{at} [" + ", ".join([f"*x{at - 1}"] * 9) + "]\n"
    return text


def unknown_keys(many: int) -> str:
    """Keys that no design has, near to those that it has."""
    return pod(2, "".join(f"link{at}: 1\n" for at in range(many)))


def unknown_keys_of_groups(many: int) -> str:
    """Groups with a key that they have not."""
    return design("", (f"n{at}: {{part: dgx-h100, coutn: 2}}" for at in range(many)), ())


def lost_groups(many: int) -> str:
    """Links to groups that are not there, among very many that are nearly named so."""
    groups = [f"n{at}: {{part: dgx-h100}}" for at in range(many)]
    return design("", groups, (f"between: [m{at}, x{at}]" for at in range(many)))


def lost_selectors(many: int) -> str:
    """Selectors of groups that are not there, among very many groups."""
    groups = [f"group-{at}: {{part: dgx-h100}}" for at in range(many)]
    return design("", groups, (), listed("down", (f"gruop-{at}" for at in range(many))))


def lost_axes(many: int) -> str:
    """Groups that repeat over axes that are not there."""
    axes = ", ".join(f"axis{at}: 2" for at in range(many))
    groups = (f"n{at}: {{part: dgx-h100, per: [axsi{at}]}}" for at in range(many))
    return design(axes, groups, ())


def repeated_keys(many: int) -> str:
    """One key, again and again."""
    return pod(2, "name: a\n" * many)


def long_key(length: int) -> str:
    """One key as long as the file."""
    return pod(2, "?  " + "k" * length + "\n: 1\n")


def long_name(length: int) -> str:
    """A name as long as the file."""
    return pod(2, "note: " + "n" * length + "\n")


def long_line(length: int) -> str:
    """A selector as long as the file."""
    return pod(2, listed("down", ["node[" + "su=0," * (length // 5) + "]"]))


def long_part(length: int) -> str:
    """The id of a part as long as the file."""
    return design("", ["node: {part: " + "x" * length + "}"], ())


def long_number(length: int) -> str:
    """A number as long as the file."""
    return pod(2, "view: {positions: {node: " + "9" * length + "}}\n")


def many_problems(many: int) -> str:
    """Counts that are no numbers."""
    return design("", (f"n{at}: {{part: dgx-h100, count: x}}" for at in range(many)), ())


def braces(length: int) -> str:
    """Brackets that are never closed."""
    return "{" * length


def spaces(length: int) -> str:
    """White space and a quote that is never closed."""
    return 'toposmith: 2\nname: "' + " \n" * (length // 2)


def colons(length: int) -> str:
    """Simple keys that are none."""
    return "toposmith: 2\n" + "a: " * (length // 3)


def number_list(many: int) -> str:
    """A list of very many numbers where text is expected."""
    return pod(2, "absent: [" + ", ".join(["1"] * many) + "]\n")


KINDS: dict[str, tuple[Callable[[int], str], tuple[int, ...]]] = {
    "groups of one": (single_groups, (64, 200, 1000, 9_000)),
    "groups of one, spines too": (single_groups_single_spines, (200, 3_000)),
    "groups of one, unwired": (unwired_groups, (1_000, 30_000)),
    "a chain of groups of one": (chained_leaves, (50, 200, 7_000)),
    "nodes in pairs": (node_pairs, (200, 8_000)),
    "unknown parts": (unknown_parts, (1_000, 30_000)),
    "groups of one with NICs": (single_spares, (200, 6_000)),
    "axes of two": (many_axes, (8, 12, 20, 20_000)),
    "groups on axes": (many_groups_on_axes, (20, 100, 6_000)),
    "parallel links": (parallel_links, (60, 1_000, 30_000)),
    "parallel node links": (parallel_node_links, (8, 20_000)),
    "every pair of switches": (every_pair, (20, 60, 250)),
    "huge sizes": (huge_sizes, (1_000, 1_000_000)),
    "huge count": (huge_count, (1_000, 1_000_000)),
    "huge switches": (huge_switches, (1_000, 1_000_000)),
    "blocks": (huge_blocks, (5_000, 20_000)),
    "nodes absent": (marks("absent", "nodes"), (100, 20_000)),
    "nodes down": (marks("down", "nodes"), (30, 100, 300, 20_000)),
    "leaves down": (marks("down", "leaves"), (30, 100, 300)),
    "ports down": (marks("down", "ports"), (30, 100, 300, 20_000)),
    "cables down": (marks("down", "cables"), (30, 100, 300, 20_000)),
    "slow ports": (slow_ports, (100, 20_000)),
    "slow cables": (slow_cables, (100, 20_000)),
    "counted cables": (counted_cables, (100, 18_000)),
    "sets": (many_sets, (1_000, 40_000)),
    "moved cables": (moved_cables, (30, 300, 10_000)),
    "added cables": (added_cables, (30, 300, 10_000)),
    "wide selectors": (wide_selectors, (100, 20_000)),
    "ranges down": (ranged_marks, (100, 20_000)),
    "nodes down on a long axis": (marks_on_long_axis, (100, 20_000)),
    "three tiers": (three_tiers, (0, 3, 10, 100, 10_000)),
    "two planes": (two_planes, (0, 5, 20, 100, 10_000)),
    "three tiers, two planes": (three_tiers_two_planes, (0, 5, 100)),
    "torus": (torus, (8, 28, 100, 1_000_000)),
    "torus with faults": (broken_torus, (1, 10, 100)),
    "HyperX": (hyperx, (8, 24, 100, 1_000_000)),
    "dragonfly": (dragonfly, (74, 1_000, 1_000_000)),
    "dragonfly with faults": (broken_dragonfly, (1, 10, 100)),
    "dragonfly with detours": (detoured_dragonfly, (33, 74)),
    "torus in dimension order": (ordered_torus, (8, 16, 28)),
    "dimensions": (many_dimensions, (6, 9, 1_000)),
    "long ring": (long_ring, (1_000, 20_000, 1_000_000)),
    "ring with a fault": (broken_ring, (300, 2_000, 20_000)),
    "NVLink racks": (nvlink_racks, (64, 20_000, 1_000_000)),
    "NVLink racks with faults": (broken_nvlink_racks, (5, 50, 1_000)),
    "NVLink racks as groups": (single_nvlink_racks, (30, 200, 3_500)),
    "networks beside": (networks_beside, (20, 200, 4_000)),
    "one management switch": (one_management_switch, (100, 8_000)),
    "jobs": (many_jobs, (100, 30_000)),
    "waivers": (many_waivers, (100, 10_000)),
    "placed devices": (placed_devices, (100, 12_000)),
    "stacked devices": (stacked_devices, (100, 12_000)),
    "positions": (moved_on_canvas, (60_000,)),
    "pins": (many_pins, (9_000,)),
    "communicator": (wide_communicator, (100_000,)),
    "workload keys": (wide_workload, (50_000,)),
    "workload layout": (long_workload_layout, (80_000,)),
    "deep": (deep, (500_000,)),
    "deep lines": (deep_lines, (1_400,)),
    "laughs": (laughs, (10_000,)),
    "unknown keys": (unknown_keys, (80_000,)),
    "unknown keys of groups": (unknown_keys_of_groups, (20_000,)),
    "lost groups": (lost_groups, (15_000,)),
    "lost selectors": (lost_selectors, (20_000,)),
    "lost axes": (lost_axes, (12_000,)),
    "repeated keys": (repeated_keys, (120_000,)),
    "long key": (long_key, (1_000_000,)),
    "long name": (long_name, (1_000_000,)),
    "long line": (long_line, (1_000_000,)),
    "long part": (long_part, (1_000_000,)),
    "long number": (long_number, (1_000_000,)),
    "problems": (many_problems, (25_000,)),
    "braces": (braces, (1_000_000,)),
    "spaces": (spaces, (1_000_000,)),
    "colons": (colons, (1_000_000,)),
    "numbers": (number_list, (300_000,)),
}
"""Every kind of design, and the sizes that are tried: small, large, as large as a megabyte."""
