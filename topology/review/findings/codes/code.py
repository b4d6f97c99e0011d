"""What a code of findings says: its title, how bad it is, what it means, the usual way out."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.topology.fabric.plan import Severity


@dataclass(frozen=True)
class Code:
    """One kind of finding."""

    code: str
    severity: Severity
    title: str
    meaning: str
    remedy: str
