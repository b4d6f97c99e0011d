"""The least busbw of a GPU that is required, by collective."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from toposmith.analysis.request import Collective
from toposmith.collectives import COLLECTIVES, collective_name
from toposmith.errors import EditError
from toposmith.text import bandwidth

MOST_GBPS = 100_000.0
"""No GPU moves a hundred terabytes a second; what is more is a slip."""


def read_needs(texts: Iterable[str]) -> dict[Collective, float]:
    """Read ``all_reduce=100`` or ``all-to-all=12.5 GB/s``, one of each collective.

    A figure without a name is a need of all-reduce.

    Raises
    ------
    EditError
        With what was found and what would be right.
    """
    found: dict[Collective, float] = {}
    for text in texts:
        name, equals, amount = text.partition("=")
        if not equals and _is_figure(name):
            name, equals, amount = "all_reduce", "=", text
        known = {_bare(each): each for each in COLLECTIVES}
        collective = known.get(_bare(name))
        if not equals or collective is None:
            names = ", ".join(COLLECTIVES)
            raise EditError(
                f"{text!r} is no need; write COLLECTIVE=GB/s, as all_reduce=100 ({names})"
            )
        if collective in found:
            raise EditError(f"{collective} is given twice")
        found[collective] = _amount(amount, text)
    return found


GPUS = "gpus"
"""How a floor names the GPUs that are to run."""


def read_floor(texts: Iterable[str]) -> tuple[dict[Collective, float], int]:
    """Read what has to hold while a cluster grows: needs, and ``gpus=480`` that are to run.

    Raises
    ------
    EditError
        With what was found and what would be right.
    """
    needs, gpus = [], 0
    for text in texts:
        name, equals, amount = text.partition("=")
        if not equals or _bare(name) != GPUS:
            needs.append(text)
            continue
        if gpus:
            raise EditError("gpus are asked for twice")
        number = amount.strip().replace(",", "")
        if not (number.isascii() and number.isdigit() and int(number[:12])):
            raise EditError(f"{text!r}: GPUs that keep running are a whole number above 0")
        gpus = int(number[:12])
    return read_needs(needs), gpus


def floor_asked(needs: Mapping[Collective, float], gpus: int) -> str:
    """A floor as it is typed: ``all_to_all=40 gpus=480``."""
    words = [f"{name}={least:g}" for name, least in needs.items()]
    return " ".join((*words, *([f"{GPUS}={gpus}"] if gpus else [])))


def _is_figure(text: str) -> bool:
    return text.strip()[:1].isdigit()


def _amount(text: str, whole: str) -> float:
    try:
        value = float(text.strip().removesuffix("GB/s").strip().replace(",", ""))
    except ValueError:
        value = 0.0
    if not 0 < value <= MOST_GBPS:
        raise EditError(f"{whole!r}: GB/s of each GPU are a number above 0, found {text.strip()!r}")
    return value


def needs_words(needs: Mapping[Collective, float]) -> str:
    """``all-reduce 100 GB/s, all-to-all 12.5 GB/s``."""
    return ", ".join(f"{collective_name(name)} {bandwidth(gb)}" for name, gb in needs.items())


def _bare(word: str) -> str:
    return word.strip().lower().translate(str.maketrans("", "", "-_/ "))
