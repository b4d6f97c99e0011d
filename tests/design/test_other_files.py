"""A file that lies beside designs and is none is called by its name."""

from __future__ import annotations

import pytest

from toposmith.design.parser import parse_design
from toposmith.errors import DesignFileError


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<!DOCTYPE html>\n<html></html>", "this is an HTML page"),
        ("\ufeff\n<html>", "this is an HTML page"),
        ('<?xml version="1.0"?>\n<svg xmlns="x"/>', "this is a drawing"),
        ('<?xml version="1.0"?>\n<graphml/>', "this is a graph"),
        ("# Bill of materials\n\n| part |", "this is a bill of materials (Markdown)"),
        ("toposmith_bill: 2\nlines: []\n", "this is a bill of materials, no design"),
        ("toposmith-review: 1\ndesign: pod.yaml\n", "this is a review of a design"),
        ('{"bomFormat": "CycloneDX"}', "this is a bill of materials (CycloneDX)"),
    ],
)
def test_a_file_of_another_kind_says_in_one_line_what_it_is(text: str, kind: str) -> None:
    with pytest.raises(DesignFileError) as caught:
        parse_design(text, "x.yaml")
    (line,) = [problem.text for problem in caught.value.problems]
    assert line.startswith(kind)
    assert line.endswith("open the design that it was made from")
