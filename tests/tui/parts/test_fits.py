"""What fits what is selected, and the reason where something does not."""

from __future__ import annotations

import pytest

from toposmith.bill.link_parts import Chooser
from toposmith.catalog import Catalog, load_catalog
from toposmith.design.document import Design
from toposmith.design.edits import add_group, add_link
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_file
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import find_saved
from toposmith.tui.parts.fits import Fit, fits_group, fits_link, rank_of


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return load_catalog(user=False)


def plan_with(catalog: Catalog, **parts: str) -> Plan:
    design = Design()
    for name, part in parts.items():
        design = add_group(design, part, name=name).design
    return plan_design(design, catalog)


def fit(catalog: Catalog, plan: Plan, group: str, part: str) -> Fit:
    judge = fits_group(plan, catalog, group)
    assert judge is not None
    found = judge(catalog[part])
    assert found is not None
    return found


def test_an_older_slot_is_a_warning_with_what_it_takes(catalog: Catalog) -> None:
    plan = plan_with(catalog, node="hgx-a100-8")
    found = fit(catalog, plan, "node", "connectx-7-ndr")
    assert found.refusal == ""
    assert found.warning == "PCIe 4 x16 slot takes 252 of its 400 Gb/s"


def test_a_plug_of_another_form_is_refused_with_both_forms(catalog: Catalog) -> None:
    plan = plan_with(catalog, leaf="qm9700")
    assert fit(catalog, plan, "leaf", "mcp1650-h").refusal == "QSFP56 plug, the cages are OSFP"
    assert fit(catalog, plan, "leaf", "mcp4y10-n") == Fit()


def test_a_switch_of_another_protocol_or_speed_is_refused(catalog: Catalog) -> None:
    plan = plan_with(catalog, leaf="qm8700")
    ethernet = fit(catalog, plan, "leaf", "sn3700")
    assert ethernet.refusal == "speaks Ethernet, the ports InfiniBand"
    xdr = fit(catalog, plan, "leaf", "q3400-ra")
    assert xdr.refusal == "runs 800 Gb/s, the ports 200 or 100 Gb/s"


def test_the_nic_of_a_provider_fits_only_the_node_that_comes_with_it(catalog: Catalog) -> None:
    virtual = [n.id for n in catalog.of_kind("nic") if getattr(n, "cage", "") == "virtual"]
    assert virtual
    server = plan_with(catalog, node="hgx-a100-8")
    cloud = plan_with(catalog, node="p5-48xlarge")
    for nic in virtual:
        assert "provider" in fit(catalog, server, "node", nic).refusal
    assert any(fit(catalog, cloud, "node", nic).now for nic in virtual)


def test_a_nic_has_to_run_on_the_switch_that_its_slots_are_wired_to(catalog: Catalog) -> None:
    saved = find_saved("hgx-a100-64gpu-roce-2to1")
    assert saved is not None
    # a node without slots beside those that are wired
    text = saved.path.read_text("utf-8").replace("as-4124go-nart", "hgx-a100-8")
    plan = plan_design(parse_design(text, saved.name), catalog)
    assert fit(catalog, plan, "node", "connectx-6-200gbe").refusal == ""
    slow = fit(catalog, plan, "node", "connectx-3-10gbe").refusal
    assert slow == "runs 10 Gb/s, leaf 200 or 100 or 50 Gb/s"


def test_what_the_bill_of_materials_takes_for_a_link_is_not_refused(catalog: Catalog) -> None:
    for name in ("dgx-h100-superpod-4su", "hgx-a100-64gpu-roce-2to1", "a100-rack-1x100gbe"):
        saved = find_saved(name)
        assert saved is not None
        plan = plan_design(load_file(saved.path).design, catalog)
        for link in plan.links:
            recipe, _ = Chooser(plan, catalog).parts(link)
            judge = fits_link(plan, link.index)
            assert recipe is not None and judge is not None
            used = [recipe.body, *(module for _, module in recipe.modules)]
            assert [part.id for part in used if (f := judge(part)) and f.refusal] == []


def test_a_cable_that_is_too_short_says_both_lengths(catalog: Catalog) -> None:
    design = Design()
    for name in ("leaf", "spine"):
        design = add_group(design, "qm9700", name=name).design
    design = add_link(design, "leaf", "spine", cables=2).design
    link = design.links[0].model_copy(update={"length": 20})
    design = design.model_copy(update={"links": (link,)})
    judge = fits_link(plan_design(design, catalog), 0)
    assert judge is not None
    found = judge(catalog["mcp4y10-n"])
    assert found is not None
    assert "the link is 20 m long" in found.refusal


def test_what_fits_comes_before_what_is_slowed_and_what_does_not_fit_comes_last() -> None:
    order = [Fit(speed_gbit=400), Fit(speed_gbit=200), Fit(warning="slow", speed_gbit=800),
             Fit(now=True), Fit(refusal="no")]  # fmt: skip
    ranks = [rank_of(each) for each in order]
    assert ranks == sorted(ranks)
    assert rank_of(None) == rank_of(Fit(now=True))
