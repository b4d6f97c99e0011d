"""What an approval rests on besides the design, what it leaves out, and what speaks against it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cached_property
from typing import Any

from toposmith.bill.terms import (
    catalog_digest,
    part_digest,
    prices_digest,
)
from toposmith.catalog.prices import PriceList
from toposmith.collectives import collective_name
from toposmith.design.document import Pins, as_data
from toposmith.design.edits import Edit
from toposmith.evaluation import EvaluatedDesign
from toposmith.labels import Labelled
from toposmith.review.failures.networks_beside import not_looked_at
from toposmith.review.policy import Policy
from toposmith.review.sidecar.entries import Proof, Said, Signers
from toposmith.review.sidecar.verdict import (
    BILL,
    Basis,
    Pinned,
    Review,
    listed_words,
    moved_figures,
)
from toposmith.text import counted
from toposmith.version import program_version

WhoChanged = Callable[[], frozenset[str] | None]


class EvaluatedBasis(Basis):
    """What an approval rests on, taken from an evaluated design when it is asked for.

    Parameters
    ----------
    evaluated : EvaluatedDesign
        The design as it is now, with the policy and the prices of now.
    who_changed : callable, optional
        Names and addresses of all who changed it, as git knows them; None where that is unknown.
    signers : Signers, optional
        The people whose signatures are trusted; nobody if not given.
    """

    def __init__(
        self,
        evaluated: EvaluatedDesign,
        who_changed: WhoChanged = lambda: None,
        signers: Signers = Signers(),  # noqa: B008 - it never changes
    ) -> None:
        super().__init__(evaluated.digest)
        self._signers = signers
        self._standing = evaluated
        self._ask_who_changed = who_changed
        self.approvals = evaluated.policy.approvals
        self.program = program_version()

    def proof(self, said: Said) -> Proof:
        """The key that signed an entry, or why none is known; neither where nobody asks."""
        asked = self.approvals.signed or said.entry.signature is not None
        return self._signers.proof(said) if asked else Proof()

    @cached_property
    def figures(self) -> Mapping[str, str]:
        """The figures that an approval signs, in words."""
        return signed_figures(self._standing)

    @cached_property
    def _who_changed(self) -> frozenset[str] | None:
        return self._ask_who_changed()

    def is_own(self, name: str, email: str) -> bool | None:
        """Whether an approver changed the design, by git; None if unknown."""
        people = self._who_changed
        return None if people is None else name in people or email in people

    @cached_property
    def catalog(self) -> str:
        """The SHA-256 of the whole catalog."""
        return catalog_digest(self._standing.catalog)

    @cached_property
    def policy(self) -> str:
        """The SHA-256 of the policy, whichever file it is in."""
        return policy_digest(self._standing.policy)

    @property
    def lock(self) -> str:
        """The SHA-256 of the lock, empty without one."""
        binding = self._standing.design.binding
        return "" if binding is None else binding.digest

    @cached_property
    def parts(self) -> Mapping[str, str]:
        """The SHA-256 of each part that the design names or buys, and of what these are made of."""
        evaluated = self._standing
        named = set(_texts(as_data(evaluated.design)))
        if not evaluated.planned.too_large:
            named |= {line.part for line in evaluated.bill.lines if line.part is not None}
        found: dict[str, str] = {}
        while named:
            part = evaluated.catalog.get(named.pop())
            if part is not None and part.id not in found:
                found[part.id] = part_digest(part)
                named |= set(_texts(part.model_dump(mode="json")))
        return found

    def prices_of(self, parts: Iterable[str]) -> str:
        """The SHA-256 of the prices of some parts; of a part without a price nothing counts."""
        wanted, prices = set(parts), self._standing.terms.prices or PriceList()
        some = {part: price for part, price in prices.prices.items() if part in wanted}
        return prices_digest(PriceList(some))


def approval(evaluated: EvaluatedDesign, review: Review) -> dict[str, Any]:
    """The keys of an entry that approves a design as it stands."""
    basis = EvaluatedBasis(evaluated)
    return {
        "approve": basis.design,
        "parts": dict(sorted(basis.parts.items())),
        "catalog": basis.catalog,
        "prices": basis.prices_of(basis.parts),
        "policy": basis.policy,
        "program": basis.program,
        "figures": dict(basis.figures),
        "not_looked_at": tuple(each[:200] for each in not_looked_at(evaluated.network))[:100],
        "despite": "; ".join(against_approval(evaluated, review))[:200] or None,
    }


def pin(evaluated: EvaluatedDesign, day: str, by: str | None = None) -> Edit:
    """Write the parts and figures of a design into it as they are now, so that changes are seen.

    Parameters
    ----------
    evaluated : EvaluatedDesign
        The design with the catalog and the prices of now.
    day : str
        The day, such as 2026-11-22.
    by : str, optional
        Who pins it.
    """
    basis = EvaluatedBasis(evaluated)
    parts = dict(sorted(basis.parts.items()))
    pins = Pins(
        date=day,
        by=by or None,
        design=evaluated.digest,
        parts=parts,
        prices=basis.prices_of(parts),
        figures=figures_of(evaluated),
    )
    label = f"pin {counted(len(parts), 'part')} and {counted(len(pins.figures), 'figure')}"
    return Edit(evaluated.design.model_copy(update={"pins": pins}), label)


def moved_words(pinned: Pinned | None, evaluated: EvaluatedDesign) -> str:
    """What changed under a design since its figures were written down; empty where nothing did.

    ``since 2026-11-22 (Ann) changed: the catalog (qm9700); busbw all-reduce 361 GB/s -> 352 GB/s``.
    """
    if pinned is None or not pinned.changed:
        return ""
    if pinned.edited:
        return f"{pinned.words}; the design was edited since: its figures cannot be compared"
    moved = list(moved_figures(pinned.figures, signed_figures(evaluated)))
    return f"{pinned.words}; {listed_words(moved) or 'no figure moved'}"


def signed_figures(evaluated: EvaluatedDesign) -> dict[str, str]:
    """What an approval signs, in words: the figures of a design, and every line of its bill."""
    lines: dict[str, int] = {}
    if not evaluated.planned.too_large:
        for line in evaluated.bill.lines:
            length = "" if line.length_m is None else f" {line.length_m:g} m"
            name = f"{BILL}{line.ordered_as or line.name}"[:180] + length
            lines[name] = lines.get(name, 0) + line.quantity + line.spares
    return figures_of(evaluated) | {name: f"{many:,}" for name, many in lines.items()}


def figures_of(evaluated: EvaluatedDesign) -> dict[str, str]:
    """The figures of a design in words: bandwidth, bounds, tiers, power, cost, findings."""
    first = evaluated.first
    figures = {"GPUs": f"{first.gpus:,}", "nodes": f"{first.nodes:,}"}
    for name, each in evaluated.analyses.items():
        bound = Labelled(each.bound_busbw_GBps, each.bound_label)
        figures[f"busbw {collective_name(name)}"] = each.busbw.words
        figures[f"bound {collective_name(name)}"] = bound.words
    figures["bisection"] = Labelled(first.bisection_GBps, first.bisection_label).words
    figures |= {f"{tier.tier} oversubscription": tier.words for tier in first.tiers if tier.words}
    if not evaluated.planned.too_large:
        figures["power"] = evaluated.bill.power_w.amount("W")
        figures["height"] = evaluated.bill.rack_units.amount("U")
    for severity in ("error", "warning"):
        figures[f"{severity}s"] = str(evaluated.findings_of(severity))
    return figures | {"cost": evaluated.cost_words[:200]}


def against_approval(evaluated: EvaluatedDesign, review: Review) -> Iterator[str]:
    """What is open, which an approval has to accept explicitly."""
    if review.open_comments:
        yield f"{counted(len(review.open_comments), 'comment')} open"
    if review.faults:
        yield f"{counted(len(review.faults), 'entry')} lost or not readable"
    if errors := evaluated.findings_of("error"):
        yield f"{counted(errors, 'error')} found"


def policy_digest(policy: Policy) -> str:
    """SHA-256 of what a policy says of designs, without its name and its approvers.

    What it leaves as the program has it does not count, so that a later program with more to say
    finds the same digest.
    """
    return hashlib.sha256(json.dumps(_told(policy, Policy()), sort_keys=True).encode()).hexdigest()


def _told(policy: Policy, usual: Policy) -> dict[str, Any]:
    said, left = (asdict(each) for each in (policy, usual))
    usually = usual.limits.model_dump()
    limits = {k: v for k, v in policy.limits.model_dump().items() if v != usually[k]}
    apart = ("name", "approvals", "limits")
    told = {k: v for k, v in said.items() if v != left[k] and k not in apart}
    return told | ({"limits": limits} if limits else {})


def _texts(data: object) -> Iterator[str]:
    """Every text that plain data holds; some are names of parts."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for each in data.values():
            yield from _texts(each)
    elif isinstance(data, list | tuple):
        for each in data:
            yield from _texts(each)
