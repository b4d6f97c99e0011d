"""The export formats of a design, by name, for the command and the app."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import TypedDict

from toposmith.bill.sheet_form import bill_bytes
from toposmith.design.loader import escaped
from toposmith.design.stored_files import save_folder, save_pieces
from toposmith.entry_points import refuse_twice
from toposmith.errors import ExportError, ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.cable_schedule.schedule_csv import cable_labels_csv, point_to_point_csv
from toposmith.exports.cable_schedule.schedule_rows import Progress as Progress
from toposmith.exports.drawing.fabric import fabric_sheet
from toposmith.exports.drawing.png import png_bytes
from toposmith.exports.drawing.rack_fronts import elevation_lines, elevations_sheet
from toposmith.exports.drawing.svg import DrawingSheet, svg_text
from toposmith.exports.nccl_topology_file import design_xml
from toposmith.exports.neighbours import (
    address_plan,
    ethernet,
    fabric_json,
    infiniband,
    job_launch,
    netbox,
    schedulers,
    simulators,
    workbooks,
)
from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.exports.neighbours.fabric_json import dot
from toposmith.exports.proof.certificate import proof
from toposmith.exports.report.design_report import report_html
from toposmith.findings.finding import Finding
from toposmith.leaving_text import json_text
from toposmith.racks.rack_devices import ASSUMED
from toposmith.version import program_version


@dataclass(frozen=True)
class Made:
    """An export: its bytes piece by piece, and what it lacks, complete at the end.

    ``lost`` lists what the format cannot express of this design. A format of several files has
    ``files`` by name instead of pieces.
    """

    pieces: Iterable[bytes]
    findings: Iterable[Finding] = ()
    lost: Iterable[str] = ()
    files: Iterable[tuple[str, Iterable[bytes]]] | None = None

    def watched(self, watch: Callable[[], None]) -> Made:
        """The same, with ``watch`` called before every piece; an exception ends the export."""

        def pieces(of: Iterable[bytes]) -> Iterator[bytes]:
            for piece in of:
                watch()
                yield piece

        if self.files is None:
            return replace(self, pieces=pieces(self.pieces))
        return replace(self, files=((name, pieces(of)) for name, of in self.files))

    def save(self, path: str | os.PathLike[str], *, into_old_folder: bool = False) -> None:
        """Write the file, or the folder of files: all of it or nothing.

        Raises
        ------
        SaveError
            Where it cannot be written.
        """
        if self.files is None:
            save_pieces(path, self.pieces)
        else:
            save_folder(path, self.files, replace=into_old_folder)

    def lacking(self) -> list[Finding]:
        """Findings about it once it is complete: faults, and assumptions of its racks."""
        unique = dict.fromkeys(self.findings)
        return [one for one in unique if one.severity != "info" or one.code in ASSUMED]


Written = str | bytes | tuple[str, Iterable[bytes]]
"""A piece of a file; of a folder a file: its name with its pieces."""

Writer = Callable[[DeviceInventory], Iterable[Written]]
"""Writes a form piece by piece; what refuses the design is raised before the first."""

Lacks = Callable[["EvaluatedDesign"], Iterable["Finding"]]
"""What of a design's findings is missing from a form of it."""

OF_PLAN: Lacks = attrgetter("plan.findings")
"""Of the parts and links, for forms that list no cables."""

OF_CABLES: Lacks = attrgetter("schedule_findings")
"""Of the cable schedule too."""

OF_RACKS: Lacks = attrgetter("rack_findings")
"""Of the racks."""


@dataclass(frozen=True)
class Form:
    """One export format.

    Parameters
    ----------
    name : str
        Its name for ``export --to``.
    title : str
        What it is, in a few words.
    ending : str
        The suffix of its files.
    write : callable
        Writes it piece by piece from the devices and cables of a design.
    lacks : callable
        Gives the findings that say what it lacks; one that lists cables has :data:`OF_CABLES`.
    is_text : bool
        Whether a terminal can show it.
    is_folder : bool
        Whether it is a folder of files.
    reader : str
        The program or person that reads it.
    loses : str
        What it cannot express of any design.
    names_devices : bool
        Whether other programs or technicians find single devices in it by name, which a map of
        names changes.
    """

    name: str
    title: str
    ending: str
    write: Writer
    lacks: Lacks = OF_PLAN
    is_text: bool = True
    is_folder: bool = False
    reader: str = ""
    loses: str = ""
    names_devices: bool = True

    def make(
        self,
        design: EvaluatedDesign,
        progress: Progress | None = None,
        group: str | None = None,
    ) -> Made:
        """Begin to write a design; what refuses it is raised here, the rest is read from it.

        Parameters
        ----------
        design : EvaluatedDesign
            The design.
        progress : callable, optional
            Called with the rows of its schedule written, and of all; an exception ends the export.
        group : str, optional
            The group of nodes, for a form that shows one node.
        """
        cluster = DeviceInventory(design, progress, group)
        written = iter(self.write(cluster))
        whole = chain(list(islice(written, 1)), written)
        files = (each for each in whole if isinstance(each, tuple)) if self.is_folder else None
        pieces = (each.encode() if isinstance(each, str) else each
                  for each in whole if not isinstance(each, tuple))  # fmt: skip
        return Made(pieces, self.lacks(design), cluster.lost, files)


def _schedule(cluster: DeviceInventory) -> Iterator[str]:
    schedule = cluster.design.schedule
    return point_to_point_csv(schedule, schedule.rows(cluster.progress))


def _fabric(cluster: DeviceInventory) -> DrawingSheet:
    return fabric_sheet(cluster.plan, cluster.design.analysis)


def _elevations(cluster: DeviceInventory) -> Iterator[str]:
    of = cluster.design
    return (f"{line}\n" for line in elevation_lines(of.placement, of.elevations, of.feeds))


def _racks(cluster: DeviceInventory) -> DrawingSheet:
    of = cluster.design
    return elevations_sheet(of.design.name, of.placement, of.elevations, of.rack_words)


_ONE_TREE = "ports, cables, speeds, racks; all networks but the compute network"

_FORMS = (
    Form("html", "report, HTML: figures, drawing, bill, racks, findings", ".html",
         lambda cluster: [report_html(cluster.design)], lambda _: (),
         reader="a manager, a buyer", names_devices=False),
    Form("bom", "bill of materials, YAML, as the command bom writes it", ".bom.yaml",
         lambda cluster: [bill_bytes(cluster.design.bill, "yaml")], attrgetter("bill.findings"),
         reader="a buyer", names_devices=False),
    Form("svg", "drawing of the fabric", ".svg", lambda cluster: [svg_text(_fabric(cluster))],
         reader="a page, a slide",
         loses="single devices, ports", names_devices=False),
    Form("png", "drawing of the fabric, PNG", ".png", lambda cluster: [png_bytes(_fabric(cluster))],
         is_text=False, reader="a page, a slide", loses="single devices, ports",
         names_devices=False),
    Form("cables", "cable schedule, point to point", ".cables.csv", _schedule, OF_CABLES,
         reader="a technician"),
    Form("cvt", "cable schedule, workbook with text cells", ".p2p.xlsx",
         workbooks.point_to_point_workbook, OF_CABLES, is_text=False,
         reader="Cable Validation Tool"),
    Form("labels", "cable labels: two for each cable", ".labels.csv",
         lambda cluster: cable_labels_csv(cluster.design.schedule.rows(cluster.progress)),
         OF_CABLES, reader="a label printer", loses="parts, speeds"),
    Form("elevations", "rack elevations, text", ".racks.txt", _elevations, OF_RACKS,
         reader="a terminal", loses="cables"),
    Form("elevations-svg", "rack elevations, drawing", ".racks.svg",
         lambda cluster: [svg_text(_racks(cluster))], OF_RACKS,
         reader="a technician", loses="cables"),
    Form("slurm-tree", "Slurm, topology.conf of topology/tree", ".topology-tree.conf",
         schedulers.slurm_tree, reader="Slurm", loses=_ONE_TREE),
    Form("slurm-block", "Slurm, topology.conf of topology/block", ".topology-block.conf",
         schedulers.slurm_block, reader="Slurm 23.11",
         loses="everything but NVLink domains of several nodes"),
    Form("slurm-yaml", "Slurm, topology.yaml: tree, and blocks", ".topology.yaml",
         schedulers.slurm_yaml, reader="Slurm 25.05", loses=_ONE_TREE),
    Form("topo", "InfiniBand topology file", ".ibdm.topo", infiniband.topology_file, OF_CABLES,
         reader="ibdiagnet, UFM", loses="Ethernet, GUIDs, racks, lengths"),
    Form("ufm-ndt", "InfiniBand cables, UFM's NDT", ".ndt.csv", infiniband.ndt, OF_CABLES,
         reader="UFM", loses="Ethernet, GUIDs, racks, lengths, speeds"),
    Form("netbox", "NetBox whole: types, devices, racks, power, cables", ".netbox",
         netbox.netbox_folder, OF_CABLES, is_text=False, is_folder=True, reader="NetBox",
         loses="speeds, parts of cables"),
    Form("netbox-cables", "cables as NetBox imports them", ".netbox.csv",
         netbox.netbox_cables, OF_CABLES, reader="NetBox",
         loses="devices and interfaces, which must be there before"),
    Form("k8s-labels", "Kubernetes nodes with labels of the network", ".k8s-labels.yaml",
         schedulers.node_labels, reader="Kubernetes", loses=_ONE_TREE),
    Form("kueue", "Kueue, Topology of these labels", ".kueue.yaml",
         schedulers.kueue_topology, reader="Kueue", loses="single nodes; " + _ONE_TREE,
         names_devices=False),
    Form("hostfiles", "host files of the jobs, in the order of ranks, with the GB/s of each",
         ".hostfiles", job_launch.host_files, OF_CABLES, is_text=False, is_folder=True,
         reader="Open MPI, a launcher", loses="the network"),
    Form("nccl-conf", "NCCL's settings that follow from the design", ".nccl.conf",
         job_launch.nccl_conf, reader="NCCL, /etc/nccl.conf",
         loses="names of interfaces, classes of traffic", names_devices=False),
    Form("rail-addresses", "addresses: a subnet for each rail", ".rails.csv",
         address_plan.rail_addresses, OF_CABLES, reader="an address plan",
         loses="ports of switches"),
    Form("rail-prefixes", "subnets of rails as NetBox imports prefixes", ".rail-prefixes.csv",
         address_plan.rail_prefixes, OF_CABLES, reader="NetBox", loses="single addresses",
         names_devices=False),
    Form("routed-addresses", "addresses: a routed /31 for each Ethernet cable", ".routed.csv",
         address_plan.routed_addresses, OF_CABLES, reader="an address plan", loses="InfiniBand"),
    Form("routed-prefixes", "these /31 as NetBox imports prefixes", ".routed-prefixes.csv",
         address_plan.routed_prefixes, OF_CABLES, reader="NetBox", loses="InfiniBand"),
    Form("containerlab", "lab of containers, a link for each cable", ".clab.yaml",
         ethernet.containerlab, OF_CABLES, reader="containerlab", loses="speeds, racks, lengths"),
    Form("ptm", "Ethernet cables for Prescriptive Topology Manager", ".ptm.dot",
         ethernet.ptm_topology, OF_CABLES, reader="Cumulus Linux",
         loses="InfiniBand, speeds, racks, lengths"),
    Form("astra-sim", "ASTRA-sim, analytical network", ".astra-sim.yml",
         simulators.astra_sim, reader="ASTRA-sim",
         loses="devices, ports, cables, racks", names_devices=False),
    Form("simai", "SimAI, ns-3 topology", ".simai.topo", simulators.simai_topology,
         reader="SimAI", loses="names, ports, racks, lengths", names_devices=False),
    Form("sonic", "SONiC, neighbours and breakouts of every switch", ".sonic.json",
         ethernet.sonic_neighbours, OF_CABLES, reader="SONiC", loses="InfiniBand, racks, lengths"),
    Form("dot", "graph of all devices, Graphviz", ".dot", dot, OF_CABLES, reader="Graphviz",
         loses="speeds, racks, lengths"),
    Form("json", "whole fabric, JSON with a schema", ".fabric.json",
         fabric_json.fabric_json, OF_CABLES, reader="your own programs"),
    Form("proof", "certificate of the main figures, for a second program to check", ".proof.json",
         proof, OF_CABLES, reader="python -m toposmith_check",
         loses="names of devices, ports, racks, lengths", names_devices=False),
    Form("ibsim", "InfiniBand fabric for the simulator ibsim", ".net",
         infiniband.ibsim_lines, OF_CABLES, reader="ibsim, OpenSM",
         loses="Ethernet, racks, lengths, speeds"),
    Form("ibnetdiscover", "InfiniBand fabric as ibnetdiscover says it", ".topo",
         infiniband.ibnetdiscover_lines, OF_CABLES,
         reader="tools that read its text",
         loses="Ethernet, racks, lengths; GUIDs that no lock has are made up"),
    Form("nccl-xml", "inside of a node, NCCL topology file", ".nccl.xml",
         lambda cluster: [design_xml(cluster.plan, cluster.design.catalog, cluster.group)],
         lambda _: (),
         reader="NCCL", loses="all nodes but one", names_devices=False),
)  # fmt: skip
FORMS = {form.name: form for form in _FORMS}
"""Every form by its name, in the order in which they are offered."""


def add_form(form: Form) -> None:
    """Add a form, such as one of a plug-in.

    Raises
    ------
    ValueError
        Where there is one of its name.
    """
    refuse_twice(FORMS, form.name)
    FORMS[form.name] = form


# A hand-over: several exports of a design in one folder, with a manifest and checksums.

MANIFEST, CHECKSUMS = "manifest.json", "SHA256SUMS"
_VERSION = 1


class _File(TypedDict):
    form: str
    file: str
    bytes: int
    sha256: str


class _Refused(TypedDict):
    form: str
    reason: str


def hand_over(
    design: EvaluatedDesign,
    forms: Sequence[str],
    *,
    stem: str,
    all_or_none: bool,
    group: str | None = None,
    progress: Progress | None = None,
    notes: Iterable[str] = (),
) -> Made:
    """Several exports as one folder.

    Parameters
    ----------
    design : EvaluatedDesign
        The design.
    forms : sequence of str
        Names of forms.
    stem : str
        Prefix of every file's name.
    all_or_none : bool
        Whether one format that refuses the design ends the whole with ExportError; otherwise the
        manifest has the reason.
    group : str, optional
        The group of nodes, for the form that shows one node.
    progress : callable, optional
        Called with the rows written of the current format.
    notes : iterable of str
        Notes before those of the formats, such as on a map of names.
    """
    run = _HandOver(design, stem, all_or_none, group, progress)
    run.lost += notes
    return Made((), run.findings, run.lost, run.files([FORMS[name] for name in forms]))


def why_kept(folder: Path) -> str:
    """Why a folder is not replaced by a hand-over; empty if it has only an older one."""
    if not folder.is_dir():
        return "found a file, expected a folder"
    sums = folder / CHECKSUMS
    known = {CHECKSUMS}
    if sums.is_file():
        lines = sums.read_bytes().decode("utf-8", "replace").splitlines()
        known |= {line.partition("  ")[2] for line in lines}
    held = (one.relative_to(folder).as_posix() for one in folder.rglob("*") if not one.is_dir())
    other = next((name for name in held if name not in known), None)
    if other is None:
        return ""
    return f"holds {escaped(other)}, which no hand-over wrote; choose another folder"


class _HandOver:
    """The forms of one hand-over, one after another; what was written is known at the end."""

    def __init__(
        self,
        design: EvaluatedDesign,
        stem: str,
        all_or_none: bool,
        group: str | None,
        progress: Progress | None,
    ) -> None:
        self._design, self._stem = design, stem
        self._all_or_none, self._group, self._progress = all_or_none, group, progress
        self._written: list[_File] = []
        self._refused: list[_Refused] = []
        self._carried: dict[str, list[str]] = {}
        self.findings: list[Finding] = []
        self.lost: list[str] = []

    def files(self, forms: Iterable[Form]) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Every file with its pieces, the manifest and the checksums last."""
        for form in forms:
            try:
                made = form.make(self._design, self._progress, self._group)
            except ToposmithError as refused:
                if self._all_or_none:
                    raise ExportError(f"{form.name}: {refused}") from None
                self._refused.append({"form": form.name, "reason": str(refused)})
                self.lost.append(f"{form.name} is left out: {refused}")
                continue
            if made.files is None:
                yield self._counted(form.name, f"{self._stem}{form.ending}", made.pieces)
            else:
                for name, pieces in made.files:
                    yield self._counted(form.name, f"{form.name}/{name}", pieces)
            self._carried[form.name] = [*([form.loses] if form.loses else []), *made.lost]
            self.findings += made.findings
            self.lost += [f"{form.name}: {words}" for words in made.lost]
        manifest = self._manifest()
        sums = [(MANIFEST, hashlib.sha256(manifest).hexdigest())]
        sums += [(one["file"], one["sha256"]) for one in self._written]
        yield MANIFEST, [manifest]
        yield CHECKSUMS, ["".join(f"{digest}  {name}\n" for name, digest in sums).encode()]

    def _counted(
        self, form: str, name: str, pieces: Iterable[bytes]
    ) -> tuple[str, Iterator[bytes]]:
        def counted() -> Iterator[bytes]:
            digest, size = hashlib.sha256(), 0
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                yield piece
            self._written.append(
                {"form": form, "file": name, "bytes": size, "sha256": digest.hexdigest()}
            )

        return name, counted()

    def _manifest(self) -> bytes:
        whole = {
            "toposmith_handover": _VERSION,
            "design": self._design.design.name,
            "design_sha256": self._design.digest,
            "program": f"toposmith {program_version()}",
            "names": self._design.plan.naming.source or None,
            "files": self._written,
            "not_carried": self._carried,
            "refused": self._refused,
        }
        return (json_text(whole, indent=2) + "\n").encode()
