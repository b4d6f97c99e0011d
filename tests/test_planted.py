"""Faults that are planted by hand stand where they are said to stand, and tests are near them."""

from __future__ import annotations

from bench.planted import FAULTS, ROOT, Fault
from tests.every import for_every


@for_every(FAULTS)
def test_a_planted_fault_stands_once_in_its_file_and_has_tests(fault: Fault) -> None:
    assert fault.planted() != (ROOT / fault.path).read_text()
    assert [path for path in fault.tests.split() if not (ROOT / path).exists()] == []
