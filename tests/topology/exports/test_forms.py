"""A form of export is one record: the command and the app offer it by that."""

from __future__ import annotations

import pytest

from tests.command.shell import Shell
from toposmith.topology.evaluation import EvaluatedDesign
from toposmith.topology.exports.forms import FORMS, Form, Made


def _gpu_count(handover: EvaluatedDesign, _progress: object, _group: str | None) -> Made:
    return Made([f"{handover.analysis.gpus} GPUs\n".encode()])


def test_a_form_from_outside_is_written(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    form = Form("gpu-count", "number of GPUs", ".gpus.txt", _gpu_count)
    monkeypatch.setitem(FORMS, form.name, form)
    assert "gpu-count" in shell("export", "--help").out
    assert shell("export", "dgx-h100-superpod-1su", "--to", "gpu-count").out == "248 GPUs\n"
