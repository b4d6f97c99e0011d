"""What to read the figures of a workload with: faults of the design, and what is not modelled."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from toposmith.fabric.plan import Plan
from toposmith.fabric.port_use import port_findings
from toposmith.fabric.slow_gpus import slow_gpu_findings
from toposmith.findings.finding import Finding, at_block, found
from toposmith.workloads.accelerator import Accelerator
from toposmith.workloads.collective_times import CollectiveTimes

if TYPE_CHECKING:
    pass


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
    findings = [*_errors(plan)]
    for gpu in gpus:
        findings += _mixed(gpu)
    for each in times:
        findings += [*slow_gpu_findings(each.plan), *each.findings]
    return tuple(dict.fromkeys(findings))


def _errors(plan: Plan) -> list[Finding]:
    """What keeps the design from being built; the figures are those of what can be analysed."""
    findings = (*plan.findings, *port_findings(plan))
    return [finding for finding in findings if finding.severity == "error"]


def _mixed(gpu: Accelerator) -> list[Finding]:
    """That unlike GPUs run one job."""
    if not gpu.mix:
        return []
    slowest = min(gpu.mix, key=lambda share: share.half_tflops)
    return [
        found(
            "mixed-gpus",
            at_block("layout"),
            gpus=tuple(share.gpus for share in gpu.mix),
            names=tuple(share.name for share in gpu.mix),
            bf16_tflops=tuple(share.half_tflops for share in gpu.mix),
            slowest=slowest.name,
        )
    ]
