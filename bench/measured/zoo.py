"""Published systems as designs of the catalog's parts, each with its result and our figure.

The designs that predictions are scored on are made from descriptions (``systems``), with no part of
the catalog in them; these are what a person would draw, so that their errors are of both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bench.measured.records import MeasuredCurve, Point
from bench.measured.systems import request_of
from toposmith.analysis.analyse import Questions
from toposmith.catalog import Catalog
from toposmith.collectives import COLLECTIVES
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import MEASURED
from toposmith.text import message_size

FOLDER = MEASURED


@dataclass(frozen=True)
class Drawn:
    """How a published run is drawn.

    Parameters
    ----------
    name : str
        Of the file.
    curve : str
        The run, as ``published/curves.csv`` calls it.
    part : str
        The node.
    nodes : int
        Nodes, or the trays of each rack.
    switch : str
        What all NICs are cabled to; empty inside one node or rack.
    racks : int
        Racks of NVLink trays; 0 where nodes are no trays.
    nic : str
        What is fitted, one for each GPU, where the part comes without.
    """

    name: str
    curve: str
    part: str
    nodes: int = 1
    switch: str = ""
    racks: int = 0
    nic: str = ""

    @property
    def groups(self) -> str:
        """The groups and links of its design."""
        per = "per: [rack], " if self.racks > 1 else ""
        fitted = f", nics: {{compute: {{part: {self.nic}, count: 8}}}}" if self.nic else ""
        axes = f"axes: {{rack: {self.racks}}}\n" if self.racks > 1 else ""
        node = f"  node: {{part: {self.part}, {per}count: {self.nodes}{fitted}}}\n"
        if not self.switch:
            return f"{axes}groups:\n{node}"
        many = ", count: 2" if self.racks > 1 else ""  # two NICs of each tray on either
        links = "links:\n  - {between: [node.compute, switch]}\n"
        return f"{axes}groups:\n{node}  switch: {{part: {self.switch}{many}}}\n{links}"


ZOO = (
    Drawn("dgx-a100-4", "deepops-dgxa100-4n-ar", "dgx-a100", 4, "qm8790"),
    Drawn("p4d-2", "aws-p4d-2n-ar-527", "p4d-24xlarge", 2, "sn4700"),
    Drawn("bm-gpu4-2", "oci-a100-2n-ar-2.29", "bm-gpu4-8", 2, "sn4700"),
    Drawn("xe9680-h100-4", "xe9680-4n-ar", "xe9680-h100", 4, "qm9700", nic="connectx-7-ndr-ib"),
    Drawn("bm-gpu-h100-2", "oci-h100-2n-ar", "bm-gpu-h100-8", 2, "sn5600"),
    Drawn("p5en-4", "aws-p5en-4n-ar", "p5en-48xlarge", 4, "sn5600"),
    Drawn("hgx-h200-1", "aic-h200-8g-all_reduce", "hgx-h200-8"),
    Drawn("p6-b200-4", "aws-p6b200-4n-ar", "p6-b200-48xlarge", 4, "sn5600"),
    Drawn("a4-highgpu-2", "gcp-a4-2n-ar", "a4-highgpu-8g", 2, "sn5600"),
    Drawn("bm-gpu-b300-2", "oci-b300-2n-ar", "bm-gpu-b300-8", 2, "sn5600"),
    Drawn("bm-gpu-b300-2-exchange", "oci-b300-2n-a2a", "bm-gpu-b300-8", 2, "sn5600"),
    Drawn("a3-highgpu-2", "gcp-a3high-2n-ag", "a3-highgpu-8g", 2, "sn5600"),
    Drawn("gh200-quad-2", "alps-2n-ar", "gh200-quad", 2, "sn5600"),
    Drawn("gb200-nvl72-1", "coreweave-gb200-1rack-ar", "gb200-nvl72-tray", 18, racks=1),
    Drawn("gb200-nvl72-2", "coreweave-gb200-2rack-ar", "gb200-nvl72-tray", 16, "qm9700", 2),
    Drawn("rtx-pro-6000-1", "aic-rtxpro-8g-alltoall", "rtx-pro-6000-8"),
    Drawn("bm-gpu-mi300x-2", "oci-mi300x-2n-ar", "bm-gpu-mi300x-8", 2, "sn5600"),
)


@dataclass(frozen=True)
class Held:
    """A drawn system with what was measured of it and what is predicted.

    ``point`` is the largest message, out of place where it ran so; ``predicted`` in GB/s of busbw.
    """

    drawn: Drawn
    curve: MeasuredCurve
    point: Point
    predicted: float

    @property
    def error(self) -> float:
        """Predicted over measured, less one."""
        return self.predicted / self.point.busbw_GBps - 1

    @property
    def ran(self) -> str:
        """``all-reduce of 8 GiB, NCCL 2.26.2, ring``: what ran."""
        name = COLLECTIVES[self.curve.collective].name
        release = self.curve.text("nccl_version")
        said = (f"NCCL {release}" if release else "", self.curve.forced.replace("_", " "))
        return ", ".join(
            (f"{name} of {message_size(self.point.message_bytes)}", *filter(None, said))
        )

    @property
    def text(self) -> str:
        """The file of its design."""
        return (
            f"# {self.curve.text('system')}: a measured system.\n"
            "# Written by `python -m bench.measured --write`.\n"
            "toposmith: 1\n"
            f"name: Measured {self.drawn.name}\n"
            "note: >-\n"
            f"  {self.ran}: {self.point.busbw_GBps:.4g} GB/s of busbw measured, "
            f"{self.predicted:.4g} predicted\n"
            f"  with these parts, {self.error:+.1%}. Read in {self.curve.text('source')}\n"
            f"{self.drawn.groups}"
        )


def held(curves: Iterable[MeasuredCurve], catalog: Catalog) -> list[Held]:
    """Every system of the zoo, predicted as it is drawn."""
    by_name = {curve.name: curve for curve in curves}
    return [_held(drawn, by_name[drawn.curve], catalog) for drawn in ZOO]


def _held(drawn: Drawn, curve: MeasuredCurve, catalog: Catalog) -> Held:
    largest = max((p for p in curve.points if not p.outlier), key=_size_then_out_of_place)
    plan = plan_design(parse_design("toposmith: 1\n" + drawn.groups, drawn.name), catalog)
    request = replace(request_of(curve), message_bytes=largest.message_bytes)
    predictor = Questions(plan, catalog).of(request).predictor
    if predictor is None:
        raise ValueError(f"{drawn.name}: nothing is predicted")
    return Held(drawn, curve, largest, predictor.at(largest.message_bytes).busbw_GBps)


def _size_then_out_of_place(point: Point) -> tuple[int, bool]:
    return point.message_bytes, not point.in_place


def table(zoo: Sequence[Held]) -> str:
    """The section of the page that lists them."""
    rows = "\n".join(
        f"| `measured/{one.drawn.name}` | {one.curve.text('system')} | {one.ran} | "
        f"{one.point.busbw_GBps:.4g} | {one.predicted:.4g} | {one.error:+.1%} |"
        for one in zoo
    )
    return f"{_HEAD}{rows}\n"


_HEAD = """
## Measured systems as designs

What a person would draw of them from the catalog's parts, in `toposmith/saved_designs/measured/`;
`toposmith analyze measured/dgx-a100-4` opens one. Busbw of the largest message in GB/s; the errors
are of one size each, in sample, and of the parts as well.

To add a run of your own: put its description with its source into
`bench/measured/published/curves.csv`, its sizes and times into `points.csv`, a line into `ZOO` of
`bench/measured/zoo.py`, and run `python -m bench.measured --write`. Runs that no constant may be
taken from go to `further.yaml`.

| design | system | ran | measured | predicted | error |
|---|---|---|---|---|---|
"""
