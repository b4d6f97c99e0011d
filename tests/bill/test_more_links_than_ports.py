"""Slots with more links than ports: a finding names them, and the bill is made all the same."""

from __future__ import annotations

import pytest

from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign

FABRIC = """\
toposmith: 1
axes: {su: 4, rail: 8}
groups:
  node: {part: dgx-h100, per: [su], count: 32}
  leaf: {part: qm9700, per: [su, rail]}
  spine: {part: qm9700, count: 16}
STORES
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 2}
LINKS
"""


@pytest.mark.parametrize("stores", [3, 16])
def test_a_bill_is_made_where_links_have_more_cables_than_ports(stores: int) -> None:
    groups = "\n".join(f"  store{n}: {{part: qm9700, count: 2}}" for n in range(stores))
    links = "\n".join(f"  - {{between: [node.storage, store{n}]}}" for n in range(stores))
    text = FABRIC.replace("STORES", groups).replace("LINKS", links)
    one = EvaluatedDesign(parse_design(text, "pod.yaml"), load_catalog())
    switches = next(line for line in one.bill.lines if line.part == "qm9700")
    assert switches.quantity == 4 * 8 + 16 + 2 * stores
    assert any(each.severity == "error" for each in one.findings)
