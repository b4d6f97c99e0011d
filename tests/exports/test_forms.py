"""A form of export is one record: the command and the app offer it by that."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command.shell import Shell
from tests.exports.neighbours.readers import READ_ELSEWHERE, READERS
from toposmith.exports.forms import FORMS, OF_CABLES, Form
from toposmith.exports.neighbours.device_inventory import DeviceInventory

FOR_PEOPLE = {"html", "bom", "svg", "png", "cables", "elevations", "elevations-svg", "nccl-xml"}
"""Pages, drawings, tables and the inside of a node have tests of their own."""


def _gpu_count(cluster: DeviceInventory) -> Iterator[str]:
    yield f"{cluster.design.analysis.gpus} GPUs\n"


def _ends(cluster: DeviceInventory) -> Iterator[str]:
    for row in cluster.connections():
        yield f"{row.a.node} {row.a.port} {row.z.node} {row.z.port}\n"


def test_a_form_of_cables_from_outside_is_written_and_refused_as_those_of_other_programs(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = Form("ends", "ends of cables", ".ends.txt", _ends, OF_CABLES)
    monkeypatch.setitem(FORMS, "ends", form)
    written = shell("export", "a100-rack-1x100gbe", "--to", "ends").out.splitlines()
    cables = shell("export", "a100-rack-1x100gbe", "--to", "cables").out.splitlines()
    assert len(written) == len(cables) - 1 > 1
    assert len({tuple(line.rsplit(" ", 2)) for line in written}) == len(written)


def test_every_form_for_another_program_is_read_again_by_a_test() -> None:
    assert {*READERS, *READ_ELSEWHERE} >= FORMS.keys() - FOR_PEOPLE
    for form, test in READ_ELSEWHERE.items():
        assert f'"{form}"' in (Path(__file__).parent / "neighbours" / test).read_text("utf-8"), form


def test_a_form_from_outside_is_written(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    form = Form("gpu-count", "number of GPUs", ".gpus.txt", _gpu_count)
    monkeypatch.setitem(FORMS, form.name, form)
    assert "gpu-count" in shell("export", "--list").out
    assert shell("export", "dgx-h100-superpod-1su", "--to", "gpu-count").out == "248 GPUs\n"
