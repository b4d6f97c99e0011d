"""Codes of findings about the lock beside a design."""

from __future__ import annotations

from toposmith.findings.codes.code import Code

LOCKS = (
    Code(
        "lock-unusable",
        "error",
        "the lock binds nothing",
        "the lock cannot be read, or says something twice; ports, labels and places are worked out "
        "as if there were none, and the file stays unchanged",
        "correct the line that is named, or move the lock away",
        text="{file}: {fault}",
    ),
    Code(
        "lock-of-another",
        "error",
        "lock of another design",
        "the lock next to the design has none of its devices, by group and coordinates",
        "put the right lock there; after groups were renamed by hand, `toposmith lock FILE "
        "--renamed OLD=NEW` for each",
        text="{file}: none of its {devices:,} devices is in this design, such as {first} "
        "(line {line})",
    ),
    Code(
        "lock-renamed",
        "error",
        "renamed by hand, or gone",
        "the lock names a group or an axis that the design does not have, and the design has one "
        "of which the lock says nothing: the same under another name, or another one",
        "`toposmith lock FILE --renamed OLD=NEW`, or `--renamed OLD=` where it is gone",
        text="{file}: line {line}: {what} {old} is not in this design, and the lock says nothing "
        "of {new}; --renamed {old}={first_new} makes it the same, --renamed {old}= another",
    ),
    Code(
        "lock-odd-port",
        "error",
        "the lock names ports that a part lacks",
        "a line of the lock puts a cable to a port that the part of the device does not have, so "
        "that where the cable lies is not known; the file stays unchanged",
        "correct the port in the line that is named, or the rate of its kit, or take the line out",
        text="{file}: line {line}: {first} is no port of {part}; ends of cables at such ports of "
        "{group}: {ends:,}",
    ),
    Code(
        "lock-odd-kit",
        "error",
        "the lock names cables that cannot be",
        "a line says of what cables are made, and its parts are none of cables or run at another "
        "rate, so that what lies there is not known; the file stays as it is",
        "correct the part or the rate in the line that is named",
        text="{file}: line {line}: kit {kit}: no cable of {gbit} Gb/s is made of {part}",
    ),
    Code(
        "lock-added-twice",
        "warning",
        "both branches of the merge added the same",
        "the last commit is a merge, or one is under way, and both its branches added the same "
        "devices: git made one set of them without a word, and so has the lock",
        "nothing where one set is meant; where two are, add the second to the design",
        text="{file}: both branches of the merge added the same {devices:,} devices and "
        "{connections:,} connections, which are in the lock once",
    ),
    Code(
        "lock-uncabled",
        "warning",
        "the lock has devices without their cables",
        "the lock has devices and not a single cable of theirs, which the design wires: they were "
        "bound before, or the end of the file is lost",
        "where lines are lost, restore the file; else `toposmith lock` binds what is new",
        text="{file}: {devices:,} of its devices have no cable there, such as {first} "
        "(line {line}), and the design wires them",
    ),
    Code(
        "lock-larger",
        "warning",
        "the lock has more devices",
        "the lock has devices that the design does not have any more",
        "take them out by `toposmith change`, and lock the design again",
        text="{file}: {devices:,} of its devices are not in this design, such as {first} "
        "(line {line})",
    ),
    Code(
        "lock-no-port",
        "error",
        "no port left besides those that are locked",
        "a device has no port left for a new connection, as what lies there keeps its own",
        "a larger device, or fewer cables",
        text="{connections:,} connections find no port that is free",
    ),
)
