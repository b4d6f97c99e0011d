"""All pages of a design, from commands and from the app."""

from __future__ import annotations

from pathlib import Path

from tests.labels import app, commands
from tests.labels.designs import all_names, twin_of, written
from tests.labels.facts import Facts
from tests.labels.rule import Walk
from tests.labels.sharing import computed_once

EVERY_VIEW = "trays-side-by-side"
"""Over this also the views with few labels are turned to, and a small message is measured."""
ONLY_COMMANDS = (
    *("dgx-a100-su", "dgx-h100-superpod-4su", "dgx-b200-superpod-64su"),
    *("b200-131072gpu-fabric-per-rail", "template single-switch", "template three-tier"),
    *("template rail-only", "template dual-plane", "template top-of-rack", "template dragonfly"),
    *("dgx-h100-superpod-1su", "dual-plane", "dual-port-nics", "efa-nodes", "one-gpu-per-node"),
    *("pcie-only-rails", "slow-ethernet", "tcp-sockets", "three-tiers-thinned", "uneven-bundles"),
)
"""The app would show of these what it shows of a design beside them: of the labels that were taken
away from its pages, or turned into "exact", each is found over others, too."""


def views_of(name: str, facts: Facts) -> list[str]:
    """The views that the labels of a design can differ in, and one more of all in turn.

    Every view over every design would take four times as long: ``python -m tests.labels`` does so.
    """
    views = list(app.VIEWS)
    if name == EVERY_VIEW:
        return [*views, *app.RARE]
    wanted = {views[all_names().index(name) % len(views)]}
    if facts.has_trays:
        wanted |= {"bill", "racks", "failures", "curve"}
    if facts.rack_limit_w:
        wanted |= {"bill", "racks"}
    if facts.design.get("waivers"):
        wanted |= {"findings"}
    if facts.other_switches:
        wanted |= {"failures", "findings"}
    if facts.design.get("workload"):
        wanted |= {"workload"}
    return [view for view in views if view in wanted]


async def collected(name: str, folder: Path, *, everything: bool = False) -> Walk:
    """Walk a design that is written into a folder of its own.

    Parameters
    ----------
    name : str
        A saved design, a template or an odd one.
    folder : Path
        Where it is written, and what commands and the app write of it.
    everything : bool
        Whether to turn to every view.
    """
    path = written(name, folder)
    facts = Facts.of(path)
    other = twin_of(path)
    views = [*app.VIEWS, *app.RARE] if everything else views_of(name, facts)
    with computed_once():
        turn = None if everything else all_names().index(name)
        pages = list(commands.walk(path, facts, folder, other, turn))
        other.unlink()
        if everything or name not in ONLY_COMMANDS:
            pages += await app.walk(path, views, small=everything or name == EVERY_VIEW)
    return Walk(name, facts, pages)


async def of_small_screens(name: str, folder: Path) -> Walk:
    """The fabric on the smallest screen, with the figures that a program reads."""
    path = written(name, folder)
    facts = Facts.of(path)
    with computed_once():
        pages = [*commands.analyses_in_data(str(path)), *await app.small_screens(path)]
    return Walk(name, facts, pages)
