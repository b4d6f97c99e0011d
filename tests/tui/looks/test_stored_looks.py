"""The designer looks as it was last approved, in ASCII, in colours, in 16 colours, and large.

After a change that is meant: ``python -m tests.tui.looks.grid``, and read the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest

from tests.labels.sharing import computed_once
from tests.tui.looks.grid import CASES, FOLDER, PICTURED, SIZES, drawn, name_of


@pytest.fixture(scope="module", autouse=True)
def one_design() -> Iterator[None]:
    """All pictures are of one design: its figures, failures and fixes are worked out once."""
    with computed_once():
        yield


@pytest.mark.parametrize(("size", "looks"), CASES, ids=lambda part: str(part))
async def test_the_designer_looks_as_it_was_approved(
    size: tuple[int, int], looks: tuple[str, ...]
) -> None:
    seen = await drawn(size, looks)
    assert seen == {name: (FOLDER / name).read_text(encoding="utf-8") for name in seen}


def test_ascii_pictures_are_ascii() -> None:
    assert (FOLDER / name_of(SIZES[0], "ascii")).read_text(encoding="utf-8").isascii()


def test_nothing_is_stored_that_is_not_looked_at() -> None:
    named = {
        name_of(size, look, place)
        for size, looks in CASES
        for look, place in ((looks[0], ""), *product(looks, PICTURED))
    }
    assert {path.name for path in FOLDER.iterdir()} == named
