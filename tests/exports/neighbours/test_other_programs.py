"""What else other programs ask of their files: grammars, schemas, validators."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import jsonschema
import openpyxl
import pytest
import yaml

import toposmith
from bench.astra_sim import CHUNKS, MESSAGE_BYTES, PROGRAM, Network, all_reduce_ns, network_of
from tests.exports.neighbours.readers import containerlab, dot
from tests.exports.neighbours.test_slurm import RACKS
from tests.exports.neighbours.written import (
    SAVED,
    design_of,
    expanded,
    files_of,
    made,
    name_of,
    raw_of,
    saved,
    saved_text,
    text_of,
)
from tests.oracle.designs import random_design
from toposmith.errors import ToposmithError
from toposmith.exports import neighbours
from toposmith.exports.forms import FORMS

DATA = Path(__file__).parents[2] / "data" / "neighbours"
SPLIT = """toposmith: 1
groups:
  node: {part: hgx-h100-8, count: 8, nics: {compute: {part: connectx-7-ndr, count: 8}}}
  leaf: {part: sn5600, count: 2}
  spine: {part: sn5600, count: 2}
links:
  - {between: [node.compute, leaf], speed: 400}
  - {between: [leaf, spine], speed: 800, cables: 4}
"""
ETHERNET = ("a100-rack-1x100gbe", "hgx-a100-64gpu-roce-2to1")
LABEL = re.compile(r"([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?")
DNS = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")


# Kubernetes


@pytest.mark.parametrize("name", ["dgx-h100-superpod-4su", "racks"])
def test_nodes_have_labels_that_kubernetes_takes_and_kueue_asks_for(name: str) -> None:
    text = RACKS if name == "racks" else saved_text(name)
    nodes = list(yaml.safe_load_all(text_of(design_of(text), "k8s-labels")))
    topology = yaml.safe_load(text_of(design_of(text), "kueue"))
    keys = [one["nodeLabel"] for one in topology["spec"]["levels"]]
    assert keys.pop() == "kubernetes.io/hostname"
    assert DNS.fullmatch(topology["metadata"]["name"])
    assert len(nodes) == (72 if name == "racks" else 127)
    for node in nodes:
        labels = node["metadata"]["labels"]
        assert DNS.fullmatch(node["metadata"]["name"])
        assert set(labels) == set(keys)
        assert all(LABEL.fullmatch(value) for value in labels.values())
    last = Counter(node["metadata"]["labels"][keys[-1]] for node in nodes)
    assert sorted(last.values()) == ([18] * 4 if name == "racks" else [31, 32, 32, 32])


# containerlab, PTM, Graphviz


@pytest.mark.parametrize("name", SAVED)
def test_a_lab_fits_the_schema_of_containerlab_and_uses_each_endpoint_once(name: str) -> None:
    raw = raw_of(saved(name), "containerlab")
    lab = yaml.safe_load(raw)
    schema = (DATA / "clab.schema.json").read_text()
    # Python has no classes of signs; they are in addresses, of which a lab has none
    jsonschema.validate(lab, json.loads(schema.replace(r"[\\p{N}\\p{L}]", r"\\w")))
    ends = [end for link in lab["topology"]["links"] for end in link["endpoints"]]
    assert all(len(link["endpoints"]) == 2 for link in lab["topology"]["links"])
    assert len(set(ends)) == len(ends)
    assert {end[0] for link in containerlab(raw) for end in link} <= set(lab["topology"]["nodes"])
    assert all(re.fullmatch(r"eth[1-9]\d*", end.split(":")[1]) for end in ends)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz (Debian: graphviz)")
def test_graphviz_reads_both_forms_of_dot_and_has_nothing_to_say_of_that_for_pictures(
    tmp_path: Path,
) -> None:
    design = saved("hgx-a100-64gpu-roce-2to1")
    for form in ("dot", "ptm"):
        run = subprocess.run(
            ["dot", "-Tplain"],
            input=raw_of(design, form),
            capture_output=True,
            timeout=300,
            check=True,
        )
        edges = sum(line.startswith(b"edge ") for line in run.stdout.splitlines())
        assert edges == len(list(dot(raw_of(design, "dot")))) == 96
        if form == "dot":
            assert run.stderr == b""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("xmllint") is None, reason="needs xmllint (libxml2-utils)")
@pytest.mark.parametrize("form", ["svg", "nccl-xml"])
def test_xmllint_reads_every_form_of_xml(form: str) -> None:
    subprocess.run(
        ["xmllint", "--noout", "-"],
        input=raw_of(saved("dgx-h100-superpod-1su"), form),
        timeout=300,
        check=True,
    )


# SONiC


def test_split_cages_are_breakouts_and_lanes_name_the_ports() -> None:
    # 8 x 8 ports of 400 Gb/s over 2 leaves: 32 a leaf, two to a cage of 8 lanes; then 8 of 800.
    table = json.loads(text_of(design_of(SPLIT), "sonic"))["leaf-0"]
    modes = Counter(one["brkout_mode"] for one in table["BREAKOUT_CFG"].values())
    assert modes == {"2x400G": 16, "1x800G": 8}
    assert set(table["PORT"]) == {
        *(f"Ethernet{lane}" for lane in range(0, 128, 4)),
        *(f"Ethernet{lane}" for lane in range(128, 192, 8)),
    }
    assert Counter(one["speed"] for one in table["PORT"].values()) == {"400000": 32, "800000": 8}
    kinds = Counter(one["type"] for one in table["DEVICE_NEIGHBOR_METADATA"].values())
    assert kinds == {"Server": 8, "SpineRouter": 2}


@pytest.mark.parametrize("form", ["sonic", "ptm"])
def test_infiniband_never_goes_to_ethernet_switches(form: str) -> None:
    with pytest.raises(ToposmithError, match="Ethernet"):
        text_of(saved("dgx-h100-superpod-1su"), form)


# Workbooks


def test_ports_are_text_cells_and_no_spreadsheet_takes_them_for_dates() -> None:
    book = openpyxl.load_workbook(io.BytesIO(raw_of(saved("dgx-h100-superpod-1su"), "cvt")))
    assert book.sheetnames == ["Links", "Nodes"]
    links, nodes = book["Links"], book["Nodes"]
    assert [cell.value for cell in links[1]][:5] == [
        "A-Node",
        "A-Port",
        "Z-Node",
        "Z-Port",
        "Protocol",
    ]
    assert links.max_row == 1 + 504 and nodes.max_row == 1 + 43  # RA-11333-001, table 4
    for row in links.iter_rows(min_row=2, max_col=5):
        assert {cell.data_type for cell in row} == {"s"}
        assert row[4].value == "ib"


def test_every_cable_has_a_label_for_either_end() -> None:
    head, *rows = csv.reader(io.StringIO(text_of(saved("dgx-a100-su"), "labels")))
    assert head[:3] == ["Label", "This-Node", "This-Port"]
    assert len(head) == len(rows[0])
    assert set(Counter(row[0] for row in rows).values()) == {2}
    assert len(rows) == 2 * 320  # 160 cables down and 160 up
    swapped = {(row[0], row[5], row[6], row[1], row[2]) for row in rows}
    assert {(row[0], row[1], row[2], row[5], row[6]) for row in rows} == swapped


# Simulators


def test_astra_sim_gets_gib_where_others_count_gb() -> None:
    # H100: 450 GB/s of NVLink a GPU; NDR 400 Gb/s is 50 GB/s. 2^30 B is 1.073741824 GB.
    network = yaml.safe_load(text_of(saved("dgx-h100-superpod-4su"), "astra-sim"))
    assert network["npus_count"] == [8, 127]
    assert network["bandwidth"] == pytest.approx([450 / 1.073741824, 50 / 1.073741824], rel=1e-5)
    assert len(network["topology"]) == len(network["latency"]) == 2


def test_astra_sim_gets_a_dimension_for_a_tier_that_is_thinner() -> None:
    # 4 leaves of 2 nodes, 16 ports down and 8 up: 25 GB/s a GPU, then 12.5.
    network = yaml.safe_load(text_of(saved("hgx-a100-64gpu-roce-2to1"), "astra-sim"))
    assert network["npus_count"] == [8, 2, 4]
    assert network["bandwidth"][1:] == pytest.approx(
        [25 / 1.073741824, 12.5 / 1.073741824], rel=1e-5
    )


def test_an_nvlink_rack_is_one_dimension_of_astra_sim() -> None:
    network = yaml.safe_load(text_of(design_of(RACKS), "astra-sim"))
    assert network["npus_count"] == [72, 4]


def taken(name: str) -> tuple[Network, int, int]:
    """The network written of a design, and ASTRA-sim's nanoseconds: message whole, 64 chunks."""
    with (DATA / "astra_sim.csv").open() as file:
        row = next(row for row in csv.DictReader(file) if row["design"] == name)
    template, *words = name.split()
    settings = {key: int(value) for key, value in (word.split("=") for word in words)}
    is_saved = template in SAVED
    design = saved(name) if is_saved else toposmith.evaluate(toposmith.new(template, **settings))
    network = network_of(design)
    assert " x ".join(map(str, network.counts)) == row["dimensions"]
    return network, int(row["whole_ns"]), int(row["chunks_64_ns"])


@pytest.mark.parametrize(
    "name",
    [
        "dgx-a100-su",
        "dgx-h100-superpod-1su",
        "hgx-a100-64gpu-roce-2to1",
        "leaf-spine su=2 nodes=16 oversubscription=4",
        "nvlink-racks",
    ],
)
def test_astra_sim_took_the_time_of_rings_in_each_dimension_in_decimal_gb(name: str) -> None:
    # Rings of d GPUs scatter and gather (d - 1) / d of what the dimensions before have left.
    network, whole_ns, chunks_ns = taken(name)
    left, times = float(MESSAGE_BYTES), []
    for count, rate_GBps in zip(network.counts, network.GBps, strict=True):
        times.append(2 * (count - 1) / count * left / rate_GBps)
        left /= count
    assert whole_ns == pytest.approx(sum(times), rel=2e-4)
    assert max(times) < chunks_ns < max(times) * 1.05


def test_astra_sim_reaches_the_bound_where_the_network_is_one_dimension() -> None:
    network, _, chunks_ns = taken("dgx-h100-superpod-1su")
    bound = saved("dgx-h100-superpod-1su").analysis.bound_busbw_GBps
    assert bound * 0.98 < network.busbw_GBps(chunks_ns) < bound


def test_astra_sim_passes_the_bound_where_two_tiers_share_the_nics() -> None:
    # 25 GB/s of a NIC carry both tiers: 225 GB/s. ASTRA-sim gives the second 12.5 of its own.
    network, _, chunks_ns = taken("hgx-a100-64gpu-roce-2to1")
    design = saved("hgx-a100-64gpu-roce-2to1")
    assert design.analysis.bound_busbw_GBps == pytest.approx(225)
    assert network.busbw_GBps(chunks_ns) > 225
    file = made(design, "astra-sim")
    _ = b"".join(file.pieces)
    assert any("tiers share" in words for words in file.lost)


@pytest.mark.slow
@pytest.mark.skipif(PROGRAM not in os.environ, reason=f"{PROGRAM} names no ASTRA-sim")
def test_astra_sim_still_takes_as_long_as_was_recorded() -> None:
    network, whole_ns, chunks_ns = taken("hgx-a100-64gpu-roce-2to1")
    program = os.environ[PROGRAM]
    assert all_reduce_ns(network, program, 1) == whole_ns
    assert all_reduce_ns(network, program, CHUNKS) == chunks_ns


@pytest.mark.parametrize(
    "change,words",
    [
        ('down: ["1 of leaf[rack=0] - spine[spine=0]"]', "every dimension of ASTRA-sim is uniform"),
        ('absent: ["node[rack=0,node=1]"]', "1 to 2 nodes each"),
    ],
)
def test_irregular_fabrics_are_refused_by_astra_sim(change: str, words: str) -> None:
    text = f"{saved_text('hgx-a100-64gpu-roce-2to1')}\n{change}\n"
    with pytest.raises(ToposmithError, match=words):
        text_of(design_of(text), "astra-sim")


@pytest.mark.parametrize("name", ["dgx-h100-superpod-4su", "hgx-a100-64gpu-roce-2to1"])
def test_simai_gets_as_many_nodes_switches_and_links_as_its_first_line_says(name: str) -> None:
    text = saved_text(name)
    fabric = expanded(text)
    first, second, *links = text_of(design_of(text), "simai").splitlines()
    nodes, per_server, nvswitches, switches, many, _ = first.split()
    servers = sum(fabric.kind(one) == "node" for one in fabric.devices)
    gpus = 8 * servers
    assert (int(per_server), int(nvswitches)) == (8, servers)
    assert int(switches) == len(fabric.devices) - servers
    assert [int(one) for one in second.split()] == list(range(gpus, int(nodes)))
    assert len(links) == int(many) == gpus + len(fabric.cables)
    ends = [tuple(map(int, line.split()[:2])) for line in links]
    assert all(a // 8 == b - gpus for a, b in ends[:gpus])
    # every GPU has its one network port besides NVLink
    assert Counter(a for a, _ in ends[gpus:] if a < gpus) == dict.fromkeys(range(gpus), 1)


# The whole fabric


WHOLE = json.loads((Path(neighbours.__file__).parent / "fabric.schema.json").read_text())
PUBLISHED = jsonschema.Draft202012Validator(WHOLE)


def test_the_schema_of_the_whole_fabric_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(WHOLE)


@pytest.mark.parametrize("name", [*SAVED, *range(6)])
def test_the_whole_fabric_fits_its_published_schema(name: str | int) -> None:
    text = random_design(name) if isinstance(name, int) else saved_text(name)
    fabric, whole = expanded(text), json.loads(raw_of(design_of(text), "json"))
    PUBLISHED.validate(whole)
    found = Counter(one["name"] for one in whole["devices"])
    assert found == Counter(name_of(fabric, one) for one in fabric.devices)


# NetBox


def test_netbox_device_types_fit_the_schema_of_the_device_type_library() -> None:
    schema = json.loads((DATA / "device-type.schema.json").read_text())
    library = jsonschema.validators.validator_for(schema)(schema)
    for name in (*SAVED, *range(8)):
        text = random_design(name) if isinstance(name, int) else saved_text(name)
        files = files_of(design_of(text), "netbox")
        (types,) = (text for file, text in files.items() if file.endswith(".yaml"))
        for one in yaml.safe_load_all(types):
            library.validate(one)


def test_ports_of_netbox_are_called_as_the_device_type_library_prints_them() -> None:
    # device-types/Nvidia/QM9700.yaml: P0.0 to P31.1
    files = files_of(saved("dgx-h100-superpod-1su"), "netbox")
    types = {
        one["model"]: one
        for one in yaml.safe_load_all(next(t for n, t in files.items() if n.endswith(".yaml")))
    }
    names = [one["name"] for one in types["QM9700"]["interfaces"]]
    assert types["QM9700"]["slug"] == "nvidia-qm9700"
    assert names == [f"P{cage}.{port}" for cage in range(32) for port in range(2)]
    # 10.2 kW at most over six supplies: NetBox adds the draws of ports up to those of a rack
    inlets = types["DGX H100"]["power-ports"]
    assert [one["maximum_draw"] for one in inlets] == [1700] * 6
    assert [one["allocated_draw"] for one in inlets] == [1700] * 6


def test_every_form_says_who_reads_it_and_has_an_ending_of_its_own() -> None:
    endings = Counter(form.ending for form in FORMS.values())
    assert max(endings.values()) == 1
    assert all(form.reader for form in FORMS.values())
    assert made(saved("dgx-a100-su"), "json").lost == []
