"""The export formats of a design, by name, for the command and the app."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from toposmith.bill.quotation import bill_bytes
from toposmith.design.stored_files import save_folder, save_pieces
from toposmith.entry_points import refuse_twice
from toposmith.exports.cable_schedule.schedule_csv import cable_labels_csv, point_to_point_csv
from toposmith.exports.drawing.fabric import fabric_sheet
from toposmith.exports.drawing.png import png_bytes
from toposmith.exports.drawing.rack_fronts import elevation_lines, elevations_sheet
from toposmith.exports.drawing.svg import svg_text
from toposmith.exports.graph_forms import dot
from toposmith.exports.nccl_topology_file import design_xml
from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.exports.neighbours.infiniband import Subnet, ibnetdiscover_lines, ibsim_lines
from toposmith.exports.neighbours.writers import FOLDERS, WRITERS, Writer
from toposmith.exports.report.design_report import report_html
from toposmith.racks.rack_devices import ASSUMED

if TYPE_CHECKING:
    from toposmith.evaluation import EvaluatedDesign
    from toposmith.exports.drawing.svg import DrawingSheet
    from toposmith.findings.finding import Finding

Progress = Callable[[int, int], object]
"""Called with the rows of a schedule written, and of all; an exception ends the export."""


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


Maker = Callable[["EvaluatedDesign", Progress | None, str | None], Made]


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
    make : callable
        Makes it from a design; gets the group of nodes for formats that show one node.
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
    make: Maker
    is_text: bool = True
    is_folder: bool = False
    reader: str = ""
    loses: str = ""
    names_devices: bool = True


def _html(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    return Made(_encoded([report_html(design)]))


def _bom(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    return Made([bill_bytes(design.bill, "yaml")], design.bill.findings)


def _fabric_svg(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    sheet = fabric_sheet(design.plan, design.analysis)
    return Made(_svg(sheet), design.plan.findings)


def _fabric_png(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    sheet = fabric_sheet(design.plan, design.analysis)
    return Made([png_bytes(sheet)], design.plan.findings)


def _cables(design: EvaluatedDesign, progress: Progress | None, _group: str | None) -> Made:
    schedule = design.schedule
    text = point_to_point_csv(schedule, schedule.rows(progress))
    return Made(_encoded(text), design.schedule_findings)


def _labels(design: EvaluatedDesign, progress: Progress | None, _group: str | None) -> Made:
    text = cable_labels_csv(design.schedule.rows(progress))
    return Made(_encoded(text), design.schedule_findings)


def _elevations(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    lines = elevation_lines(design.placement, design.elevations, design.feeds)
    return Made(_encoded(f"{line}\n" for line in lines), design.rack_findings)


def _racks_svg(design: EvaluatedDesign, _progress: Progress | None, _group: str | None) -> Made:
    return Made(_svg(_racks_sheet(design)), design.rack_findings)


def _dot(design: EvaluatedDesign, progress: Progress | None, _group: str | None) -> Made:
    return Made(_encoded(dot(design.plan, design.schedule, progress)), design.schedule_findings)


def _nccl_xml(design: EvaluatedDesign, _progress: Progress | None, group: str | None) -> Made:
    return Made(_encoded([design_xml(design.plan, design.catalog, group)]))


def _ibsim(design: EvaluatedDesign, progress: Progress | None, _group: str | None) -> Made:
    subnet = Subnet(design.plan, design.schedule, progress)
    pieces = _encoded(ibsim_lines(subnet))
    return Made(pieces, design.schedule_findings, subnet.lost)


def _ibnetdiscover(design: EvaluatedDesign, progress: Progress | None, _group: str | None) -> Made:
    subnet = Subnet(design.plan, design.schedule, progress)
    pieces = _encoded(ibnetdiscover_lines(subnet))
    return Made(pieces, design.schedule_findings, subnet.lost)


def neighbour(write: Writer, *, of_cables: bool = True) -> Maker:
    """The maker of a format for another program; refuses a design before writing anything.

    Parameters
    ----------
    write : callable
        Gives the file of a cluster piece by piece.
    of_cables : bool
        Whether it lists cables, so that what is missing from the schedule is missing from it.
    """

    def make(design: EvaluatedDesign, progress: Progress | None, _group: str | None) -> Made:
        cluster = DeviceInventory(design, progress)
        pieces = iter(write(cluster))
        begun = next(pieces, b"")
        findings = design.schedule_findings if of_cables else design.plan.findings
        return Made(chain([begun], pieces), findings, cluster.lost)

    return make


def _neighbour(name: str, *, of_cables: bool = True) -> Maker:
    return neighbour(WRITERS[name], of_cables=of_cables)


def _folder(name: str) -> Maker:
    """Makes a form of several files."""

    def make(design: EvaluatedDesign, progress: Progress | None, _group: str | None) -> Made:
        cluster = DeviceInventory(design, progress)
        files = iter(FOLDERS[name](cluster))
        begun = next(files)
        return Made((), design.schedule_findings, cluster.lost, chain([begun], files))

    return make


def _racks_sheet(design: EvaluatedDesign) -> DrawingSheet:
    return elevations_sheet(
        design.design.name, design.placement, design.elevations, design.rack_words
    )


def _svg(sheet: DrawingSheet) -> Iterable[bytes]:
    return _encoded([svg_text(sheet)])


def _encoded(lines: Iterable[str]) -> Iterable[bytes]:
    return (line.encode("utf-8") for line in lines)


_ONE_TREE = "ports, cables, speeds, racks; all networks but the compute network"

_FORMS = (
    Form("html", "report, HTML: figures, drawing, bill, racks, findings", ".html", _html,
         reader="a manager, a buyer", names_devices=False),
    Form("bom", "bill of materials, YAML, as the command bom writes it", ".bom.yaml", _bom,
         reader="a buyer", names_devices=False),
    Form("svg", "drawing of the fabric", ".svg", _fabric_svg, reader="a page, a slide",
         loses="single devices, ports", names_devices=False),
    Form("png", "drawing of the fabric, PNG", ".png", _fabric_png, is_text=False,
         reader="a page, a slide", loses="single devices, ports", names_devices=False),
    Form("cables", "cable schedule, point to point", ".cables.csv", _cables,
         reader="a technician"),
    Form("cvt", "cable schedule, workbook with text cells", ".p2p.xlsx", _neighbour("cvt"),
         is_text=False, reader="Cable Validation Tool"),
    Form("labels", "cable labels: two for each cable", ".labels.csv", _labels,
         reader="a label printer", loses="parts, speeds"),
    Form("elevations", "rack elevations, text", ".racks.txt", _elevations,
         reader="a terminal", loses="cables"),
    Form("elevations-svg", "rack elevations, drawing", ".racks.svg", _racks_svg,
         reader="a technician", loses="cables"),
    Form("slurm-tree", "Slurm, topology.conf of topology/tree", ".topology-tree.conf",
         _neighbour("slurm-tree", of_cables=False), reader="Slurm", loses=_ONE_TREE),
    Form("slurm-block", "Slurm, topology.conf of topology/block", ".topology-block.conf",
         _neighbour("slurm-block", of_cables=False), reader="Slurm 23.11",
         loses="everything but NVLink domains of several nodes"),
    Form("slurm-yaml", "Slurm, topology.yaml: tree, and blocks", ".topology.yaml",
         _neighbour("slurm-yaml", of_cables=False), reader="Slurm 25.05", loses=_ONE_TREE),
    Form("topo", "InfiniBand topology file", ".ibdm.topo", _neighbour("topo"),
         reader="ibdiagnet, UFM", loses="Ethernet, GUIDs, racks, lengths"),
    Form("ufm-ndt", "InfiniBand cables, UFM's NDT", ".ndt.csv", _neighbour("ufm-ndt"),
         reader="UFM", loses="Ethernet, GUIDs, racks, lengths, speeds"),
    Form("netbox", "NetBox whole: types, devices, racks, power, cables", ".netbox",
         _folder("netbox"), is_text=False, is_folder=True, reader="NetBox",
         loses="speeds, parts of cables"),
    Form("netbox-cables", "cables as NetBox imports them", ".netbox.csv",
         _neighbour("netbox-cables"), reader="NetBox",
         loses="devices and interfaces, which must be there before"),
    Form("k8s-labels", "Kubernetes nodes with labels of the network", ".k8s-labels.yaml",
         _neighbour("k8s-labels", of_cables=False), reader="Kubernetes", loses=_ONE_TREE),
    Form("kueue", "Kueue, Topology of these labels", ".kueue.yaml",
         _neighbour("kueue", of_cables=False), reader="Kueue", loses="single nodes; " + _ONE_TREE,
         names_devices=False),
    Form("hostfiles", "host files of the jobs, in the order of ranks, with the GB/s of each",
         ".hostfiles", _folder("hostfiles"), is_text=False, is_folder=True,
         reader="Open MPI, a launcher", loses="the network"),
    Form("nccl-conf", "NCCL's settings that follow from the design", ".nccl.conf",
         _neighbour("nccl-conf", of_cables=False), reader="NCCL, /etc/nccl.conf",
         loses="names of interfaces, classes of traffic", names_devices=False),
    Form("rail-addresses", "addresses: a subnet for each rail", ".rails.csv",
         _neighbour("rail-addresses"), reader="an address plan", loses="ports of switches"),
    Form("rail-prefixes", "subnets of rails as NetBox imports prefixes", ".rail-prefixes.csv",
         _neighbour("rail-prefixes"), reader="NetBox", loses="single addresses",
         names_devices=False),
    Form("routed-addresses", "addresses: a routed /31 for each Ethernet cable", ".routed.csv",
         _neighbour("routed-addresses"), reader="an address plan", loses="InfiniBand"),
    Form("routed-prefixes", "these /31 as NetBox imports prefixes", ".routed-prefixes.csv",
         _neighbour("routed-prefixes"), reader="NetBox", loses="InfiniBand"),
    Form("containerlab", "lab of containers, a link for each cable", ".clab.yaml",
         _neighbour("containerlab"), reader="containerlab", loses="speeds, racks, lengths"),
    Form("ptm", "Ethernet cables for Prescriptive Topology Manager", ".ptm.dot",
         _neighbour("ptm"), reader="Cumulus Linux", loses="InfiniBand, speeds, racks, lengths"),
    Form("astra-sim", "ASTRA-sim, analytical network", ".astra-sim.yml",
         _neighbour("astra-sim", of_cables=False), reader="ASTRA-sim",
         loses="devices, ports, cables, racks", names_devices=False),
    Form("simai", "SimAI, ns-3 topology", ".simai.topo", _neighbour("simai", of_cables=False),
         reader="SimAI", loses="names, ports, racks, lengths", names_devices=False),
    Form("sonic", "SONiC, neighbours and breakouts of every switch", ".sonic.json",
         _neighbour("sonic"), reader="SONiC", loses="InfiniBand, racks, lengths"),
    Form("dot", "graph of all devices, Graphviz", ".dot", _dot, reader="Graphviz",
         loses="speeds, racks, lengths"),
    Form("json", "whole fabric, JSON with a schema", ".fabric.json", _neighbour("json"),
         reader="your own programs"),
    Form("proof", "certificate of the main figures, for a second program to check", ".proof.json",
         _neighbour("proof"), reader="python -m toposmith_check",
         loses="names of devices, ports, racks, lengths", names_devices=False),
    Form("ibsim", "InfiniBand fabric for the simulator ibsim", ".net", _ibsim,
         reader="ibsim, OpenSM", loses="Ethernet, racks, lengths, speeds"),
    Form("ibnetdiscover", "InfiniBand fabric as ibnetdiscover says it", ".topo", _ibnetdiscover,
         reader="tools that read its text", loses="Ethernet, racks, lengths; GUIDs are made up"),
    Form("nccl-xml", "inside of a node, NCCL topology file", ".nccl.xml", _nccl_xml,
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
