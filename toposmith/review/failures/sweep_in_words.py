"""A sweep of failures in words and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

from toposmith.analysis.request import Collective
from toposmith.analysis.summary import asked_as_data, asked_words
from toposmith.collectives import collective_name
from toposmith.design.document import Design
from toposmith.design.named_places import places
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.labels import MODEL
from toposmith.review.failures.breakable import Failure
from toposmith.review.failures.maintenance import Maintenance, TakenOut
from toposmith.review.failures.networks_beside import Loss, NetworkLosses
from toposmith.review.failures.shared_modules import CABLE
from toposmith.review.failures.sweep import Survival, Sweep
from toposmith.review.failures.without import DegradedDesign, KeptBandwidth
from toposmith.review.findings.collecting import finding_json
from toposmith.text import bandwidth, counted, joined, percent
from toposmith.workloads.workload_in_words import stops_words
from toposmith.workloads.workload_json import stops_data

MOST_DOWN_NAMED = 3
"""Entries of ``down:`` that a sentence names."""


def before_line(sweep: Sweep) -> str:
    """What the design delivers with nothing failed."""
    figures = [
        f"{collective_name(collective)} {_marked(sweep, collective, figure)}"
        + (f" in {sweep.groups[collective]}" if collective in sweep.groups else "")
        + (f" ({sweep.why[collective]})" if collective in sweep.why else "")
        for collective, figure in sweep.before.items()
    ]
    slow = f" and {counted(sweep.slow_cables, 'cable')} slow" if sweep.slow_cables else ""
    asked = asked_words(sweep.request, nccl=sweep.nccl)
    of = f"busbw per GPU with {_already_down(sweep)}{slow} ({asked})"
    return (
        f"{counted(sweep.gpus, 'GPU')}{_slow_gpus(sweep)}{_apart(sweep)}; {of}: {joined(figures)}"
    )


def _already_down(sweep: Sweep) -> str:
    """That nothing failed, or what is down before anything fails."""
    if not sweep.down:
        return "nothing failed"
    first, more = sweep.down[:MOST_DOWN_NAMED], len(sweep.down) - MOST_DOWN_NAMED
    named = [*first, *([f"{counted(more, 'entry')} more"] if more > 0 else [])]
    return f"nothing failed but {joined(named)}, down already"


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


def survival_notes(sweep: Sweep) -> list[Note]:
    """A sentence for each kind of thing and each set that can fail, worst first."""
    return [_survival_note(one, sweep.gpus) for one in sorted(sweep.survival, key=_worth)]


def survived_notes(sweep: Sweep) -> list[Note]:
    """A sentence for each kind of thing that takes nothing down, which no table of failures has."""
    return [_survival_note(one, sweep.gpus) for one in sweep.harmless]


def connection_lines(sweep: Sweep) -> list[str]:
    """What is called a cable, where several connections of the design share one."""
    if not any(failure.kind == CABLE for one in sweep.singles for failure in one.failures):
        return []
    return ["cable: one connection, port to port; shared cable: all that a cable of the bill has"]


def beside_notes(sweep: Sweep) -> list[Note]:
    """A sentence for each kind of thing that can fail beside the compute network, and all stops."""
    stops = [Note(f"a job on all GPUs stops {stops_words(sweep.stops)}")] if sweep.stops else []
    return [*(note for each in sweep.beside for note in _beside(each)), *stops]


def _beside(of: NetworkLosses) -> Iterator[Note]:
    if not of.nodes:
        yield Note(f"{of.network.words}: no node with GPUs reaches it")
        return
    kept: dict[tuple[str, str], Loss] = {}
    for loss in of.losses:  # worst first
        kept.setdefault((loss.failure.kind, loss.failure.what), loss)
    for (kind, what), worst in kept.items():
        thing = f"any one {kind} ({what})"
        if not worst.nodes:
            left = _read_share(of, worst)
            reach = f"all {counted(of.nodes, 'node')} reach it without {thing}{left}"
            yield Note(f"{of.network.words}: {reach}")
            continue
        yield Note(
            f"{of.network.words}: {thing} cuts off {worst.nodes:,} of {counted(of.nodes, 'node')} "
            f"({counted(worst.gpus, 'GPU')}); a job that needs it there stops",
            Tone.BAD,
        )


def _read_share(of: NetworkLosses, worst: Loss) -> str:
    """What nodes still read of storage, where that is known."""
    if not of.reads_GBps or worst.reads_GBps is None:
        return ""
    share = percent(worst.reads_GBps / of.reads_GBps)
    left, all_of = bandwidth(worst.reads_GBps), bandwidth(of.reads_GBps)
    return f", and together read at most {left} of {all_of} ({share})"


def _worth(survival: Survival) -> tuple[float, int]:
    return survival.share if survival.share is not None else -1.0, -survival.gpus_cut_off


def survival_sentence(survival: Survival, gpus: int) -> str:
    """What the failure of any one thing of a kind leaves."""
    return _survival_note(survival, gpus).text


def _known(survival: Survival) -> str:
    """``75 % of all-to-all``: of each collective of which it is known."""
    return joined(
        f"{percent(min(1.0, share))} of {collective_name(name)}" for name, share in survival.known
    )


def _share(survival: Survival) -> str:
    """``75 % of all-to-all``: what is left at least, and of which collectives."""
    of = joined(map(collective_name, sorted(survival.collectives)))
    return f"{percent(min(1.0, survival.share or 0.0))}{of and ' of '}{of}"


def _thing(survival: Survival) -> str:
    """Such as ``any one NIC (node.compute)``, ``the set row 1``."""
    if survival.kind == "set":
        return f"the set {survival.what}"
    named = "" if survival.kind == survival.what else f" ({survival.what})"
    return f"any one {survival.kind}{named}"


def _survival_note(survival: Survival, gpus: int) -> Note:
    any_one = _thing(survival)
    lost = survival.gpus_cut_off
    if survival.share is None:
        why = f" ({survival.why})" if survival.why else ""
        if not survival.known:
            return Note(f"{any_one}: unknown{why}")
        unknown = joined(map(collective_name, survival.unknown))
        cut = (
            f" cuts off {lost:,} of {counted(gpus, 'GPU')}; the others keep" if lost else ": keeps"
        )
        return Note(f"{any_one}{cut} {_known(survival)}; {unknown} unknown{why}")
    kept = _share(survival)
    if not survival.share:
        return Note(f"does not survive {any_one}: {survival.why}", Tone.BAD)
    if lost == gpus:
        return Note(f"does not survive {any_one}: all GPUs are cut off", Tone.BAD)
    if lost:
        others = f"the others keep {kept}"
        return Note(f"{any_one} cuts off {lost:,} of {counted(gpus, 'GPU')}; {others}")
    return Note(f"survives {any_one} at {kept}")


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


HURTS = 0.9
"""Below this share kept a failure is marked: more than a tenth of the bandwidth is gone."""


def failures_table(
    outcomes: Iterable[DegradedDesign],
    sweep: Sweep,
    *,
    design: Design | None = None,
) -> Table:
    """Failures with what is kept after each, in the order given; those that read alike in one row.

    Parameters
    ----------
    outcomes : iterable of DegradedDesign
        Of the sweep, those to show.
    sweep : Sweep
        What was looked at.
    design : Design, optional
        To find the places that a row is about.
    """
    known = _known_of_all(sweep)
    least = f"{joined(map(collective_name, known))} kept" if known else "least kept"
    columns = [
        *(Column("fails", fill=8), Column("where", wide=48, fill=8, wraps=True)),
        *(Column("equal", rank=4, right=True), Column(least, right=True)),
        *(Column("", rank=2, bar=True), Column("cut off", right=True)),
    ]
    for at, collective in enumerate(sweep.before):
        name = collective_name(collective)
        columns.append(Column(name, rank=5 + at, right=True))
        columns.append(Column(f"{name} kept", rank=4 + 2 * at, right=True))
    columns += [Column("partitions", rank=8, right=True), Column("selector", rank=9)]
    rows = tuple(_row(some, known, design) for some in read_alike(outcomes))
    empty = "nothing here can fail yet" if sweep.complete else "none was looked at until then"
    return Table(tuple(columns), rows, empty=empty)


def _known_of_all(sweep: Sweep) -> tuple[Collective, ...]:
    """The collectives of which it is known what is kept, where of others it never is."""
    every = [kept for outcome in sweep.singles for kept in outcome.kept]
    unknown = {kept.collective for kept in every if kept.kept is None}
    never = unknown - {kept.collective for kept in every if kept.kept is not None}
    return tuple(c for c in sweep.before if c not in unknown) if never else ()


def read_alike(outcomes: Iterable[DegradedDesign]) -> list[list[DegradedDesign]]:
    """Single failures of one kind and place whose figures read the same together, in their order.

    Faults distinguish many classes whose failures have equal results; pairs stay as they are.
    """
    found: dict[tuple[object, ...], list[DegradedDesign]] = {}
    for at, outcome in enumerate(outcomes):
        failure = outcome.failures[0]
        figures = (*_figure_words(outcome), outcome.gpus_cut_off, outcome.parts)
        single = len(outcome.failures) == 1 and failure.kind != "feed"
        key = (failure.kind, failure.what, *figures) if single else (at,)
        found.setdefault(key, []).append(outcome)
    return list(found.values())


def _row(alike: list[DegradedDesign], known: tuple[Collective, ...], design: Design | None) -> Row:
    first, failures = alike[0], alike[0].failures
    kinds = " and ".join(one.kind for one in failures)
    # a place is named once, and not at all where its kind is its name
    named = {one.what: None for one in failures if one.what != one.kind}
    whats = " and ".join(named) or (failures[0].what if len(failures) == 1 else "")
    members = first.pairs or sum(prod(one.members for one in some.failures) for some in alike)
    counted_apart = len(failures) > 1 and not first.pairs
    many = " x ".join(f"{one.members:,}" for one in failures) if counted_apart else f"{members:,}"
    least = _least([kept for kept in first.kept if kept.collective in known] or first.kept)
    share = _share_cell(least)
    selectors = tuple(text for one in failures for text in one.selectors)
    written = ", ".join(selectors)
    cells = (
        *(Cell(kinds, kinds), Cell(whats, whats), Cell(many, members)),
        *(share, Cell("", least.kept, share.tone)),
        Cell(f"{first.gpus_cut_off:,}", first.gpus_cut_off, _hurt(first.gpus_cut_off > 0)),
        *(cell for kept in first.kept for cell in (_after(kept), _share_cell(kept))),
        Cell(f"{first.parts:,}", first.parts, _hurt(first.parts > 1)),
        Cell(f"{written}, or one of the others" if written and len(alike) > 1 else written),
    )
    pairs = f"one of {counted(first.pairs, 'equivalent pair')}" if first.pairs else ""
    detail = (
        f"{written or 'no device of the design'}, {pairs or equivalent_words(*failures)}",
        *(f"no {collective_name(kept.collective)}: {kept.why}" for kept in first.kept if kept.why),
    )
    about = places([one.what for one in failures], design) if design else ()
    key = "\n".join((f"{kinds} {whats}", *selectors))
    groups, links = about or (frozenset(), frozenset())
    return Row(key, cells, detail, groups, links, selectors)


def equivalent_words(*failures: Failure) -> str:
    """``one of 32 equivalent leaves``, or that there is no other."""
    if len(failures) == 1 and failures[0].members == 1:
        return f"the only {failures[0].kind} of its class"
    several = (counted(one.members, f"equivalent {one.kind}") for one in failures)
    return f"one of {' and of '.join(several)}"


def _figure_words(outcome: DegradedDesign) -> tuple[str, ...]:
    return tuple(cell.text for kept in outcome.kept for cell in (_after(kept), _share_cell(kept)))


def _after(kept: KeptBandwidth) -> Cell:
    if kept.after_GBps is None and kept.label.kind == "at least":
        return Cell("unknown")
    if kept.after_GBps is None:
        return Cell("none", 0.0, Tone.BAD)
    return Cell(kept.label.marked(bandwidth(kept.after_GBps)), kept.after_GBps)


def _least(of: Sequence[KeptBandwidth]) -> KeptBandwidth:
    """The collective that keeps the least; one of which that is not known before all others."""
    return min(of, key=lambda kept: -1.0 if kept.kept is None else kept.kept)


def _share_cell(kept: KeptBandwidth) -> Cell:
    tone = Tone.BAD if kept.kept == 0 else _hurt(kept.kept is not None and kept.kept < HURTS)
    return Cell(percent(kept.kept), kept.kept, tone)


def _hurt(hurts: bool) -> Tone:
    return Tone.WARNING if hurts else Tone.PLAIN


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


def sweep_as_data(sweep: Sweep, spare: Maintenance | None = None) -> dict[str, Any]:
    """The sweep under stable keys (see ``docs/review.md``), and what can be taken out if asked."""
    return {
        "toposmith": 1,
        "design": sweep.design,
        **({"maintenance": maintenance_as_data(spare)} if spare else {}),
        "gpus": sweep.gpus,
        "parts": sweep.partitions or None,
        "gpus_together": sweep.gpus_together or None,
        "down": list(sweep.down),
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
        "stops": None if sweep.stops is None else stops_data(sweep.stops),
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
