"""Single cables that go elsewhere than links deal them: crossed rails, hosts on spines."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.fabric.plan import DealtCable, Plan, PlannedEnd
from toposmith.fabric.single_cables import dealt_at, far_end
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_block
from toposmith.review.findings.subject import Explainers, Find, Subject

MOST_NAMED = 20
"""Single cables that are named one by one; of more there is one finding for the rest."""


def elsewhere(subject: Subject) -> Iterator[Finding]:
    """Every single cable that takes the place of a dealt one and leads to another device."""
    plan = subject.plan
    named = 0
    for cable in plan.single_cables:
        for end, far in ((cable.a, cable.b), (cable.b, cable.a)):
            dealt = dealt_at(plan, end)
            if dealt is None or far_end(plan, dealt, end) == (far.group, far.at):
                continue
            named += 1
            if named <= MOST_NAMED:
                yield _found(subject, cable.entry, end, far, dealt)
            break
    if named > MOST_NAMED:
        yield found("cable-elsewhere", at_block("cables"), more=named - MOST_NAMED)


def _found(
    subject: Subject, entry: int, end: PlannedEnd, far: PlannedEnd, dealt: DealtCable
) -> Finding:
    plan = subject.plan
    group, at = far_end(plan, dealt, end)
    here = _device(plan, end.group, end.at)
    port = f"{here}.{end.ports or 'port'}[{end.port}]"
    there, instead = _device(plan, group, at), _device(plan, far.group, far.at)
    crossed = (
        group == far.group
        and end.ports == subject.network.slots.get(end.group)
        and plan.groups[group].switch is not None
    )
    code = "cable-crosses-rails" if crossed else "cable-elsewhere"
    return found(code, at_block(f"cables[{entry}]"), port=port, goes_to=instead, dealt_to=there)


def _device(plan: Plan, group: str, at: tuple[int, ...]) -> str:
    axes = zip(plan.groups[group].axes, at, strict=True)
    return f"{group}[{','.join(f'{axis}={value}' for axis, value in axes)}]"


FIND: tuple[Find, ...] = (elsewhere,)
EXPLAIN: Explainers = {}
