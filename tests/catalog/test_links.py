"""The PCIe links inside a node: what each device gets."""

from __future__ import annotations

import pytest

from toposmith.catalog import Pcie, load_catalog
from toposmith.catalog.part_text import (
    gpu_link,
    pcie_gbit,
    slot_link,
    slot_room,
    slower,
    uplink,
    usual_gpu_link,
)

CATALOG = load_catalog()
NARROW = Pcie(generation=4, width=8)


@pytest.mark.parametrize(
    ("generation", "gbit"), [(1, 32), (2, 64), (3, 126), (4, 252), (5, 504), (6, 968)]
)
def test_sixteen_lanes_carry_what_their_generation_does(generation: int, gbit: float) -> None:
    assert pcie_gbit(Pcie(generation=generation)) == gbit


def test_two_ends_settle_on_the_older_and_the_narrower() -> None:
    assert slower(Pcie(generation=5, width=8), Pcie(generation=4)) == NARROW
    assert slower(NARROW, None) == NARROW


def test_a_gpu_gets_what_its_slot_has_and_no_more_than_its_own() -> None:
    p4d = CATALOG.node("p4d-24xlarge")  # A100s, which have PCIe 4, in slots of PCIe 3
    gpu = CATALOG.gpu(p4d.gpu)
    assert usual_gpu_link(p4d, gpu) == Pcie(generation=3)
    part = p4d.model_copy(update={"gpu_links": {2: NARROW}})
    assert gpu_link(part, gpu, 2) == Pcie(generation=3, width=8)
    assert gpu_link(part, gpu, 3) == Pcie(generation=3)


def test_a_nic_gets_what_its_slot_has_and_no_more_than_its_own() -> None:
    node, nic = CATALOG.node("dgx-h100"), CATALOG.nic("connectx-6-hdr")
    assert slot_link(node, nic, "compute", 0) == Pcie(generation=4)
    slots = node.slots["compute"].model_copy(update={"links": {1: NARROW}})
    part = node.model_copy(update={"slots": {"compute": slots}})
    assert slot_room(part, "compute", 1) == slot_link(part, nic, "compute", 1) == NARROW
    assert slot_room(part, "compute", 0) == Pcie(generation=5)


def test_an_uplink_is_as_that_of_a_gpu_unless_said_otherwise() -> None:
    p5 = CATALOG.node("p5-48xlarge")
    gpu = CATALOG.gpu(p5.gpu)
    assert uplink(p5, gpu, p5.branches[0]) == Pcie(generation=4)
    dgx = CATALOG.node("dgx-h100")
    assert uplink(dgx, CATALOG.gpu(dgx.gpu), dgx.branches[0]) == Pcie(generation=5)
