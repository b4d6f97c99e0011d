"""What a figure assumes and the parts do not have, and node mixes that drag all down."""

from __future__ import annotations

from collections.abc import Iterator

from toposmith.catalog import Switch
from toposmith.topology.analysis.analyse import analyse
from toposmith.topology.analysis.bounds.all_gather import FlowNetworks
from toposmith.topology.analysis.bounds.halves import may_exceed
from toposmith.topology.analysis.jobs.of_design import job_and_findings
from toposmith.topology.analysis.request import Request
from toposmith.topology.fabric.plan import Finding, Plan, Value
from toposmith.topology.fabric.planning import plan_design
from toposmith.topology.review.findings.subject import Explained, Explainers, Find, Subject, found
from toposmith.topology.units import line_rate_GBps


def weakest(subject: Subject, finding: Finding) -> Explained:
    """What the collective gets with the weakest nodes, and what without them."""
    busbw = subject.analysis.busbw_GBps
    if busbw is None:
        return None, None
    analysis = analyse(
        _without(subject, finding.where), subject.catalog, Request(subject.analysis.collective)
    )
    figure = f"{subject.analysis.busbw_label.marked(f'{busbw:.4g}')} GB/s per GPU with them"
    if analysis.busbw_GBps is None:
        return figure, None
    without = analysis.busbw_label.marked(f"{analysis.busbw_GBps:.4g}")
    return figure, f"{without} GB/s per GPU for a job without {finding.where}"


def _without(subject: Subject, name: str) -> Plan:
    """The design without one of its groups; what is absent or down elsewhere stays."""
    design = subject.plan.design
    links = [
        link for link in design.links if name not in (e.partition(".")[0] for e in link.between)
    ]
    kept = {key: group for key, group in design.groups.items() if key != name}
    marks = {
        key: tuple(s.text for s in chosen if name not in _groups_of(s.text))
        for key, chosen in (("absent", subject.plan.absent), ("down", subject.plan.down))
    }
    changed = design.model_copy(update={"groups": kept, "links": tuple(links), **marks})
    return plan_design(changed, subject.catalog)


def _groups_of(selector: str) -> set[str]:
    return {half.partition("[")[0].partition(".")[0].strip() for half in selector.split(" - ")}


def no_sharp(subject: Subject, finding: Finding) -> Explained:
    """The switches that cannot reduce, and one that can in their place."""
    lacking = [
        (name, group.switch)
        for name, group in subject.plan.groups.items()
        if group.switch and name in subject.heights and not group.switch.sharp
    ]
    if not lacking:
        return None, None
    figure = f"{sum(subject.devices[name] for name, _ in lacking):,} switches without SHARP"
    like = lacking[0][1]
    able = [
        part
        for part in subject.catalog.of_kind("switch")
        if isinstance(part, Switch)
        and part.sharp
        and part.protocol == like.protocol
        and part.mode_for(like.native.speed_gbit)
    ]
    if not able:
        return figure, f"reckon without SHARP; no {like.protocol} switch of the catalog has it"
    return figure, f"take {min(able, key=lambda part: part.cages.gbit).id}"


def mixed_speeds(subject: Subject) -> Iterator[Finding]:
    """Node groups whose cabled NICs carry less for each GPU than those of others."""
    rates: dict[str, float] = {}
    for group, ports in subject.node_groups():
        if group.node is not None:
            total = sum(
                link.cables_at(group.name) * line_rate_GBps(link.speed_gbit)
                for link in subject.links_up(group.name)
            )
            if ports.nic is not None:
                total = min(total, ports.nics * line_rate_GBps(ports.nic.together_gbit))
            if total:
                rates[group.name] = total / group.node.gpus
    if len(rates) < 2:
        return
    fastest = max(rates.values())
    for name, rate in rates.items():
        if rate < 0.999 * fastest:
            text = (
                f"its NICs carry {rate:.3g} GB/s per GPU, those of other nodes up to "
                f"{fastest:.3g}: a collective over all runs at the slower speed"
            )
            remedy = f"NICs and cables for {fastest:.3g} GB/s per GPU, or jobs of their own"
            figure = f"{rate / fastest:.0%} of the others"
            value = Value(100 * rate / fastest, "%", "less")
            yield found("mixed-nic-speeds", name, text, figure, remedy, value)


def faults(subject: Subject) -> Iterator[Finding]:
    """Marks of what has failed, without which the figures are."""
    down = subject.plan.design.down
    if down:
        text = f"the figures are without what is down: {', '.join(down[:3])}"
        more = f" and {len(down) - 3} more" if len(down) > 3 else ""
        marks = "1 mark" if len(down) == 1 else f"{len(down)} marks"
        remedy = "remove down: once it is repaired"
        yield found(
            "has-faults",
            "down",
            text + more,
            marks,
            remedy,
            Value(len(down), "marks"),
        )


def below_policy(subject: Subject) -> Iterator[Finding]:
    """A predicted busbw below what the policy requires, as a figure or a share of the bound."""
    limits, analysis = subject.policy.limits, subject.analysis
    busbw, share = analysis.busbw_GBps, analysis.share_of_bound
    if busbw is None:
        return
    step = analysis.next_step
    remedy = f"twice the {step.link}: {step.busbw_GBps:.4g} GB/s per GPU" if step else None
    if limits.busbw_GBps is not None and busbw < limits.busbw_GBps:
        rate = f"{analysis.busbw_label.marked(f'{busbw:.4g}')} GB/s per GPU"
        text = f"predicted {rate}, the policy asks for {limits.busbw_GBps:g}"
        if analysis.busbw_label.kind == "at least":
            text += ": whether it gives that is not known"
        value = Value(busbw, "GB/s per GPU", "less")
        yield found("below-required", "design", text, rate, remedy, value)
    if limits.share_of_bound is not None and share is not None and share < limits.share_of_bound:
        text = (
            f"predicted {share:.0%} of the bound, the policy asks for {limits.share_of_bound:.0%}"
        )
        figure, value = f"{share:.0%} of the bound", Value(100 * share, "% of the bound", "less")
        yield found("far-from-bound", "design", text, figure, remedy, value)


def exceeding(subject: Subject) -> Iterator[Finding]:
    """Predictions of other collectives that are above their bound, whatever is measured."""
    flows = FlowNetworks(subject.network, subject.catalog)
    if subject.network.world.nodes < 2 or not may_exceed(flows, "all_to_all"):
        return
    asked = Request("all_to_all", job=job_and_findings(subject.plan.design)[0])
    found = analyse(subject.plan, subject.catalog, asked)
    yield from (one for one in found.findings if one.code == "above-bound")


FIND: tuple[Find, ...] = (mixed_speeds, faults, below_policy, exceeding)
EXPLAIN: Explainers = {"weakest-node": weakest, "no-sharp": no_sharp}
