"""Values of two bills shortened to a line such that their difference is visible."""

from __future__ import annotations

from typing import Any

from toposmith.design.safe_text import LONGEST_SHOWN, shown

_CONTEXT = LONGEST_SHOWN // 3


def value_words(value: Any) -> str:
    """A value of a bill; long texts are cut.

    Parameters
    ----------
    value : object
        As plain data has it.
    """
    if isinstance(value, list):
        return f"[{', '.join(value_words(item) for item in value)}]"
    if isinstance(value, float):
        return f"{value:.12g}"
    return shown(value)


def words_apart(old: Any, new: Any) -> tuple[str, str]:
    """Two different values; long texts begin at the difference, lists skip equal items.

    Parameters
    ----------
    old, new : object
        As plain data has them.
    """
    if isinstance(old, str) and isinstance(new, str):
        if max(len(old), len(new)) <= LONGEST_SHOWN:
            return shown(old), shown(new)
        pairs = enumerate(zip(old, new, strict=False))
        alike = next((at for at, (a, b) in pairs if a != b), min(len(old), len(new)))
        begins = old.rfind(" ", 0, alike) + 1  # the word that differs is whole where it is short
        begins = begins if alike - begins <= _CONTEXT else alike
        dots = "..." if begins else ""
        return f"{dots}{shown(old[begins:])}", f"{dots}{shown(new[begins:])}"
    was, is_now = value_words(old), value_words(new)
    if was == is_now and isinstance(old, list) and isinstance(new, list):
        both = [words_apart(a, b) for a, b in zip(old, new, strict=False) if a != b]
        return f"[{', '.join(a for a, _ in both)}]", f"[{', '.join(b for _, b in both)}]"
    return was, is_now
