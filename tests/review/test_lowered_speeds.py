"""Links below the speed of their cages: fine where that reaches more switches, said where not."""

from __future__ import annotations

import pytest

from tests.review.reviewing import CATALOG, reviewed
from toposmith.catalog import Catalog, Switch
from toposmith.catalog.pieces import PortMode


def stripes(servers: int, uplink: int, spines: int = 4, cables: int = 1) -> str:
    """Juniper's two stripes of eight leaves (juniper.net, jvd-ai-dc-qpp-bgp-dpf, Table 1)."""
    return f"""\
axes: {{stripe: 2, rail: 8}}
groups:
  node: {{part: dgx-h100, per: [stripe], count: {servers // 2}}}
  leaf: {{part: qfx5240-64od, per: [stripe, rail]}}
  spine: {{part: qfx5240-64od, count: {spines}}}
links:
  - {{between: [node.compute, leaf], speed: 400, length: 10}}
  - {{between: [leaf, spine], speed: {uplink}, cables: {cables}, length: 10}}
"""


@pytest.mark.parametrize(
    ("servers", "uplink", "cables", "lowered"),
    [
        (8, 400, 1, False),  # 1:1: each leaf reaches four spines with what two cables would carry
        (4, 200, 1, False),  # likewise with half the servers
        (8, 200, 1, True),  # 2:1: the cages could carry more
        (8, 400, 2, True),  # two cables to each spine, where one of 800 would do
    ],
)
def test_splitting_uplinks_is_said_only_where_it_loses(
    servers: int, uplink: int, cables: int, lowered: bool
) -> None:
    codes = {finding.code for finding in reviewed(stripes(servers, uplink, cables=cables))}
    assert ("speed-lowered" in codes) == lowered


@pytest.mark.parametrize(("speed", "lowered"), [(400, False), (200, True)])
def test_cages_of_two_ports_are_not_slowed_down_by_being_two_ports(
    speed: int, lowered: bool
) -> None:
    # the native mode is 2 x 400 Gb/s; 800 Gb/s from one port would leave half of the ports
    part = CATALOG["qfx5240-64od"]
    assert isinstance(part, Switch)
    modes = (
        PortMode(ports=2, speed_gbit=400),
        PortMode(ports=1, speed_gbit=800),
        PortMode(ports=4, speed_gbit=200),
    )
    twin = part.model_copy(
        update={"id": "twin", "cages": part.cages.model_copy(update={"modes": modes})}
    )
    text = (
        "groups:\n  leaf: {part: twin, count: 2}\n  spine: {part: twin, count: 2}\n"
        f"links:\n  - {{between: [leaf, spine], cables: 4, speed: {speed}, length: 10}}\n"
    )
    codes = {one.code for one in reviewed(text, catalog=Catalog([*CATALOG, twin]))}
    assert ("speed-lowered" in codes) == lowered
