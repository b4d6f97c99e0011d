"""The keys of each panel by itself, in words: what help shows first there.

The bottom line has room for the most needed of these keys; here is every one of them.
"""

from __future__ import annotations

from toposmith.tui.views.own_keys import ESC, KeyWords, OwnKeys

_SCROLLING: KeyWords = (("up, down, PgUp, PgDn, Home, End", "Scroll"),)

OWN_KEYS: dict[str, OwnKeys] = {
    "canvas": OwnKeys(
        "the canvas",
        (
            ("arrows, h j k l", "Go to the next group or link; Home first, End last"),
            ("shift+arrows", "Pan over a picture that is larger than its room"),
            ("PgUp, PgDn", "Pan by a page"),
            ("Enter", "Open what is selected"),
            ("Esc", "Select nothing: what is edited then is the design itself"),
            ("mouse", "Click selects, double click opens, dragging from box to box wires"),
            ("right click", "Everything that can be done with a group, a link or the design"),
        ),
    ),
    "parts": OwnKeys(
        "the parts",
        (
            ("letters, /", "Filter by name, vendor, speed or kind"),
            ("up, down, PgUp, PgDn, Home, End", "Go from part to part"),
            ("Enter", "Put the part on the canvas"),
            ("right", "Open the full card; Esc closes it"),
            ("Space, =", "Mark a part; compare it with another"),
            *ESC,
        ),
    ),
    "measure": OwnKeys(
        "what is measured",
        (
            ("up, down", "Go from field to field"),
            ("left, right, h, l, Space", "Change what is chosen"),
            ("PgUp, PgDn, Home, End", "Scroll"),
            ("Enter, Esc", "Done; the figures follow while you change"),
        ),
    ),
    "live": OwnKeys(
        "the live figures",
        (
            *_SCROLLING,
            ("94 %", "Of what a link carries of such traffic: 48 GB/s usable of a line of 50"),
            *ESC,
        ),
    ),
    "question": OwnKeys(
        "the question",
        (
            ("Enter", "Take the answer; its effect is shown above before you do"),
            ("up, down", "Step through numbers or answers"),
            ("PgUp, PgDn, Home, End", "Go far through answers"),
            ("letters", "Take the answer that begins with it"),
            ("Esc", "Go one question back, from the first one out; nothing is changed"),
        ),
    ),
}
"""What each panel does by itself."""
