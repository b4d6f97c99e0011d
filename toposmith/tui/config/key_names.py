"""Names of keys as users write them, as the app knows them, and which a terminal can send."""

from __future__ import annotations

import unicodedata

_ARROWS = ("up", "down", "left", "right", "home", "end")
_NAMED = frozenset(
    {*_ARROWS, "pageup", "pagedown", "insert", "delete", "enter", "tab", "space", "escape"}
    | {"backspace", "shift+tab", "shift+delete"}
    | {f"{held}+{arrow}" for held in ("shift", "ctrl") for arrow in _ARROWS}
    | {f"f{number}" for number in range(1, 25)}
)
_SHORT = {"+": "plus", "-": "minus", "/": "slash", ":": "colon", "?": "question_mark"} | {
    "_": "underscore",
    "=": "equals_sign",
    "@": "at",
    "\\": "backslash",
    " ": "space",
}
_SAME_BYTE = {"ctrl+i": "Tab", "ctrl+m": "Enter", "ctrl+j": "Enter", "ctrl+h": "Backspace"}
FIXED_KEYS = {
    "ctrl+c": "copies the text that is selected",
    **dict.fromkeys(_ARROWS, "walks on the canvas"),
    **dict.fromkeys("hjkl", "walks on the canvas"),
    "enter": "opens what is selected",
    "escape": "goes back",
    "tab": "goes to the next panel",
    "shift+tab": "goes to the panel before",
}
"""Keys that panels take for themselves before any action sees them."""


def key_name(written: str) -> str:
    """The app's name of a key that the user wrote, such as ``+``, ``F5`` or ``Ctrl+S``.

    Raises
    ------
    ValueError
        Where there is no such key, no terminal sends it, or it has a meaning that stays.
    """
    name = _name(written)
    if name in _SAME_BYTE:
        raise ValueError(f"{written} and {_SAME_BYTE[name]} are the same to a terminal")
    if name in FIXED_KEYS:
        raise ValueError(f"{written} always {FIXED_KEYS[name]}; take another key")
    return name


def _name(written: str) -> str:
    if len(written) == 1:
        return _sign_name(written)
    lower = written.lower()
    if lower in _NAMED:
        return lower
    base = lower.removeprefix("ctrl+")
    if base != lower and len(base) == 1 and base.isascii() and base.isalpha():
        return lower
    if lower.startswith(("ctrl+shift+", "alt+", "super+", "cmd+", "meta+")):
        raise ValueError(f"terminals do not send {written} reliably; take a letter or ctrl+letter")
    signs = [chr(code) for code in range(0x20, 0x7F) if not chr(code).isalnum()]
    if lower in {_sign_name(sign) for sign in signs}:
        return lower
    raise ValueError(f"{written} is no key; a letter, a sign, ctrl+s, f5 or pageup would be")


def _sign_name(sign: str) -> str:
    if sign.isalnum():
        return sign
    if not sign.isprintable():
        raise ValueError(f"U+{ord(sign):04X} is no key")
    return _SHORT.get(sign) or unicodedata.name(sign).lower().replace("-", "_").replace(" ", "_")
