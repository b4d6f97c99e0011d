"""A job's label is that of the whole analysis, though its bound is not always worked out."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

import pytest

from toposmith.catalog import load_catalog
from toposmith.saved_designs import saved_designs
from toposmith.topology.analysis.bounds.halves import sockets_allow_GBps
from toposmith.topology.analysis.jobs.ranks import world
from toposmith.topology.analysis.request import Collective, Request
from toposmith.topology.design.document import Design
from toposmith.topology.design.loading import load_file
from toposmith.topology.evaluation import EvaluatedDesign
from toposmith.topology.design.reading import parse_design
from toposmith.topology.templates import TEMPLATES, new_design

CATALOG = load_catalog(user=False)

LARGE = "dragonfly-74x32-slingshot"
"""Its bound takes half a minute."""


def designs() -> Iterator[Design]:
    yield from (load_file(one.path).design for one in saved_designs() if one.path.stem != LARGE)
    yield from (new_design(name, catalog=CATALOG) for name in TEMPLATES if name != "empty")


@pytest.mark.parametrize("collective", ["all_to_all", "send_recv"])
def test_labels_of_jobs_are_those_of_the_analysis(collective: Collective) -> None:
    compared = 0
    for design in designs():
        for size in (2**20, 2**33):
            question = EvaluatedDesign(design, CATALOG, Request(collective, size)).question
            if question.predictor is not None:
                outcome = question.predictor.at(size)
                assert question.label_of_job(outcome) == question.label(outcome), design.name
                compared += 1
    assert compared > 20


PCIE = """\
toposmith: 2
name: PCIe nodes
groups:
  node: {part: %s, count: 4, nics: {compute: {part: connectx-7-ndr, count: %d}}}
  leaf: {part: qm9700}
links:
  - {between: [node.compute, leaf]}
"""
