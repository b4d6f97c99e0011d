"""Edits that mend what ``slow:`` marks: cables that run at the speed of their link again."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from toposmith.text import counted
from toposmith.topology.design.document import Design
from toposmith.topology.design.edits import Edit
from toposmith.topology.design.edits.edit import changed
from toposmith.topology.design.selectors import Selector, parse_selector
from toposmith.topology.fabric.plan import LinkPlan, Plan
from toposmith.topology.fabric.slow_cables import ends_of

MOST_SINGLY = 8
"""Entries up to which each is also mended alone."""


def mending_edits(plan: Plan, links: Collection[int]) -> Iterator[Edit]:
    """Mend everything slow at some links, and each entry alone where they are few.

    Parameters
    ----------
    plan : Plan
        The design, understood.
    links : collection of int
        The places of the links that hold a figure back.
    """
    held = [link for link in plan.every_link if link.index in links]
    texts = [text for text in plan.design.slow if _is_at(plan.design, text, held)]
    if len(texts) > 1:
        yield _mended(plan.design, texts)
    if len(texts) <= MOST_SINGLY:
        for text in texts:
            yield _mended(plan.design, [text])


def mended_words(texts: Sequence[str]) -> str:
    """``mend node[node=3].compute[2]``, ``mend 12 entries of slow:``."""
    if len(texts) > 2:
        return f"mend {counted(len(texts), 'entry')} of slow:"
    return f"mend {' and '.join(texts)}"


def _mended(design: Design, texts: Sequence[str]) -> Edit:
    slow = {text: speed for text, speed in design.slow.items() if text not in texts}
    return Edit(changed(design, slow=slow), mended_words(texts))


def _is_at(design: Design, text: str, links: Collection[LinkPlan]) -> bool:
    """Whether an entry of ``slow:`` may mean cables of one of these links."""
    try:
        selector = parse_selector(text, design)
    except ValueError:
        return False  # a finding says so
    return any(_may_mean(selector, link) for link in links)


def _may_mean(selector: Selector, link: LinkPlan) -> bool:
    groups = {end.group for end in ends_of(selector)}
    ends = {link.a.group, link.b.group}
    if selector.is_cable:
        return groups == ends
    ports = selector.first.ports
    return any(
        end.group in groups and (ports is None or end.ports == ports) for end in (link.a, link.b)
    )
