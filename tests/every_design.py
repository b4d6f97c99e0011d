"""Designs that labels are held to: those that come along, every template, and some odd ones."""

from __future__ import annotations

import re
from functools import cache

from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.evaluation.here import compared_here
from toposmith.planned_design import PlannedDesign
from toposmith.review.failures.sweep import Sweep, sweep
from toposmith.saved_designs import find_saved, saved_designs
from toposmith.templates import TEMPLATES, SettingValue, new_design

CATALOG = load_catalog(user=False)

_POD = """
axes: {su: 2}
groups:
  node: {part: dgx-h100, per: [su], count: 4}
  leaf: {part: qm9700, per: [su]}
  spine: {part: qm9700, count: 1}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 8}
"""

ODD = {
    # leaves at 4:1, waived at no figure
    "waived": _POD + "waivers:\n"
    "  - {code: oversubscribed, where: leaf, reason: meant, date: '2026-01-01'}\n"
    "  - {code: single-leaf, reason: meant, date: '2026-01-01'}\n",
    # a waiver that has ended, one of a finding that does not occur
    "waivers in vain": _POD + "waivers:\n"
    "  - {code: oversubscribed, reason: meant, date: '2020-01-01', until: '2020-02-01'}\n"
    "  - {code: no-cable, reason: meant, date: '2020-01-01'}\n",
    # height and power of the nodes are not in the catalog, and racks are the design's own
    "placed, of unknown height": """
groups:
  node: {part: hgx-a100-8, count: 4, nics: {compute: {part: connectx-6-hdr, count: 4}}}
  leaf: {part: qm8790}
links: [{between: [node.compute, leaf]}]
placement: {nodes_per_rack: 4, max_power_w: 20000}
""",
    "of unknown height": """
groups:
  node: {part: hgx-a100-8, count: 4, nics: {compute: {part: connectx-6-hdr, count: 4}}}
  leaf: {part: qm8790}
links: [{between: [node.compute, leaf]}]
""",
    # a block that cannot be read, and one that cannot run
    "blocks at fault": _POD + "communicator: {layout: 'tp=7,dp=9'}\n"
    "workload: {model: llama3-70b, layout: {tp: 3}, training: {batch: 8, sequence: 4096}}\n",
    "storage on a leaf of its own": """
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700}
  store: {part: ddn-ai400x2, count: 2}
  store-leaf: {part: qm9700}
links:
  - {between: [node.compute, leaf]}
  - {between: [node.storage, store-leaf]}
  - {between: [store, store-leaf]}
""",
    "storage on the leaf": """
groups:
  node: {part: dgx-a100, count: 2}
  leaf: {part: qm8790}
  store: {part: ddn-ai400x2, count: 3}
links:
  - {between: [node.compute, leaf]}
  - {between: [store, leaf]}
""",
    "two networks besides": """
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700}
  store: {part: ddn-ai400x2, count: 2}
  store-leaf: {part: qm9700}
  store-spine: {part: qm9700}
  in-band: {part: sn5600, count: 2}
  in-band-core: {part: sn5600}
links:
  - {between: [node.compute, leaf]}
  - {between: [node.storage, store-leaf], cables: 1}
  - {between: [store, store-spine]}
  - {between: [store-leaf, store-spine], cables: 4}
  - {between: [in-band, in-band-core], cables: 2}
""",
    "with faults": _POD + "down: ['node[su=0,node=1]', '1 of leaf[su=0] - spine[spine=0]']\n",
    "trays of an NVLink rack": """
groups:
  tray: {part: gb200-nvl72-tray, count: 18}
  leaf: {part: qm9700}
links: [{between: [tray.compute, leaf]}]
""",
    "racks that cables join to one NVLink domain": """
axes: {pair: 2, rack: 2}
groups:
  tray: {part: gb200-nvl36-tray, per: [pair, rack], count: 9}
  nvswitch: {part: nvlink5-switch-tray-nvl36, per: [pair, rack], count: 9}
  leaf: {part: qm9700, count: 4}
links:
  - {between: [tray.nvlink, nvswitch]}
  - {between: [nvswitch, nvswitch], along: {rack: other}, cables: 36, length: 1.5}
  - {between: [tray.compute, leaf]}
""",
    "unlike nodes": """
groups:
  fast: {part: dgx-h100, count: 2}
  slow: {part: dgx-a100, count: 2}
  leaf: {part: qm9700}
links:
  - {between: [fast.compute, leaf]}
  - {between: [slow.compute, leaf], speed: 200}
""",
    "too many groups of nodes": """
axes: {a: 150, b: 135}
groups:
  node: {part: dgx-h100, per: [a, b], count: 4}
  leaf: {part: qm9700, per: [a, b]}
links: [{between: [node.compute, leaf]}]
""",
}


def _saved(name: str) -> Design:
    found = find_saved(name)
    assert found is not None
    return parse_design(found.path.read_text(encoding="utf-8"), name)


LARGE = "dragonfly-74x32-slingshot"
"""A saved design of which each figure takes seconds; its kin stands in for it here."""

_SMALLER: dict[str, dict[str, SettingValue]] = {
    "dragonfly": {"groups": 5, "routers": 4},
    "three-tier": {"su": 4, "su_per_pod": 2, "nodes": 4},
    "torus": {"x": 4, "y": 3},  # an even and an odd ring
}
"""Templates of the same classes of devices and links, whose figures take a fourth."""

EVERY: dict[str, Design] = {
    **{one.name: _saved(one.name) for one in saved_designs() if one.name != LARGE},
    **{name: new_design(name, _SMALLER.get(name, {}), catalog=CATALOG) for name in TEMPLATES},
    **{name: parse_design(f"toposmith: 2\n{text}", name) for name, text in ODD.items()},
}

SMALL = [name for name in EVERY if not re.search("131072|64su|too many", name)]
"""Those of which all pages are a matter of moments."""


@cache
def planned(name: str) -> PlannedDesign:
    """One of them understood, with all that was worked out of it so far."""
    return PlannedDesign.of(EVERY[name], CATALOG)


@cache
def compared(name: str) -> EvaluatedDesign:
    """One of them with the figures of a comparison, and all that was worked out of it so far."""
    return compared_here(name, EVERY[name], CATALOG, shared=planned(name))


@cache
def nothing() -> EvaluatedDesign:
    """What there is before anything is drawn, to be compared with."""
    return compared_here("nothing", Design(), CATALOG)


@cache
def swept(name: str) -> Sweep:
    """What single failures of one of them cost."""
    return sweep(planned(name).plan, CATALOG)
