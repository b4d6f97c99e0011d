"""What is measured."""

from __future__ import annotations

from toposmith.collectives import COLLECTIVES
from toposmith.tui.actions.definition import Action
from toposmith.tui.asking import Act
from toposmith.tui.lazy_import import LazyFlow

FIGURES: tuple[Action, ...] = (
    Action(
        "collective", ("m",), "collective",
        "Show the figures of the next collective: "
        + ", ".join(record.name for record in COLLECTIVES.values()),
        rank=9,
        do=Act(lambda designer: designer.measurement.next_collective()),
    ),
    Action(
        "measure", ("M",), "measure",
        "Set what is measured: collective, message size, who takes part and where, NCCL's release, "
        "algorithm and protocol, SHARP, routing",
        rank=8, title="Measure: size, communicator, NCCL, routing",
        also_of=("design",),
        do=Act(lambda designer: designer.panels.toggle_measure()),
    ),
    Action(
        "why", ("full_stop",), "why",
        "Show all that the live figures rest on: published results, bound, algorithm, assumptions, "
        "tiers, findings, the note; again for the first look",
        rank=11, title="Why: all that the figures rest on",
        do=Act(lambda designer: designer.panels.toggle_why()),
    ),
    Action(
        "keep_measured", ("J",), "keep measured",
        "Write the communicator that is measured into the design's communicator block",
        changes=True, title="Keep measured communicator in the design",
        do=LazyFlow("flows.measurements", "keep_measured"),
    ),
)  # fmt: skip
