"""What an approval rests on besides the design, what it leaves out, and what speaks against it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from toposmith.bill.provenance import catalog_digest, part_digest, prices_digest
from toposmith.catalog.prices import PriceList
from toposmith.collectives import collective_name
from toposmith.design.document import Pins, as_data
from toposmith.design.edits import Edit
from toposmith.evaluation import EvaluatedDesign
from toposmith.review.git_author import who_changed
from toposmith.review.other_networks import not_looked_at
from toposmith.review.policy import Policy
from toposmith.review.sidecar.verdict import Basis, Pinned, Review
from toposmith.text import counted


class EvaluatedBasis(Basis):
    """What an approval rests on, taken from an evaluated design when it is asked for.

    Parameters
    ----------
    evaluated : EvaluatedDesign
        The design as it is now, with the policy and the prices of now.
    file : Path, optional
        Where it is kept: git says who changed it.
    since : str, optional
        A revision of git; only who changed it since counts as its author.
    """

    def __init__(
        self, evaluated: EvaluatedDesign, file: Path | None = None, since: str | None = None
    ) -> None:
        super().__init__(evaluated.digest)
        self._standing = evaluated
        self._file = file
        self._since = since

    @property
    def needed(self) -> int:
        """How many people have to approve, by the policy."""
        return self._standing.policy.approvals.needed

    @cached_property
    def _who_changed(self) -> frozenset[str] | None:
        return None if self._file is None else who_changed(self._file.absolute(), self._since)

    def is_own(self, name: str, email: str) -> bool | None:
        """Whether an approver changed the design, which the policy forbids; None if unknown."""
        if self._standing.policy.approvals.own:
            return False
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
        "figures": figures_of(evaluated),
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
    moved = moved_figures(pinned.figures, evaluated)
    return f"{pinned.words}; {'; '.join(moved) or 'no figure moved'}"


def moved_figures(then: Mapping[str, str], evaluated: EvaluatedDesign) -> list[str]:
    """The figures that are not what they were: ``busbw all-reduce 361 GB/s -> 352 GB/s``."""
    now = figures_of(evaluated)
    both = (name for name in then if name in now)
    return [f"{name} {then[name]} -> {now[name]}" for name in both if then[name] != now[name]]


def figures_of(evaluated: EvaluatedDesign) -> dict[str, str]:
    """The figures that are signed, in words: bandwidth by collective, power, cost."""
    figures = {
        f"busbw {collective_name(name)}": each.busbw.words
        for name, each in evaluated.analyses.items()
    }
    return figures | {"cost": evaluated.cost_words[:200]}


def against_approval(evaluated: EvaluatedDesign, review: Review) -> Iterator[str]:
    """What is open, which an approval has to accept explicitly."""
    if review.open_comments:
        yield f"{counted(len(review.open_comments), 'comment')} open"
    if errors := evaluated.findings_of("error"):
        yield f"{counted(errors, 'error')} found"


def policy_digest(policy: Policy) -> str:
    """SHA-256 of what a policy says of designs, without its name and its approvers."""
    says = {k: v for k, v in asdict(policy).items() if k not in ("name", "approvals")}
    return _sha256(json.dumps(says, sort_keys=True, default=dict))


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


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
