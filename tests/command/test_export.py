"""`toposmith export`: forms, files that are there already, and what is said of bad input."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.command.shell import SOUND, Shell

FORMS = ("html", "svg", "cables", "netbox-cables", "elevations", "elevations-svg", "labels", "dot")
PICTURES = ("png",)
CROWDED = SOUND + (
    "placement: {devices: {leaf: {rack: A01, unit: 3}, 'node[node=0]': {rack: A01, unit: 1}}}\n"
)


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    monkeypatch.chdir(tmp_path)
    return Shell(capsys, tmp_path)


@pytest.mark.parametrize("form", FORMS)
def test_a_form_goes_to_stdout_and_to_a_file_alike(shell: Shell, form: str) -> None:
    file = shell.file("sound.yaml", SOUND)
    shown = shell("export", file, "--to", form)
    written = shell("export", file, "--to", form, "-o", "out")
    assert (shown.code, written.code) == (0, 0)
    assert shown.out == Path("out").read_text(encoding="utf-8")
    assert written.out == ""
    assert "wrote out" in written.err


@pytest.mark.parametrize("form", PICTURES)
def test_pictures_are_png(shell: Shell, form: str) -> None:
    file = shell.file("sound.yaml", SOUND)
    assert shell("export", file, "--to", form, "-o", "out.png").code == 0
    assert Path("out.png").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")


@pytest.mark.parametrize("form", [*FORMS, *PICTURES, "nccl-xml"])
def test_nothing_is_overwritten_unless_that_is_asked_for(shell: Shell, form: str) -> None:
    file = shell.file("sound.yaml", SOUND)
    shell.file("out", "mine")
    refused = shell("export", file, "--to", form, "-o", "out")
    assert (refused.code, refused.out) == (2, "")
    assert "out: is there already; say --force to replace it" in refused.err
    assert Path("out").read_text(encoding="utf-8") == "mine"
    assert shell("export", file, "--to", form, "-o", "out", "--force").code == 0
    assert Path("out").read_bytes() != b"mine"
    assert not list(Path().glob(".out*"))


def test_a_file_that_cannot_be_written_is_said(shell: Shell) -> None:
    file = shell.file("sound.yaml", SOUND)
    outcome = shell("export", file, "--to", "cables", "-o", "no/such/place.csv")
    assert outcome.code == 2
    assert "no/such/place.csv: not saved: there is no directory" in outcome.err


def test_two_boxes_in_one_unit_are_said_and_the_rest_is_exported(shell: Shell) -> None:
    outcome = shell("export", shell.file("crowded.yaml", CROWDED), "--to", "cables")
    assert outcome.code == 1
    assert "A01: node[node=0] and leaf[leaf=0] both take U3" in outcome.err
    assert len(list(csv.DictReader(io.StringIO(outcome.out)))) == 32


def test_a_rack_over_its_power_is_said(shell: Shell) -> None:
    text = SOUND + "placement: {max_power_w: 20000, nodes_per_rack: 4}\n"
    outcome = shell("export", shell.file("hot.yaml", text), "--to", "elevations")
    assert outcome.code == 1
    assert "40.8 kW, its limit is 20.0 kW" in outcome.err
    assert "over its limit" in outcome.out


def test_a_length_that_no_cable_reaches_leaves_its_rows_without_a_part(shell: Shell) -> None:
    text = SOUND.replace("length: 20", "length: 9000")
    outcome = shell("export", shell.file("far.yaml", text), "--to", "cables")
    assert outcome.code == 1
    assert "[no-cable]" in outcome.err
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    assert {(row["Cable"], row["Length-m"]) for row in rows} == {("", "9000")}


def test_a_wrong_placement_is_told_with_its_place(shell: Shell) -> None:
    file = shell.file("wrong.yaml", SOUND + "placement: {switches: nowhere}\n")
    outcome = shell("export", file, "--to", "svg")
    assert (outcome.code, outcome.out) == (2, "")
    assert "wrong.yaml:8:23: placement.switches: found 'nowhere'" in outcome.err


def test_an_empty_design_can_be_exported_in_every_form(shell: Shell) -> None:
    file = shell.file("empty.yaml", "toposmith: 1\n")
    for form in (*FORMS, *PICTURES):
        assert shell("export", file, "--to", form, "-o", f"out-{form}").code == 0


def test_svg_is_xml_that_names_its_groups(shell: Shell) -> None:
    outcome = shell("export", shell.file("sound.yaml", SOUND), "--to", "svg")
    named = [one.get("data-node") for one in ElementTree.fromstring(outcome.out).iter()]
    assert {"node", "leaf"} <= set(named)


def test_elevations_say_power_heat_and_what_is_free(shell: Shell) -> None:
    out = shell("export", shell.file("sound.yaml", SOUND), "--to", "elevations").out
    assert "32 of 42 U; 40.8 kW, heat 139,215 BTU/h; feeds unknown" in out
    assert " free: U33 to U42" in out
    assert "[node-3]" in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_check_says_what_is_wrong_with_the_racks_of_a_placement(shell: Shell) -> None:
    sound = shell("check", shell.file("sound.yaml", SOUND))
    crowded = shell("check", shell.file("crowded.yaml", CROWDED))
    assert "rack-" not in sound.out
    assert "[rack-unit-taken]" in crowded.out
    assert crowded.code == 1
