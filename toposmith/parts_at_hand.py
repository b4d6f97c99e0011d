"""Where parts are read from: those of the program, the user's own, and folders given."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toposmith.catalog import Catalog


@dataclass(frozen=True)
class PartsAtHand:
    """The places that parts are read from; later ones override earlier ones.

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
        # imported here and below: the app comes up before parts are loaded
        from toposmith.catalog import load_catalog

        return load_catalog(*self.places)

    def load_what_can_be(self) -> Catalog:
        """Read the parts; where a place cannot be read, the built-in ones, with the fault."""
        from toposmith.catalog import Catalog, CatalogError, load_catalog

        try:
            return self.load()
        except CatalogError as failed:
            known = load_catalog(user=False)
            return Catalog((*known, *known.facility), (*failed.problems, *known.faults))
