"""Rules for names in other programs, and replacement of invalid names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from toposmith.design.safe_text import listed, shown
from toposmith.errors import ExportError


@dataclass(frozen=True)
class NameRule:
    """The names that a program accepts.

    Parameters
    ----------
    program : str
        The program.
    signs : str
        The characters that it accepts, as in brackets of a regular expression; each run of others
        becomes a hyphen.
    longest : int
        The most characters of a name.
    same_case : bool
        Whether names are case-insensitive.
    ends : str
        The signs that a name may begin and end with.
    lower : bool
        Whether it accepts lower case only; capitals are converted.
    """

    program: str
    signs: str = "A-Za-z0-9._-"
    longest: int = 64
    same_case: bool = False
    ends: str = "A-Za-z0-9"
    lower: bool = False

    def name(self, own: str) -> str:
        """A name as the program accepts it.

        Raises
        ------
        ExportError
            Where it is too long, or none of its characters is accepted.
        """
        bare = re.sub(f"[^{self.signs}]+", "-", own.lower() if self.lower else own)
        bare = re.sub(f"^[^{self.ends}]+|[^{self.ends}]+$", "", bare)
        if not bare:
            raise ExportError(f"{self.program} takes no sign of the name {shown(own)}")
        if len(bare) > self.longest:
            raise ExportError(
                f"{self.program} takes names of {self.longest} signs, {shown(own)} has {len(bare)};"
                " a map of names (--names) shortens it"
            )
        return bare

    def title(self, text: str) -> str:
        """A free text as a name of its own: cut where it is too long, never refused."""
        try:
            return self.name(text[: self.longest])
        except ExportError:
            return "design"

    def applied(self, names: Iterable[str]) -> tuple[dict[str, str], list[str]]:
        """The converted names, and notes about changes.

        Raises
        ------
        ExportError
            As of one name, or where two become the same.
        """
        found: dict[str, str] = {}
        owner: dict[str, str] = {}
        for own in names:
            taken = found[own] = self.name(own)
            key = taken.lower() if self.same_case else taken
            other = owner.setdefault(key, own)
            if other != own:
                raise ExportError(
                    f"{shown(other)} and {shown(own)} are both {shown(taken)} to {self.program}; "
                    "a map of names (--names) tells them from each other"
                )
        changed = [f"{own} is {taken}" for own, taken in found.items() if own != taken]
        if not changed:
            return found, []
        what = "name" if len(changed) == 1 else "names"
        return found, [f"{len(changed):,} {what} changed for {self.program}: {listed(changed)}"]
