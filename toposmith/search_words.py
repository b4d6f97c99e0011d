"""Finding things by the words that people type: whole words, other words of the field, letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from functools import lru_cache
from typing import Literal, TypeVar

MEANS: dict[str, tuple[str, ...]] = {
    "accelerator": ("gpu",),
    "adapter": ("nic",),
    "algorithm": ("nccl",),
    "aoc": ("optical",),
    "back": ("undo",),
    "bandwidth": ("curve", "busbw", "figures"),
    "blocking": ("oversubscription", "edit"),
    "bom": ("bill",),
    "bottleneck": ("fixes", "limit"),
    "break": ("fail", "failures"),
    "budget": ("bill",),
    "cable": ("wire", "cables"),
    "cheaper": ("fixes", "fabrics"),
    "clos": ("leaf-spine", "template", "spine", "tiers"),
    "colors": ("colours",),
    "connect": ("wire",),
    "cooling": ("heat",),
    "cost": ("bill", "price"),
    "dac": ("copper",),
    "dark": ("colours",),
    "disconnect": ("delete",),
    "dpu": ("bluefield", "nics"),
    "drop": ("delete",),
    "ecmp": ("routing",),
    "elevation": ("racks",),
    "expand": ("change order",),
    "fat-tree": ("leaf-spine", "template", "spine", "tiers"),
    "fiber": ("fibre",),
    "fibre-optic": ("fibre",),
    "folded-clos": ("leaf-spine", "tiers"),
    "frontend": ("in-band",),
    "generate": ("fabrics",),
    "grow": ("change order",),
    "growth": ("change order",),
    "hca": ("nic", "nics", "adapter"),
    "ib": ("infiniband",),
    "improve": ("fixes",),
    "infiniband": ("hdr", "ndr", "xdr"),
    "inventory": ("as built",),
    "job": ("jobs", "communicator"),
    "latency": ("curve", "figures"),
    "light": ("colours",),
    "link": ("wire", "links"),
    "llm": ("workload",),
    "mesh": ("torus",),
    "migrate": ("change order",),
    "model": ("workload",),
    "money": ("bill",),
    "multi-rail": ("rail-optimised", "rails"),
    "nccl-tests": ("measured",),
    "nvl72": ("nvlink", "nvl72"),
    "nvswitch": ("nvlink",),
    "optics": ("transceiver", "optical", "fibre"),
    "optimise": ("fixes",),
    "optimize": ("fixes",),
    "outage": ("failures",),
    "oversubscription": ("edit", "fixes"),
    "overview": ("whole",),
    "pods": ("su", "reshape", "three"),
    "power": ("racks",),
    "price": ("bill",),
    "propose": ("fabrics",),
    "pue": ("heat",),
    "rail": ("rail-optimised", "rail-only", "rails"),
    "re-plug": ("change order",),
    "redundancy": ("failures",),
    "remove": ("delete",),
    "requirements": ("fabrics",),
    "resilience": ("failures",),
    "revert": ("undo",),
    "roce": ("ethernet",),
    "router": ("switch",),
    "scalable-unit": ("su", "units"),
    "server": ("node", "nodes"),
    "sharp": ("measure", "nccl"),
    "shopping": ("bill",),
    "slow": ("fixes", "slow"),
    "spare": ("fixes",),
    "speed": ("gb/s", "edit"),
    "spine-leaf": ("leaf-spine", "template", "spine"),
    "steps": ("history",),
    "superpod": ("rail-optimised",),
    "switch": ("switch", "switches"),
    "taper": ("oversubscription", "edit"),
    "theme": ("colours",),
    "throughput": ("busbw", "figures"),
    "tor": ("top-of-rack",),
    "train": ("workload",),
    "two-tier": ("leaf-spine", "tiers"),
    "unplug": ("fail",),
    "unwire": ("delete",),
    "upgrade": ("change order", "replace"),
    "versions": ("history",),
    "zoom": ("fit to screen", "whole"),
}
"""What a word that people type may mean besides itself: words that stand in names or help."""

_PHRASES = {
    "fat tree": "fat-tree",
    "leaf spine": "leaf-spine",
    "spine leaf": "spine-leaf",
    "top of rack": "top-of-rack",
    "folded clos": "folded-clos",
    "scalable unit": "scalable-unit",
    "two tier": "two-tier",
    "single point of failure": "redundancy",
}
_WORD = re.compile(r"[a-z0-9][a-z0-9./+-]*")
_WORSE: Literal[4] = 4
_NEAR = 0.7
_LETTERS_FROM = 3  # two letters in order are in almost every name

Thing = TypeVar("Thing")


def found(
    things: Iterable[Thing], query: str, name: Callable[[Thing], str], more: Callable[[Thing], str]
) -> list[Thing]:
    """The things that a query finds, the likeliest first, others in their order.

    Parameters
    ----------
    things : iterable
        Where to look.
    query : str
        Words, beginnings of words, other words of the field, or letters in order.
    name, more : callable
        What a thing is called, and what else is said of it.
    """
    ranked = [(rank(query, name(one), more(one)), one) for one in things]
    near = [(at, one) for at, one in ranked if at is not None and at < _WORSE]
    best = near or [(at, one) for at, one in ranked if at is not None]
    return [one for _, one in sorted(best, key=lambda each: each[0])]


def nearest(query: str, names: Iterable[str]) -> str:
    """Where nothing is found: the word that is written nearest to one asked for, as a question."""
    known = {word for name in names for word in _words(name.lower())} | MEANS.keys()
    for word in query.lower().split():
        if near := get_close_matches(word, sorted(known), 1, _NEAR):
            return f"; did you mean {near[0]}?" if near[0] != word else ""
    return ""


def rank(query: str, name: str, more: str = "") -> float | None:
    """How well a query meets a name and what else is said: 0 best, 4 by its letters; None not.

    Whole words and their beginnings come first, then other words of the field, each in the name
    before the rest; then what lies within a word.
    """
    asked = query.lower()
    for phrase, word in _PHRASES.items():
        asked = asked.replace(phrase, word)
    name, more = name.lower(), more.lower()
    ranks = [_rank_of_word(word, name, more) for word in asked.split()]
    known = [one for one in ranks if one is not None]
    if len(known) == len(ranks):
        return max(known, default=0.0)
    return _WORSE if _in_order("".join(asked.split()), name) else None


def _rank_of_word(word: str, name: str, more: str) -> float | None:
    """The rank of one word: in the name 0 or 0.5, in the rest 1 or 1.5, within a word from 2 on.

    Another form of it, as ``saving`` is of ``save``, is as good as another word of the field.
    """
    stem = _stem(word)
    for at, text in ((0.0, name), (1.0, more)):
        if _begins(word, text):
            return at
        for place, one in enumerate(MEANS.get(word, ())):
            if _begins(one, text):
                return at + 0.5 + place / 100
        if stem != word and _begins(stem, text):
            return at + 0.7
    return 2.0 if word in name else 2.5 if word in more else None


def _stem(word: str) -> str:
    """A word without what makes it another form of the same."""
    for ending in ("ing", "ed", "es", "s"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _LETTERS_FROM and word.isalpha():
            return stem
    return word


def _begins(word: str, text: str) -> bool:
    return (word in text and any(one.startswith(word) for one in _words(text))) or (
        " " in word and word in text
    )


@lru_cache(maxsize=8192)
def _words(text: str) -> frozenset[str]:
    """The words of a text, and the pieces of those that are joined."""
    words = set(_WORD.findall(text))
    return frozenset(words | {piece for word in words for piece in re.split(r"[./+-]", word)})


def _in_order(letters: str, text: str) -> bool:
    rest = iter(text)
    return len(letters) >= _LETTERS_FROM and all(letter in rest for letter in letters)
