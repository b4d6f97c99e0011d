"""Figures of fabrics with many random faults: how long, how many vertices, how much memory.

    python -m bench.faults [--seconds 60] [--groups]

Each row is a process of its own, ended after so many seconds of CPU: GPUs, kinds and number of
faults, CPU seconds of one analysis (prediction, bound, limits, next step), vertices of the class
graph, MB at the end, and beside it the seconds and vertices of the same fabric expanded device by
device, without any figure. The faults of a seed are the same in every run.
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
    asked = parser.parse_args()
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
