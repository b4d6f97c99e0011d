"""Cables that are where they are planned, and run slower than planned."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from toposmith.as_built.cable_list import ListedCable
from toposmith.as_built.cabling_difference import CablingDifference, PlanWords
from toposmith.as_built.harmless_differences import Met
from toposmith.text import counted

_ALL_ALIKE = 0.5
_SLOWER = 0.97
"""Nominal rates of SDR to QDR and FDR are rounded in plans: 14.0625 x 4 is called 56."""


def slow_cables(
    words: PlanWords, met: Sequence[Met], notes: list[str]
) -> Iterator[CablingDifference]:
    """Links that are slower than planned; where most of a speed are, that is one note instead."""
    known: dict[float, list[Met]] = defaultdict(list)
    for one, meant in met:
        if meant.speed_gbit is not None and one.cable.speed_gbit is not None:
            known[meant.speed_gbit].append((one, meant))
    usual: dict[float, float] = {}
    for wanted, links in known.items():
        speed, times = Counter(one.cable.speed_gbit for one, _ in links).most_common(1)[0]
        if speed is not None and speed < _SLOWER * wanted and times > _ALL_ALIKE * len(links):
            usual[wanted] = speed
    marked = [(one, meant) for one, meant in met if one.cable.degraded]
    if len(marked) > _ALL_ALIKE * len(met):
        notes.append(
            f"{counted(len(marked), 'link', 'say')} that they could be faster "
            f"({marked[0][0].cable.degraded})"
        )
        marked = []
    for one, meant in marked:
        yield _slow(words, one.cable, meant, one.cable.degraded, usual)
    told = {id(one) for one, _ in marked}
    for wanted, links in known.items():
        speed = usual.get(wanted, wanted)
        slower = [met for met in links if (met[0].cable.speed_gbit or 0) < _SLOWER * wanted]
        if wanted in usual:
            notes.append(
                f"{counted(len(slower), 'link')} planned at {wanted:g} Gb/s below that speed, most "
                f"of them at {speed:g} Gb/s: a simulated fabric, or the plan is of another "
                "generation?"
            )
        for one, meant in slower:
            if id(one) not in told and (one.cable.speed_gbit or 0) < _SLOWER * speed:
                why = f"{one.cable.speed_gbit:g} of {speed:g} Gb/s"
                yield _slow(words, one.cable, meant, why, usual)


def _slow(
    words: PlanWords, one: ListedCable, meant: ListedCable, why: str, usual: Mapping[float, float]
) -> CablingDifference:
    return CablingDifference(
        "degraded", True,
        f"{words.cable(meant.a, meant.z)}: runs degraded ({why}): reseat or replace the cable, "
        "check both plugs",
        meant.a, meant.z, (meant.a, meant.z), [meant], place=one.place,
        spot=words.spot(meant.z, meant.a), runs_at=_runs_at(one, meant, usual),
    )  # fmt: skip


def _runs_at(
    one: ListedCable, meant: ListedCable, usual: Mapping[float, float]
) -> float | str | None:
    """What a cable runs at: Gb/s, or a share where all of its kind are of another generation."""
    got, wanted = one.speed_gbit, meant.speed_gbit
    if got is None or wanted is None:
        return None
    common = usual.get(wanted)
    if common is not None:
        return f"{100 * got / common:g} %" if got < common else None
    return got if got < _SLOWER * wanted else None
