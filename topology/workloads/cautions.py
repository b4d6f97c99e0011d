"""What to read the figures of a workload with: faults of the design, and what is not modelled."""

from __future__ import annotations

from collections.abc import Iterable

from toposmith.topology.fabric.plan import Finding, Plan
from toposmith.topology.fabric.ports import port_findings
from toposmith.topology.workloads.accelerator import Accelerator
from toposmith.topology.workloads.collective_times import CollectiveTimes


def cautions(
    plan: Plan, gpus: Iterable[Accelerator], times: Iterable[CollectiveTimes]
) -> tuple[Finding, ...]:
    """Errors of a design, then what holds for the parts of it that a workload runs on.

    Parameters
    ----------
    plan : Plan
        The whole design.
    gpus : iterable of Accelerator
        What the workload computes on.
    times : iterable of CollectiveTimes
        That were asked already, so that it is known which groups leave their nodes.
    """
    found = [*_errors(plan)]
    for gpu in gpus:
        found += _mixed(gpu)
    for each in times:
        found += each.findings
    return tuple(dict.fromkeys(found))


def _errors(plan: Plan) -> list[Finding]:
    """What keeps the design from being built; the figures are those of what can be analysed."""
    found = (*plan.findings, *port_findings(plan))
    return [finding for finding in found if finding.severity == "error"]


def _mixed(gpu: Accelerator) -> list[Finding]:
    """That unlike GPUs run one job."""
    if not gpu.mix:
        return []
    slowest = min(gpu.mix, key=lambda share: share.bf16_tflops)
    words = " and ".join(f"{s.gpus:,} x {s.name} ({s.bf16_tflops:,.4g} TFLOP/s)" for s in gpu.mix)
    text = (
        f"{words} run one job: all wait for the slowest, so that compute is timed as if all were "
        f"{slowest.name}; MFU is of the peak of all together"
    )
    return [Finding("mixed-gpus", "warning", "layout", text)]
