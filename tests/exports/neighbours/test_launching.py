"""What launches and addresses jobs: host files, NCCL's settings, address plans."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from ipaddress import ip_address, ip_network

import pytest

from tests.exports.neighbours.written import (
    design_of,
    expanded,
    files_of,
    made,
    pair,
    pairs_of,
    saved,
    saved_text,
    text_of,
)
from toposmith.analysis.request import Request
from toposmith.errors import ToposmithError

ETHERNET = "hgx-a100-64gpu-roce-2to1"
SUPERPOD = "dgx-h100-superpod-1su"
RAIL_ONLY = """toposmith: 2
axes: {rail: 8}
rails: apart
%s
groups:
  node: {part: hgx-h100-8, count: 4, nics: {compute: {part: connectx-7-ndr, count: 8}}}
  leaf: {part: %s, per: [rail]}
links: [{between: [node.compute, leaf], speed: 400}]
"""


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def settings(text: str) -> dict[str, str]:
    """What NCCL takes of a file: not lines of #, others cut at the first =."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {line.partition("=")[0]: line.partition("=")[2] for line in lines}


def test_a_subnet_is_a_rail_and_holds_each_node_once() -> None:
    # RA-11333-001: 31 nodes with 8 compute ports, one to each rail; 31 + 3 addresses take a /26
    found = rows(text_of(saved(SUPERPOD), "rail-addresses"))
    by_prefix = defaultdict(list)
    for row in found:
        assert ip_address(row["Address"]) in ip_network(row["Prefix"])
        by_prefix[row["Prefix"]].append(row)
    assert len(found) == 31 * 8 == len({row["Address"] for row in found})
    assert {ip_network(prefix).prefixlen for prefix in by_prefix} == {26}
    assert [row[0]["Network"] for row in by_prefix.values()] == [
        f"compute, rail {n}" for n in range(8)
    ]
    for held in by_prefix.values():
        assert len({row["Device"] for row in held}) == len(held) == 31
        network = ip_network(held[0]["Prefix"])
        used = {ip_address(row["Address"]) for row in held}
        assert not used & {network[0], network[1], network[-1]}


def test_where_leaves_are_no_rails_no_host_has_two_addresses_in_one_subnet() -> None:
    found = rows(text_of(saved(ETHERNET), "rail-addresses"))
    assert max(Counter((row["Prefix"], row["Device"]) for row in found).values()) == 1
    assert len({row["Prefix"] for row in found}) == 8


def test_every_ethernet_cable_has_a_prefix_of_two_addresses() -> None:
    fabric = expanded(saved_text(ETHERNET))
    found = rows(text_of(saved(ETHERNET), "routed-addresses"))
    ends = defaultdict(list)
    for row in found:
        ends[row["Prefix"]].append(row)
    joined = Counter(pair(*(row["Device"] for row in held)) for held in ends.values())
    assert joined == pairs_of(fabric)
    assert len({row["Address"] for row in found}) == len(found) == 2 * len(fabric.cables)
    for prefix, held in ends.items():
        assert [ip_address(row["Address"]) for row in held] == list(ip_network(prefix))


@pytest.mark.parametrize(
    ("form", "of"),
    [("rail-prefixes", "rail-addresses"), ("routed-prefixes", "routed-addresses")],
)
def test_prefixes_are_those_of_the_addresses_in_the_columns_of_netbox(form: str, of: str) -> None:
    prefixes = rows(text_of(saved(ETHERNET), form))
    addresses = rows(text_of(saved(ETHERNET), of))
    assert set(prefixes[0]) == {"prefix", "status", "description"}
    used = dict.fromkeys(row["Prefix"] for row in addresses)
    assert [row["prefix"] for row in prefixes] == list(used)
    assert {row["status"] for row in prefixes} == {"reserved"}


def test_infiniband_is_never_routed() -> None:
    with pytest.raises(ToposmithError, match="no Ethernet cable"):
        text_of(saved(SUPERPOD), "routed-addresses")


def test_hosts_of_a_job_stand_in_the_order_of_ranks_with_its_figures() -> None:
    text = saved_text(SUPERPOD).replace("toposmith: 1", "toposmith: 2") + (
        "jobs:\n"
        "  - {name: train, nodes: 'node[node=0..15]', runs: all_reduce}\n"
        "  - {name: tune, nodes: 4, runs: all_to_all, size: 1GiB}\n"
    )
    files = files_of(design_of(text), "hostfiles")
    assert set(files) == {"train.hosts", "tune.hosts"}
    train = files["train.hosts"].splitlines()
    hosts = [line for line in train if not line.startswith("#")]
    assert hosts == [f"node-su0-{n} slots=8" for n in range(16)]
    assert "train: 128 GPUs; all-reduce of 8 GiB" in train[0]
    assert "GB/s per GPU alone" in train[1] and "with all jobs" in train[1]
    # the first four that are free
    tune = [line for line in files["tune.hosts"].splitlines() if not line.startswith("#")]
    assert tune == [f"node-su0-{n} slots=8" for n in range(16, 20)]


def test_a_design_without_jobs_is_one_job_on_all_nodes() -> None:
    (text,) = files_of(saved(SUPERPOD), "hostfiles").values()
    assert sum(line.endswith("slots=8") for line in text.splitlines()) == 31


@pytest.mark.parametrize(
    ("design", "expected"),
    [
        (RAIL_ONLY % ("", "qm9700"), {"NCCL_CROSS_NIC": "0"}),
        (
            RAIL_ONLY % ("routing: adaptive", "sn5600"),
            {"NCCL_CROSS_NIC": "0", "NCCL_IB_ADAPTIVE_ROUTING": "1"},
        ),
        (RAIL_ONLY % ("routing: adaptive", "qm9700"), {"NCCL_CROSS_NIC": "0"}),
        (saved_text(SUPERPOD), {}),
    ],
    ids=["rail-only", "adaptive Ethernet", "adaptive InfiniBand", "all joined"],
)
def test_nccl_is_told_what_the_figures_assume(design: str, expected: dict[str, str]) -> None:
    assert settings(text_of(design_of(design), "nccl-conf")) == expected


def test_sockets_in_place_of_rdma_are_what_nccl_is_told() -> None:
    over = saved(ETHERNET).asking(Request(tcp=True))
    assert settings(text_of(over, "nccl-conf"))["NCCL_NET"] == "Socket"
    assert "NCCL_NET" not in settings(text_of(saved(ETHERNET), "nccl-conf"))


def test_a_design_without_nodes_has_nothing_to_launch() -> None:
    design = design_of("toposmith: 1\ngroups: {leaf: {part: qm9700, count: 2}}\n")
    for form in ("hostfiles", "nccl-conf", "rail-addresses"):
        with pytest.raises(ToposmithError):
            export = made(design, form)
            list(export.files or export.pieces)
