"""The review beside a design file, as the app holds it: read with it, added to, never lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from toposmith.bill.terms import design_digest
from toposmith.documents.table import Tone
from toposmith.errors import SaveError, ToposmithError
from toposmith.evaluation import recent
from toposmith.evaluation.here import compared_here, policy_at_hand
from toposmith.review.sidecar.approval import EvaluatedBasis, moved_words
from toposmith.review.sidecar.entries import ReviewEntry, Said, read_signers
from toposmith.review.sidecar.folder import Sidecar, Sign, add_entries, load_sidecar
from toposmith.review.sidecar.verdict import Basis, Review, review_of

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.evaluation import EvaluatedDesign

MOST_KNOWN = 50
"""Designs whose review is kept, for when an edit is undone."""

NO_FILE = "this design has no file yet to keep a review with: save it first (s)"


@dataclass(frozen=True)
class ReviewFile:
    """The sidecar of a design file.

    Parameters
    ----------
    sidecar : Sidecar or None
        None where the design has no file, or its review cannot be read.
    trouble : str
        Why it cannot be read; empty where it can.
    """

    sidecar: Sidecar | None = None
    trouble: str = ""
    _known: dict[tuple[str, str, int, frozenset[str] | None], Review] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def first_fault(self) -> str:
        """Why it, or the first of its entries, cannot be read; empty where all can."""
        faults = self.sidecar.faults if self.sidecar else ()
        more = f" (and {len(faults) - 1} more: V)" if len(faults) > 1 else ""
        return self.trouble or (f"{faults[0]}{more}" if faults else "")

    def review(
        self, design: Design, catalog: Catalog, people: frozenset[str] | None = None
    ) -> Review:
        """What was said, as it applies to a design with its parts, prices and policy of now.

        Parameters
        ----------
        design, catalog
            The design at hand, and the parts.
        people : frozenset of str, optional
            Who changed its file, as git knows them; None where that is unknown.
        """
        said, faults = self._said_and_faults
        if not said and not faults and design.pins is None:
            return Review()
        known = _key(design, catalog, people)
        if known not in self._known:
            if len(self._known) > MOST_KNOWN:
                self._known.clear()
            evaluated = reviewed_now(design, catalog)
            basis = EvaluatedBasis(evaluated, lambda: people, read_signers())
            # approvals that the built-in policy counts are none of a policy that cannot be read
            unread = (one.text for one in policy_at_hand()[1])
            review = review_of(said, design, basis, (*faults, *unread))
            if review.pinned is not None:
                pinned = replace(review.pinned, moved=moved_words(review.pinned, evaluated))
                review = replace(review, pinned=pinned)
            self._known[known] = review
        return self._known[known]

    def review_without_figures(
        self, design: Design, catalog: Catalog, people: frozenset[str] | None = None
    ) -> Review | None:
        """The review where it is known, or rests on no figures; None where it is to be worked out.

        The figures of a large design take seconds, for which a screen does not wait.
        """
        if not self.decides and design.pins is None:
            return self.review(design, catalog, people)
        return self._known.get(_key(design, catalog, people))

    def comments(self, design: Design) -> Review:
        """What was said without a decision, as it applies to a design."""
        said, faults = self._said_and_faults
        basis = Basis(design_digest(design))
        return replace(review_of(said, design, basis, faults), decisions=(), pinned=None)

    @property
    def _said_and_faults(self) -> tuple[tuple[Said, ...], tuple[str, ...]]:
        found = self.sidecar
        return (tuple(found.said), tuple(found.faults)) if found is not None else ((), ())

    @property
    def decides(self) -> bool:
        """Whether anybody approved the design: git is asked who changed it."""
        return any(each.entry.approve is not None for each in self._said_and_faults[0])

    def with_entry(
        self, author: str, email: str, sign: Sign | None = None, **said: object
    ) -> ReviewFile:
        """Write another entry, signed where that is asked for.

        Raises
        ------
        SaveError
            Where it cannot be written; what was there stays.
        """
        if self.sidecar is None:
            raise SaveError(self.trouble or NO_FILE)
        day = date.today().isoformat()
        by = {"author": author, "email": email or None, "date": day}
        try:
            entry = ReviewEntry.model_validate({**said, **by})
        except ValidationError as wrong:
            error = wrong.errors()[0]
            what = ".".join(map(str, error["loc"])) or "the entry"
            raise SaveError(f"{what}: {error['msg'].removeprefix('Value error, ')}") from None
        return ReviewFile(add_entries(self.sidecar, [entry], sign))


def _key(
    design: Design, catalog: Catalog, people: frozenset[str] | None
) -> tuple[str, str, int, frozenset[str] | None]:
    pins = design.pins.model_dump_json() if design.pins else ""
    return design_digest(design), pins, id(catalog), people


def reviewed_now(design: Design, catalog: Catalog) -> EvaluatedDesign:
    """A design as it would be approved now, with the policy and the price lists."""
    shared = recent.planned(design, catalog)
    return compared_here(design.name, design, catalog, policy=policy_at_hand()[0], shared=shared)


def review_beside(path: Path | None) -> ReviewFile:
    """The review of a design file; empty without one, with the reason where it is broken."""
    if path is None:
        return ReviewFile()
    try:
        return ReviewFile(load_sidecar(path))
    except ToposmithError as failed:
        lines = str(failed).splitlines()
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        return ReviewFile(trouble=f"{lines[0]}{more}")


def open_by_place(review: Review) -> Mapping[str, int]:
    """Open comments by the place that they are about."""
    return dict(Counter(one.place for one in review.open_comments if not one.gone))


def state_words(review: Review) -> str:
    """``approved, 2 comments open``; empty without comments and decisions."""
    return review.words if review.decisions or review.open_comments or review.faults else ""


def state_tone(review: Review) -> Tone:
    """The tone of a state."""
    if review.settled:
        return Tone.GOOD
    blocked = review.verdict in ("changes requested", "incomplete")
    return Tone.BAD if blocked else Tone.WARNING
