"""Readers of the forms that list cables, each after the form's own grammar."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator

import openpyxl
import yaml

End = tuple[str, str]
Ends = tuple[End, End]


def _csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def netbox_cables(raw: bytes) -> Iterator[Ends]:
    for row in _csv(raw.decode()):
        yield (
            (row["side_a_device"], row["side_a_name"]),
            (row["side_b_device"], row["side_b_name"]),
        )


def ndt(raw: bytes) -> Iterator[Ends]:
    for row in _csv(raw.decode().removeprefix("#")):
        assert row["LinkType"] == "Data"
        yield (row["StartDevice"], row["StartPort"]), (row["EndDevice"], row["EndPort"])


def topo(raw: bytes) -> Iterator[Ends]:
    here = ""
    seen: dict[tuple[End, End], int] = {}
    for line in raw.decode().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split()
        if not line.startswith(" "):
            _, here = words
            continue
        port, arrow, _, far, far_port = words
        assert re.fullmatch(r"-(\d+x-[\d.]+G-)?>", arrow)
        one, other = (here, port), (far, far_port)
        seen[one, other] = seen.get((one, other), 0) + 1
    assert all(count == 1 and (z, a) in seen for (a, z), count in seen.items())
    return iter([(a, z) for a, z in seen if a < z])


def ptm(raw: bytes) -> Iterator[Ends]:
    for found in re.finditer(r'^  "([^"]+)":"([^"]+)" -- "([^"]+)":"([^"]+)"$', raw.decode(), re.M):
        yield (found[1], found[2]), (found[3], found[4])


def dot(raw: bytes) -> Iterator[Ends]:
    edge = r'^  "([^"]+)" -- "([^"]+)" \[label="[^"]+" taillabel="([^"]+)" headlabel="([^"]+)"\]$'
    for found in re.finditer(edge, raw.decode(), re.M):
        yield (found[1], found[3]), (found[2], found[4])


def fabric_json(raw: bytes) -> Iterator[Ends]:
    for one in json.loads(raw)["connections"]:
        yield (
            (one["a"]["device"], one["a"]["port"]),
            (one["z"]["device"], one["z"]["port"]),
        )


def containerlab(raw: bytes) -> Iterator[Ends]:
    for link in yaml.safe_load(raw)["topology"]["links"]:
        a, z = (tuple(end.split(":")) for end in link["endpoints"])
        yield (a[0], a[1]), (z[0], z[1])


def workbook(raw: bytes) -> Iterator[Ends]:
    book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True)
    head, *rows = book["Links"].iter_rows(values_only=True)
    for row in rows:
        cells = dict(zip(head, row, strict=False))
        if cells["A-MPO-Connector"] in (None, 1):
            yield (
                (str(cells["A-Node"]), str(cells["A-Port"])),
                (str(cells["Z-Node"]), str(cells["Z-Port"])),
            )


def sonic(raw: bytes) -> Iterator[Ends]:
    """Links between switches stand at both; each is given once."""
    tables = json.loads(raw)
    for switch, table in tables.items():
        for port, far in table["DEVICE_NEIGHBOR"].items():
            ends = ((switch, port), (far["name"], far["port"]))
            if far["name"] in tables:
                back = tables[far["name"]]["DEVICE_NEIGHBOR"][far["port"]]
                assert back == {"name": switch, "port": port}
                if ends[0] > ends[1]:
                    continue
            yield ends


READERS: dict[str, tuple[Callable[[bytes], Iterator[Ends]], str]] = {
    "netbox-cables": (netbox_cables, ""),
    "ufm-ndt": (ndt, "infiniband"),
    "topo": (topo, "infiniband"),
    "ptm": (ptm, "ethernet"),
    "dot": (dot, ""),
    "json": (fabric_json, ""),
    "containerlab": (containerlab, ""),
    "cvt": (workbook, ""),
    "sonic": (sonic, "ethernet"),
}
"""By form: its reader, and the protocol whose cables it carries."""

READ_ELSEWHERE = {
    **dict.fromkeys(("slurm-tree", "slurm-block", "slurm-yaml"), "test_slurm.py"),
    **dict.fromkeys(("k8s-labels", "kueue", "labels"), "test_other_programs.py"),
    **dict.fromkeys(("astra-sim", "simai", "netbox"), "test_other_programs.py"),
    "proof": "../test_proof.py",
    **dict.fromkeys(("ibsim", "ibnetdiscover"), "../test_subnet_files.py"),
    **dict.fromkeys(("hostfiles", "nccl-conf"), "test_launching.py"),
    **dict.fromkeys(("rail-addresses", "rail-prefixes"), "test_launching.py"),
    **dict.fromkeys(("routed-addresses", "routed-prefixes"), "test_launching.py"),
}
"""Forms that list no cables one by one, and the test beside this file that reads each."""
