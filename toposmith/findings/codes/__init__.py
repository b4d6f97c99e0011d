"""Every code that a finding can have, by what it is about.

``docs/findings.md`` is this table for people; a test holds the two together.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toposmith.entry_points import refuse_twice
from toposmith.findings.codes.assumptions import ASSUMPTIONS
from toposmith.findings.codes.code import Code
from toposmith.findings.codes.jobs import JOBS, WORKLOADS
from toposmith.findings.codes.parts import PARTS
from toposmith.findings.codes.ports import PORTS
from toposmith.findings.codes.protocols import LOSSLESS, NICS, PROTOCOLS, RAILS
from toposmith.findings.codes.racks import RACKS
from toposmith.findings.codes.single_points import LOCKS, SINGLE_POINTS, WAIVERS
from toposmith.findings.codes.tiers import CABLING, TIERS

if TYPE_CHECKING:
    from toposmith.findings.finding import Finding

_ALL = (
    PARTS,
    PORTS,
    PROTOCOLS,
    NICS,
    RAILS,
    TIERS,
    LOSSLESS,
    SINGLE_POINTS,
    CABLING,
    RACKS,
    LOCKS,
    ASSUMPTIONS,
    JOBS,
    WAIVERS,
    WORKLOADS,
)

RECORDS: dict[str, Code] = {one.code: one for about in _ALL for one in about}
"""Every code, in the order of the page that explains them."""


@dataclass(frozen=True)
class AddedFinding:
    """A finding of one's own.

    Parameters
    ----------
    code : Code
        Its record.
    find : callable
        Looks for it: gets a ``toposmith.review.findings.subject.Subject``, the design under review.
    """

    code: Code
    find: Callable[[Any], Iterable["Finding"]]


ADDED: list[AddedFinding] = []
"""Findings that were added to those of the program."""


def add_finding(added: AddedFinding) -> None:
    """Have one more finding looked for; policies and waivers know its code.

    Raises
    ------
    ValueError
        Where there is one of its code.
    """
    refuse_twice(RECORDS, added.code.code)
    RECORDS[added.code.code] = added.code
    ADDED.append(added)
