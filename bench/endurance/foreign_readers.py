"""Every reader of files from outside: good files of its kind, and the command that reads them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

import xlsxwriter

from toposmith.bill.sheet_form import bill_bytes
from toposmith.catalog import load_catalog
from toposmith.command.main import main as command
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.forms import FORMS
from toposmith.review.sidecar.entries import ReviewEntry, entry_text, said_at
from toposmith.saved_designs import FOLDER
from toposmith.tui.keeping.journal import Head, JournalStep, head_line, lines_between
from toposmith.tui.keeping.recovery import design_of, rescued_designs

DATA = Path(__file__).parents[2] / "tests" / "data"
SMALL = ("a100-rack-1x100gbe", "dgx-a100-su", "hgx-a100-64gpu-roce-2to1", "torus-4x4x4-h100")
POD = """\
toposmith: 1
name: eight rails, two spines
axes: {rail: 8}
groups:
  node: {part: dgx-h100, count: 2}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [leaf, spine], length: 20}
absent: ["1 of leaf[rail=3] - spine[spine=1]"]
waivers:
  - {code: oversubscribed, where: "leaf", reason: "as it is", date: 2026-01-31, until: 2030-01-31}
"""
"""The design that files beside designs are about."""


@dataclass(frozen=True)
class ForeignReader:
    """A reader.

    Parameters
    ----------
    name : str
        Of the kind of file.
    file : str
        What the file is called, in the folder of the design ``pod.yaml``.
    examples : tuple of bytes
        Good files.
    words : tuple of str
        The command that reads it; ``GOOD`` is the first good file, beside it.
    read : callable
        Runs the command, or reads the file as the app does; returns an exit code.
    beside : bytes
        What ``GOOD`` is instead.
    """

    name: str
    file: str
    examples: tuple[bytes, ...]
    words: tuple[str, ...] = ()
    read: Callable[[tuple[str, ...]], int] = command
    beside: bytes = b""


def _journals(_: tuple[str, ...]) -> int:
    """What the app does with a journal that a run left."""
    for left in rescued_designs():
        for step in left.told.steps:
            try:
                design_of(step.design)
            except ValueError:
                return 2
    return 0


def _pod() -> EvaluatedDesign:
    return EvaluatedDesign(parse_design(POD, "pod.yaml"), load_catalog())


def _text(*lines: str) -> tuple[bytes, ...]:
    return ("\n".join(lines).encode() + b"\n",)


def _json(*values: object) -> tuple[bytes, ...]:
    return tuple(json.dumps(value, indent=1).encode() for value in values)


def _data(*names: str) -> tuple[bytes, ...]:
    return tuple((DATA / name).read_bytes() for name in names)


def _log() -> str:
    head = (
        "# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor)\n# Using devices\n"
        + "".join(
            f"#  Rank {rank:2} Group  0 Pid   {1000 + rank} on host-{rank // 8} device {rank % 8}"
            " [0000:1b:00] NVIDIA H100 80GB HBM3\n"
            for rank in range(16)
        )
        + "#       size         count      type   redop    root     time   algbw   busbw #wrong"
        "     time   algbw   busbw #wrong\n"
    )
    return (
        "# Collective test starting: all_reduce_perf\nNCCL version 2.21.5+cuda12.4\n" + head
    ) + "".join(
        f"{size:12}  {size // 4:12}     float     sum      -1  {size / 1e5:7.1f}  100.00  187.50"
        f"      0  {size / 1e5:7.1f}  100.00  187.50      0\n"
        for size in (2**20, 2**24, 2**28, 2**30)
    )


@cache
def foreign_readers() -> tuple[ForeignReader, ...]:
    """All of them."""
    pod = _pod()

    def form(name: str) -> bytes:
        return b"".join(FORMS[name].make(pod, None, None).pieces)

    def bill(name: str) -> bytes:
        return bill_bytes(pod.bill, name)

    dump, again = ("asbuilt", "pod.yaml"), ("asbuilt", "GOOD")
    saved = tuple((FOLDER / f"{name}.yaml").read_bytes() for name in SMALL)
    port_list = "\n".join(
        f"SW {3 + rail:4} {port:3} 0x{0xB000 + rail:016x} 4x NDR - CA {9 + rail:4}   1 "
        f"0x{0xC000 + 8 * rail + port:016x} ( 'leaf-rail{rail}' - 'node-{port - 1} mlx5_{rail}' )"
        for rail in range(8)
        for port in (1, 2)
    )
    end = {"object_type": "dcim.interface"}
    readers = [
        ForeignReader("design", "bad.yaml", (*saved, POD.encode()), ("check", "bad.yaml")),
        ForeignReader(
            "design, analysed", "bad.yaml", (*saved, POD.encode()), ("analyze", "bad.yaml")
        ),
        ForeignReader("design, billed", "bad.yaml", (*saved, POD.encode()), ("bom", "bad.yaml")),
        ForeignReader(
            "design, compared", "bad.yaml", (*saved, POD.encode()), ("diff", "bad.yaml", "pod.yaml")
        ),
        ForeignReader(
            "policy",
            "p.yaml",
            _text(
                "toposmith-policy: 1",
                "approvals: {needed: 2, own: false}",
                "severities: {oversubscribed: error}",
                "limits: {busbw_GBps: 22}",
            ),
            ("check", "pod.yaml", "--policy", "p.yaml"),
        ),
        ForeignReader(
            "parts",
            "parts/a.yaml",
            _text(
                "- id: my-switch",
                "  kind: switch",
                "  name: Mine",
                "  vendor: Acme",
                "  protocol: infiniband",
                "  cages:",
                "    {count: 32, cage: osfp, lanes: 8, heat_sink: finned, modes: [",
                "    {ports: 2, speed_gbit: 400}, {ports: 4, speed_gbit: 200}]}",
                "  rack_units: 1",
                "  power_w: 1500",
                "  source: mine",
            ),
            ("check", "pod.yaml", "--catalog", "parts"),
        ),
        ForeignReader(
            "prices, CSV",
            "o.csv",
            _text(
                "part,price,currency,date,source,length_m,valid_until,minimum_order",
                "qm9700,25000,USD,2026-01-31,an offer,,2030-01-31,2",
                "dgx-h100,300000.50,USD,2026-01-31,an offer,,,",
                "mfp7e20,1.50,USD,2026-01-31,offer,20,,",
            ),
            ("bom", "pod.yaml", "--prices", "o.csv"),
        ),
        ForeignReader(
            "prices, YAML",
            "o.yaml",
            _text(
                "- {part: qm9700, price: 25000, currency: USD, date: 2026-01-31, source: o}",
                "- {part: dgx-h100, price: 300000.50, currency: EUR, date: 2026-01-31, source: o}",
                "- {currency: EUR, to: USD, rate: 1.08, date: 2026-01-31, source: bank}",
            ),
            ("bom", "pod.yaml", "--prices", "o.yaml"),
        ),
        ForeignReader(
            "prices, workbook", "o.xlsx", (_workbook(),), ("bom", "pod.yaml", "--prices", "o.xlsx")
        ),
        *(
            ForeignReader(
                f"bill, {name}",
                f"b.{ending}",
                (bill(name),),
                ("bom", "--verify", "pod.yaml", f"b.{ending}"),
            )
            for name, ending in (
                ("yaml", "yaml"),
                ("json", "json"),
                ("csv", "csv"),
                ("xlsx", "xlsx"),
                ("cyclonedx", "cdx.json"),
            )
        ),
        ForeignReader(
            "NCCL topology",
            "n.xml",
            _data(
                "topologies/aws/p5.48xl-topo.xml",
                "topologies/azure/ndv4-topo.xml",
                "topologies/rccl/topo_8p_90a.xml",
            ),
            ("catalog", "import", "n.xml"),
        ),
        ForeignReader(
            "NetBox device type",
            "t.yaml",
            (
                "\n".join(
                    (
                        "manufacturer: Acme",
                        "model: AC64",
                        "slug: acme-ac64",
                        "u_height: 2",
                        "weight: 11.2",
                        "weight_unit: kg",
                        "comments: 25.6 Tb/s",
                        "interfaces:",
                        "  - {name: eth0, type: 1000base-t, mgmt_only: true}",
                        *(
                            f"  - {{name: Ethernet{port}/{half}, type: 400gbase-x-osfp}}"
                            for port in range(1, 17)
                            for half in (1, 2)
                        ),
                        "power-ports:",
                        "  - {name: PSU1, maximum_draw: 1500}",
                        "  - {name: PSU2, maximum_draw: 1500}",
                    )
                ).encode(),
            ),
            ("catalog", "import", "t.yaml"),
        ),
        ForeignReader("ibnetdiscover", "d.out", (form("ibnetdiscover"),), (*dump, "d.out")),
        ForeignReader("ibnetdiscover -p", "d.out", (port_list.encode(),), (*dump, "d.out")),
        ForeignReader(
            "iblinkinfo",
            "d.out",
            (_first_lines("as_built/made/su1-faults-iblinkinfo.out", 120),),
            (*again, "d.out"),
        ),
        ForeignReader("ibsim", "d.net", (form("ibsim"),), (*dump, "d.net")),
        ForeignReader(
            "topology file",
            "d.topo",
            (form("topo"), *_data("as_built/ibtopotool/ibtopotool-1.topo")),
            (*dump, "d.topo"),
        ),
        ForeignReader(
            "cable list, CSV",
            "d.csv",
            (form("cables"), form("netbox-cables"), form("ufm-ndt")),
            (*dump, "d.csv"),
        ),
        ForeignReader("cable list, workbook", "d.xlsx", (form("cvt"),), (*dump, "d.xlsx")),
        ForeignReader(
            "LLDP tables",
            "d.txt",
            (
                b"\n".join(
                    _data(
                        *(
                            f"as_built/ntc/ntc-{name}.raw"
                            for name in (
                                "cisco_nxos_show_lldp_neighbors_detail",
                                "juniper_junos_show_lldp_neighbors",
                                "arista_eos_show_lldp_neighbors",
                                "cisco_nxos_show_lldp_neighbors",
                            )
                        )
                    )
                    + _text(
                        "admin@leaf7:~$ show lldp table",
                        "LocalPort   RemoteDevice   RemotePortID       Capability  RemotePortDescr",
                        "----------  -------------  -----------------  ----------  ---------------",
                        "Ethernet0   node-0         0c:42:a1:00:00:01  R           If 8 as ens5",
                        "Ethernet8   spine-1        Ethernet1/3        BR          to spine",
                    )
                ),
            ),
            (*again, "d.txt"),
        ),
        ForeignReader(
            "machines",
            "d.txt",
            _data("as_built/machines/h800-topo.txt", "as_built/machines/h800-nvlink.txt"),
            (*dump, "d.txt"),
        ),
        ForeignReader(
            "UFM links",
            "d.json",
            _json(
                [
                    {
                        "source_port": f"{rail}:1",
                        "source_guid": f"0x{rail}",
                        "source_port_dname": "1",
                        "source_port_node_description": f"MF0;leaf-rail{rail}:MQM9700/U1",
                        "destination_port": "b:2",
                        "destination_guid": "0xf2",
                        "destination_port_dname": "1",
                        "destination_port_node_description": f"node-0 mlx5_{rail}",
                        "width": "4x",
                        "speed": "NDR",
                        "severity": "Info",
                    }
                    for rail in range(8)
                ]
            ),
            (*again, "d.json"),
        ),
        ForeignReader(
            "lldpctl",
            "d.json",
            _json(
                {
                    "lldp": {
                        "interface": [
                            {
                                f"ens{n}": {
                                    "chassis": {
                                        "leaf-rail1.example.com": {
                                            "id": {"type": "mac", "value": "0c:42:a1:00:00:01"}
                                        }
                                    },
                                    "port": {
                                        "id": {"type": "ifname", "value": f"swp{n}"},
                                        "descr": "to node1",
                                    },
                                }
                            }
                            for n in (1, 2, 3)
                        ]
                    }
                },
                {
                    "lldp": [
                        {
                            "interface": [
                                {
                                    "name": "ens1",
                                    "chassis": [
                                        {
                                            "id": [{"type": "mac", "value": "0c:42"}],
                                            "name": [{"value": "leaf1"}],
                                        }
                                    ],
                                    "port": [{"id": [{"type": "ifname", "value": "swp3"}]}],
                                }
                            ]
                        }
                    ]
                },
            ),
            (*again, "d.json"),
        ),
        ForeignReader(
            "EOS' eAPI",
            "d.json",
            _json(
                {
                    "hostname": "leaf-rail1",
                    "lldpNeighbors": [
                        {
                            "port": f"Ethernet{n}/1",
                            "neighborDevice": "spine-1",
                            "neighborPort": f"Ethernet3/{n}",
                        }
                        for n in (1, 2, 3)
                    ],
                }
            ),
            (*again, "d.json"),
        ),
        ForeignReader(
            "NetQ",
            "d.json",
            _json(
                {
                    "links": [
                        {
                            "interfaces": [
                                {"node": f"leaf-rail{n}", "interface": "swp1"},
                                {"node": "spine-0", "interface": f"swp{n}"},
                            ]
                        }
                        for n in range(4)
                    ]
                }
            ),
            (*again, "d.json"),
        ),
        ForeignReader(
            "NetBox cables, JSON",
            "d.json",
            _json(
                {
                    "count": 1,
                    "results": [
                        {
                            "a_terminations": [
                                {
                                    **end,
                                    "object": {"name": "swp1", "device": {"name": "leaf-rail1"}},
                                }
                            ],
                            "b_terminations": [
                                {**end, "object": {"name": "ens1", "device": {"name": "node-0"}}}
                            ],
                        }
                    ],
                }
            ),
            (*again, "d.json"),
        ),
        ForeignReader(
            "cable list, JSON",
            "d.json",
            _json(
                [
                    {
                        "a": {"node": f"leaf-rail{n}", "port": "1/1", "kind": "switch"},
                        "z": {"node": "spine-0", "port": f"{n}/1"},
                        "speed_gbit": 400,
                    }
                    for n in range(4)
                ]
            ),
            (*dump, "d.json"),
        ),
        ForeignReader(
            "map of a dump",
            "m.txt",
            _text(
                "# found, planned",
                "node-{n} = node-{n+0}",
                "spine-0 -> spine-0",
                "leaf-rail{r} leaf-rail{r}",
            ),
            (*dump, "GOOD", "--map", "m.txt"),
            beside=form("ibnetdiscover"),
        ),
        ForeignReader(
            "names",
            "n.yaml",
            _text(
                "toposmith-names: 1",
                "devices:",
                "  spine-0: core-a",
                '  "node-{n}": "dgx{n+1:03}"',
                '  "leaf-rail{r}": "L{r}"',
                "ports:",
                "  node: {OSFP1 P1: mlx5_0, OSFP1 P2: mlx5_1}",
            ),
            ("export", "pod.yaml", "--to", "cables", "--names", "n.yaml"),
        ),
        ForeignReader(
            "nccl-tests, text", "l.log", (_log().encode(),), ("measured", "l.log", "pod.yaml")
        ),
        ForeignReader(
            "nccl-tests, JSON",
            "l.json",
            _json(
                {
                    "args": ["/opt/all_reduce_perf", "-b", "8"],
                    "nccl_version": 22105,
                    "env": ["NCCL_ALGO=RING"],
                    "config": {
                        "devices": [{"group": 0, "hostname": f"host-{n // 8}"} for n in range(16)]
                    },
                    "results": [
                        {
                            "size": 2**30,
                            "out_of_place": {
                                "time": 10737.4,
                                "alg_bw": 100.0,
                                "bus_bw": 187.5,
                                "nwrong": "0",
                            },
                            "in_place": {
                                "time": 10737.4,
                                "alg_bw": 100.0,
                                "bus_bw": 187.5,
                                "nwrong": "0",
                            },
                        }
                    ],
                }
            ),
            ("measured", "l.json", "pod.yaml"),
        ),
        ForeignReader(
            "calibration",
            "c.yaml",
            _text(
                "toposmith_calibration: 1",
                "parts: ['dgx-h100', 'connectx-7-ndr']",
                "runs:",
                "  - collective: all_reduce",
                "    nodes: 2",
                "    gpus: 16",
                "    log: 'l.log'",
                "    points:",
                "      - {bytes: 8, share: 1.0}",
                "      - {bytes: 1073741824, share: 0.9}",
            ),
            ("analyze", "pod.yaml", "--collective", "all_reduce", "--with", "calibration=c.yaml"),
        ),
        ForeignReader(
            "workload",
            "w.yaml",
            _text(
                "workload:",
                "  model: llama3-8b",
                "  layout: {tp: 8, pp: 1}",
                "  training: {batch: 16, sequence: 4096}",
            ),
            ("workload", "pod.yaml", "--workload", "w.yaml"),
        ),
        ForeignReader(
            "model",
            "config.json",
            _json(
                {
                    "model_type": "llama",
                    "num_hidden_layers": 32,
                    "hidden_size": 4096,
                    "num_attention_heads": 32,
                    "intermediate_size": 14336,
                    "vocab_size": 128256,
                    "num_key_value_heads": 8,
                }
            ),
            ("workload", "pod.yaml", "--model", "./config.json", "--set", "tp=8,batch=16"),
        ),
        ForeignReader(
            "review entry",
            f"pod.review/{_ENTRY.id}.yaml",
            (entry_text(_ENTRY.entry).encode(),),
            ("review", "--status", "pod.yaml"),
        ),
        ForeignReader(
            "configuration",
            "home/config/toposmith/config.yaml",
            _text("keys: {undo: f6, save: [ctrl+s, s]}", "ascii: true", "mouse: false"),
            ("config", "--check"),
        ),
        ForeignReader(
            "sums of a hand-over",
            "given/SHA256SUMS",
            _text(f"{'0' * 64}  cables.csv"),
            ("export", "pod.yaml", "--to", "cables", "--to", "dot", "-o", "given", "--force"),
        ),
        ForeignReader(
            "journal",
            "home/state/toposmith/recovery/pod-999999-ab12.journal",
            (_journal(),),
            read=_journals,
        ),
    ]
    return tuple(readers)


_ENTRY = said_at(
    datetime(2026, 11, 21, 9, 15),
    ReviewEntry(comment="design", author="Ann", date="2026-11-21", text="why 2:1?"),
)


def _journal() -> bytes:
    """Two steps, as the app writes them."""
    design = parse_design(POD, "pod.yaml").model_dump_json(exclude_defaults=True)
    steps = (
        JournalStep("as read", design),
        JournalStep("node: count 3", design.replace('"count":2', '"count":3', 1)),
    )
    head = Head(origin="pod.yaml", text=POD)
    return (head_line(head) + lines_between((), -1, steps, 1)).encode()


def _first_lines(name: str, count: int) -> bytes:
    return b"".join((DATA / name).read_bytes().splitlines(keepends=True)[:count])


def _workbook() -> bytes:
    """An offer with shared strings, a formula, merged cells and a date as a day's number."""
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet("offer")
        for column, name in enumerate(("part", "price", "currency", "date", "source")):
            sheet.write(0, column, name)
        sheet.write_row(1, 0, ("qm9700", 25000, "USD", 46053, "an offer"))
        sheet.write_row(2, 0, ("dgx-h100", 0, "USD", 46053, "an offer"))
        sheet.write_formula(2, 1, "=B2*12", None, 300000)
        sheet.merge_range("H1:I2", "remarks")
    return out.getvalue()
