"""Parts on the command line: lists, cards, prices, further folders, other tools' files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command.shell import SOUND, Shell

ACME = """\
- kind: switch
  id: acme-64
  name: Acme 64
  vendor: Acme
  protocol: infiniband
  cages: {count: 32, cage: osfp, lanes: 8, modes: [{ports: 2, speed_gbit: 400}]}
  source: a leaflet
"""
PRICES = """\
part,price,currency,date,source
qm9700,20000,USD,2025-01-01,an offer
"""


@pytest.mark.parametrize("kind", ["rack", "pdu", "storage"])
def test_what_stands_beside_the_fabric_is_listed_too(shell: Shell, kind: str) -> None:
    listed = shell("catalog", "list", kind)
    assert listed.code == 0
    assert len(listed.out.splitlines()) > 1
    first = listed.out.splitlines()[1].split()[0]
    assert first in shell("catalog", "list").out


def test_a_search_lists_the_likeliest_first(shell: Shell) -> None:
    found = shell("catalog", "list", "--search", "700 qm9")
    assert found.out.splitlines()[1].startswith("qm9700")
    nothing = shell("catalog", "list", "--search", "zzz")
    assert (nothing.code, nothing.out) == (1, "")
    assert "no part matches" in nothing.err


def test_two_parts_are_shown_side_by_side_with_a_star_where_they_differ(shell: Shell) -> None:
    shown = shell("catalog", "show", "qm9700", "qm8700")
    assert shown.code == 0
    lines = shown.out.splitlines()
    assert any(line.startswith("*  Native ports") for line in lines)
    assert any(line.startswith("   Vendor") for line in lines)
    both = json.loads(shell("catalog", "show", "qm9700", "qm8700", "--json").out)
    assert [part["id"] for part in both] == ["qm9700", "qm8700"]


def test_a_further_folder_serves_every_command_wherever_it_is_named(
    shell: Shell, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    shell.file("mine/parts.yaml", ACME)
    shell.file("pod.yaml", SOUND.replace("qm9700", "acme-64"))
    assert shell("catalog", "show", "acme-64").code == 2
    for args in (
        ("--catalog", "mine", "catalog", "show", "acme-64"),
        ("catalog", "show", "acme-64", "--catalog", "mine"),
        ("analyze", "pod.yaml", "--catalog", "mine"),
        ("export", "pod.yaml", "--to", "nccl-xml", "--catalog", "mine"),
    ):
        assert shell(*args).code == 0, args
    assert "unknown" in shell("check", "pod.yaml").out
    assert "unknown part" not in shell("check", "pod.yaml", "--catalog", "mine").out


def test_a_folder_without_parts_is_refused(shell: Shell) -> None:
    refused = shell("catalog", "list", "--catalog", "nowhere")
    assert (refused.code, refused.out) == (2, "")
    assert "nowhere: no part files" in refused.err


def test_faults_of_part_files_are_said_with_file_and_line_and_make_the_list_a_finding(
    shell: Shell,
) -> None:
    shell.file("mine.yaml", ACME.replace("lanes: 8", "lanes: 99"))
    listed = shell("catalog", "list", "gpu", "--catalog", "mine.yaml")
    assert listed.code == 1
    assert "mine.yaml:6: part 'acme-64': " in listed.err
    assert len(listed.out.splitlines()) > 2
    assert shell("analyze", "dgx-a100-su", "--catalog", "mine.yaml").code == 0


def test_a_part_file_cannot_move_the_terminal(shell: Shell) -> None:
    shell.file("mine.yaml", ACME.replace("Acme 64", '"\\e[31mred"'))
    for args in (("list",), ("show", "qm9700", "qm8700")):
        told = shell("catalog", *args, "--catalog", "mine.yaml")
        assert "\x1b" not in told.out + told.err


def test_prices_stand_with_the_parts_and_their_faults_are_findings(shell: Shell) -> None:
    shell.file("prices.csv", PRICES)
    shown = shell("catalog", "show", "qm9700", "--prices", "prices.csv")
    assert "20,000 USD  (an offer, 2025-01-01)" in shown.out
    listed = shell("catalog", "list", "switch", "--prices", "prices.csv")
    assert listed.code == 0
    assert listed.out.splitlines()[0].split()[-1] == "price"
    shell.file("prices.csv", PRICES.replace("20000", "twenty"))
    faulty = shell("catalog", "list", "switch", "--prices", "prices.csv")
    assert faulty.code == 1
    assert "prices.csv:2: " in faulty.err


def test_an_exported_node_is_imported_again_and_nothing_is_overwritten_unasked(
    shell: Shell, tmp_path: Path
) -> None:
    export = ("export", "dgx-a100-su", "--to", "nccl-xml", "-o", "node.xml")
    assert shell(*export).code == 0
    again = shell(*export)
    assert again.code == 2
    assert "--force" in again.err
    assert shell(*export, "--force").code == 0
    made = shell("catalog", "import", "node.xml", "--id", "my-node", "-o", "my-node.yaml")
    assert made.code == 0, made.err
    assert shell("catalog", "import", "node.xml", "-o", "my-node.yaml").code == 2
    shown = shell("catalog", "show", "my-node", "--catalog", "my-node.yaml")
    assert "8 x A100 SXM4 80GB" in shown.out


def test_an_export_of_what_has_no_nodes_says_so(shell: Shell) -> None:
    shell.file("empty.yaml", "toposmith: 1\n")
    refused = shell("export", "empty.yaml", "--to", "nccl-xml")
    assert refused.code == 2
    assert "no nodes" in refused.err
    unknown = shell("export", "dgx-a100-su", "--to", "nccl-xml", "--group", "leaf")
    assert unknown.code == 2


def test_a_file_that_is_no_import_is_refused_with_its_line(shell: Shell) -> None:
    shell.file("not.xml", "<html>")
    refused = shell("catalog", "import", "not.xml")
    assert (refused.code, refused.out) == (2, "")
    assert "not.xml:" in refused.err
