"""Figures that `docs/` gives in words, worked out here and asked of the command.

Latencies of NCCL are those of its tuner, src/graph/tuning.cc (github.com/NVIDIA/nccl): a ring's
base latency of LL, LL128 and Simple is 6.6, 14.0 and 8.4 us, a step over NVLink 0.6, 1.9, 3.4 us.
"""

from __future__ import annotations

import json

import pytest
import yaml

from tests.oracle import program
from tests.oracle.parts import Part, of_kind, part

TEBIBYTE = ("--size", "1TiB")


def _nodes(name: str, count: int, rest: str = "", switch: str = "qm9700", links: str = "") -> str:
    return f"""\
toposmith: 1
name: x
groups:
  node: {{part: {name}, count: {count}{rest}}}
  leaf: {{part: {switch}}}
links:
  - {{between: [node.compute, leaf]{links}}}
"""


def _fitted(nic: str, count: int) -> str:
    return f", nics: {{compute: {{part: {nic}, count: {count}}}}}"


@pytest.mark.parametrize(
    ("protocol", "base_us", "step_us", "start_us"),
    [("ll", 6.6, 0.6, 4.0), ("ll128", 14.0, 1.9, 25.0), ("simple", 8.4, 3.4, 40.0)],
)
def test_a_call_takes_nccls_latency_and_a_start_up(protocol, base_us, step_us, start_us):
    options = (
        "--collective",
        "all_gather",
        "--with",
        "algorithm=ring",
        "--with",
        f"protocol={protocol}",
    )
    found = program.analysis(_nodes("dgx-h100", 1), *options)
    # 8 GPUs in one node: 7 steps over NVLink.
    assert found["latency_us"] == pytest.approx(base_us + 7 * step_us + start_us)


def _loops_algbw(counted_GBps: float, loop_mib: int, beside_us: float) -> float:
    # Every GPU feeds each reduction and stores its eighth: 9/8 of the data over its 18 NVLinks, of
    # which 0.85 is reached while a loop of 128 KiB for each channel and head runs.
    loop_bytes = loop_mib * 2**20
    bytes_us = loop_bytes / (1000 * 18 * counted_GBps * 0.85 * 8 / 9)
    return loop_bytes / (1000 * (bytes_us + beside_us))


@pytest.mark.parametrize(
    ("name", "counted_GBps", "loop_mib", "beside_us"),
    [("dgx-h100", 20.6, 16, 1), ("dgx-b200", 40.1, 24, 6)],
)
def test_nvswitches_reduce_in_loops_at_a_share_of_nvlink(name, counted_GBps, loop_mib, beside_us):
    found = program.analysis(_nodes(name, 1), "--with", "algorithm=nvls", *TEBIBYTE)
    expected = _loops_algbw(counted_GBps, loop_mib, beside_us)
    assert found["algbw_GBps"] == pytest.approx(expected, rel=1e-3)


def test_nvls_tree_between_two_nodes_reaches_92_percent_of_the_narrower():
    options = ("--with", "algorithm=nvls_tree", "--with", "protocol=simple", *TEBIBYTE)
    wide = program.analysis(_nodes("dgx-h100", 2), *options)
    # NVSwitches some 276 GB/s of algbw; eight NICs of 48 GB/s.
    assert wide["algbw_GBps"] == pytest.approx(0.92 * _loops_algbw(20.6, 16, 1), rel=1e-3)
    four = _nodes("hgx-h100-8", 2, _fitted("connectx-7-ndr", 4))
    narrow = program.analysis(four, *options)
    assert narrow["algbw_GBps"] == pytest.approx(0.92 * 4 * 48, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "nics", "busbw_GBps"),
    [("hgx-h100-8", 8, 0.96 * 8 * 48), ("hgx-h100-8", 4, 4 * 48), ("hgx-h100-8", 1, 48)],
)
def test_a_ring_runs_at_the_sum_of_the_nics_and_less_at_3200_gbit(name, nics, busbw_GBps):
    text = _nodes(name, 4, _fitted("connectx-7-ndr", nics))
    options = (
        "--collective",
        "all_gather",
        "--with",
        "algorithm=ring",
        "--with",
        "protocol=simple",
    )
    found = program.analysis(text, *options, *TEBIBYTE)
    assert found["busbw_GBps"] == pytest.approx(busbw_GBps, rel=1e-2)


X16_GBPS = {gen: 16 * rate * 128 / 130 / 8 for gen, rate in ((3, 8), (4, 16), (5, 32))}
"""A slot of sixteen lanes at 8, 16 and 32 GT/s, of which 128 of 130 bits carry data."""


def _sockets_rate(name: Part) -> float:
    """What a part says, else two thirds of an x16 slot of its generation."""
    (generation,) = {room["pcie"]["generation"] for room in name["slots"].values()}
    return name.get("inter_socket_GBps", X16_GBPS[generation] * 2 / 3)


def _crossing() -> list[str]:
    """Nodes without NVLink, GPUs on two sockets: everything between these crosses."""
    return [
        one["id"]
        for one in of_kind("node")
        if not one.get("nvlink")
        and len({branch["socket"] for branch in one["branches"] if branch.get("gpus")}) == 2
    ]


@pytest.mark.parametrize("name", _crossing())
def test_sockets_carry_what_the_part_says(name):
    text = _nodes(name, 2, _fitted("connectx-6-dx-100gbe", 1), "sn3700")
    limits = program.analysis(text, "--collective", "all_to_all")["limits"]
    rates = [row["capacity_GBps"] for row in limits if row["link"] == "node sockets"]
    assert rates == pytest.approx([_sockets_rate(part(name))], rel=1e-6)


def _with_sockets() -> list[str]:
    return [one["id"] for one in of_kind("node") if one["sockets"] > 1]


@pytest.mark.parametrize("name", _with_sockets()[::4])
def test_a_topology_file_keeps_what_sockets_carry(name, tmp_path):
    # docs/catalog.md: reading the file back gives the same inside.
    slots = part(name)["slots"]["compute"]
    rest = "" if slots.get("nic") else _fitted("connectx-7-ndr", slots["count"])
    _, xml, _ = program.run("export", "-", "--to", "nccl-xml", design=_nodes(name, 1, rest))
    file = tmp_path / "node.xml"
    file.write_text(xml, encoding="utf-8")
    _, out, err = program.run("catalog", "import", str(file), design="")
    assert out, err
    (node,) = (one for one in yaml.safe_load(out) if one["kind"] == "node")
    assert node.get("inter_socket_GBps") == part(name).get("inter_socket_GBps")


@pytest.mark.parametrize("name", ["h100-nvl-4", "a100-pcie-4"])
def test_the_bound_of_a_node_with_one_nic_is_its_sockets(name):
    # The NIC is on socket 0. What the two GPUs of socket 1 take in from the 6 others crosses.
    nic, switch = ("connectx-7-ndr", "qm9700") if "h100" in name else ("connectx-6-hdr", "qm8700")
    found = program.analysis(_nodes(name, 2, _fitted(nic, 1), switch), "--collective", "all_gather")
    rate = {"h100-nvl-4": 22, "a100-pcie-4": 16}[name]
    assert found["bound_busbw_GBps"] == pytest.approx(rate * 7 / 6)
    # which GPUs are on which socket is what the branches say
    unsure = {"branches", "inter_socket_GBps"} & set(part(name).get("unverified", ()))
    assert found["bound_is"] == ("assumed" if unsure else "exact")


def test_unlike_nodes_are_bounded_by_the_gpu_that_takes_in_most():
    # A100: 300 of NVLink + 31.5 of PCIe; H100: 450 + 25. A node sends its data once by 8 x 25:
    # 200 x 2 x 15/16 = 375, more than an A100 takes in and less than an H100.
    text = """\
toposmith: 1
name: x
groups:
  a: {part: hgx-a100-8, nics: {compute: {part: connectx-6-hdr, count: 8}}}
  b: {part: hgx-h100-8, nics: {compute: {part: connectx-6-hdr, count: 8}}}
  leaf: {part: qm8700}
links:
  - {between: [a, leaf]}
  - {between: [b, leaf]}
"""
    found = program.analysis(text)
    assert (found["bound_busbw_GBps"], found["bound_is"]) == (375, "bound")


@pytest.mark.parametrize(
    ("nics", "told"), [(1, False), (2, True), (4, True), (5, False), (8, False)]
)
def test_nics_on_one_socket_are_told_where_there_are_as_many_as_sockets(nics, told):
    # Slots 0 to 3 are below socket 0. One NIC cannot be on both.
    found = program.findings(_nodes("hgx-h100-8", 2, _fitted("connectx-7-ndr", nics)))
    assert ("nic-far-socket" in {one["code"] for one in found}) is told


def test_missing_uplinks_are_told_as_so_many_of_so_many():
    text = """\
toposmith: 1
name: x
groups:
  node: {part: dgx-a100, count: 4}
  leaf: {part: qm8790, count: 4}
  spine: {part: qm8790, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 4}
absent: ["leaf[leaf=1] - spine[spine=0]", "1 of leaf[leaf=2] - spine[spine=1]"]
"""
    found = {one["code"]: one for one in program.findings(text)}["uplinks-missing"]
    # Two leaves have 8, one 4 and one 7.
    assert found["figure"] == "4 of 8"
    assert "2 switches have fewer uplinks than the others (4, not 8)" in found["text"]


@pytest.mark.parametrize("cables", [1, 2, 3])
def test_a_port_of_800_gbit_takes_two_fibres_and_a_module_at_each_end(cables):
    # Over 30 m: modules of 2 x 400 Gb/s, a fibre for each half.
    text = f"""\
toposmith: 1
name: x
groups:
  leaf: {{part: sn5600, count: 2}}
  spine: {{part: sn5600}}
links:
  - {{between: [leaf, spine], cables: {cables}, length: 30}}
"""
    counts = dict.fromkeys(("fibre", "transceiver"), 0)
    for line in program.bill(text)["lines"]:
        if line["kind"] in counts:
            counts[line["kind"]] += line["quantity"]
    assert counts == {"fibre": 2 * 2 * cables, "transceiver": 2 * 2 * cables}


@pytest.mark.parametrize("ports", [1, 2, 3, 4])
def test_a_splitter_serves_two_ports_and_the_last_one_may_serve_one(ports):
    # 100 Gb/s to a switch of 200: one cable with two legs for two NICs.
    text = _nodes("hgx-a100-8", ports, _fitted("connectx-6-hdr100", 1), "qm8700", ", length: 30")
    cables = [line for line in program.bill(text)["lines"] if line["kind"] == "cable"]
    assert [line["quantity"] for line in cables] == [-(-ports // 2)]


def _stage_s(layers: int) -> float:
    """Forward of a micro-batch on the busiest of 16 stages of a model like Llama 3 405B."""
    model = "heads: 128, kv_heads: 8, hidden: 16384, ffn: 53248, vocabulary: 128256"
    text = f"""\
toposmith: 1
name: x
groups:
  node: {{part: dgx-h100, count: 16}}
  leaf: {{part: qm9700, count: 8}}
links:
  - {{between: [node.compute, leaf]}}
workload:
  model: {{layers: {layers}, {model}}}
  layout: {{tp: 8, pp: 16, recompute: full}}
  training: {{batch: 16, sequence: 8192}}
"""
    _, out, err = program.run("workload", "-", "--json", design=text)
    assert out, err
    training = json.loads(out)["training"]
    assert training["micro_batches"] == 16
    return training["forward_s"] / 16


def test_the_output_is_timed_where_it_stands_beside_a_whole_stage_of_layers():
    # 128 layers: 8 a stage, and the last has the output besides. 126: 8 a stage too, the output in
    # the place of a layer. It takes 2 x hidden x vocabulary a token over tp, at the peak or less.
    output_s = 2 * 16384 * 128256 * 8192 / 8 / 989.4e12
    difference = _stage_s(128) - _stage_s(126)
    assert output_s < difference < 2 * output_s
