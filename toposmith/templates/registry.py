"""The registry of templates, and making a design from one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from toposmith.catalog import Catalog
from toposmith.design.document import Design, version_needed
from toposmith.entry_points import refuse_twice
from toposmith.errors import EditError
from toposmith.templates import direct, plane_shapes, shapes
from toposmith.templates.shapes import nodes_of_unit, units_below_spines
from toposmith.templates.storage_and_management import with_networks
from toposmith.templates.template_settings import (
    USUAL_SWITCH,
    Parameter,
    SettingValue,
    Template,
    nearest,
    read_settings,
    usual_switch,
)

_NAME = Parameter("name", None, "name of the design")
_NODE = (
    Parameter("node", "dgx-h100", "part of the nodes"),
    Parameter("nic", None, "NIC to fit into open slots of the nodes"),
    Parameter("nics", None, "how many of it to fit into each node", 1, 64),
    Parameter("slots", "compute", "slot group of the nodes that is cabled"),
)
_LEAF = Parameter("leaf", USUAL_SWITCH, "part of the leaf switches", usual=usual_switch)
_SPINE = Parameter("spine", None, "part of the spine switches", follows="leaf")
_CORE = Parameter("core", None, "part of the core switches", follows="leaf")
_SWITCH = Parameter("switch", USUAL_SWITCH, "part of the switches", usual=usual_switch)
_RATIO = Parameter(
    "oversubscription", 1, "capacity down over capacity up at the leaves, as 3, 3:1 or 1.5", 1, 64
)
_SPINES = Parameter("spines", None, "how many spines; without it as few as deal evenly", 1, 1024)
_SPINES_OF_RAIL = replace(_SPINES, help=_SPINES.help.replace("spines", "spines of a rail"))
_RAILS = Parameter("rails", None, "leaves of an SU; without it one for each port of a node", 1, 64)
_UNITS = Parameter("su", 4, "scalable units", 1, 4096, usual=units_below_spines(4))
_NODES = Parameter("nodes", 32, "node slots of an SU", 1, 4096, usual=nodes_of_unit(32))
_EMPTY_SLOTS = Parameter(
    "empty_slots",
    0,
    "node slots left empty in the last SU, such as the one that the fabric manager's ports take",
    0,
    4096,
)
NETWORKS = (
    Parameter(
        "storage", 0, "storage appliances, on a network of their own; 0 leaves it out", 0, 4096
    ),
    Parameter("storage_part", "ddn-ai400x2", "part of the storage appliances"),
    Parameter(
        "storage_switch",
        None,
        "part of the switches of the storage network; without it that of the leaves, or the switch",
    ),
    Parameter("storage_nic", None, "NIC to fit into open storage slots of the nodes"),
    Parameter("in_band", None, "part of the in-band switches; without it no such network"),
    Parameter(
        "out_of_band",
        None,
        "part of the switches for management ports (RJ45), such as sn2201; without it none",
    ),
    Parameter(
        "out_of_band_core",
        None,
        "part of the two switches that those for management ports have an uplink to each; without "
        "it their uplinks are not drawn",
    ),
)
"""Settings of the networks beside compute, which every template with nodes has."""

_ASKED_LAST = ("storage", "in_band", "out_of_band", "out_of_band_core")
_ASKED = ("node", "su", "leaf", "spine", "oversubscription", "nodes", "empty_slots")
"""What is asked, in this order: how many nodes go below a leaf follows from leaf and ratio."""


def _with_networks(template: Template) -> Template:
    if not template.asks:
        return template
    return replace(
        template,
        parameters=(*template.parameters, *NETWORKS),
        asks=(*template.asks, *_ASKED_LAST),
    )


class Templates(dict[str, Template]):
    """Ways to begin a design, by name.

    Each has a description (``help``) and settings (``parameters``: name, default, help);
    :func:`toposmith.new` makes the design.
    """


TEMPLATES: Templates = Templates(
    (template.name, _with_networks(template))
    for template in (
        Template("empty", "nothing yet", (_NAME,), shapes.empty),
        Template(
            "single-switch",
            "all nodes on one switch",
            (
                _NAME,
                *_NODE,
                Parameter(
                    "nodes",
                    4,
                    "how many nodes",
                    1,
                    4096,
                    usual=nodes_of_unit(4, rails=False, spines=False),
                ),
                replace(_SWITCH, help="part of the switch"),
            ),
            shapes.single_switch,
            asks=("node", "nodes", "switch"),
        ),
        Template(
            "leaf-spine",
            "rail-optimised, two tiers: each SU has a leaf for every rail, all leaves meet at "
            "the spines",
            (
                _NAME,
                *_NODE,
                _UNITS,
                _NODES,
                _RAILS,
                _LEAF,
                _SPINE,
                _RATIO,
                _SPINES,
                _EMPTY_SLOTS,
            ),
            shapes.leaf_spine,
            asks=_ASKED,
        ),
        Template(
            "three-tier",
            "rail-optimised, three tiers: pods of leaves and spines, joined by cores",
            (
                _NAME,
                Parameter("su", 16, "scalable units in all", 1, 65536),
                Parameter("su_per_pod", None, "SU of a pod; without it as many as fit", 1, 4096),
                *_NODE,
                _NODES,
                _RAILS,
                _LEAF,
                _SPINE,
                _CORE,
                _RATIO,
                _EMPTY_SLOTS,
            ),
            shapes.three_tier,
            asks=(*_ASKED[:4], "core", *_ASKED[4:]),
        ),
        Template(
            "rail-only",
            "rail-optimised, two tiers: the leaves of a rail meet at spines of their own, so that "
            "traffic changes rails inside nodes",
            (
                _NAME,
                *_NODE,
                _UNITS,
                _NODES,
                _RAILS,
                _LEAF,
                _SPINE,
                _RATIO,
                _SPINES_OF_RAIL,
                _EMPTY_SLOTS,
            ),
            plane_shapes.rail_only,
            asks=_ASKED,
        ),
        Template(
            "dual-plane",
            "rail-optimised, two tiers, in planes that share nothing: each node has ports in all",
            (
                _NAME,
                *_NODE,
                Parameter("planes", 2, "how many planes", 2, 16),
                _UNITS,
                _NODES,
                Parameter("rails", None, "rails of a plane; without it as many as ports go", 1, 64),
                _LEAF,
                _SPINE,
                _RATIO,
                Parameter(
                    "spines", None, _SPINES.help.replace("spines", "spines a plane"), 1, 1024
                ),
                _EMPTY_SLOTS,
            ),
            plane_shapes.dual_plane,
            asks=("node", "su", "planes", *_ASKED[2:]),
        ),
        Template(
            "top-of-rack",
            "each rack has one switch for all ports of its nodes, two tiers",
            (
                _NAME,
                Parameter("racks", 8, "how many racks", 1, 65536),
                *_NODE,
                Parameter(
                    "nodes", 4, "nodes of a rack", 1, 4096, usual=nodes_of_unit(4, rails=False)
                ),
                _LEAF,
                _SPINE,
                _RATIO,
                _SPINES,
            ),
            shapes.top_of_rack,
            asks=("node", "racks", *_ASKED[2:6]),
        ),
        Template(
            "nvlink-racks",
            "racks of trays that are one NVLink domain each (NVL72), rail-optimised, two tiers: "
            "a leaf for every rail of each rack, or of as many racks as it has ports for; one "
            "domain alone has none unless its leaves, rails or spines are asked for",
            (
                _NAME,
                Parameter("racks", 8, "how many racks", 1, 65536),
                replace(_NODE[0], default="gb200-nvl72-tray", help="part of the trays"),
                *_NODE[1:],
                Parameter(
                    "nodes",
                    None,
                    "trays of a rack; without it as many as its NVLink switches join",
                    1,
                    4096,
                ),
                Parameter(
                    "nvswitches",
                    None,
                    "NVLink switch trays of a rack; without it those that it is sold with, if the "
                    "catalog has them; 0 draws none",
                    0,
                    4096,
                ),
                Parameter(
                    "joined",
                    1,
                    "racks of one NVLink domain, whose switch trays cables join: 2 of NVL36x2",
                    1,
                    8,
                ),
                replace(
                    _RAILS, help=_RAILS.help.replace("an SU", "a rack").replace("node", "tray")
                ),
                _LEAF,
                _SPINE,
                _RATIO,
                _SPINES,
            ),
            shapes.nvlink_racks,
            asks=("node", "racks", *_ASKED[2:6]),
        ),
        Template(
            "torus",
            "two or three dimensions of switches with nodes, each joined to its neighbours",
            (
                _NAME,
                Parameter("x", 4, "switches along x", 1, 1024),
                Parameter("y", 4, "switches along y", 1, 1024),
                Parameter("z", None, "switches along z; without it two dimensions", 1, 1024),
                *_NODE,
                Parameter("nodes", 2, "nodes at each switch", 1, 4096),
                _SWITCH,
                Parameter(
                    "cables", None, "cables to each neighbour; without it as many as fit", 1, 64
                ),
            ),
            direct.torus,
            asks=("node", "nodes", "x", "y", "z", "switch"),
        ),
        Template(
            "dragonfly",
            "groups of routers with nodes, each group a full mesh, all groups joined by cables "
            "dealt over their routers",
            (
                _NAME,
                *_NODE,
                Parameter(
                    "groups",
                    direct.USUAL_GROUPS,
                    "groups of routers",
                    2,
                    4096,
                    usual=direct.usual_groups,
                ),
                Parameter(
                    "routers",
                    None,
                    "routers of a group; without it twice the ports of one towards nodes",
                    1,
                    1024,
                ),
                Parameter(
                    "global",
                    None,
                    "cables of a router to other groups; without it half as many as routers",
                    1,
                    1024,
                ),
                Parameter("nodes", 1, "nodes at each router", 1, 4096),
                _SWITCH,
            ),
            direct.dragonfly,
            asks=("node", "nodes", "groups", "switch"),
        ),
    )
)


def new_design(
    template: str, values: Mapping[str, SettingValue] | None = None, *, catalog: Catalog
) -> Design:
    """Write a design from a template.

    Parameters
    ----------
    template : str
        A key of :data:`TEMPLATES`.
    values : mapping, optional
        Settings by name; numbers may be given as text.
    catalog : Catalog
        Where the radix of switches and the ports of nodes come from.

    Returns
    -------
    Design
        Without findings of severity error.

    Raises
    ------
    EditError
        For an unknown template, setting or part, a value out of range, or parts that cannot be
        joined in this way; it names what is accepted.
    """
    chosen = TEMPLATES.get(template)
    if chosen is None:
        raise EditError(f"there is no template {template!r}{nearest(template, TEMPLATES)}")
    read = read_settings(chosen, values or {}, catalog)
    fabric = chosen.make(read, catalog)
    shapes.sound(fabric, catalog)  # so that a network beside it is not blamed
    made = with_networks(fabric, read, catalog)
    design = made.model_copy(update={"toposmith": version_needed(made)})
    if made is not fabric:
        shapes.sound(design, catalog)
    return design


def add_template(template: Template) -> None:
    """Add a template, such as one of a plug-in; it gets the settings of all with nodes.

    Raises
    ------
    ValueError
        Where there is one of its name.
    """
    refuse_twice(TEMPLATES, template.name)
    TEMPLATES[template.name] = _with_networks(template)
