"""Releases of NCCL whose search and tuner are described here, and their order."""

from __future__ import annotations

import re
from typing import NamedTuple

_WRITTEN = re.compile(r"v?2\.(?P<minor>\d{1,2})(?:\.(?P<patch>\d{1,2}))?(?:-\d+)?")


class NcclVersion(NamedTuple):
    """A release, such as 2.27.7; releases compare by age."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}" + (f".{self.patch}" if self.patch else "")


LAST_PATCH = {
    18: 6,
    19: 4,
    20: 5,
    21: 5,
    22: 3,
    23: 4,
    24: 3,
    25: 1,
    26: 6,
    27: 7,
    28: 9,
    29: 7,
    30: 7,
    31: 2,
    32: 3,
}
"""The release of every minor version that is meant when no patch is given."""

OLDEST = NcclVersion(2, 18, 3)
NEWEST = NcclVersion(2, 32, 3)


def parse_version(text: str) -> NcclVersion:
    """Read ``2.27`` or ``2.27.7``.

    Raises
    ------
    ValueError
        If it is no release from 2.18 to 2.32.
    """
    found = _WRITTEN.fullmatch(text.strip())
    minor = int(found["minor"]) if found else 0
    if found is None or minor not in LAST_PATCH:
        raise ValueError(f"{text!r} is no NCCL release from 2.18 to 2.32, such as 2.27 or 2.27.7")
    patch = LAST_PATCH[minor] if found["patch"] is None else int(found["patch"])
    if patch > LAST_PATCH[minor]:
        raise ValueError(
            f"{text!r} is later than 2.{minor}.{LAST_PATCH[minor]}, the last of 2.{minor} that is "
            "described"
        )
    return NcclVersion(2, minor, patch)
