"""The page of docs that says which combinations published results cover."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from bench.measured.score import Found
from toposmith.analysis.prediction.error_band import (
    FEWEST_FOR_A_SHARE,
    FEWEST_SYSTEMS,
    SIZE_RANGES,
    BandClass,
)
from toposmith.collectives import COLLECTIVES

PAGE = Path(__file__).parents[2] / "docs" / "published.md"

HEAD = f"""\
# What published results cover

Predictions of systems like none that results are published of are as the model has them, with
nothing to hold them against. `analyze --why` says in a line, and `M` in the app below its fields,
what is published of systems like the design at hand; this page has all of it. It is written by
`python -m bench.measured --write`; a test holds it to the results.

A cell has the number of systems, the GPUs of the largest run, and how many systems ran each
collective. From {FEWEST_FOR_A_SHARE} systems on a band can claim a share;
{FEWEST_SYSTEMS} to {FEWEST_FOR_A_SHARE - 1} show the lowest and the highest result and promise
nothing; fewer show none. Counted are healthy runs of what NCCL chose, ideally routed, on whole
nodes; [the model](model.md#how-far-to-trust-it) says how far predictions were from them, and has
racks of NVLink trays apart.

"""


def page(found: Mapping[tuple[BandClass, int], Found]) -> str:
    """The page, from the bands by kind of system and size."""
    names = [name for _, _, name in SIZE_RANGES]
    rows = [f"| systems | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for kind in get_args(BandClass):
        cells = [_cell(found.get((kind, at))) for at in range(len(names))]
        rows.append(f"| {kind} | {' | '.join(cells)} |")
    return HEAD + "\n".join(rows) + "\n"


def _cell(band: Found | None) -> str:
    if band is None:
        return "none"
    ran = ", ".join(f"{COLLECTIVES[name].name} {many}" for name, many in band.ran.items())
    return f"**{len(band.inside)}**, up to {band.most_gpus} GPUs: {ran}"
