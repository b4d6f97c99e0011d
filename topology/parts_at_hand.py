"""Which parts are at hand: those of the program, the user's own, and places that were named."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.topology.findings.finding import Finding

MOST_LISTED = 20
"""Faults that are listed singly: a wrong folder can have thousands."""


@dataclass(frozen=True)
class PartsAtHand:
    """Where parts are looked for, the later place before the earlier.

    Parameters
    ----------
    places : tuple of Path
        Folders of part files, or single ones, besides the program's and the user's own.
    """

    places: tuple[Path, ...] = ()

    def load(self) -> Catalog:
        """Read the parts.

        Raises
        ------
        CatalogError
            Where a place holds no part files.
        """
        # here and below: the app comes up before parts are loaded
        from toposmith.catalog import load_catalog

        return load_catalog(*self.places)

    def load_what_can_be(self) -> Catalog:
        """Read the parts; where a place cannot be read, those of the program, with what failed."""
        from toposmith.catalog import Catalog, CatalogError, load_catalog

        try:
            return self.load()
        except CatalogError as failed:
            known = load_catalog(user=False)
            return Catalog((*known, *known.facility), (*failed.problems, *known.faults))


def catalog_findings(catalog: Catalog) -> list[Finding]:
    """What was found in part files, as findings: what was left out, and what replaces what."""
    from toposmith.topology.findings.finding import found
    from toposmith.topology.findings.place import at_file

    findings: list[Finding] = []
    for line in catalog.faults[:MOST_LISTED]:
        where, _, reason = line.partition(": ")
        findings.append(found("part-file", at_file(where), reason=reason))
    more = len(catalog.faults) - MOST_LISTED
    if more > 0:
        findings.append(found("part-file", at_file("part files"), more=more))
    for line in catalog.notes[:MOST_LISTED]:
        where, _, reason = line.partition(": ")
        findings.append(found("part-note", at_file(where), reason=reason))
    return findings
