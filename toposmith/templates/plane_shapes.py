"""Two-tier shapes whose rails or planes share nothing: rail-only, dual-plane."""

from __future__ import annotations

from toposmith.catalog import Catalog
from toposmith.design.document import Design, Group
from toposmith.errors import EditError
from toposmith.templates.shapes import (
    empty_slots,
    named,
    node_ports,
    ports_per_node,
    spread_links,
    two_tiers,
)
from toposmith.templates.template_settings import SettingValues
from toposmith.text import counted


def rail_only(values: SettingValues, catalog: Catalog) -> Design:
    """A leaf for every rail of every SU, and spines for every rail alone."""
    rails = values["rails"] or ports_per_node(values, catalog)
    axes = {"su": values["su"], "rail": rails}
    begun, way, _ = two_tiers(values, catalog, axes, ("su",))
    spines = values["spines"] or way.spread(values["su"], way.radix)
    spine = Group(part=values["spine"], per=("rail",), count=spines)
    return begun.model_copy(
        update={
            "name": named(
                values, f"{values['su']} SU of {values['nodes']} x {values['node']}, rails apart"
            ),
            "groups": {**begun.groups, "spine": spine},
            "links": (begun.links[0], spread_links(way, spines)),
            "absent": empty_slots(values, {"su": values["su"]}),
            "rails": "apart",
        }
    )


def dual_plane(values: SettingValues, catalog: Catalog) -> Design:
    """Planes of leaves and spines; the ports of a node are dealt over the rails of every plane.

    Raises
    ------
    EditError
        If the ports of a node do not divide over the planes.
    """
    planes = values["planes"]
    fitted = node_ports(values, catalog)
    ports = fitted.ports
    if ports % planes:
        raise EditError(
            f"{counted(ports, 'port')} of a node cannot be dealt over {planes} planes; take "
            "nodes with more "
            "ports, or planes that divide them"
        )
    rails = values["rails"] or ports // planes
    axes = {"su": values["su"], "rail": rails}
    # the leaves of one plane, with the ports that a node has in it
    begun, way, leaves = two_tiers(values, catalog, {**axes, "plane": planes}, ("su",))
    spines = values["spines"] or way.spread(leaves // planes, way.radix)
    return begun.model_copy(
        update={
            "name": named(
                values,
                f"{values['su']} SU of {values['nodes']} x {values['node']}, {planes} planes",
            ),
            "groups": {
                **begun.groups,
                "spine": Group(part=values["spine"], per=("plane",), count=spines),
            },
            "links": (begun.links[0], spread_links(way, spines)),
            "absent": empty_slots(values, {"su": values["su"]}),
            # NICs without a port in each plane reach those of their own plane only
            "rails": "apart" if ports // fitted.nics % planes else None,
        }
    )
