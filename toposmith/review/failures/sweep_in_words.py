"""A sweep of failures in words and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from toposmith.analysis.request import Collective
from toposmith.analysis.summary import asked_as_data, asked_words
from toposmith.collectives import collective_name
from toposmith.labels import MODEL
from toposmith.review.failures.breakable import Failure
from toposmith.review.failures.maintenance import Maintenance, TakenOut
from toposmith.review.failures.networks_beside import Loss, NetworkLosses
from toposmith.review.failures.shared_modules import CABLE
from toposmith.review.failures.sweep import Survival, Sweep
from toposmith.review.failures.without import DegradedDesign, KeptBandwidth
from toposmith.review.findings.collecting import finding_json
from toposmith.review.text_table import TextTable
from toposmith.text import bandwidth, counted, joined, percent

AFTER_RESTART = "after a failure: of the job once it has started again with what is left"
"""Of what figures after failures are."""


def before_line(sweep: Sweep) -> str:
    """What the design delivers with nothing failed."""
    figures = [
        f"{collective_name(collective)} {_marked(sweep, collective, figure)}"
        + (f" in {sweep.groups[collective]}" if collective in sweep.groups else "")
        + (f" ({sweep.why[collective]})" if collective in sweep.why else "")
        for collective, figure in sweep.before.items()
    ]
    slow = f" and {counted(sweep.slow_cables, 'cable')} slow" if sweep.slow_cables else ""
    of = f"busbw per GPU with nothing failed{slow} ({asked_words(sweep.request, nccl=sweep.nccl)})"
    return (
        f"{counted(sweep.gpus, 'GPU')}{_slow_gpus(sweep)}{_apart(sweep)}; {of}: {joined(figures)}"
    )


def _slow_gpus(sweep: Sweep) -> str:
    """Which GPUs compute slowly before anything fails: no collective shows it, each step does."""
    each = [
        f"{many:,} of {name} at {100 * share:g} %"
        for name, shares in sweep.slow_gpus.items()
        for share, many in shares.items()
    ]
    return f", of which compute slowly already: {joined(each)} (each step waits)" if each else ""


def _apart(sweep: Sweep) -> str:
    """Of which GPUs those are counted that are cut off, where not all meet in the first place."""
    if sweep.partitions < 2:
        return ""
    return (
        f", in {sweep.partitions:,} partitions already, {sweep.gpus_together:,} in the largest "
        "(those outside the largest that is left count as cut off)"
    )


def _marked(sweep: Sweep, collective: Collective, figure: float | None) -> str:
    """A figure with its sign, and what is to be known of it."""
    label = sweep.labels.get(collective, MODEL)
    if figure is None or not label.sign:
        return bandwidth(figure)
    return f"{label.marked(bandwidth(figure))} ({label.words})"


def survival_lines(sweep: Sweep) -> list[str]:
    """A sentence for each kind of thing and each set that can fail, worst first."""
    order = sorted(sweep.survival, key=_worth)
    return [survival_sentence(survival, sweep.gpus) for survival in order]


def survival_by_share(sweep: Sweep) -> list[str]:
    """The same in fewer lines: things whose failure leaves the same share one, worst first."""
    alike: dict[tuple[str, int], list[Survival]] = {}
    for survival in sorted(sweep.survival, key=_worth):
        alike.setdefault((_left(survival), survival.gpus_cut_off), []).append(survival)
    return [_sentence(some, sweep.gpus) for some in alike.values()]


def connection_lines(sweep: Sweep) -> list[str]:
    """What is called a cable, where several connections of the design share one."""
    if not any(failure.kind == CABLE for one in sweep.singles for failure in one.failures):
        return []
    return ["cable: one connection, port to port; shared cable: all that a cable of the bill has"]


def beside_lines(sweep: Sweep) -> list[str]:
    """A sentence for each kind of thing that can fail in a network beside the compute network."""
    return [line for each in sweep.beside for line in _beside(each)]


def _beside(of: NetworkLosses) -> Iterator[str]:
    if not of.nodes:
        yield f"{of.network.words}: no node with GPUs reaches it"
        return
    kept: dict[tuple[str, str], Loss] = {}
    for loss in of.losses:  # worst first
        kept.setdefault((loss.failure.kind, loss.failure.what), loss)
    for (kind, what), worst in kept.items():
        thing = f"any one {kind} ({what})"
        if not worst.nodes:
            left = _read_share(of, worst)
            reach = f"all {counted(of.nodes, 'node')} reach it without {thing}{left}"
            yield f"{of.network.words}: {reach}"
            continue
        yield (
            f"{of.network.words}: {thing} cuts off {worst.nodes:,} of {counted(of.nodes, 'node')} "
            f"({counted(worst.gpus, 'GPU')}); a job that needs it there stops"
        )


def _read_share(of: NetworkLosses, worst: Loss) -> str:
    """What nodes still read of storage, where that is known."""
    if not of.reads_GBps or worst.reads_GBps is None:
        return ""
    share = percent(worst.reads_GBps / of.reads_GBps)
    left, all_of = bandwidth(worst.reads_GBps), bandwidth(of.reads_GBps)
    return f", and together read {left} of {all_of} at line rate ({share})"


def _worth(survival: Survival) -> tuple[float, int]:
    return survival.share if survival.share is not None else -1.0, -survival.gpus_cut_off


def survival_sentence(survival: Survival, gpus: int) -> str:
    """What the failure of any one thing of a kind leaves."""
    return _sentence([survival], gpus)


def _left(survival: Survival) -> str:
    """What is left in words; of things that leave it, one sentence."""
    if survival.share is None:
        return f"{survival.why} {_known(survival)}"
    return f"{percent(min(1.0, survival.share))} {survival.why}"


def _known(survival: Survival) -> str:
    """``75 % of all-to-all``: of each collective of which it is known."""
    return joined(
        f"{percent(min(1.0, share))} of {collective_name(name)}" for name, share in survival.known
    )


def _share(alike: Sequence[Survival]) -> str:
    """``75 % of all-to-all``: what is left at least, and of which collectives.

    Of things that leave it of one or of another, both are named.
    """
    each = {survival.collectives for survival in alike}
    names = dict.fromkeys(name for of in each for name in of)
    of = joined(map(collective_name, sorted(names)), "and" if len(each) == 1 else "or")
    return f"{percent(min(1.0, alike[0].share or 0.0))}{of and ' of '}{of}"


def _things(alike: Sequence[Survival]) -> str:
    """Such as ``any one NIC (node.compute) or leaf``, ``the set row 1``."""
    names = [
        each.kind if each.kind == each.what else f"{each.kind} ({each.what})"
        for each in alike
        if each.kind != "set"
    ]
    sets = [f"the set {each.what}" for each in alike if each.kind == "set"]
    return joined([*([f"any one {joined(names, 'or')}"] if names else []), *sets], "or")


def _sentence(alike: Sequence[Survival], gpus: int) -> str:
    survival, any_one = alike[0], _things(alike)
    lost = survival.gpus_cut_off
    if survival.share is None:
        why = f" ({survival.why})" if survival.why else ""
        if not survival.known:
            return f"{any_one}: unknown{why}"
        unknown = joined(map(collective_name, survival.unknown))
        cut = (
            f" cuts off {lost:,} of {counted(gpus, 'GPU')}; the others keep" if lost else ": keeps"
        )
        return f"{any_one}{cut} {_known(survival)}; {unknown} unknown{why}"
    kept = _share(alike)
    if not survival.share:
        return f"does not survive {any_one}: {survival.why}"
    if lost == gpus:
        return f"does not survive {any_one}: all GPUs are cut off"
    if lost:
        return f"{any_one} cuts off {lost:,} of {counted(gpus, 'GPU')}; the others keep {kept}"
    return f"survives {any_one} at {kept}"


def maintenance_lines(found: Maintenance) -> list[str]:
    """What can be taken out now, and what cannot."""
    floor = f"at least {percent(found.keep)} of every collective"
    lines = [f"can be taken out now, with {floor} kept (model):"]
    for one in found.can:
        line = f"  {_any_of(one)}, such as {joined(one.example.selectors)}: keeps {_kept(one)}"
        if one.at_once > 1:
            line += f"; {one.at_once:,} at once: {one.together[0]} to {one.together[-1]}"
        lines.append(line)
    if not found.can:
        lines.append("  nothing")
    lines += [
        f"  not {_any_of(one)}, worst {joined(one.example.selectors)}: {_reason(one)}"
        for one in found.cannot
    ]
    return lines


def _any_of(one: TakenOut) -> str:
    """Such as ``any one of 32 spines``, ``any one of 256 cables (leaf - spine)``."""
    if one.kind == "set":
        return f"the set {one.what}"
    if one.of == 1:
        return f"the {one.kind}" if one.kind == one.what else f"the {one.kind} ({one.what})"
    some = counted(one.of, one.kind)
    if one.things < one.of:
        some = f"{one.things:,} of {some}"
    return f"any one of {some}" if one.kind == one.what else f"any one of {some} ({one.what})"


def _kept(one: TakenOut) -> str:
    return "unknown" if one.kept is None else percent(min(1.0, one.kept))


def _reason(one: TakenOut) -> str:
    return one.why if one.kept is None or "cuts" in one.why else f"{one.why}, {_kept(one)}"


def maintenance_as_data(found: Maintenance) -> dict[str, Any]:
    """What can be taken out now, and what cannot, as plain data."""
    return {
        "keep": found.keep,
        "can": [
            _taken_out(one) | {"at_once": one.at_once, "together": list(one.together)}
            for one in found.can
        ],
        "cannot": [_taken_out(one) | {"why": one.why} for one in found.cannot],
    }


def _taken_out(one: TakenOut) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "what": one.what,
        "things": one.things,
        "of": one.of,
        "kept": one.kept,
        "down": list(one.example.selectors),
    }


def failures_table(outcomes: Iterable[DegradedDesign], sweep: Sweep) -> TextTable:
    """Failures with what is kept after each, in the order given; those that read alike once."""
    names = [collective_name(collective) for collective in sweep.before]
    figures = [column for name in names for column in (name, "kept")]
    head = ("fails", "where", "alike", *figures, "GPUs cut off", "partitions", "selector")
    rows = [_row(alike) for alike in read_alike(outcomes)]
    return TextTable(head, tuple(rows), tuple(range(2, 5 + len(figures))))


def read_alike(outcomes: Iterable[DegradedDesign]) -> list[list[DegradedDesign]]:
    """Single failures of one kind and place whose figures read the same together, in their order.

    Faults distinguish many classes whose failures have equal results; pairs stay as they are.
    """
    found: dict[tuple[object, ...], list[DegradedDesign]] = {}
    for at, outcome in enumerate(outcomes):
        failure = outcome.failures[0]
        figures = (*_figures(outcome), outcome.gpus_cut_off, outcome.parts)
        single = len(outcome.failures) == 1 and failure.kind != "feed"
        key = (failure.kind, failure.what, *figures) if single else (at,)
        found.setdefault(key, []).append(outcome)
    return list(found.values())


def _row(alike: list[DegradedDesign]) -> tuple[str, ...]:
    first = alike[0]
    members = [f"{failure.members:,}" for failure in first.failures]
    if first.pairs:
        members = [f"{first.pairs:,}"]
    if len(alike) > 1:
        members = [f"{sum(one.failures[0].members for one in alike):,}"]
    selectors = ", ".join(text for failure in first.failures for text in failure.selectors)
    return (
        " and ".join(failure.kind for failure in first.failures),
        " and ".join(failure.what for failure in first.failures),
        " x ".join(members),
        *_figures(first),
        f"{first.gpus_cut_off:,}",
        f"{first.parts:,}",
        f"{selectors}, or one of the others" if selectors and len(alike) > 1 else selectors,
    )


def _figures(outcome: DegradedDesign) -> tuple[str, ...]:
    return tuple(cell for kept in outcome.kept for cell in (_after(kept), percent(kept.kept)))


def reasons(outcomes: Iterable[DegradedDesign]) -> list[str]:
    """Why there is no figure after some failures, each reason once."""
    return list(
        dict.fromkeys(
            f"no {collective_name(kept.collective)} after {_named(outcome)}: {kept.why}"
            for outcome in outcomes
            for kept in outcome.kept
            if kept.why and kept.before_GBps is not None
        )
    )


def _named(outcome: DegradedDesign) -> str:
    return " and ".join(
        failure.kind if failure.kind == failure.what else f"{failure.kind} {failure.what}"
        for failure in outcome.failures
    )


def _after(kept: KeptBandwidth) -> str:
    if kept.after_GBps is None:
        return "unknown" if kept.label.kind == "at least" else "none"
    return kept.label.marked(bandwidth(kept.after_GBps))


def sweep_as_data(sweep: Sweep, spare: Maintenance | None = None) -> dict[str, Any]:
    """The sweep under stable keys (see ``docs/review.md``), and what can be taken out if asked."""
    return {
        "toposmith": 1,
        "design": sweep.design,
        **({"maintenance": maintenance_as_data(spare)} if spare else {}),
        "gpus": sweep.gpus,
        "parts": sweep.partitions or None,
        "gpus_together": sweep.gpus_together or None,
        "slow_cables": sweep.slow_cables,
        "slow_gpus": [
            {"group": name, "share_percent": 100 * share, "gpus": many}
            for name, shares in sweep.slow_gpus.items()
            for share, many in shares.items()
        ],
        **asked_as_data(sweep.request, nccl=sweep.nccl),
        "before": [
            {
                "collective": collective,
                "groups": sweep.groups.get(collective, "world"),
                "busbw_GBps": figure,
                "busbw_is": sweep.labels[collective].kind if collective in sweep.labels else None,
                "why": sweep.why.get(collective),
            }
            for collective, figure in sweep.before.items()
        ],
        "survival": [
            {
                "kind": each.kind,
                "what": each.what,
                "things": each.things,
                "share": each.share,
                "gpus_cut_off": each.gpus_cut_off,
                "why": each.why or None,
                "collectives": list(each.collectives),
            }
            for each in sweep.survival
        ],
        "singles": [_outcome(outcome) for outcome in sweep.singles],
        "doubles": [_outcome(outcome) for outcome in sweep.doubles],
        "pairs": sweep.pairs or None,
        "seed": sweep.seed,
        "complete": sweep.complete,
        "networks_beside": [_beside_as_data(each) for each in sweep.beside],
        "not_looked_at": list(sweep.not_looked_at),
        "findings": [finding_json(finding) for finding in sweep.findings],
    }


def _beside_as_data(of: NetworkLosses) -> dict[str, Any]:
    return {
        "network": of.network.words,
        "nodes": of.nodes,
        "gpus": of.gpus,
        "storage_read_GBps": of.reads_GBps,
        "failures": [
            {
                **_failure(loss.failure),
                "nodes_cut_off": loss.nodes,
                "gpus_cut_off": loss.gpus,
                "storage_read_GBps": loss.reads_GBps,
            }
            for loss in of.losses
        ],
    }


def _failure(failure: Failure) -> dict[str, Any]:
    return {
        "kind": failure.kind,
        "what": failure.what,
        "members": failure.members,
        "down": list(failure.selectors),
    }


def _outcome(outcome: DegradedDesign) -> dict[str, Any]:
    return {
        "failures": [_failure(failure) for failure in outcome.failures],
        "kept": [
            {
                "collective": kept.collective,
                "busbw_GBps": kept.after_GBps,
                "busbw_is": kept.label.kind,
                "share": kept.share,
                "why": kept.why or None,
            }
            for kept in outcome.kept
        ],
        "gpus_cut_off": outcome.gpus_cut_off,
        "parts": outcome.parts,
        **({"pairs": outcome.pairs} if outcome.pairs else {}),
    }
