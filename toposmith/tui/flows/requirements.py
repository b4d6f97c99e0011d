"""Asking what a cluster has to be, for a search of fabrics."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toposmith.catalog import Node
from toposmith.catalog.search import find_parts
from toposmith.design.edits import Edit
from toposmith.fabric.counts import device_counts
from toposmith.synthesis.fabric_requirements import (
    MOST_NODES,
    Requirements,
    check_requirements,
    read_limits,
)
from toposmith.synthesis.needs import read_needs
from toposmith.synthesis.proposals import Proposal
from toposmith.text import counted
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.prompts import ask_number, problem_of
from toposmith.tui.flows.search_results import take
from toposmith.tui.questions import Choice, Question

if TYPE_CHECKING:
    from toposmith.tui.views.fabrics_view import FabricsView

USUAL = Requirements(64, "dgx-b200")


async def ask_requirements(view: FabricsView, designer: Designer) -> None:
    """Ask for nodes, what each GPU needs and limits; then show the fabrics that meet them."""
    before = view.searched.asked or _of_design(designer)
    catalog = designer.editing.workbench.catalog
    parts = [part for part in find_parts(catalog, "") if isinstance(part, Node)]
    choices = [Choice(part.id, f"{part.name} ({part.id})") for part in parts if part.slots]
    node = await designer.questions.find("design it: which nodes", choices, at=before.node)
    if node is None:
        return
    gpus = catalog.node(node).gpus
    nodes = await ask_number(
        designer,
        "how many nodes",
        before.nodes,
        highest=MOST_NODES,
        told=lambda number: counted(number * gpus, "GPU"),
    )
    if nodes is None:
        return
    needs = await designer.questions.ask(
        Question(
            "GB/s that each GPU needs",
            " ".join(f"{name}={least:g}" for name, least in before.needs.items()),
            "such as all_reduce=300 all_to_all=20; empty for all that no other fabric beats",
            check=lambda text: problem_of(lambda: read_needs(text.split())),
        )
    )
    if needs is None:
        return
    asked = Requirements(nodes, node, read_needs(needs.split()), designer.editing.workbench.request)

    def with_limits(text: str) -> Requirements:
        made = replace(asked, **read_limits(text.split()))
        check_requirements(made, catalog)
        return made

    limits = await designer.questions.ask(
        Question(
            "limits",
            view.searched.limits,
            "may be empty; such as switch=qm9700 survive=switch oversubscription=2 "
            "budget=2500000USD kw-per-rack=40 longest=50 align=4 later=128",
            check=lambda text: problem_of(lambda: with_limits(text)),
        )
    )
    if limits is None:
        return
    view.ask(with_limits(limits), limits)
    designer.panels.show_view(view.NAME)
    designer.measurement.let_view_follow()


async def take_fabric(designer: Designer, proposal: Proposal) -> None:
    """Preview a fabric that was found, named and noted like the design; then take it."""
    now = designer.editing.design
    before, after = ({one.part for one in of.groups.values()} for of in (now, proposal.design))
    # a name made of parts that are no longer there does not fit this design
    stale = any(part in (now.name or "") for part in before - after)
    name = proposal.design.name if stale or not now.name else now.name
    kept = {"name": name, "note": now.note, "view": None}
    made = proposal.design.model_copy(update=kept)
    label = f"design it: {proposal.fabric.words}, {proposal.fabric.part_words}"
    await take(designer, Edit(made, label))


def _of_design(designer: Designer) -> Requirements:
    """What to propose: as many nodes as the design has, of its first part."""
    plan = designer.editing.workbench.plan
    for name, group in plan.groups.items():
        if group.node is not None and group.node.slots:
            return replace(USUAL, nodes=max(1, device_counts(plan)[name]), node=group.node.id)
    return USUAL
