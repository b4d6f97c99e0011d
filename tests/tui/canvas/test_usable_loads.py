"""A load's share and the figures beside it agree."""

from __future__ import annotations

import pytest

from toposmith.analysis.result import LinkLoad
from toposmith.tui.canvas.trunk_figures import trunk_figure
from toposmith.tui.depths.place_loads import load_words


@pytest.mark.parametrize(
    ("usable", "share", "words"),
    [
        (48.0, 0.9417, "45.2 of 48.0 GB/s of payload, 94 %"),  # 45.2 / 48 = 0.9417
        (None, 0.904, "45.2 of 50.0 GB/s, 90 %"),  # 45.2 / 50 = 0.904
        (50.0, 0.904, "45.2 of 50.0 GB/s, 90 %"),
    ],
)
def test_a_share_is_that_of_the_figure_that_it_stands_beside(
    usable: float | None, share: float, words: str
) -> None:
    load = LinkLoad("node - leaf", 0, "nic", 8, 50.0, 45.2, share, usable)
    assert load_words(trunk_figure(load, limits=False)) == words
