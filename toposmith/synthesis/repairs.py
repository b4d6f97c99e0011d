"""Edits that repair what ``down:`` and ``slow:`` mark: it is there, at full speed, again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import inf

from toposmith.design.document import Design
from toposmith.design.edits import Edit
from toposmith.design.edits.edit import changed
from toposmith.design.selectors import Selector, parse_selector
from toposmith.fabric.plan import LinkPlan, Plan
from toposmith.fabric.slow_cables import ends_of
from toposmith.text import counted, joined


class Repair(Edit):
    """An edit after which less is broken, since that is what it is for."""


MOST_SINGLY = 8
"""How many entries are also repaired alone, those first that matter most."""


def mending_edits(plan: Plan, links: Collection[int]) -> Iterator[Repair]:
    """Mend everything down or slow at some links, and alone the entries that matter most.

    These are the slowest, since a ring runs at the pace of its slowest cable; then whole switches.

    Parameters
    ----------
    plan : Plan
        The design with its parts looked up.
    links : collection of int
        The places of the links that limit a figure; none where nothing runs, for want of
        anything that is down.
    """
    held = [link for link in plan.every_link if link.index in links or not links]
    marked = dict.fromkeys((*plan.design.down, *plan.design.slow))
    at = {text: found for text in marked if (found := _at(plan.design, text, held)) is not None}
    if len(at) > 1:
        yield _mended(plan.design, list(at))
    gbit = {one.selector: min(map(one.gbit_of, held), default=0.0) for one in plan.slow}

    def weight(text: str) -> tuple[float, bool]:
        first = at[text].first
        whole_switch = first.ports is None and plan.groups[first.group].switch is not None
        return gbit.get(at[text], inf), at[text].is_cable or not whole_switch

    for text in sorted(at, key=weight)[:MOST_SINGLY]:
        yield _mended(plan.design, [text])


def mended_words(texts: Sequence[str], design: Design) -> str:
    """``mend node[node=3].compute[2]``, ``mend 12 entries of down: and slow:``."""
    if len(texts) > 2:
        blocks = {"down:": design.down, "slow:": design.slow}
        of = [key for key, marks in blocks.items() if any(text in marks for text in texts)]
        return f"mend {counted(len(texts), 'entry')} of {joined(of)}"
    return f"mend {' and '.join(texts)}"


def is_repair(before: Design, after: Design) -> bool:
    """Whether two designs differ in what is down or slow alone, of which the second has less."""

    def as_built(design: Design) -> Design:
        return design.model_copy(update={"down": (), "slow": {}, "toposmith": 0})

    less = {*after.down, *after.slow} < {*before.down, *before.slow}
    return less and as_built(before) == as_built(after)


def _mended(design: Design, texts: Sequence[str]) -> Repair:
    slow = {text: speed for text, speed in design.slow.items() if text not in texts}
    down = tuple(text for text in design.down if text not in texts)
    return Repair(changed(design, down=down, slow=slow), mended_words(texts, design))


def _at(design: Design, text: str, links: Collection[LinkPlan]) -> Selector | None:
    """An entry of ``down:`` or ``slow:`` that may mean cables of one of these links; else None."""
    try:
        selector = parse_selector(text, design)
    except ValueError:
        return None  # a finding says so
    return selector if any(_may_mean(selector, link) for link in links) else None


def _may_mean(selector: Selector, link: LinkPlan) -> bool:
    groups = {end.group for end in ends_of(selector)}
    ends = {link.a.group, link.b.group}
    if selector.is_cable:
        return groups == ends
    ports = selector.first.ports
    return any(
        end.group in groups and (ports is None or end.ports == ports) for end in (link.a, link.b)
    )
