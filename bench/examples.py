"""Many more of the examples that tests draw than the suite looks at, and others at each seed.

    python -m bench.examples [--times 10] [--seed 1] [tests/analysis ...]

The suite draws few, the same ones in each run, and reports the first that fails as it was drawn.
Here each test that draws is run with so many times as many, and what fails is made small.
"""

from __future__ import annotations

import argparse
import sys

import pytest
from hypothesis import settings

DRAWS = "_hypothesis_internal_use_settings"


class Many:
    """Leaves the tests that draw their examples, and lets them draw more."""

    def __init__(self, times: int) -> None:
        self.times = times

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if hasattr(getattr(item, "obj", None), DRAWS)]
        for test in {item.obj for item in items}:  # type: ignore[attr-defined]
            few = getattr(test, DRAWS)
            more = {"max_examples": few.max_examples * self.times, "derandomize": False}
            setattr(
                test, DRAWS, settings(few, phases=settings.get_profile("default").phases, **more)
            )


def main() -> int:
    """Run the tests; the exit code is that of pytest."""
    parser = argparse.ArgumentParser(prog="python -m bench.examples", description=__doc__)
    parser.add_argument("--times", type=int, default=10, help="so many times as many examples")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("tests", nargs="*", default=["tests"])
    asked = parser.parse_args()
    options = ("-q", f"--hypothesis-seed={asked.seed}", *asked.tests)
    return int(pytest.main([*options], plugins=[Many(asked.times)]))


if __name__ == "__main__":
    sys.exit(main())
