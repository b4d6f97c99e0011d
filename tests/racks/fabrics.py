"""Drawn designs of parts whose ports, plugs and heights are real, with a placement of their own."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog()
NODES: tuple[tuple[dict[str, Any], str, str, int], ...] = (
    ({"part": "dgx-h100"}, "qm9700", "compute", 8),
    ({"part": "dgx-h100"}, "qm9700", "storage", 4),
    ({"part": "dgx-a100"}, "qm8700", "compute", 8),
    (
        {"part": "hgx-a100-4", "nics": {"compute": {"part": "connectx-6-hdr100", "count": 4}}},
        "qm8700",
        "compute",
        4,
    ),
    (
        {"part": "hgx-h100-8", "nics": {"compute": {"part": "connectx-7-ndr", "count": 8}}},
        "qm9700",
        "compute",
        8,
    ),
)


@st.composite
def placements(draw: st.DrawFn) -> dict[str, Any]:
    block: dict[str, Any] = {"heights": {"node": draw(st.integers(1, 9))}}
    choices: dict[str, st.SearchStrategy[Any]] = {
        "switches": st.sampled_from(("in-row", "end-of-row", "top-of-rack")),
        "racks_per_row": st.integers(1, 6),
        "nodes_per_rack": st.integers(1, 4),
        "max_power_w": st.sampled_from((5_000.0, 25_000.0, 90_000.0)),
        "rack": st.sampled_from(("apc-ar3100", "apc-ar3357")),
        "slack_m": st.sampled_from((0.1, 1.0, 3.0)),
    }
    for key, values in choices.items():
        if draw(st.booleans(), label=key):
            block[key] = draw(values)
    if draw(st.booleans(), label="named"):
        where = {"rack": draw(st.sampled_from(("A01", "B03", "C12"))), "unit": 20}
        block["devices"] = {"leaf[su=0]": where}
    return block


@st.composite
def designs(draw: st.DrawFn, *, length: bool = False) -> Design:
    """Two tiers over SUs and rails with devices, ports and cables that are absent."""
    node, switch, slots, ports = draw(st.sampled_from(NODES))
    su, rails = draw(st.integers(1, 3)), draw(st.sampled_from((1, 2, 4)))
    nodes, spines = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    one_su, one_node = st.integers(0, su - 1), st.integers(0, nodes - 1)
    absent = draw(
        st.lists(
            st.one_of(
                st.builds("node[su={},node={}]".format, one_su, one_node),
                st.builds("leaf[rail={}]".format, st.integers(0, rails - 1)),
                st.builds("spine[spine={}]".format, st.integers(0, spines - 1)),
                st.builds(
                    "leaf[su={}] - spine[spine={}]".format, one_su, st.integers(0, spines - 1)
                ),
                st.builds(f"node[su={{}}].{slots}[{{}}]".format, one_su, st.integers(0, ports - 1)),
            ),
            max_size=3,
            unique=True,
        )
    )
    metres = st.sampled_from((None, 2.0, 20.0)) if length else st.none()
    uplinks = {
        "between": ("leaf", "spine"),
        "cables": draw(st.integers(1, 4)),
        "length": draw(metres),
    }
    return Design.model_validate(
        {
            "axes": {"su": su, "rail": rails},
            "groups": {
                "node": {**node, "per": ("su",), "count": nodes},
                "leaf": {"part": switch, "per": ("su", "rail")},
                "spine": {"part": switch, "count": spines},
            },
            "links": [{"between": (f"node.{slots}", "leaf"), "length": draw(metres)}, uplinks],
            "absent": tuple(absent),
            "placement": draw(placements()),
        }
    )


def planned(design: Design | dict[str, Any]) -> Plan:
    read = design if isinstance(design, Design) else Design.model_validate(design)
    return plan_design(read, CATALOG)
