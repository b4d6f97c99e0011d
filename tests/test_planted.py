"""Faults that are planted by hand stand where they are said to stand, and tests are near them."""

from __future__ import annotations

import gc

from bench.mutants import ROOT as TREE
from bench.mutants import mutant_of, put_in_place
from bench.planted import FAULTS, ROOT, Fault
from tests.every import for_every
from toposmith import units


@for_every(FAULTS)
def test_a_planted_fault_stands_once_in_its_file_and_has_tests(fault: Fault) -> None:
    assert fault.planted() != (ROOT / fault.path).read_text()
    assert [path for path in fault.tests.split() if not (ROOT / path).exists()] == []


def test_a_mutant_takes_the_place_of_a_function_that_the_tests_have_frozen() -> None:
    rate = units.line_rate_GBps
    code = rate.__code__
    gc.freeze()
    try:
        put_in_place(mutant_of(TREE / "toposmith" / "units.py", 0))
        assert rate(400) == 400 * 8  # multiplied, where 400 / 8 is meant
    finally:
        rate.__code__ = code
        gc.freeze()
    assert rate(400) == 50
