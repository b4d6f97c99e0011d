"""Slurm's topologies: trees of pods where nodes hang on several rails, blocks where racks are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
import yaml

from tests.exports.neighbours.written import (
    SAVED,
    design_of,
    expanded,
    made,
    name_of,
    saved,
    saved_text,
    text_of,
)
from tests.oracle.designs import random_design
from toposmith.errors import ToposmithError
from toposmith.exports.neighbours.schedulers import name_ranges

NEWER = "TOPOSMITH_SLURMCTLD"
"""Names a slurmctld of 25.05 or later; with ``_PLUGINS`` behind it, the folder of its plugins."""

RACKS = """toposmith: 1
axes: {rack: 4}
groups:
  tray: {part: gb200-nvl72-tray, per: [rack], count: 18}
  leaf: {part: qm9700, count: 5}
links: [{between: [tray.compute, leaf], cables: 1}]
"""
TWO_FABRICS = """toposmith: 1
axes: {hall: 2}
groups:
  node: {part: dgx-h100, per: [hall], count: 4}
  leaf: {part: qm9700, per: [hall]}
links: [{between: [node.compute, leaf]}]
"""
STAGGERED = """toposmith: 2
groups:
  node: {part: hgx-h100-8, count: 3, nics: {compute: {part: connectx-7-ndr, count: 2}}}
  leaf: {part: qm9700, count: 3}
links: [{between: [node.compute, leaf], cables: 0}]
"""


def hosts(ranges: str) -> list[str]:
    """The names of a host list, after `scontrol show hostnames`."""
    found: list[str] = []
    for stem, inside in re.findall(r"([^,\[\]]+)(?:\[([^\]]+)\])?", ranges):
        for one in inside.split(",") if inside else [""]:
            low, _, high = one.partition("-")
            numbers = range(int(low), int(high or low) + 1) if one else [""]
            found += [f"{stem}{number:0{len(low)}d}" if one else stem for number in numbers]
    return found


def tree_of(text: str) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Nodes and switches below each switch of a topology.conf."""
    nodes, below = {}, {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        keys = dict(word.split("=", 1) for word in line.split())
        if "Nodes" in keys:
            nodes[keys["SwitchName"]] = hosts(keys["Nodes"])
        else:
            below[keys["SwitchName"]] = hosts(keys["Switches"])
    return nodes, below


@pytest.mark.parametrize(
    "names,short",
    [
        (["n0", "n1", "n2", "n5"], "n[0-2,5]"),
        (["a"], "a"),
        (["n7"], "n7"),
        (["n08", "n09", "n10"], "n[08-10]"),
        (["n9", "n10"], "n[9-10]"),
        (["n099", "n100", "n1"], "n[099-100],n1"),
        (["su0-1", "su1-1", "su0-2"], "su0-[1-2],su1-1"),
    ],
)
def test_names_are_written_short_as_host_lists(names: list[str], short: str) -> None:
    assert name_ranges(names) == short
    assert sorted(hosts(short)) == sorted(names)


def test_a_superpod_is_a_tree_of_its_su_whatever_rails_they_have() -> None:
    # RA-11333-001 table 4: 4 SU of 32 nodes, the last with 31; 8 leaves an SU, 16 spines.
    nodes, below = tree_of(text_of(saved("dgx-h100-superpod-4su"), "slurm-tree"))
    assert {name: len(held) for name, held in nodes.items()} == {
        "leaf-su0": 32,
        "leaf-su1": 32,
        "leaf-su2": 32,
        "leaf-su3": 31,
    }
    assert below == {"spine": sorted(nodes)}


@pytest.mark.parametrize("form", ["slurm-tree", "slurm-yaml"])
def test_the_file_says_for_which_leaves_a_switch_of_the_tree_stands(form: str) -> None:
    export = made(saved("dgx-h100-superpod-4su"), form)
    lines = b"".join(export.pieces).decode().splitlines()
    stands = dict(re.findall(r"#   (\S+): (\S+)", "\n".join(lines)))
    for su in range(4):
        leaves = [f"leaf-su{su}-rail{rail}" for rail in range(8)]
        assert hosts(stands[f"leaf-su{su}"]) == leaves
    assert any("rails and planes" in words for words in export.lost)


def test_a_tree_of_single_leaves_leaves_nothing_out() -> None:
    export = made(design_of(TWO_FABRICS), "slurm-tree")
    assert "Left out" not in b"".join(export.pieces).decode()


def test_two_fabrics_that_share_no_switch_have_no_common_root_and_that_is_said() -> None:
    export = made(design_of(TWO_FABRICS), "slurm-tree")
    nodes, below = tree_of(b"".join(export.pieces).decode())
    assert len(nodes) == 2 and not below
    assert any("2 fabrics share no switch" in words for words in export.lost)


@pytest.mark.parametrize("seed", range(30))
def test_every_cabled_node_of_a_random_design_stands_once_under_a_switch(seed: int) -> None:
    text = random_design(seed)
    fabric, design = expanded(text), design_of(text)
    slots = design.network.slots
    cabled = {
        name_of(fabric, device)
        for cable in fabric.cables
        for device, port in ((cable.a, cable.a_port), (cable.b, cable.b_port))
        if port is not None
        and slots.get(device.group) == port.slots
        and fabric.kind(cable.other(device)) == "switch"
        and fabric.kind(device) == "node"
    }
    try:
        nodes, below = tree_of(text_of(design, "slurm-tree"))
    except ToposmithError as refused:
        assert not cabled or "no tree says that" in str(refused)
        return
    held = [name for names in nodes.values() for name in names]
    assert sorted(held) == sorted(cabled)
    children = [name for names in below.values() for name in names]
    assert len(set(children)) == len(children) and set(children) <= {*nodes, *below}


def test_racks_are_blocks_of_18_trays() -> None:
    design = design_of(RACKS)
    lines = [one for one in text_of(design, "slurm-block").splitlines() if one[0] != "#"]
    assert lines[-1] == "BlockSizes=18"
    assert [hosts(one.split("Nodes=")[1]) for one in lines[:-1]] == [
        [f"tray-rack{rack}-{tray}" for tray in range(18)] for rack in range(4)
    ]
    # where another group's name begins like theirs, names of trays have dots
    dotted = text_of(design_of(RACKS.replace("leaf", "tray-leaf")), "slurm-block")
    assert [line.split()[0] for line in dotted.splitlines() if line.startswith("Block")] == [
        *(f"BlockName=tray.rack{rack}" for rack in range(4)),
        "BlockSizes=18",
    ]
    tree, block = yaml.safe_load(text_of(design, "slurm-yaml"))
    assert tree["cluster_default"] is True
    assert block["block"]["block_sizes"] == [18] and len(block["block"]["blocks"]) == 4
    (switch,) = tree["tree"]["switches"]
    assert len(hosts(switch["nodes"])) == 72


def test_nodes_without_nvlink_to_others_are_no_blocks() -> None:
    with pytest.raises(ToposmithError, match="no NVLink domain is wider than a node"):
        text_of(saved("dgx-h100-superpod-1su"), "slurm-block")


def test_nodes_that_share_leaves_in_a_chain_are_no_tree() -> None:
    text = STAGGERED.replace("cables: 0", "cables: 1").replace("count: 2", "count: 3")
    cut = [
        "node[node=0] - leaf[leaf=2]",
        "node[node=1] - leaf[leaf=0]",
        "node[node=2] - leaf[leaf=0]",
        "node[node=2] - leaf[leaf=1]",
    ]
    design = design_of(text + "absent:\n" + "".join(f'  - "{one}"\n' for one in cut))
    with pytest.raises(ToposmithError, match="node-0 and node-2 share no leaf"):
        text_of(design, "slurm-tree")


def said_by_slurmctld(
    folder: Path, conf: str, plugin: str, program: str = "slurmctld", plugins: str = ""
) -> str:
    """What slurmctld logs of a topology; ``plugin`` is empty for a topology.yaml."""
    nodes = re.search(r"NodeName=(\S+)", conf)
    assert nodes is not None
    (folder / ("topology.conf" if plugin else "topology.yaml")).write_text(conf)
    (folder / "state").mkdir()
    (folder / "slurm.conf").write_text(
        f"ClusterName=t\nSlurmctldHost=localhost\nAuthType=auth/none\nCredType=cred/none\n"
        f"SlurmUser=root\nStateSaveLocation={folder}/state\nMpiDefault=none\n"
        f"SlurmctldPidFile={folder}/pid\nSlurmctldPort=16817\nSlurmdPort=16818\n"
        f"SelectType=select/cons_tres\nProctrackType=proctrack/pgid\n"
        f"NodeName={nodes[1]} NodeAddr=127.0.0.1\nPartitionName=p Nodes=ALL Default=YES\n"
        + (f"TopologyPlugin={plugin}\n" if plugin else "")
        + (f"PluginDir={plugins}\n" if plugins else "")
    )
    log = folder / "log"
    with log.open("w") as told:
        run = subprocess.Popen(
            [program, "-D", "-c", "-vvv", "-f", str(folder / "slurm.conf")],
            stdout=told,
            stderr=subprocess.STDOUT,
        )
        try:
            for _ in range(900):
                time.sleep(0.1)
                if run.poll() is not None or "Running as primary" in log.read_text():
                    break
        finally:
            run.terminate()
            run.wait(90)
    said = log.read_text()
    assert "Running as primary" in said, said[-2000:]
    assert "Multiple leaf" not in said and "lack access" not in said
    return said


def leaves_read(said: str) -> dict[str, list[str]]:
    found = re.findall(r"Switch level:0 name:(\S+) nodes:(\S+)", said)
    return {switch: sorted(hosts(held)) for switch, held in found}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("slurmctld") is None, reason="needs slurmctld (Debian)")
@pytest.mark.parametrize("name", [*SAVED, "two fabrics"])
def test_slurmctld_reads_the_tree_with_every_node_once(name: str, tmp_path: Path) -> None:
    text = TWO_FABRICS if name == "two fabrics" else saved_text(name)
    conf = text_of(design_of(text), "slurm-tree")
    said = said_by_slurmctld(tmp_path, conf, "topology/tree")
    own = tree_of(conf)[0]
    assert leaves_read(said) == {switch: sorted(held) for switch, held in own.items()}


@pytest.mark.slow
@pytest.mark.skipif(NEWER not in os.environ, reason=f"{NEWER} names no slurmctld of 25.05")
@pytest.mark.parametrize("form", ["slurm-block", "slurm-yaml"])
def test_a_newer_slurmctld_reads_blocks_of_18_trays(form: str, tmp_path: Path) -> None:
    program, plugins = os.environ[NEWER], os.environ.get(f"{NEWER}_PLUGINS", "")
    conf = text_of(design_of(RACKS), form)
    plugin = "topology/block" if form == "slurm-block" else ""
    said = said_by_slurmctld(tmp_path, conf, plugin, program, plugins)
    blocks = {name: hosts(held) for name, held in re.findall(r"Block name:(\S+) nodes:(\S+)", said)}
    assert blocks == {
        f"tray-rack{rack}": [f"tray-rack{rack}-{tray}" for tray in range(18)] for rack in range(4)
    }
    if form == "slurm-yaml":
        assert [len(held) for held in leaves_read(said).values()] == [72]


@pytest.mark.slow
@pytest.mark.skipif(NEWER not in os.environ, reason=f"{NEWER} names no slurmctld of 25.05")
def test_a_newer_slurmctld_reads_the_tree_of_a_superpod_in_yaml(tmp_path: Path) -> None:
    program, plugins = os.environ[NEWER], os.environ.get(f"{NEWER}_PLUGINS", "")
    design = saved("dgx-h100-superpod-4su")
    said = said_by_slurmctld(tmp_path, text_of(design, "slurm-yaml"), "", program, plugins)
    own = tree_of(text_of(design, "slurm-tree"))[0]
    assert leaves_read(said) == {switch: sorted(held) for switch, held in own.items()}
