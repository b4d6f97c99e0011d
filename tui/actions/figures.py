"""What is measured, and what a workload gets of it."""

from __future__ import annotations

from toposmith.topology.collectives import COLLECTIVES
from toposmith.tui.actions.definition import Action

FIGURES: tuple[Action, ...] = (
    Action(
        "collective", ("m",), "collective",
        "Show the figures of the next collective: "
        + ", ".join(record.name for record in COLLECTIVES.values()),
        rank=9,
    ),
    Action(
        "measure", ("M",), "measure",
        "Set what is measured: collective, message size, who takes part and where, NCCL's release, "
        "algorithm and protocol, SHARP, routing",
        rank=8, title="Measure: size, communicator, NCCL, routing",
    ),
    Action(
        "keep_measured", ("J",), "keep measured",
        "Write who takes part, as it is measured now, into the design's communicator block",
        changes=True, title="Keep measured communicator in the design",
    ),
    Action(
        "curve", ("v",), "curve",
        "Curve of busbw against size, in the place of the fabric, with the sizes where NCCL "
        "switches; the saved version lies below it where it differs",
        rank=11, title="Curve of busbw against size",
    ),
)  # fmt: skip

WORKLOADS: tuple[Action, ...] = (
    Action(
        "workload", ("t",), "workload",
        "Whether the design serves a model: its step as a picture, what each communication needs "
        "of the network and gets; e there changes the model",
        rank=27,
    ),
    Action(
        "layouts", ("Y",), "layouts",
        "All layouts of the workload's model on this cluster, the quickest first; Enter takes one",
        rank=28, title="Layouts of the workload, the quickest first",
    ),
)  # fmt: skip
