"""Nodes out of NCCL topology files: of real machines and clouds, and of small ones made here."""

from __future__ import annotations

from fnmatch import filter as matching
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.catalog.values import value_at
from tests.cost import memory_at_most
from toposmith.catalog import Catalog, Gpu, Nic, Node, Pcie, load_catalog, read_catalog
from toposmith.catalog.nccl_xml import import_nccl_xml
from toposmith.catalog.own_part import Imported, ImportRefused

CATALOG = load_catalog()
FILES = Path(__file__).parents[1] / "data" / "topologies"

GEN2, GEN3, GEN4, GEN5 = (Pcie(generation=generation) for generation in (2, 3, 4, 5))


def machine(file: str, gpu: str | None = None) -> Imported:
    return import_nccl_xml(FILES / file, CATALOG, gpu=gpu)


def node(found: Imported) -> Node:
    assert isinstance(found.main, Node)
    return found.main


def gpu_of(found: Imported) -> Gpu:
    return with_parts(found).gpu(node(found).gpu)


def nic_of(found: Imported, group: str = "compute") -> Nic:
    name = node(found).slots[group].nic
    assert name is not None
    return with_parts(found).nic(name)


def with_parts(found: Imported) -> Catalog:
    return Catalog([*CATALOG, *CATALOG.facility, *found.parts])


def said(found: Imported) -> list[str]:
    """The notes without the file: line and text."""
    return [note.partition(".xml:")[2] for note in found.notes]


IMPORTED = [
    ("aws/p4d-24xl-topo.xml", None, 8, 2),
    ("aws/p5.48xl-topo.xml", None, 8, 1),
    ("azure/nc48v4-topo.xml", None, 2, 2),
    ("azure/ncv4-topo.xml", None, 4, 4),
    ("azure/ndv2-topo.xml", "v100-sxm2-32gb", 8, 2),
    ("azure/ndv4-topo.xml", "a100-sxm4-40gb", 8, 4),
    ("oci/H100-topology.xml", None, 8, 2),
    ("oci/topo-flattened.xml", "a100-sxm4-40gb", 8, 4),
    ("rccl/topo_16p1h.xml", None, 16, 4),
    ("rccl/topo_8p6l_6nic.xml", None, 8, 2),
    ("rccl/topo_8p_90a.xml", None, 8, 1),
    ("rccl/topo_8p_940.xml", None, 8, 2),
    ("rccl/topo_8p_pcie_2nic.xml", None, 8, 1),
    ("rccl/topo_8p_rome_4nics.xml", None, 8, 4),
]
REFUSED = [
    ("aws/g5.48xl-topo.xml", "14: no GPUs: '0000:00:16.0' and 8 other PCI devices state no class"),
    ("azure/ncv4-graph.xml", "1: a graph file, which holds what NCCL's search found"),
    ("azure/ndv2-topo.xml", "3: GPUs of which the file says nothing: no sm, no gcn and no device"),
    ("azure/ndv4-topo.xml", "12: GPUs of which the file says nothing: no sm, no gcn and no device"),
    ("oci/topo-flattened.xml", "4: GPUs of which the file says nothing: no sm, no gcn and no"),
]


@pytest.mark.parametrize(("file", "gpu", "gpus", "sockets"), IMPORTED)
def test_a_real_file_becomes_a_node(file: str, gpu: str | None, gpus: int, sockets: int) -> None:
    found = machine(file, gpu)
    assert (node(found).gpus, node(found).sockets) == (gpus, sockets)
    assert node(found).source == f"NCCL topology file {Path(file).name}"
    assert all(part.id not in CATALOG for part in found.parts)


@pytest.mark.parametrize(("file", "why"), REFUSED)
def test_a_file_that_says_too_little_is_refused_with_the_reason(file: str, why: str) -> None:
    with pytest.raises(ImportRefused) as refused:
        machine(file)
    assert str(refused.value).startswith(f"{FILES / file}:{why}")


def test_every_file_is_accounted_for() -> None:
    named = {file for file, *_ in IMPORTED} | {file for file, _ in REFUSED}
    assert named == {str(file.relative_to(FILES)) for file in FILES.rglob("*.xml")}


@pytest.mark.parametrize(("file", "gpu"), [(file, gpu) for file, gpu, *_ in IMPORTED])
def test_the_text_is_a_part_file_that_reads_back(
    tmp_path: Path, file: str, gpu: str | None
) -> None:
    found = machine(file, gpu)
    (tmp_path / "mine.yaml").write_text(found.text, encoding="utf-8")
    catalog = load_catalog(tmp_path / "mine.yaml")
    assert catalog.faults == ()
    assert [catalog[part.id] for part in found.parts] == list(found.parts)
    assert found.text.count("\n# ") + found.text.startswith("# ") == len(found.notes)


MACHINES = yaml.safe_load(Path(__file__).with_name("machines.yaml").read_text(encoding="utf-8"))


def plain(values: Any) -> Any:
    return [plain(value) for value in values] if isinstance(values, tuple | list) else values


@pytest.mark.parametrize("case", MACHINES, ids=lambda case: case["file"])
def test_a_real_machine_is_what_its_file_says(case: dict[str, Any]) -> None:
    found = machine(case["file"], case.get("gpu"))
    part = node(found)
    for about, of in (("node", part), ("of_gpu", gpu_of(found))):
        expected = case.get(about, {})
        assert {place: plain(value_at(of, place)) for place in expected} == expected
    if "of_nic" in case:
        nic = nic_of(found)
        assert {place: plain(value_at(nic, place)) for place in case["of_nic"]} == case["of_nic"]
    for key, by_branch in (
        ("gpus", [branch.gpus for branch in part.branches]),
        ("slots", [branch.slots.get("compute") for branch in part.branches]),
        ("sockets", [branch.socket for branch in part.branches]),
    ):
        assert plain(by_branch) == case.get(key, plain(by_branch)), key
    assert set(case.get("doubts", ())) <= set(part.unverified)
    notes = said(found)
    if "notes" in case:
        assert len(notes) == len(case["notes"]) and all(map(fnmatchcase, notes, case["notes"]))
    for pattern in case.get("among its notes", ()):
        assert matching(notes, pattern), pattern
    if "as_part" in case:
        known = CATALOG.node(case["as_part"])
        assert part.slots["compute"].pcie == known.slots["compute"].pcie
        assert part.nvlink in (None, known.nvlink)


def test_a_gpu_that_somebody_names_has_to_be_one() -> None:
    with pytest.raises(ImportRefused, match="no gpu 'a100-sxm4-41gb'; did you mean 'a100-sxm4-40"):
        machine("azure/ndv4-topo.xml", "a100-sxm4-41gb")


def test_a_management_port_may_be_the_only_network() -> None:
    found = machine("rccl/topo_8p_90a.xml")
    assert nic_of(found).speed_gbit == 1
    assert node(found).slots["compute"].pcie == Pcie(generation=1, width=1)


CPU = 'numaid="0" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="143"'
H100 = 'class="0x030200" vendor="0x10de" device="0x2330"'
NIC = 'class="0x020700" vendor="0x15b3" device="0x1021"'
FAST = 'link_speed="32.0 GT/s PCIe" link_width="16"'


def gpu_xml(number: int, links: str = "", attributes: str = f"{H100} {FAST}") -> str:
    words = f'<gpu dev="{number}" sm="90" rank="{number}" gdr="1">{links}</gpu>'
    return f'<pci busid="0000:{number + 16:02x}:00.0" {attributes}>{words}</pci>\n'


def nic_xml(bus: str, *nets: str, attributes: str = f"{NIC} {FAST}") -> str:
    inner = "".join(f"<net {net}/>" for net in nets)
    return f'<pci busid="0000:{bus}" {attributes}><nic>{inner}</nic></pci>\n'


def net(dev: int, speed: object = 400_000) -> str:
    return f'name="mlx5_{dev}" dev="{dev}" speed="{speed}" port="1" guid="0x{dev + 1}" gdr="1"'


def small(folder: Path, *devices: str, cpu: str = CPU, **options: str) -> Imported:
    text = f'<system version="1">\n<cpu {cpu}>\n{"".join(devices)}</cpu>\n</system>\n'
    (folder / "m.xml").write_text(text, encoding="utf-8")
    return import_nccl_xml(folder / "m.xml", CATALOG, **options)


def why_not(folder: Path, text: str | bytes) -> str:
    file = folder / "m.xml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ImportRefused) as refused:
        import_nccl_xml(file, CATALOG)
    return str(refused.value).removeprefix(f"{file}:")


def test_a_gpu_that_trained_at_half_its_lanes_is_told_apart(tmp_path: Path) -> None:
    half = H100 + ' link_speed="32.0 GT/s PCIe" link_width="8"'
    part = node(small(tmp_path, gpu_xml(0), gpu_xml(1, attributes=half), gpu_xml(2)))
    assert part.gpu_links == {1: Pcie(generation=5, width=8)}
    assert part.gpu_pcie is None


def test_switches_below_switches_stay_where_they_are(tmp_path: Path) -> None:
    switch = '<pci busid="0000:{}:00.0" class="0x060400" link_speed="{} GT/s" link_width="{}">'
    part = node(
        small(
            tmp_path,
            switch.format("a0", "32.0", 16),
            switch.format("a1", "16", 8) + gpu_xml(0) + nic_xml("c0:00.0", net(0)) + "</pci>",
            gpu_xml(1) + "</pci>",
        )
    )
    upper, lower = part.branches
    assert (upper.gpus, upper.below, upper.uplink) == ((1,), None, None)
    assert (lower.gpus, lower.slots, lower.below) == ((0,), {"compute": (0,)}, 0)
    assert lower.uplink == Pcie(generation=4, width=8)


def test_a_switch_with_one_gpu_alone_is_a_switch(tmp_path: Path) -> None:
    switch = '<pci busid="0000:a0:00.0" class="0x060400" link_speed="" link_width="0">'
    (branch,) = node(small(tmp_path, switch + gpu_xml(0) + "</pci>")).branches
    assert (branch.switch, branch.gpus, branch.uplink) == (True, (0,), None)


def test_gpus_are_numbered_as_the_file_numbers_them(tmp_path: Path) -> None:
    part = node(small(tmp_path, gpu_xml(1), gpu_xml(0)))
    assert part.branches[0].gpus == (1, 0)


def test_links_through_switches_count_as_the_part_has_them(tmp_path: Path) -> None:
    links = '<nvlink target="0000:99:00.0" count="18" tclass="0x068000"/>'
    part = node(small(tmp_path, gpu_xml(0, links), gpu_xml(1, links)))
    assert (part.gpu, part.nvlink and part.nvlink.shape) == ("h100-sxm5", "nvswitch")


def test_a_gpu_with_fewer_links_than_its_part_gets_a_part_of_its_own(tmp_path: Path) -> None:
    links = '<nvlink target="0000:99:00.0" count="16" tclass="0x068000"/>'
    found = small(tmp_path, gpu_xml(0, links), gpu_xml(1, links))
    gpu = gpu_of(found)
    assert gpu.nvlink is not None
    assert (gpu.id, gpu.name, gpu.nvlink.links) == ("m-gpu", "H100 SXM5 80GB with 16 links", 16)
    assert gpu.memory_gb == 80
    assert "3: H100 SXM5 80GB has other links; made a part with those stated" in said(found)


def test_a_link_that_failed_is_told(tmp_path: Path) -> None:
    link = '<nvlink target="0000:99:00.0" count="{}" tclass="0x068000"/>'
    found = small(tmp_path, *(gpu_xml(n, link.format(18 - 2 * (n == 3))) for n in range(4)))
    assert node(found).gpu == "h100-sxm5"
    assert said(found) == [
        "3: not all GPUs have as many NVLinks (16 links on 1 GPU, 18 links on 3 GPUs); "
        "counted as 18 each"
    ]


def test_links_that_one_end_states_otherwise_are_told(tmp_path: Path) -> None:
    link = '<nvlink target="0000:{}:00.0" count="{}" tclass="0x030200"/>'
    found = small(tmp_path, gpu_xml(0, link.format(11, 6)), gpu_xml(1, link.format(10, 4)))
    fabric = node(found).nvlink
    assert fabric is not None
    assert fabric.links_per_pair == 6
    assert "3: GPU 0 states 6 links to GPU 1, which states 4 back; counted as 6" in said(found)


def test_gpus_joined_in_a_ring_keep_their_pairs(tmp_path: Path) -> None:
    link = '<nvlink target="0000:{:02x}:00.0" count="2" tclass="0x030200"/>'
    around = [
        gpu_xml(n, link.format(16 + (n + 1) % 4) + link.format(16 + (n - 1) % 4)) for n in range(4)
    ]
    fabric = node(small(tmp_path, *around)).nvlink
    assert fabric is not None
    assert (fabric.shape, fabric.pairs) == ("mesh", ((0, 1, 2), (0, 3, 2), (1, 2, 2), (2, 3, 2)))


@pytest.mark.parametrize(
    ("speed", "gbit", "note"),
    [
        (400_000, 400, None),
        (100_000, 100, None),
        (400_000_000, 400, "speed 400000000 makes sense in kb/s only: 400 Gb/s"),
        (400_000_000_000, 400, "speed 400000000000 makes sense in b/s only: 400 Gb/s"),
        (400, 400, "speed 400 makes sense in Gb/s only: 400 Gb/s"),
        (380_000, 400, "380 Gb/s is no line rate: taken for 400, as some understate"),
    ],
)
def test_speeds_in_odd_units_are_noticed(
    tmp_path: Path, speed: int, gbit: int, note: str | None
) -> None:
    found = small(tmp_path, gpu_xml(0), nic_xml("c0:00.0", net(0, speed)))
    assert nic_of(found).speed_gbit == gbit
    noticed = [text for text in said(found) if text.startswith("4:") and " NIC" not in text]
    assert len(noticed) == (note is not None)
    if note is not None:
        assert noticed[0].startswith(f"4: {note}")


@pytest.mark.parametrize("speed", ["", "-1", "0", "fast", "300000"])
def test_a_speed_that_makes_no_sense_leaves_the_slot_open(tmp_path: Path, speed: str) -> None:
    found = small(tmp_path, gpu_xml(0), nic_xml("c0:00.0", net(0, speed)))
    slots = node(found).slots["compute"]
    assert (slots.count, slots.nic, slots.fitted) == (1, None, 0)
    assert any(text.startswith("4:") for text in said(found))


@pytest.mark.parametrize("digits", [32, 900])
def test_a_number_without_bound_is_refused_by_its_line(tmp_path: Path, digits: int) -> None:
    with pytest.raises(ImportRefused, match=r"m\.xml:4: 'speed': found 9{12}"):
        small(tmp_path, gpu_xml(0), nic_xml("c0:00.0", net(0, "9" * digits)))


def test_ports_of_one_card_are_one_nic(tmp_path: Path) -> None:
    found = small(
        tmp_path,
        gpu_xml(0),
        nic_xml("c0:00.0", net(0, 200_000)),
        nic_xml("c0:00.1", net(1, 200_000)),
    )
    assert node(found).slots["compute"].count == 1
    assert (nic_of(found).ports, nic_of(found).speed_gbit) == (2, 200)
    assert "5: 0000:c0:00.1 is another function of 0000:c0:00.0: one NIC" in said(found)


def test_slower_nics_serve_other_networks(tmp_path: Path) -> None:
    ethernet = f'class="0x020000" vendor="0x15b3" device="0x1021" {FAST}'
    found = small(
        tmp_path,
        gpu_xml(0),
        nic_xml("c0:00.0", net(2, 10_000), attributes=f'class="0x020000" {FAST}'),
        nic_xml("c1:00.0", net(1, 200_000), attributes=ethernet),
        nic_xml("c2:00.0", net(0, 400_000)),
    )
    groups = {name: nic_of(found, name).speed_gbit for name in node(found).slots}
    assert groups == {"compute": 400, "storage": 200, "management": 10}


def test_nics_of_one_kind_on_unlike_links_keep_their_links(tmp_path: Path) -> None:
    slow = f'{NIC} link_speed="16.0 GT/s PCIe" link_width="8"'
    found = small(
        tmp_path,
        gpu_xml(0),
        nic_xml("c0:00.0", net(0)),
        nic_xml("c1:00.0", net(1), attributes=slow),
    )
    slots = node(found).slots["compute"]
    assert (slots.pcie, slots.links) == (GEN5, {1: Pcie(generation=4, width=8)})


def test_what_joins_sockets_goes_by_the_model_of_the_cpu(tmp_path: Path) -> None:
    def between(cpu: str) -> float | None:
        second = f"</cpu><cpu {cpu.replace('0', '1', 1)}>"
        return node(small(tmp_path, gpu_xml(0), second, cpu=cpu)).inter_socket_GBps

    intel = 'numaid="0" arch="x86_64" vendor="GenuineIntel" familyid="6" modelid="{}"'
    assert [between(intel.format(model)) for model in (79, 85, 143, 207)] == [6, 10, 22, 40]
    assert between('numaid="0" arch="x86_64" vendor="GenuineIntel"') is None
    assert between('numaid="0" arch="x86_64" vendor="AuthenticAMD"') == 16
    assert between('numaid="0" arch="arm64"') == 6


def test_devices_that_are_no_gpu_and_no_nic_are_left_out(tmp_path: Path) -> None:
    disk = '<pci busid="0000:01:00.0" class="0x010802"/>'
    screen = '<pci busid="0000:02:00.0" class="0x030000" vendor="0x1a03" device="0x2000"/>\n'
    found = small(tmp_path, gpu_xml(0), disk, screen)
    assert node(found).gpus == 1
    assert [text for text in said(found) if "is no switch, GPU or NIC; left out" in text] == [
        "4: 0000:01:00.0 of class '0x010802' is no switch, GPU or NIC; left out",
        "4: 0000:02:00.0 of class '0x030000' is no switch, GPU or NIC; left out",
    ]


def test_the_only_gpu_of_a_capability_is_taken_with_a_doubt(tmp_path: Path) -> None:
    text = gpu_xml(0, attributes=f'class="0x030200" {FAST}').replace('sm="90"', 'sm="75"')
    found = small(tmp_path, text)
    assert (node(found).gpu, node(found).unverified) == ("t4", ("gpu",))
    assert said(found)[0].endswith("taken for T4 16GB, the only GPU of the catalog that fits sm 75")


def test_an_id_of_ones_own_names_all_that_is_new(tmp_path: Path) -> None:
    text = gpu_xml(0, attributes=f'class="0x030200" {FAST}')
    found = small(tmp_path, text, nic_xml("c0:00.0", net(0), attributes=FAST), part_id="lab-node")
    assert [part.id for part in found.parts] == ["lab-node-gpu", "lab-node-nic", "lab-node"]
    with pytest.raises(ImportRefused, match=r"m\.xml:1: id: String should match pattern"):
        small(tmp_path, gpu_xml(0), part_id="Lab Node")


@pytest.mark.parametrize(
    ("devices", "why"),
    [
        ("", "2: no GPUs in this file"),
        (gpu_xml(0) + gpu_xml(1).replace("2330", "20b0"), "4: GPUs of several kinds ('10de:2330"),
        (gpu_xml(0) + '</cpu><cpu host_hash="0x1" arch="arm64">', "1: the CPUs of several hosts"),
        (gpu_xml(0) + '</cpu><cpu arch="arm64">', "4: CPUs of several makers in one machine"),
        ("".join(gpu_xml(n % 240) for n in range(300)), "1: gpus: Input should be less than or"),
    ],
)
def test_a_machine_that_no_node_stands_for_is_refused(
    tmp_path: Path, devices: str, why: str
) -> None:
    text = f'<system version="1">\n<cpu {CPU}>\n{devices}</cpu></system>'
    assert why_not(tmp_path, text).startswith(why)


@pytest.mark.parametrize(
    ("cpu", "why"),
    [
        ('arch="ppc64"', "2: a CPU of Intel, AMD or Arm was expected, found 'ppc64'"),
        ('vendor="&#27;[2J"', "2: not readable as XML"),
        ('arch="\x7f"', r"2: a CPU of Intel, AMD or Arm was expected, found '\x7f'"),
        ("", "2: the CPU says neither arch nor vendor"),
    ],
)
def test_a_cpu_of_another_kind_is_refused(tmp_path: Path, cpu: str, why: str) -> None:
    text = f'<system version="1">\n<cpu {cpu}>{gpu_xml(0)}</cpu></system>'
    assert why_not(tmp_path, text).startswith(why)


LAUGHS = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            f'<?xml version="1.0"?>\n<!DOCTYPE s [<!ENTITY l0 "ha">{LAUGHS}]><system>&l9;</system>',
            "2: a document type (DOCTYPE), which topology files do not need",
        ),
        ('<!DOCTYPE s SYSTEM "file:///etc/passwd"><system/>', "1: a document type (DOCTYPE)"),
        ('<!DOCTYPE s SYSTEM "http://example.com/x.dtd"><system/>', "1: a document type"),
        ("<system>&l9;</system>", "1: not readable as XML: undefined entity"),
        ("<pci>" * 10_000, "1: elements nested more than 40 deep"),
        ("<system>" + "<cpu/>" * 20_001 + "</system>", "1: more than the 20000 elements allowed"),
        (f'<system a="{"x" * 1001}"/>', "1: 'a' is longer than 1000 characters"),
        (f"<system {' '.join(f'a{n}=_0_' for n in range(33))}/>".replace("_", '"'), "1: more than"),
        ("<!-- " + "x" * 50_000_000, "1: more than the 2000000 bytes allowed"),
        ("", "1: not readable as XML: no element found"),
        ("<system>\n<cpu>", "2: not readable as XML: no element found"),
        ("just text", "1: not readable as XML: syntax error"),
        ("<html/>", "1: <system> was expected, found <html>; is it a topology file of NCCL?"),
        ("<system/>", "1: no <cpu>, so nothing hangs on anything"),
        ('<?xml version="1.0" encoding="utf-7"?><system/>', "1: not readable as XML"),
        (b"\xff\xfe\x00<", "1: not readable as XML"),
        (b"\x00" * 100, "1: not readable as XML"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_hostile_xml_is_refused_before_it_costs_anything(
    tmp_path: Path, text: str | bytes, why: str
) -> None:
    with memory_at_most(60_000_000):
        assert why_not(tmp_path, text).startswith(why)


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match=r"none\.xml:1: cannot be read: no such file"):
        import_nccl_xml(tmp_path / "none.xml", CATALOG)
    with pytest.raises(ImportRefused, match="1: cannot be read: no regular file"):
        import_nccl_xml(tmp_path, CATALOG)


def test_the_new_parts_alone_are_a_catalog(tmp_path: Path) -> None:
    found = machine("rccl/topo_8p_rome_4nics.xml")
    (tmp_path / "mine.yaml").write_text(found.text, encoding="utf-8")
    assert read_catalog(tmp_path).faults == ()
