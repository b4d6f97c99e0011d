"""Figures of fabrics joined along axes: GPUs, topology, seconds.

    python -m bench.relations [--seconds 120] [--what analyze --what check --what failures]

Each row is a process of its own, ended after so many seconds of CPU: the fabric, its GPUs, the
vertices of its class graph, and CPU seconds of one analysis (prediction, bound, limits, next step),
of all findings and of every single failure. Reading the design and the catalog is not counted, nor
is loading numpy, which takes a process some 0.1 s once.
"""

from __future__ import annotations

import argparse
import sys

from bench.own_process import measured

_H100 = ("dgx-h100", "qm9700")
_QUAD = ("gh200-quad", "slingshot-64p")


def along(
    parts: tuple[str, str],
    nodes: int,
    axes: dict[str, int],
    *links: str,
    down: tuple[str, ...] = (),
) -> str:
    """A fabric of switches that all have nodes."""
    node, switch = parts
    per = ", ".join(axes)
    sizes = ", ".join(f"{axis}: {size}" for axis, size in axes.items())
    text = (
        f"toposmith: 2\naxes: {{{sizes}}}\ngroups:\n"
        f"  node: {{part: {node}, per: [{per}], count: {nodes}}}\n"
        f"  sw: {{part: {switch}, per: [{per}]}}\n"
        "links:\n  - {between: [node.compute, sw]}\n"
    )
    text += "".join(f"  - {{between: [sw, sw], {link}}}\n" for link in links)
    return text + ("down:\n" + "".join(f'  - "{each}"\n' for each in down) if down else "")


def torus(x: int, y: int, z: int, *down: str, nodes: int = 1) -> str:
    """Rings along three dimensions."""
    rings = (f"along: {{{axis}: next}}, cables: 4" for axis in "xyz")
    return along(_H100, nodes, {"x": x, "y": y, "z": z}, *rings, down=down)


def _down(x: int, y: int, z: int) -> tuple[str, str]:
    """A switch and its node, so that all that is left can run."""
    return tuple(f"{group}[x={x},y={y},z={z}]" for group in ("sw", "node"))  # type: ignore[return-value]


def dragonfly(groups: int, routers: int, nodes: int, cables: int, *down: str) -> str:
    """Full meshes that dealt cables join."""
    mesh = "along: {r: other}"
    dealt = f"along: {{g: other, r: dealt}}, cables: {cables}"
    return along(_QUAD, nodes, {"g": groups, "r": routers}, mesh, dealt, down=down)


def blocks(groups: int, leaves: int, spines: int) -> str:
    """Two tiers in a block; spines of one number are joined over all blocks (dragonfly+, OCS)."""
    return (
        f"toposmith: 2\naxes: {{b: {groups}, l: {leaves}, s: {spines}}}\ngroups:\n"
        "  node: {part: gh200-quad, per: [b, l], count: 8}\n"
        "  leaf: {part: slingshot-64p, per: [b, l]}\n"
        "  spine: {part: slingshot-64p, per: [b, s]}\n"
        "links:\n  - {between: [node.compute, leaf]}\n"
        "  - {between: [leaf, spine], along: {b: same}}\n"
        "  - {between: [spine, spine], along: {b: other}}\n"
    )


FABRICS = {
    "torus 4 x 4 x 4": torus(4, 4, 4),
    "torus 16 x 16 x 16": torus(16, 16, 16),
    "torus 28 x 22 x 20": torus(28, 22, 20),
    "torus 8 x 8 x 8, one down": torus(8, 8, 8, *_down(1, 2, 3)),
    "torus 14 x 11 x 10, one down": torus(14, 11, 10, *_down(1, 2, 3)),
    "torus 28 x 22 x 20, one down": torus(28, 22, 20, *_down(1, 2, 3)),
    "torus 28 x 22 x 20, three down": torus(
        28, 22, 20, *_down(1, 2, 3), *_down(7, 9, 11), "sw[x=20,y=3,z=16] - sw[x=21,y=3,z=16]"
    ),
    "HyperX 24 x 24 x 24": along(
        _QUAD, 2, {"x": 24, "y": 24, "z": 24}, *(f"along: {{{axis}: other}}" for axis in "xyz")
    ),
    "dragonfly, 5 groups of 40": dragonfly(5, 40, 4, 40),
    "dragonfly, 33 groups of 16": dragonfly(33, 16, 4, 4),
    "dragonfly, 74 groups of 32": dragonfly(74, 32, 4, 4),
    "dragonfly, 64 groups of 32": dragonfly(64, 32, 12, 4),
    "dragonfly, 74 groups of 32, one switch down": dragonfly(74, 32, 4, 4, "sw[g=3,r=5]"),
    "dragonfly+, 96 groups of 32 leaves": blocks(96, 32, 16),
    "dragonfly+, 32 groups of 32 leaves": blocks(32, 32, 32),
}

ONE = """
import gc, resource, sys
import numpy  # a tenth of a second in each process, once
from time import process_time
from toposmith.catalog import load_catalog
from toposmith.analysis.analyse import analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.review.failures.sweep import sweep
gc.set_threshold(50_000)  # as the command does
limit, what = int(sys.argv[1]), sys.argv[2]
resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
catalog = load_catalog()
design = parse_design(sys.stdin.read(), "bench")
plan = plan_design(design, catalog)
start = process_time()
network = ComputeNetwork(plan)
print(network.classes.graph.number_of_nodes(), flush=True)
if what == "analyze":
    print(analyse(plan, catalog).gpus)
elif what == "check":
    EvaluatedDesign(design, catalog).findings
    print(network.world.gpus)
else:
    print(sweep(plan, catalog).gpus)
print(process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.relations", description=__doc__)
    parser.add_argument("--seconds", type=int, default=120, help="CPU limit of each row")
    parser.add_argument("--what", action="append", choices=("analyze", "check", "failures"))
    parser.add_argument("--fabric", action="append", help="those whose name has this in it")
    asked = parser.parse_args()
    print("| fabric | GPUs | what | CPU s | vertices | MB |")
    print("|---|---:|---|---:|---:|---:|")
    for name, text in FABRICS.items():
        if asked.fabric and not any(part in name for part in asked.fabric):
            continue
        for what in asked.what or ("analyze",):
            vertices, *rest = measured(ONE, text, asked.seconds, what) or ["-"]
            gpus, seconds, mb = rest if len(rest) == 3 else ("-", "", "0")
            took = f"{float(seconds):.2f}" if seconds else f"> {asked.seconds}"
            many = f"{int(gpus):,}" if gpus != "-" else gpus
            row = (name, many, what, took, vertices, f"{float(mb):.0f}")
            print("| " + " | ".join(row) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
