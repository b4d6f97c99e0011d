"""Why nothing is cheaper, why nothing is found, and why switches are in no proposal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nlargest

from toposmith.catalog import Node, Switch
from toposmith.catalog.part_text import protocols
from toposmith.collectives import collective_name
from toposmith.synthesis.analysed_fabrics import Pool
from toposmith.synthesis.candidates import (
    Requirements,
)
from toposmith.synthesis.closed_forms import Candidate
from toposmith.synthesis.colliding_limits import Reason, why_no_fabric
from toposmith.synthesis.proposals import Proposal, beats
from toposmith.text import bandwidth, counted, joined, money, percent, power

# Why not cheaper


def why_not_cheaper(
    asked: Requirements,
    pool: Pool,
    everything: Sequence[Candidate],
    possible: Sequence[Candidate],
    proposals: Sequence[Proposal],
) -> Iterator[Reason]:
    """For every requirement that binds, what giving it up would save; or why nothing is left."""
    if not everything:
        yield from why_no_fabric(asked, pool.catalog)
        return
    for name, least in asked.needs.items():
        most = max(one.at_most_GBps(name) for one in everything)
        if most < least and not asked.request.job.layout.sizes:
            words = f"{collective_name(name)} {bandwidth(least)} is above {bandwidth(most)}"
            yield Reason(
                f"need {name}", f"{words}, the most that the NICs of a node take in (bound)"
            )
    best = proposals[0] if proposals else None
    if asked.needs and best is not None:
        cheaper = _cheaper_without_needs(pool, everything, best)
        if cheaper is not None:
            falls = _short("needs", cheaper, pool)
            saves = saving_words(best, cheaper)
            if saves:
                yield Reason("needs", f"with {falls} it {saves} ({cheaper.candidate.words})")
    for key in ("budget", "longest", "kw_per_rack", "survive", "later", "needs"):
        held = [one for one in pool.all if one.broken == (key,)]
        if not held or (key == "needs" and best is not None):
            continue
        if key == "needs":
            nearest = max(held, key=lambda one: (_share_met(one, asked), one.order))
        else:
            nearest = min(held, key=lambda one: one.order)
        if best is None:
            short = _short(key, nearest, pool)
            yield Reason(key, f"the nearest has {short}: {_named(nearest.candidate)}")
        elif nearest.order < best.order and (saves := saving_words(best, nearest)):
            short = _short(key, nearest, pool)
            yield Reason(key, f"{short}; without that it {saves} ({_named(nearest.candidate)})")
    if best is None:
        together = [one for one in pool.all if len(one.broken) > 1]
        if together and not any(len(one.broken) == 1 for one in pool.all):
            nearest = min(together, key=lambda one: (len(one.broken), one.order))
            collide = " and ".join(_short(key, nearest, pool) for key in nearest.broken[:2])
            yield Reason("collision", f"these collide: {collide} ({_named(nearest.candidate)})")


def _named(one: Candidate) -> str:
    return f"{one.words}; {one.part_words}"


def _share_met(one: Proposal, asked: Requirements) -> float:
    """The least that a proposal has of any need."""
    return min(
        (
            (one.figures[name].value or 0.0) / least
            for name, least in asked.needs.items()
            if one.figures[name].value is not None
        ),
        default=0.0,
    )


def _cheaper_without_needs(
    pool: Pool, everything: Sequence[Candidate], best: Proposal
) -> Proposal | None:
    """The next cheaper fabric that misses a need, and nothing else."""
    dearest = best.candidate.cost_order
    below = (one for one in everything if one.cost_order < dearest)
    for one in nlargest(6, below, key=lambda each: each.cost_order):
        made = pool.analysed(one)
        if made is not None and made.broken == ("needs",):
            return made
    return None


def _short(key: str, one: Proposal, pool: Pool) -> str:
    """By how much a proposal misses a requirement."""
    asked = pool.asked
    if key == "needs":
        return ", ".join(
            f"{collective_name(name)} {one.figures[name].words} of {bandwidth(least)}"
            for name, least in asked.needs.items()
            if (value := one.figures[name].value) is not None and value < least
        )
    if key == "budget" and asked.budget is not None:
        if one.price is None:
            return "a part without a price, so that no budget is kept for certain"
        return f"a price of {money(*one.price)}, above {money(*asked.budget)}"
    if key == "longest":
        if one.longest_m is None:
            return "a cable of unknown length, so that no limit is kept for certain"
        return f"a cable of {one.longest_m:g} m, above {asked.longest_m:g} m"
    if key == "kw_per_rack":
        if one.racks is None:
            return "too many devices to place, so that no limit of a rack is kept for certain"
        return f"{_hungriest(one, pool)}, above {asked.kw_per_rack:g} kW, what a rack may draw"
    if key == "survive":
        kept = percent(one.after_failure) if one.after_failure is not None else "unknown"
        return f"GPUs cut off by one failure (at worst {kept} left)"
    return f"no room to grow to {counted(asked.later or 0, 'node')}"


def _hungriest(one: Proposal, pool: Pool) -> str:
    """The device that draws most, ``a dgx-b200 of 14.3 kW``."""
    parts = (pool.catalog.get(group.part) for group in one.design.groups.values())
    drawn = {part.id: part.power_w for part in parts if isinstance(part, Node | Switch)}
    most = max(drawn, key=lambda part: drawn[part] or 0.0)
    return f"a {most} of {power(drawn[most])}" if drawn[most] else "a device whose power is unknown"


def saving_words(best: Proposal, cheaper: Proposal) -> str:
    """What a cheaper proposal saves."""
    a, b = best.price, cheaper.price
    if a is not None and b is not None and a[1] == b[1]:
        return f"saves {money(a[0] - b[0], a[1])}"
    words = []
    nouns = (("switch", "switch"), ("nic", "NIC"), ("cable", "cable"), ("transceiver", "module"))
    for kind, noun in nouns:
        less = best.counts.get(kind, 0) - cheaper.counts.get(kind, 0)
        if less > 0:
            words.append(counted(less, noun))
    return f"saves {joined(words)}" if words else ""


# Switches that no proposal has


def switches_left_out(
    pool: Pool,
    everything: Sequence[Candidate],
    possible: Sequence[Candidate],
    proposals: Sequence[Proposal],
) -> Iterator[Reason]:
    """Why switches that were looked at are in no proposal, a reason for each part."""
    used = {part for one in proposals for part in (one.candidate.ports.leaf, _spine(one.candidate))}
    hopeful = {one.ports.leaf for one in possible}
    for part in dict.fromkeys(one.ports.leaf for one in everything):
        if part in used:
            continue
        made = [one for one in pool.all if one.candidate.ports.leaf == part]
        sound = [one for one in made if not one.broken]
        switch = pool.catalog.switch(part)
        told = f"{switch.name} ({protocols([switch.protocol])})"
        if part not in hopeful:
            words = "what its NICs and uplinks take in is below the needs (bound)"
            yield Reason(part, f"{told}: {words}")
        elif sound:
            yield Reason(
                part, f"{told}: {_beaten(min(sound, key=lambda one: one.order), proposals)}"
            )
        elif made:
            least = min(made, key=lambda one: (len(one.broken), one.order))
            short = joined([_short(key, least, pool) for key in least.broken])
            yield Reason(part, f"{told}: the nearest has {short} ({least.candidate.words})")
        else:
            yield Reason(part, f"{told}: not analysed; --most analyses more, --switch only these")


def _spine(one: Candidate) -> str:
    return one.ports.spine if one.spines else one.ports.leaf


def _beaten(one: Proposal, proposals: Sequence[Proposal]) -> str:
    """By which proposal a sound one is beaten, and by how much."""
    for number, winner in enumerate(proposals, 1):
        if beats(winner, one):
            less = saving_words(one, winner) or power_words(one, winner)
            return f"its cheapest is {one.candidate.words}; line {number} gives no less and {less}"
    return f"its cheapest is {one.candidate.words}, beaten by lines that are not shown"


def power_words(one: Proposal, winner: Proposal) -> str:
    """What a winner draws less; where that is not known, only that it draws no more."""
    less = one.cost.power_w.beyond(winner.cost.power_w)
    return f"uses {power(less)} less" if less else "uses no more power"
