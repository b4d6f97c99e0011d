"""The keys of each panel and view by themselves, in words: what help says first where one stands.

The bottom line has room for the most needed of these keys; here stands every one of them.
"""

from __future__ import annotations

from dataclasses import dataclass

Keys = tuple[tuple[str, str], ...]
"""Keys, and what they do."""


@dataclass(frozen=True)
class Here:
    """A panel or view and its own keys, beyond the table of actions."""

    title: str
    rows: Keys


_ESC: Keys = (("Esc", "Back to the canvas"),)
_SCROLLING: Keys = (("up, down, PgUp, PgDn, Home, End", "Scroll"),)
_TABLE: Keys = (
    ("up, down, PgUp, PgDn, Home, End", "Go from line to line; its places light up on the canvas"),
    ("left, right", "See columns that have no room"),
    ("/", "Filter by words; Esc shows all lines again"),
    ("<, >", "Sort by the column before, or by the next"),
    ("r", "Reverse the order"),
)
_GO_THERE: Keys = (("Enter", "Go to the place that the line is about"),)

HERE: dict[str, Here] = {
    "canvas": Here(
        "the canvas",
        (
            ("arrows, h j k l", "Go to the next group or link; Home first, End last"),
            ("shift+arrows", "Pan over a picture that is larger than its room"),
            ("PgUp, PgDn", "Pan by a page"),
            ("Enter", "Open what is selected"),
            ("Esc", "Select nothing: what is edited then is the design itself"),
            ("mouse", "Click selects, double click opens, dragging from box to box wires"),
        ),
    ),
    "parts": Here(
        "the parts",
        (
            ("letters, /", "Filter by name, vendor, speed or kind"),
            ("up, down, PgUp, PgDn, Home, End", "Go from part to part"),
            ("Enter", "Put the part on the canvas"),
            ("right", "Open the whole card; Esc closes it"),
            ("Space, =", "Mark a part; lay the marked one beside another"),
            *_ESC,
        ),
    ),
    "measure": Here(
        "what is measured",
        (
            ("up, down", "Go from field to field"),
            ("left, right, h, l, Space", "Change what is chosen"),
            ("PgUp, PgDn, Home, End", "Scroll"),
            ("Enter, Esc", "Done; the figures follow while you change"),
        ),
    ),
    "live": Here(
        "the live figures",
        (
            *_SCROLLING,
            ("94 %", "Of what a link carries of such traffic: 48 GB/s usable of a line of 50"),
            *_ESC,
        ),
    ),
    "question": Here(
        "the question",
        (
            ("Enter", "Take the answer; its effect stands above before you do"),
            ("up, down", "Step through numbers or answers"),
            ("PgUp, PgDn, Home, End", "Go far through answers"),
            ("letters", "Take the answer that begins with it"),
            ("Esc", "Go back, nothing is changed"),
        ),
    ),
    "inside": Here(
        "a unit, node or switch",
        (
            ("arrows, h j k l", "Walk over ports and boxes; Home first, End last of the row"),
            ("PgUp, PgDn", "Walk ten rows"),
            ("shift+arrows", "Pan over what is larger than its room"),
            ("Enter", "Go in: a node or switch of a unit, or what a port leads to"),
            ("Esc, Backspace", "Go out, one depth at a time"),
            ("[, ]", "Go to the unit or device before, or to the next"),
            ("#", "Type the number of a unit or device"),
            ("mouse", "Click stands there, double click goes in, dragging pans"),
        ),
    ),
    "curve": Here(
        "the curve",
        (
            ("left, right, h, l", "Read it size by size; Home the smallest, End the largest"),
            ("t", "Show time, or busbw again"),
            *_ESC,
        ),
    ),
    "bill": Here("the bill", (("w", "Write it as a file"), *_TABLE, *_GO_THERE, *_ESC)),
    "racks": Here(
        "the racks",
        (
            ("left, right, h, l", "Go from rack to rack; Home the first, End the last"),
            ("up, down, k, j", "Go from device to device"),
            ("Enter", "Go to the group of the device"),
            *_ESC,
        ),
    ),
    "findings": Here(
        "the findings",
        (
            *_GO_THERE,
            ("w", "Waive the finding, with a reason; on a waived one take that back"),
            *_TABLE,
            *_ESC,
        ),
    ),
    "failures": Here(
        "the failures",
        (
            ("D", "Show the whole design without it; again, with it"),
            ("2", "Try pairs that fail together, drawn by lot: as many as you say"),
            *_TABLE,
            *_GO_THERE,
            *_ESC,
        ),
    ),
    "differences": Here(
        "the differences",
        (("o", "Compare with another design"), *_TABLE, *_GO_THERE, *_ESC),
    ),
    "review": Here(
        "the review",
        (
            *_GO_THERE,
            ("a", "Comment on the place that the line is about"),
            ("x", "Resolve a comment, or reopen it"),
            ("d", "Decide: approve the design as it is, or request changes"),
            *_TABLE,
            *_ESC,
        ),
    ),
    "workload": Here(
        "the workload",
        (
            ("e", "Choose the model and what is done with it"),
            ("up, down, k, j", "Scroll; PgUp and PgDn by a page, Home and End to the ends"),
            *_ESC,
        ),
    ),
    "layouts": Here(
        "the layouts",
        (
            ("Enter", "Take the layout for the workload"),
            ("v", "Try recomputation and ZeRO stages too, or leave them as they are"),
            *_TABLE,
            *_ESC,
        ),
    ),
}
"""What each panel and view does by itself."""
