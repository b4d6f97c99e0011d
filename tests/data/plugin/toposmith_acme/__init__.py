"""A plug-in of Toposmith: one record of each kind."""

from pathlib import Path

from toposmith.as_built.cable_list import Cabling, ListedCable, ListedEnd
from toposmith.as_built.reading.file_formats import DumpReader
from toposmith.collectives import CollectiveRecord
from toposmith.design.parser import parse_design
from toposmith.exports.forms import Form
from toposmith.findings.codes.code import Code
from toposmith.findings.finding import DESIGN, AddedFinding, found
from toposmith.templates import Template

PARTS = Path(__file__).parent / "parts"

HALO = CollectiveRecord(
    *("halo", "halo exchange", lambda ranks: 1.0, "what one rank sends to the next"),
    *("neighbours", "cuts", lambda ranks, members: 1.0),
)

ONE_NODE = Template("one-node", "one DGX H100 alone", (), lambda read, catalog: parse_design(
    "toposmith: 1\nname: one\ngroups: {node: {part: dgx-h100}}\n", "one-node"))  # fmt: skip

GPU_COUNT = Form(
    *("gpu-count", "number of GPUs", ".gpus.txt"),
    lambda cluster: [f"{cluster.design.analysis.gpus} GPUs\n"],
)


def read_wires(source, lines):
    cabling = Cabling(source, "acme wires")
    for number, line in enumerate(lines[1:], 2):
        ends = [ListedEnd(cabling.device(*word.split(":")[:1] * 2), word.split(":")[1])
                for word in line.split()]  # fmt: skip
        cabling.cables.append(ListedCable(*ends, place=f"{source}:{number}"))
    return cabling


WIRES = DumpReader("acme wires", lambda lines: lines[0] == "# wires", read_wires)


def find_odd(subject):
    if subject.analysis.nodes % 2:
        yield found("odd-nodes", DESIGN, nodes=subject.analysis.nodes)


EVEN = AddedFinding(
    Code("odd-nodes", "warning", "nodes in no pairs", "we buy nodes in pairs", "add a node",
         text="{nodes} nodes are no pairs"),
    find_odd,
)  # fmt: skip
