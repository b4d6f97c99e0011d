"""What a placement says of a group follows the group through edits."""

from __future__ import annotations

from toposmith.design.document import Design
from toposmith.design.edits.groups import (
    duplicate_groups,
    merge_groups,
    remove_group,
    rename_group,
    set_count,
    split_group,
)
from toposmith.design.placement_block import PlacementBlock, Position

AT = Position(rack="B01", unit=3)
ABOVE = Position(rack="B02", unit=9)


def placed(**devices: Position) -> Design:
    """Eight nodes on two leaves; the rest of the block is as a person wrote it."""
    return Design.model_validate(
        {
            "toposmith": 1,
            "groups": {
                "node": {"part": "dgx-h100", "count": 8},
                "leaf": {"part": "qm9700", "count": 2},
            },
            "links": [{"between": ["node.compute", "leaf"]}],
            "placement": PlacementBlock(
                nodes_per_rack=2,
                heights={"leaf": 2, "node": 8},
                devices={text.replace("_", "="): at for text, at in devices.items()},
            ),
        }
    )


def block(design: Design) -> PlacementBlock:
    assert design.placement is not None
    return design.placement


def test_a_renamed_group_keeps_its_height_and_its_rack() -> None:
    design = placed(**{"leaf[leaf_1]": AT, "node": ABOVE})
    after = block(rename_group(design, "leaf", "tor").design)
    assert after.heights == {"tor": 2, "node": 8}
    assert after.devices == {"tor[tor=1]": AT, "node": ABOVE}
    assert after.nodes_per_rack == 2


def test_a_deleted_group_takes_its_places_along() -> None:
    design = placed(**{"leaf[leaf_1]": AT, "node": ABOVE})
    after = block(remove_group(design, "leaf").design)
    assert after.heights == {"node": 8}
    assert after.devices == {"node": ABOVE}


def test_a_group_whose_name_begins_like_the_deleted_one_stays() -> None:
    design = placed(node=ABOVE)
    renamed = rename_group(design, "node", "leaf-node").design
    after = block(remove_group(renamed, "leaf").design)
    assert after.heights == {"leaf-node": 8}
    assert after.devices == {"leaf-node": ABOVE}


def test_a_copy_is_as_tall_but_stands_elsewhere() -> None:
    after = block(duplicate_groups(placed(leaf=AT), ["leaf"]).design)
    assert after.heights == {"leaf": 2, "node": 8, "leaf2": 2}
    assert after.devices == {"leaf": AT}


def test_the_second_part_of_a_split_group_takes_the_places_of_its_devices() -> None:
    design = placed(**{"node[node_1]": AT, "node[node_6]": ABOVE})
    split = split_group(design, "node", 4).design
    assert block(split).devices == {"node[node=1]": AT, "node2[node2=2]": ABOVE}
    assert block(split).heights["node2"] == 8
    merged = merge_groups(split, "node", "node2").design
    assert block(merged).devices == block(design).devices
    assert block(merged).heights == block(design).heights


def test_devices_that_a_smaller_count_takes_away_have_no_place_left() -> None:
    design = placed(**{"node[node_1]": AT, "node[node_6]": ABOVE})
    assert block(set_count(design, "node", 4).design).devices == {"node[node=1]": AT}
