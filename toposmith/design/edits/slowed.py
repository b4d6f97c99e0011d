"""Edits that mark cables as slow, and unmark them."""

from __future__ import annotations

from toposmith.design.document import Design, SlowSpeed
from toposmith.design.edits.edit import Edit, changed
from toposmith.design.selectors import parse_selector
from toposmith.errors import EditError


def slow_down(design: Design, selector: str, speed: SlowSpeed) -> Edit:
    """Mark the cables of a selector as running at Gb/s, or at a share of their link's speed.

    GPUs, ``node[node=3].gpu[5]``, run at a share of their rate.

    Raises
    ------
    EditError
        If the selector matches nothing, or the speed is invalid.
    """
    try:
        read = parse_selector(selector, design)
    except ValueError as error:
        raise EditError(str(error)) from None
    if read.first.ports == "gpu" and not isinstance(speed, str):
        raise EditError(f"{selector!r}: the rate of a GPU is a share such as 50 %")
    words = speed if isinstance(speed, str) else f"{speed:g} Gb/s"
    slow = {**design.slow, selector: speed}
    return Edit(changed(design, slow=slow), f"{selector}: slow, {words}")


def restore_speed(design: Design, selector: str) -> Edit:
    """Remove an entry of ``slow:``: the cables run at the speed of their link again.

    Raises
    ------
    EditError
        If there is no such entry.
    """
    if selector not in design.slow:
        known = ", ".join(design.slow) or "none"
        raise EditError(f"nothing is slow at {selector!r} (slow: {known})")
    slow = {text: speed for text, speed in design.slow.items() if text != selector}
    return Edit(changed(design, slow=slow), f"{selector}: full speed")
