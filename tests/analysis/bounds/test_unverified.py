"""Bounds that rest on facts which the catalog marks unverified, found in the cut by hand."""

import pytest

from toposmith.analysis.analyse import analyse
from toposmith.analysis.request import Collective, Request
from toposmith.analysis.result import Analysis
from toposmith.catalog import Catalog, load_catalog
from toposmith.design.parser import parse_design
from toposmith.fabric.planner import plan_design

CATALOG = load_catalog(user=False)

RAILS = """\
toposmith: 1
groups:
  node: {part: dgx-h100, count: 16}
  leaf: {part: qm9700, count: 8}
links:
  - {between: [node.compute, leaf]}
"""

RACK = """\
toposmith: 1
groups:
  tray: {part: helios-mi455x-tray, count: 18}
  up: {part: tomahawk-6-scale-up, count: 12}
links:
  - {between: [tray.nvlink, up]}
"""

GRACE = """\
toposmith: 1
axes: {rack: 2}
groups:
  tray: {part: gb200-nvl72-tray, per: [rack], count: 18}
  leaf: {part: qm9700, count: 4}
links:
  - {between: [tray.compute, leaf]}
"""


def analysis(text: str, catalog: Catalog, collective: Collective = "all_gather") -> Analysis:
    return analyse(plan_design(parse_design(text, "test"), catalog), catalog, Request(collective))


def doubting(**fields: tuple[str, ...]) -> Catalog:
    """The catalog with these fields unverified, and no others of the same parts."""
    by_id = {name.replace("_", "-"): paths for name, paths in fields.items()}
    return Catalog(
        part.model_copy(update={"unverified": by_id[part.id]}) if part.id in by_id else part
        for part in CATALOG
    )


def certain(**fields: tuple[str, ...]) -> Catalog:
    """The same, nothing of the other parts of :data:`RAILS` in doubt."""
    none: dict[str, tuple[str, ...]] = dict.fromkeys(("dgx_h100", "h100_sxm5", "qm9700"), ())
    none["connectx_7_ndr_dgx"] = ()
    return doubting(**none | fields)


# into a node of sixteen go 120 of 128 shares over its eight cables of 50 GB/s: 423 GB/s, less
# than the 450 of NVLink that a GPU takes in, and its PCIe 5 x16 give 63 each
@pytest.mark.parametrize(
    ("part", "path"),
    [
        ("qm9700", "cages"),
        ("qm9700", "cages.modes"),
        ("connectx_7_ndr_dgx", "speed_gbit"),
        ("connectx_7_ndr_dgx", "ports"),
        ("dgx_h100", "slots.compute.nic"),
        ("dgx_h100", "slots"),
    ],
)
def test_a_bound_by_cables_is_assumed_where_their_ports_are_unverified(
    part: str, path: str
) -> None:
    found = analysis(RAILS, certain(**{part: (path,)}))
    assert found.bound_label.words == f"assumed: unverified {path} of {part.replace('_', '-')}"
    assert found.bound_busbw_GBps == analysis(RAILS, certain()).bound_busbw_GBps
    assert found.share_label.words == "model: of a bound that is assumed"
    assert found.bisection_label.kind == "assumed"


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ("dgx_h100", "branches"),
        ("dgx_h100", "slots.storage"),
        ("dgx_h100", "slots.compute.pcie"),
        ("h100_sxm5", "nvlink"),
        ("h100_sxm5", "memory_TBps"),
        ("qm9700", "cages.heat_sink"),
        ("qm9700", "power_w"),
        ("connectx_7_ndr_dgx", "pcie"),
    ],
)
def test_facts_that_are_not_of_the_cut_leave_a_bound_exact(part: str, path: str) -> None:
    found = analysis(RAILS, certain(**{part: (path,)}))
    assert (found.bound_label.words, found.share_label.words) == ("exact", "model")
    assert found.bisection_label.kind == "bound"


def test_nics_that_the_design_names_are_not_those_that_the_catalog_is_unsure_of() -> None:
    own = "dgx-h100, nics: {compute: {part: connectx-7-ndr-dgx, count: 8}}"
    found = analysis(RAILS.replace("dgx-h100", own), certain(dgx_h100=("slots.compute.nic",)))
    assert found.bound_label.kind == "exact"


def test_a_rack_of_unverified_scale_up_links_has_no_exact_bound() -> None:
    found = analysis(RACK, CATALOG, "all_reduce")
    assert found.bound_busbw_GBps == pytest.approx(72 * 25)
    assert found.bound_is == "assumed"
    assert found.bound_label.of == "unverified nvlink of mi455x"
    assert found.reduced_label.of == (
        "one-time ingress of one GPU or node, with unverified nvlink of mi455x"
    )


def test_what_a_gpu_beside_grace_takes_in_by_pcie_is_assumed() -> None:
    # its NVLink, 18 x 50, and PCIe 5 x16 to its socket: the catalog is sure of the first alone
    found = analysis(GRACE, CATALOG, "all_reduce")
    assert found.bound_busbw_GBps == pytest.approx(963, abs=0.1)
    assert found.bound_is == "assumed"
    assert found.bound_label.of == "unverified branches of gb200-nvl72-tray and pcie of gb200"
