"""A waiver is given in the app at 2:1; the design then becomes 8:1."""

from __future__ import annotations

import json
from pathlib import Path

from tests.fabric_texts import in_racks
from tests.labels.app import opened
from tests.labels.commands import run
from tests.tui.person import Person

TWO_TO_ONE = "name: waived at 2:1\n" + in_racks(
    4, 2, cables=4, node="dgx-a100", leaf="qm8700"
)  # 16 ports down, 8 up


async def waive(person: Person, code: str) -> None:
    """Waive a finding for a reason, and save."""
    await person.press("f")
    rows = person.designer.view_of("findings").shown_rows
    at = next(number for number, row in enumerate(rows) if f" {code} " in f" {row.key} ")
    await person.press("home", *["down"] * at, "w")
    await person.type("jobs stay in their rack")
    while person.designer.asking:
        await person.press("enter")
    await person.press("escape", "s")


def waived_codes(path: Path) -> dict[str, bool]:
    """By code whether a finding is waived."""
    (design,) = json.loads(run("check", str(path), "--json").out)["designs"]
    return {one["code"]: "waived" in one for one in design["findings"]}


async def test_a_waiver_given_at_2_to_1_holds_there_and_below_and_is_void_at_8_to_1(
    tmp_path: Path,
) -> None:
    path = tmp_path / "waived.yaml"
    path.write_text(TWO_TO_ONE, encoding="utf-8")
    async with opened(path) as person:
        await waive(person, "oversubscribed")
    waived = path.read_text(encoding="utf-8")
    assert "oversubscribed" in waived
    found = {}
    for ratio, cables in (("1:1", 8), ("2:1", 4), ("8:1", 1)):
        path.write_text(waived.replace("cables: 4", f"cables: {cables}"), encoding="utf-8")
        found[ratio] = waived_codes(path).get("oversubscribed")
    assert found == {"1:1": None, "2:1": True, "8:1": False}
