"""Figures of fabrics with many random faults: how long, how many vertices, how much memory.

    python -m bench.faults [--seconds 60] [--groups | --tiers]

Each row is a process of its own, ended after so many seconds of CPU: GPUs, kinds and number of
faults, CPU seconds of one analysis (prediction, bound, limits, next step), vertices of the class
graph, MB at the end, and beside it the seconds and vertices of the same fabric expanded device by
device, without any figure. The faults of a seed are the same in every run.

With ``--tiers`` fabrics of three tiers and of two planes: CPU seconds of an analysis of an
all-reduce, of one of an all-to-all, and of the loads of the all-to-all alone, beside a fixed
max-flow.
"""

from __future__ import annotations

import argparse
import sys
from random import Random

from bench.own_process import measured

SIZES = {1_024: 4, 16_384: 64}
"""GPUs, and scalable units of 32 nodes."""

KINDS = ("cables", "NIC ports", "nodes", "leaves", "mixed", "slow", "single cables")
NUMBERS = (0, 1, 3, 10, 30, 100, 300)

DESIGN = """\
toposmith: 2
axes: {{su: {su}, rail: 8}}
groups:
  node: {{part: dgx-h100, per: [su], count: 32}}
  leaf: {{part: qm9700, per: [su, rail]}}
  spine: {{part: qm9700, count: 32}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine]}}
"""

ONE = """
import gc, resource, sys
from time import process_time
from toposmith.catalog import load_catalog
from toposmith.analysis.analyse import analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.design.parser import parse_design
from tests.expansion import expand
from toposmith.fabric.planner import plan_design
gc.set_threshold(50_000)  # as the command does
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
catalog = load_catalog()
plan = plan_design(parse_design(sys.stdin.read(), "bench"), catalog)
vertices = ComputeNetwork(plan).classes.graph.number_of_nodes()
print(vertices, flush=True)
if sys.argv[2] == "expand":
    start = process_time()
    graph = expand(plan)
    print(process_time() - start, graph.number_of_nodes())
    sys.exit()
start = process_time()
analyse(plan, catalog)
print(process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


THREE_TIERS = """\
toposmith: 2
axes: {{pod: {pod}, su: 4, rail: 8}}
groups:
  node: {{part: dgx-h100, per: [pod, su], count: 32}}
  leaf: {{part: qm9700, per: [pod, su, rail]}}
  spine: {{part: qm9700, per: [pod, rail], count: 4}}
  core: {{part: qm9700, per: [rail], count: 16}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine], cables: 8}}
  - {{between: [spine, core], cables: 2}}
"""

TWO_PLANES = """\
toposmith: 2
axes: {{pod: {pod}, rail: 8, plane: 2}}
groups:
  node:
    part: hgx-h100-8
    per: [pod]
    count: 32
    nics: {{compute: {{part: connectx-6-200gbe-2p, count: 8}}}}
  leaf: {{part: sn5600, per: [pod, rail, plane]}}
  spine: {{part: sn5600, per: [plane], count: 16}}
links:
  - {{between: [node.compute, leaf]}}
  - {{between: [leaf, spine]}}
"""

SHAPES = {
    "three tiers": (THREE_TIERS, 1_024, (16, 128)),
    "two planes, NICs of two ports": (TWO_PLANES, 256, (8, 32)),
}
"""Designs, GPUs of a pod, and numbers of pods."""

LOADS = """
import resource, sys
from time import process_time
from bench.recompute import fixed_flow_ms
from toposmith.analysis.analyse import analyse
from toposmith.analysis.network import ComputeNetwork
from toposmith.analysis.request import Request
from toposmith.analysis.traffic.row_exchange import all_to_all_loads
from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
catalog = load_catalog()
design = parse_design(sys.stdin.read(), "bench")
said = []
for collective in ("all_reduce", "all_to_all"):
    plan = plan_design(design, catalog)
    start = process_time()
    analyse(plan, catalog, Request(collective))
    said.append(process_time() - start)
network = ComputeNetwork(plan_design(design, catalog))
start = process_time()
all_to_all_loads(network)
said.append(process_time() - start)
mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(*said, fixed_flow_ms() / 1000, mb)
"""


def with_tiers(shape: str, pods: int, many: int) -> str:
    """A fabric of pods with so many random faults: cables, NIC ports, nodes, switches above."""
    random, (text, _, _) = Random(1), SHAPES[shape]
    found: dict[str, None] = {}
    while len(found) < many:
        pod, su, rail = random.randrange(pods), random.randrange(4), random.randrange(8)
        node, spine, core = random.randrange(32), random.randrange(4), random.randrange(16)
        plane = random.randrange(2)
        if text is THREE_TIERS:
            nodes, spines = f"pod={pod},su={su},node={node}", f"pod={pod},rail={rail},spine={spine}"
            faults = (
                f"1 of leaf[pod={pod},su={su},rail={rail}] - spine[{spines}]",
                f"1 of spine[{spines}] - core[rail={rail},core={core}]",
            )
        else:
            nodes, spines = f"pod={pod},node={node}", f"plane={plane},spine={core}"
            faults = (f"leaf[pod={pod},rail={rail},plane={plane}] - spine[{spines}]",) * 2
        more = (f"node[{nodes}]", f"node[{nodes}].compute[{rail}]")
        found[random.choice((*faults, *more))] = None
    down = "".join(f'  - "{each}"\n' for each in found)
    return text.format(pod=pods) + (f"down:\n{down}" if down else "")


def print_tiers(seconds: int, numbers: list[int] | None) -> None:
    """The table of fabrics of pods."""
    head = ("GPUs", "fabric", "faults", "all-reduce s", "all-to-all s", "its loads s", "max-flow s")
    print("| " + " | ".join((*head, "MB")) + " |\n|" + "---:|" * 8)
    for shape, (_, each, sizes) in SHAPES.items():
        for pods in sizes:
            for many in numbers or (0, 3, 10, 20, 300):
                said = measured(LOADS, with_tiers(shape, pods, many), seconds, "")
                row = [f"{float(one):.2f}" for one in said[:4]] or [f"> {seconds}", *"---"]
                mb = f"{float(said[4]):.0f}" if len(said) == 5 else "-"
                print(
                    "| " + " | ".join((f"{pods * each:,}", shape, str(many), *row, mb)) + " |",
                    flush=True,
                )


def fault(random: Random, kind: str, su: int) -> str:
    """One random fault, as a selector."""
    unit, node, port, spine = (random.randrange(n) for n in (su, 32, 8, 32))
    if kind == "mixed":
        kind = random.choice(KINDS[:4])
    return {
        "cables": f"leaf[su={unit},rail={port}] - spine[spine={spine}]",
        "NIC ports": f"node[su={unit},node={node}].compute[{port}]",
        "nodes": f"node[su={unit},node={node}]",
        "leaves": f"leaf[su={unit},rail={port}]",
        "slow": f"node[su={unit},node={node}].compute[{port}]",
    }[kind]


def design(kind: str, many: int, su: int) -> str:
    """The fabric with so many random faults of a kind."""
    random = Random(1)
    text = DESIGN.format(su=su)
    if not many:
        return text
    if kind == "single cables":
        ports = random.sample(range(su * 32 * 8), many)
        text += "cables:\n"
        for number in ports:
            (unit, rest), port = divmod(number // 8, 32), number % 8
            leaf = f"leaf[su={unit},rail={(port + 1) % 8}]"
            text += f'  - {{a: "node[su={unit},node={rest}].compute[{port}]", z: "{leaf}"}}\n'
        return text
    marks = {fault(random, kind, su): None for _ in range(many)}
    if kind == "slow":
        return text + "slow:\n" + "".join(f'  "{mark}": 50 %\n' for mark in marks)
    return text + "down:\n" + "".join(f'  - "{mark}"\n' for mark in marks)


def groups_of_one(nodes: int, *, wired: bool) -> str:
    """Nodes that are a group each, on rails of 32 nodes under 32 spines, or on no switch."""
    pods = range((nodes + 31) // 32) if wired else range(0)
    groups = [f"  n{number}: {{part: dgx-h100}}" for number in range(nodes)]
    groups += [f"  leaf{pod}: {{part: qm9700, per: [rail]}}" for pod in pods]
    links = [f"  - {{between: [leaf{pod}, spine]}}" for pod in pods]
    if wired:
        groups.append("  spine: {part: qm9700, count: 32}")
        links += [f"  - {{between: [n{at}.compute, leaf{at // 32}]}}" for at in range(nodes)]
    top = "toposmith: 2\naxes: {rail: 8}\n" if wired else "toposmith: 2\n"
    return top + "\n".join(["groups:", *groups, "links:" if links else "links: []", *links]) + "\n"


def analysed(text: str, limit: int) -> tuple[str, str, str]:
    """CPU seconds, vertices and MB of an analysis, as the table has them."""
    found = measured(ONE, text, limit, "analyse")
    if len(found) != 3:
        return f"> {limit}", found[0] if found else "-", "-"
    return f"{float(found[1]):.2f}", found[0], f"{float(found[2]):.0f}"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="CPU limit of each row")
    parser.add_argument("--gpus", type=int, action="append", choices=list(SIZES))
    parser.add_argument("--number", type=int, action="append", help="numbers of faults")
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--expand", action="store_true", help="expand each fabric as well")
    parser.add_argument("--groups", action="store_true", help="groups of one node instead")
    parser.add_argument("--tiers", action="store_true", help="three tiers and planes instead")
    asked = parser.parse_args()
    if asked.tiers:
        print_tiers(asked.seconds, asked.number)
        return 0
    print("| GPUs | faults | kind | CPU s | vertices | MB | expanded s | expanded vertices |")
    print("|---:|---:|---|---:|---:|---:|---:|---:|")
    if asked.groups:
        for many, wired in ((64, True), (200, True), (1_000, True), (5_000, False)):
            text = groups_of_one(many, wired=wired)
            figures = analysed(text, asked.seconds)
            kind = f"{many:,} groups of one" + ("" if wired else ", no cable")
            print("| " + " | ".join((f"{8 * many:,}", "0", kind, *figures, "-", "-")) + " |")
        return 0
    for gpus in asked.gpus or SIZES:
        for kind in asked.kind or KINDS:
            for many in asked.number or NUMBERS:
                if not many and kind != KINDS[0]:
                    continue
                text = design(kind, many, SIZES[gpus])
                seconds, vertices, mb = analysed(text, asked.seconds)
                beside = measured(ONE, text, asked.seconds, "expand") if asked.expand else []
                expanded = [f"{float(beside[1]):.2f}", beside[2]] if len(beside) == 3 else ["-"] * 2
                row = (f"{gpus:,}", many, kind, seconds, vertices, mb, *expanded)
                print("| " + " | ".join(map(str, row)) + " |", flush=True)
                if mb == "-":
                    break  # more faults take longer still
    return 0


if __name__ == "__main__":
    sys.exit(main())
