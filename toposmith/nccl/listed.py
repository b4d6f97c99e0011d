"""Lists of algorithms and protocols as ``NCCL_ALGO`` and ``NCCL_PROTO`` take them.

Source: NVIDIA/nccl, user guide, Environment variables (``Ring,Tree``; ``^LL128`` for all but that
one; since 2.24 ``ring;allreduce:tree`` with a list for each collective).
"""

from __future__ import annotations

from collections.abc import Sequence

SEPARATOR = ","

_IN_NCCL = {
    "all_gather": "allgather",
    "all_reduce": "allreduce",
    "broadcast": "broadcast",
    "reduce": "reduce",
    "reduce_scatter": "reducescatter",
}


def listed(text: str, names: Sequence[str], collective: str = "") -> str | None:
    """Those that a list lets NCCL take, as ``ll,simple`` in the order of ``names``.

    None where it says nothing of the collective.

    Parameters
    ----------
    text : str
        The list, in any case; names with or without ``_``.
    names : sequence of str
        What there is.
    collective : str
        Whose list counts, where the text has several.

    Raises
    ------
    ValueError
        If a name is not one of them, or none is left.
    """
    said = _of_collective(text, _IN_NCCL.get(collective, collective))
    if said is None:
        return None
    words = [_bare(word) for word in said.removeprefix("^").split(SEPARATOR)]
    known = {_bare(name): name for name in names}
    for word in words:
        if word not in known:
            raise ValueError(f"{word or said!r} is not one of {', '.join(names)}")
    without = said.startswith("^")
    left = [name for bare, name in known.items() if (bare in words) != without]
    if not left:
        raise ValueError(f"{text!r} leaves none of {', '.join(names)}")
    return SEPARATOR.join(left)


def names_in(asked: str | None) -> tuple[str, ...] | None:
    """The single names of such a list; None where nothing is asked for."""
    return None if asked is None else tuple(asked.split(SEPARATOR))


def _of_collective(text: str, collective: str) -> str | None:
    """The list that holds for a collective: its own, else the one without a name."""
    found = None
    for part in text.strip().split(";"):
        name, colon, of_it = part.rpartition(":")
        if not colon:
            found = of_it.strip() if found is None else found
        elif _bare(name) == collective:
            return of_it.strip()
    return found


def _bare(word: str) -> str:
    return word.strip().lower().replace("_", "").replace("-", "")
