"""What nodes say of their inside, against their part: GPUs, NVLinks, NICs on their PCIe switch."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from tests.as_built.fabrics import design_of, plan_of
from tests.command.shell import Shell
from toposmith.as_built.cable_list import UnreadableError
from toposmith.as_built.machines import Machine, compared_machine
from toposmith.as_built.reading.file_formats import machines_of, read_bytes
from toposmith.evaluation import EvaluatedDesign
from toposmith.foreign_values import NumberError

DATA = Path(__file__).parents[1] / "data" / "as_built" / "machines"
Links = dict[tuple[int, int], int]


def pod(part: str, nics: str = "") -> EvaluatedDesign:
    return design_of(
        f"toposmith: 1\ngroups:\n  node: {{part: {part}, count: 2{nics}}}\n"
        "  leaf: {part: qm9700}\nlinks:\n  - {between: [node.compute, leaf], cables: 1}\n"
    )


H800 = pod("hgx-h800-8", ", nics: {compute: {part: connectx-7-ndr, count: 8}}")
H100 = pod("dgx-h100")
BRIDGED = pod("a100-pcie-4-bridged", ", nics: {compute: {part: connectx-7-ndr, count: 2}}")
DGX_1 = pod("dgx-1-v100")


def matrix(gpus: int, links: Links, nics: list[list[str]], head: str = "") -> str:
    """What nvidia-smi writes; each NIC by what joins it to each GPU."""
    columns = [f"GPU{gpu}" for gpu in range(gpus)] + [f"NIC{nic}" for nic in range(len(nics))]
    lines = [head, "\t" + "\t".join([*columns, "CPU Affinity", "NUMA Affinity", "GPU NUMA ID"])]
    for gpu in range(gpus):
        row = [f"GPU{gpu}"]
        for other in range(gpus):
            count = links.get((min(gpu, other), max(gpu, other)), 0)
            row.append(" X " if gpu == other else f"NV{count}" if count else "SYS")
        lines.append("\t".join([*row, *(nic[gpu] for nic in nics), "0-55,112-167", "0", "\tN/A"]))
    for number, nic in enumerate(nics):
        others = [" X " if number == other else "SYS" for other in range(len(nics))]
        lines.append("\t".join([f"NIC{number}", *nic, *others]))
    legend = (
        "\nLegend:\n\n  X    = Self\n  NV#  = Connection traversing a bonded set of # NVLinks\n"
    )
    return "\n".join(lines) + "\n" + legend


def every_pair(gpus: int, count: int) -> Links:
    return dict.fromkeys(combinations(range(gpus), 2), count)


OWN_SWITCH = [["PXB" if gpu == nic else "NODE" for gpu in range(8)] for nic in range(8)]
STORAGE = [["SYS"] * 8] * 2


def tables(text: str, source: str = "n.txt") -> list[Machine]:
    return machines_of(source, text.encode())


def differences(text: str, design: EvaluatedDesign) -> list[str]:
    (machine,) = tables(text)
    found: list[str] = said_of(machine, design)["differences"]
    return found


def said_of(machine: Machine, design: EvaluatedDesign) -> dict[str, Any]:
    return compared_machine(machine, plan_of(design), design.plan, design.catalog)


def test_a_published_h800_has_its_links_and_half_of_its_nics() -> None:
    text = (DATA / "h800-topo.txt").read_text()
    assert differences(text, H800) == [
        "4 NICs, planned 8",
        "3 GPUs have a NIC on the same PCIe switch (PIX or PXB), planned 8: "
        "none for GPU0, GPU2, GPU4, GPU5 and GPU6",
    ]
    links = (DATA / "h800-nvlink.txt").read_text()
    assert differences(links, H800) == []
    # an H100 has 18 NVLinks, an H800 8
    assert differences(links, H100) == ["GPU0, GPU1, GPU7: 8 NVLinks active, planned 18"]


def test_a_whole_node_is_as_planned_also_in_colours_and_with_crlf() -> None:
    text = matrix(8, every_pair(8, 18), OWN_SWITCH + STORAGE)
    assert differences(text, H100) == []
    coloured = text.replace("\tGPU0", "\t\x1b[4mGPU0", 1).replace("GPU NUMA ID", "ID\x1b[0m", 1)
    assert differences(coloured.replace("\n", "\r\n"), H100) == []


def test_a_gpu_with_fewer_links_and_a_pair_with_fewer_are_said() -> None:
    links = every_pair(8, 18)
    links |= {pair: 16 for pair in links if 3 in pair} | {(5, 6): 0}
    assert differences(matrix(8, links, OWN_SWITCH + STORAGE), H100) == [
        "GPU3: 16 NVLinks, planned 18",
        "GPU5 - GPU6: 0 NVLinks, to other GPUs more",
    ]


def test_a_lost_gpu_is_said_once_and_the_others_are_whole() -> None:
    nics = [row[:7] for row in OWN_SWITCH + STORAGE]
    assert differences(matrix(7, every_pair(7, 18), nics), H100) == ["7 GPUs, planned 8"]


def test_a_nic_behind_another_host_bridge_is_on_no_switch_of_its_gpu() -> None:
    nics = [*OWN_SWITCH[:7], ["NODE"] * 8, *STORAGE]
    (said,) = differences(matrix(8, every_pair(8, 18), nics), H100)
    assert said.startswith("7 GPUs have a NIC") and said.endswith("planned 8: none for GPU7")


def test_bridges_join_pairs_however_gpus_are_numbered() -> None:
    nics = [["NODE", "NODE", "SYS", "SYS"], ["SYS", "SYS", "NODE", "NODE"]]
    assert differences(matrix(4, {(0, 1): 12, (2, 3): 12}, nics), BRIDGED) == []
    assert differences(matrix(4, {(0, 2): 12, (1, 3): 12}, nics), BRIDGED) == []
    assert differences(matrix(4, {(0, 1): 12, (2, 3): 8}, nics), BRIDGED) == [
        "GPU2, GPU3: 8 NVLinks, planned 12"
    ]


# the cube mesh of 8 V100 as nvidia-smi numbered it for two owners: gist ashwin/e139748b (2017), and
# the node of "WeChat Yard", whose GPU 0 is joined to GPU 7
MESH: Links = {
    (0, 1): 1, (0, 2): 1, (0, 3): 2, (0, 4): 2, (1, 2): 2, (1, 3): 1, (1, 5): 2, (2, 3): 2,
    (2, 6): 1, (3, 7): 1, (4, 5): 1, (4, 6): 1, (4, 7): 2, (5, 6): 2, (5, 7): 1, (6, 7): 2,
}  # fmt: skip
OTHER_NUMBERS: Links = {
    (0, 1): 1, (0, 2): 2, (0, 3): 1, (0, 7): 2, (1, 2): 1, (1, 3): 2, (1, 6): 2, (2, 3): 2,
    (2, 5): 1, (3, 4): 1, (4, 5): 2, (4, 6): 2, (4, 7): 1, (5, 6): 1, (5, 7): 2, (6, 7): 1,
}  # fmt: skip
ON_SWITCHES = [["PIX" if gpu // 2 == nic else "SYS" for gpu in range(8)] for nic in range(4)]


@pytest.mark.parametrize("links", [MESH, OTHER_NUMBERS])
def test_a_mesh_is_as_planned_under_the_numbers_of_any_machine(links: Links) -> None:
    assert differences(matrix(8, links, ON_SWITCHES), DGX_1) == []


def test_a_mesh_with_two_links_crossed_is_another() -> None:
    crossed = {**MESH, (0, 4): 1, (1, 5): 1, (0, 5): 1, (1, 4): 1}  # each GPU still has six
    assert differences(matrix(8, crossed, ON_SWITCHES), DGX_1) == [
        "NVLinks lead to other GPUs than planned"
    ]


def test_links_that_are_inactive_or_slow_are_said() -> None:
    lines = []
    for gpu in range(3):
        lines.append(f"GPU {gpu}: NVIDIA H100 80GB HBM3 (UUID: GPU-0{gpu})")
        for link in range(18):
            rate = "<inactive>" if (gpu, link) == (1, 4) else "26.562 GB/s"
            lines.append(f"\t Link {link}: {'1.562 GB/s' if (gpu, link) == (2, 9) else rate}")
    assert differences("\n".join(lines), H100) == [
        "GPU1: 17 NVLinks active, planned 18",
        "GPU2: 1 NVLink at 1.562 GB/s, planned 25",
    ]


TWO_KINDS = design_of(
    "toposmith: 1\ngroups:\n  node: {part: dgx-h100, count: 2}\n  old: {part: dgx-a100, count: 2}\n"
    "  leaf: {part: qm9700}\nlinks:\n  - {between: [node.compute, leaf], cables: 1}\n"
    "  - {between: [old.compute, leaf], cables: 1}\n"
)


def test_the_prompt_or_the_file_names_the_node() -> None:
    prompt = "root@old-1.example.org:~# nvidia-smi topo -m"
    text = matrix(8, every_pair(8, 12), [["PXB"] * 8] * 10, prompt)
    (named,) = tables(text)
    assert said_of(named, TWO_KINDS)["part"] == "dgx-a100"
    (by_file,) = tables(text.replace(prompt, ""), "dumps/node-0.txt")
    assert said_of(by_file, TWO_KINDS)["part"] == "dgx-h100"
    (unknown,) = tables(text.replace(prompt, ""), "dumps/x.txt")
    with pytest.raises(
        UnreadableError, match="'x' is no node of the design, which has dgx-a100 or"
    ):
        said_of(unknown, TWO_KINDS)


def test_tables_one_after_the_other_are_machines_of_their_own() -> None:
    text = "".join(
        matrix(8, every_pair(8, 18), OWN_SWITCH + STORAGE, f"[root@node-{n} ~]# nvidia-smi topo -m")
        for n in range(2)
    )
    assert [one.name for one in tables(text)] == ["node-0", "node-1"]


WHOLE = matrix(8, every_pair(8, 18), OWN_SWITCH + STORAGE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (WHOLE.replace("NV18", "NV1x", 1), "n.txt:3: GPU0 - GPU1: found 'NV1x'"),
        (WHOLE.replace("PXB\tNODE", "PXBNODE", 1), "n.txt:3: GPU0 - NIC0: found 'PXBNODE'"),
        (WHOLE.replace(" X ", "NV18", 2).replace("NV18", " X ", 1), "GPU1 - GPU1: found 'NV18'"),
        ("".join(WHOLE.splitlines(keepends=True)[:8]), "has no row GPU6: was it cut?"),
        (WHOLE[: WHOLE.index("GPU5\tNV18") + 24], "cells for 18 columns: was it cut?"),
        (WHOLE.replace("GPU6\tGPU7", "GPU6\tGPU6", 1), "or one twice"),
        ("\t".join(f"GPU{n}" for n in range(999)) + "\nGPU0\t X\n", "999 GPUs"),
        ("GPU 0: NVIDIA H100 (UUID: GPU-1)\n  Link 0: unknown\n", "no NVLink has a rate here"),
    ],
)
def test_a_damaged_table_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(UnreadableError) as refused:
        tables(text)
    assert words in str(refused.value)


def test_a_rate_that_is_no_number_is_refused() -> None:
    with pytest.raises(NumberError, match=r"n\.txt:2: found 1\.2\.3"):
        tables("GPU 0: NVIDIA H100 (UUID: GPU-1)\n  Link 0: 1.2.3 GB/s\n")


def test_it_is_no_list_of_cables() -> None:
    with pytest.raises(UnreadableError, match="says what a machine has inside"):
        read_bytes("n.txt", WHOLE.encode())


def test_the_command_compares_nodes_alone_and_with_cables(shell: Shell) -> None:
    plan = "dgx-h100-superpod-1su"
    whole = shell.file("node-su0-0.txt", WHOLE)
    short = shell.file("node-su0-1.txt", WHOLE.replace("NV18", "NV17"))
    done = shell("asbuilt", plan, whole)
    assert done.code == 0 and "dgx-h100: inside as planned" in done.out
    done = shell("asbuilt", plan, whole, short, "--json")
    data = json.loads(done.out)
    assert done.code == 1 and data["same"] is False and set(data) == {"plan", "same", "machines"}
    assert data["machines"][0]["differences"] == []
    assert "17 NVLinks, planned 18" in data["machines"][1]["differences"][0]
    cables = DATA.parent / "made/su1-ibnetdiscover.out"
    done = shell("asbuilt", plan, str(cables), short)
    assert done.code == 1 and "504 of 504 planned cables" in done.out
    assert "17 NVLinks, planned 18" in done.out
    data = json.loads(shell("asbuilt", plan, str(cables), whole, "--json").out)
    assert data["same"] is True and data["machines"][0]["part"] == "dgx-h100"


def test_a_list_of_cables_says_nothing_of_nodes(shell: Shell) -> None:
    whole = shell.file("node-su0-0.txt", WHOLE)
    cables = str(DATA.parent / "made/su1-ibnetdiscover.out")
    done = shell("asbuilt", cables, whole)
    assert done.code == 2 and "PLAN has to be a design" in done.err
    done = shell("asbuilt", "dgx-h100-superpod-1su", whole, "-o", "built.yaml")
    assert done.code == 2 and "go with a DUMP of cables" in done.err
