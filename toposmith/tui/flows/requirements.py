"""Asking what a cluster has to be, for a search of fabrics."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from toposmith.catalog import Node
from toposmith.catalog.search import find_parts, newest_first
from toposmith.design.edits import Edit
from toposmith.fabric.counts import device_counts
from toposmith.synthesis.analysed_fabrics import Proposal
from toposmith.synthesis.fabric_requirements import (
    MOST_NODES,
    Requirements,
    check_requirements,
    read_limits,
)
from toposmith.synthesis.fabric_search import Search
from toposmith.synthesis.needs import read_needs
from toposmith.text import counted
from toposmith.tui.asking import Act, Asking, Here, Show, TextQuestion, Wait, ask, number, pick
from toposmith.tui.flows.search_results import take
from toposmith.tui.questions import Choice

USUAL = Requirements(64, "dgx-b200")


@dataclass(frozen=True)
class FabricNeeds:
    """What a cluster has to be (None before it is said), and the limits as they were typed.

    ``drawn`` where the drawing of figures by cost stands in place of the table; ``known`` is
    what was found for it: it is not searched for again.
    """

    requirements: Requirements | None = None
    limits: str = ""
    drawn: bool = False
    known: list[Search] = field(default_factory=list, compare=False)


def design_it(here: Here) -> Asking:
    """Ask what is wanted, or show the fabrics that were found; from them, the fabric again."""
    needs = yield Wait(lambda designer: designer.panels.asked_of("fabrics"), once=True)
    if needs.requirements is not None:
        return Act(lambda designer: designer.panels.toggle_view("fabrics"))
    return (yield from ask_requirements(here, needs))


def ask_requirements(here: Here, needs: FabricNeeds) -> Asking:
    """Ask for nodes, what each GPU needs and limits; then show the fabrics that meet them."""
    before, catalog = needs.requirements or _of_design(here), here.catalog
    parts = [
        part for part in find_parts(catalog, "", newest_first(catalog)) if isinstance(part, Node)
    ]
    choices = [Choice(part.id, f"{part.name} ({part.id})") for part in parts if part.slots]
    node = yield from pick("design it: which nodes", choices, before.node, typed=True)
    gpus = catalog.node(node).gpus
    nodes = yield from number(
        "how many nodes",
        before.nodes,
        highest=MOST_NODES,
        told=lambda number: counted(number * gpus, "GPU"),
    )
    least = yield from ask(
        TextQuestion(
            "GB/s that each GPU needs",
            " ".join(f"{name}={least:g}" for name, least in before.needs.items()),
            lambda text: read_needs(text.split()),
            "such as all_reduce=300 all_to_all=20; empty for all that no other fabric beats",
        )
    )
    asked = Requirements(nodes, node, least, here.bench.request)

    def with_limits(text: str) -> FabricNeeds:
        made = replace(asked, **read_limits(text.split()))
        check_requirements(made, catalog)
        return FabricNeeds(made, text)

    hint = "may be empty; such as switch=qm9700 survive=switch oversubscription=2 "
    hint += "budget=2500000USD kw-per-rack=40 longest=50 align=4 later=128"
    return Show(
        "fabrics", (yield from ask(TextQuestion("limits", needs.limits, with_limits, hint)))
    )


def take_fabric(here: Here, proposal: Proposal) -> Asking:
    """Preview a fabric that was found, named and noted like the design; then take it."""
    now = here.design
    before, after = ({one.part for one in of.groups.values()} for of in (now, proposal.design))
    # a name made of parts that are no longer there does not fit this design
    stale = any(part in (now.name or "") for part in before - after)
    name = proposal.design.name if stale or not now.name else now.name
    kept = {"name": name, "note": now.note, "view": None}
    made = proposal.design.model_copy(update=kept)
    label = f"design it: {proposal.fabric.words}, {proposal.fabric.part_words}"
    return (yield from take(Edit(made, label)))


def _of_design(here: Here) -> Requirements:
    """What to propose: as many nodes as the design has, of its first part."""
    for name, group in here.plan.groups.items():
        if group.node is not None and group.node.slots:
            many = max(1, device_counts(here.plan)[name])
            return replace(USUAL, nodes=many, node=group.node.id)
    return USUAL
