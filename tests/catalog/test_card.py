"""What is shown of a part."""

from __future__ import annotations

import pytest

from catalog import Catalog, load_catalog, one_line, part_card
from catalog.wording import rate_name

CATALOG = load_catalog()


def card(part_id: str, catalog: Catalog = CATALOG) -> dict[str, tuple[str, str]]:
    return {label: (value, mark) for label, value, mark in part_card(CATALOG[part_id], catalog)}


@pytest.mark.parametrize(
    ("part_id", "line"),
    [
        ("qm9700", "64 x 400 Gb/s, OSFP"),
        ("connectx-6-hdr", "1 x 200 Gb/s, QSFP56, PCIe 4"),
        ("dgx-a100", "8 x A100 SXM4 80GB, 8 x HDR"),
        ("hgx-h100-8", "8 x H100 SXM5 80GB, 8 open NIC slots"),
        ("h100-sxm5", "80 GB, NVLink 4, 18 x 25 = 450 GB/s"),
        ("mcp7h50-h", "QSFP56 200 Gb/s to 2 x QSFP56 100 Gb/s, DAC to 2 m"),
        ("mma4z00-ns", "2 x 400 Gb/s, OSFP, multimode to 50 m"),
        ("mfp7e20", "1 to 2, MPO-12/APC, multimode to 50 m"),
    ],
)
def test_one_line_says_what_a_part_is(part_id: str, line: str) -> None:
    assert one_line(CATALOG[part_id], CATALOG) == line


def test_one_line_without_a_catalog_names_ids() -> None:
    assert one_line(CATALOG["dgx-a100"]) == "8 x a100-sxm4-80gb, 8 x connectx-6-hdr"


@pytest.mark.parametrize(
    ("nic", "rate"),
    [
        ("connectx-5-edr", "EDR"),
        ("connectx-6-hdr", "HDR"),
        ("connectx-6-hdr100", "HDR100"),
        ("connectx-7-ndr", "NDR"),
        ("connectx-7-ndr200", "NDR200"),
        ("connectx-6-200gbe", "200GbE"),
    ],
)
def test_rates_have_the_names_of_the_field(nic: str, rate: str) -> None:
    assert rate_name(CATALOG.nic(nic)) == rate


def test_a_figure_that_nobody_published_shows_as_unknown() -> None:
    assert card("sn3700")["Power, W"] == ("unknown", "")


def test_a_doubtful_figure_is_marked() -> None:
    value, mark = card("qm9700")["Power, W"]
    assert value == "1720"
    assert mark.startswith("unverified: ")
    assert card("dgx-a100")["Weight, kg"] == ("123.2", "unverified")


def test_a_figure_with_a_source_of_its_own_names_it() -> None:
    value, mark = card("dgx-h100")["Between sockets, GB/s"]
    assert value == "22"
    assert mark.startswith("NCCL src/graph/topo.h")


def test_a_doubt_about_a_slot_group_shows_at_that_group_only() -> None:
    rows = card("dgx-h100")
    assert rows["NIC slots, storage"][1] == "unverified"
    assert rows["NIC slots, compute"][1] == ""


def test_a_card_of_a_dgx_h100_tells_which_nics_share_a_cage() -> None:
    assert card("dgx-h100")["Cages, compute"][0].startswith("OSFP1 = 7,4; OSFP2 = 6,5")


def test_a_card_stays_readable_when_the_gpu_is_not_in_the_catalog() -> None:
    assert card("dgx-h100", Catalog([]))["GPUs"][0] == "8 x h100-sxm5"


@pytest.mark.parametrize("part", list(CATALOG), ids=lambda part: part.id)
def test_every_card_is_plain_text_and_ends_in_its_source(part: object) -> None:
    rows = part_card(part, CATALOG)  # type: ignore[arg-type]
    assert all(isinstance(text, str) for row in rows for text in row)
    assert all(label and value and "None" not in value for label, value, _ in rows)
    assert rows[-1][0] in {"Source", "Note"}
