"""Codes of findings about the lock beside a design."""

from __future__ import annotations

from toposmith.findings.codes.code import Code

LOCKS = (
    Code(
        "lock-unusable",
        "error",
        "the lock beside it binds nothing",
        "the lock cannot be read, or says something twice; ports, labels and places are worked out "
        "as if there were none, and the file stays as it is",
        "correct the line that is named, or move the lock away",
        text="{file}: {fault}",
    ),
    Code(
        "lock-of-another",
        "error",
        "lock of another design",
        "the lock beside the design has none of its devices, by group and coordinates",
        "put the right lock there; after groups were renamed by hand, rename them in the lock, too",
        text="{file}: none of its {devices:,} devices is in this design, such as {first}",
    ),
    Code(
        "lock-larger",
        "info",
        "the lock has more devices",
        "the lock has devices that the design does not have any more",
        "take them out by `toposmith change`, and lock the design again",
        text="{file}: {devices:,} of its devices are not in this design, such as {first}",
    ),
    Code(
        "lock-no-port",
        "error",
        "no port left beside what is locked",
        "a device has no port left for a new connection, as what lies there keeps its own",
        "a larger device, or fewer cables",
        text="{connections:,} connections find no port that is free",
    ),
)
