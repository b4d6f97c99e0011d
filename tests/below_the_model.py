"""All-reduces as they read where all published ones of such systems lie below the prediction."""

from __future__ import annotations

from typing import Any

import pytest

from toposmith.analysis import analyse
from toposmith.labels import Label
from toposmith.review.failures import without

WHY = "published runs are slower"


def read_less(monkeypatch: pytest.MonkeyPatch) -> None:
    """Label every all-reduce ``at most``, which no design that comes with the program is."""
    for module in (analyse, without):
        monkeypatch.setattr(module, "prediction_label", _labelled(module.prediction_label))


def _labelled(as_modelled: Any) -> Any:
    def label(network: Any, groups: Any, request: Any, split: Any) -> Label:
        if request.collective == "all_reduce":
            return Label("at most", WHY)
        return as_modelled(network, groups, request, split)

    return label
