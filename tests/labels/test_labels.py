"""Every command, view and export over unlike designs: each label is held to the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.every import for_every
from tests.labels.collecting import collected, of_small_screens
from tests.labels.designs import WALKED, all_names, odd_designs
from tests.labels.rule import Rule
from tests.labels.rules import RULES, broken_in


@pytest.mark.parametrize("name", WALKED)
async def test_no_label_says_more_than_is_known(name: str, tmp_path: Path) -> None:
    broken = broken_in(await collected(name, tmp_path))
    assert not broken, "\n".join([f"{name}: {len(broken)} labels say too much", *broken])


@pytest.mark.parametrize("name", ["trays-side-by-side", "one-nic-down", "waived-findings"])
async def test_labels_stand_on_the_smallest_screen(name: str, tmp_path: Path) -> None:
    broken = broken_in(await of_small_screens(name, tmp_path))
    assert not broken, "\n".join(broken)


@for_every(RULES, named=lambda rule: rule.name)
def test_every_rule_can_be_broken_over_a_design_that_is_walked(rule: Rule) -> None:
    assert {lie.design for lie in rule.lies} & set(WALKED)


def test_what_is_walked_is_there() -> None:
    assert set(WALKED) <= set(all_names())


def test_there_are_thirty_odd_designs_and_each_says_what_is_odd() -> None:
    found = odd_designs()
    assert len(found) >= 30
    for path in found.values():
        first = path.read_text(encoding="utf-8").splitlines()[0]
        assert first.startswith("# ") and len(first) > 20, path.name
