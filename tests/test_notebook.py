"""What a notebook shows of an evaluated design, and its rows in other libraries."""

from __future__ import annotations

import sys
import types
from collections import Counter
from dataclasses import replace
from xml.etree import ElementTree

import networkx as nx
import pytest

import toposmith
from tests.exports.neighbours.written import expanded, name_of, pair, pairs_of, saved_text

NAME = "hgx-a100-64gpu-roce-2to1"


def test_a_design_shows_its_figures_and_its_drawing() -> None:
    cluster = toposmith.evaluate(NAME)
    html, svg = cluster._repr_html_(), cluster._repr_svg_()
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert svg in html
    assert f"<h4>{cluster.design.name}</h4>" in html
    assert cluster.analysis.busbw.words in html and f">{cluster.analysis.gpus:,}<" in html
    assert "<script" not in html and "http://www.w3.org" in html


def test_another_question_of_the_same_design_shows_itself_too() -> None:
    cluster = toposmith.evaluate(NAME)
    asked = cluster.asking(replace(cluster.asked, collective="all_to_all"))
    assert "all-to-all" in asked._repr_html_()


def test_names_are_text_and_no_markup() -> None:
    design = toposmith.parse({"name": "<script>x</script>", "groups": {}})
    html = toposmith.evaluate(design)._repr_html_()
    assert "<script" not in html and "&lt;script&gt;" in html


def test_the_graph_has_every_device_and_cable_once() -> None:
    fabric = expanded(saved_text(NAME))
    graph = toposmith.to_networkx(toposmith.evaluate(NAME))
    assert Counter(pair(*ends) for ends in graph.edges()) == pairs_of(fabric)
    ends = {name_of(fabric, device) for cable in fabric.cables for device in (cable.a, cable.b)}
    assert ends <= set(graph) and nx.is_connected(graph)
    for one, other, about in graph.edges(data=True):
        assert about["a"] in (one, other)
        assert about["speed_gbit"] == 200 and about["a_port"] and about["z_port"]
    parts = Counter(part for _, part in graph.nodes(data="part"))
    assert sum(parts.values()) == len(graph) and None not in parts


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_of_data_frames_that_is_not_there_is_named(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(toposmith.ToposmithError, match=f"pip install {library}"):
        getattr(toposmith, f"to_{library}")(toposmith.evaluate(NAME).bill)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_it_gets_the_rows(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    held = types.ModuleType(library)
    held.DataFrame = lambda rows, **_: rows  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, library, held)
    curve = toposmith.evaluate(NAME).curve
    assert getattr(toposmith, f"to_{library}")(curve) == toposmith.to_dicts(curve)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_real_data_frames_hold_every_table(library: str) -> None:
    pytest.importorskip(library)
    cluster = toposmith.evaluate(NAME)
    make = getattr(toposmith, f"to_{library}")
    for rows in (cluster.bill, cluster.findings, cluster.curve, cluster.placement, cluster.schedule,
                 toposmith.failures(cluster), cluster.analysis.limits):  # fmt: skip
        plain = toposmith.to_dicts(rows)
        frame = make(rows)
        assert len(frame) == len(plain)
        assert set(frame.columns) >= set(plain[0])
