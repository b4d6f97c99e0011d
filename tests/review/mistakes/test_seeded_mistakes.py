"""Every seeded mistake gives its finding, and its corrected twin none of warning or worse."""

from __future__ import annotations

import pytest

from tests.review.mistakes.seeded import MISTAKES, Mistake
from tests.review.reviewing import counting, reviewed

EACH = pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)


@EACH
def test_a_mistake_gives_its_finding_with_a_fix(mistake: Mistake) -> None:
    found = {(f.code, f.where): f for f in reviewed(mistake.wrong, mistake.policy)}
    assert (mistake.code, mistake.where) in found
    finding = found[mistake.code, mistake.where]
    assert finding.severity in ("error", "warning")
    assert finding.fix


@EACH
def test_its_corrected_twin_gives_none(mistake: Mistake) -> None:
    assert counting(reviewed(mistake.right, mistake.policy)) == []


def test_there_are_at_least_40_mistakes_of_at_least_35_kinds() -> None:
    assert len(MISTAKES) >= 40
    assert len({mistake.code for mistake in MISTAKES}) >= 35
    assert all(mistake.wrong != mistake.right for mistake in MISTAKES)
