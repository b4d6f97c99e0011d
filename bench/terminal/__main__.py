"""Keys over a pseudo-terminal: how long until the screen changes, and how many bytes that takes.

    python -m bench.terminal

At 200 x 50 in 256 colours, as over SSH. ``key to screen`` is from writing the key to the first
byte that comes back, 95th percentile; ``bytes`` the median of what is written until the line is
quiet, with the figures that follow. ``asked`` is what the project asks of itself. Ways to leave are
gone by other keys than Escape, for which every program waits: keys of many bytes begin with it.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable

from bench.terminal.line import Line, on_line

COLUMNS, ROWS = 200, 50
DESIGNS = {"1,016 GPUs": "dgx-h100-superpod-4su", "131,072 GPUs": "b200-131072gpu-fabric-per-rail"}
UP, DOWN, RIGHT = "\x1b[A", "\x1b[B", "\x1b[C"
PAN_RIGHT, PAN_LEFT = "\x1b[1;2C", "\x1b[1;2D"
ENTER, ESCAPE, BACKSPACE = "\r", "\x1b", "\x7f"
ROUNDS = 24
IDLE_SECONDS = 10.0
ASKED_MS = 60
ASKED = {"select": 1_000, "drag": 1_000, "count": 5_000, "view": 0}


def median_bytes(seen: Iterable[bytes]) -> int:
    return int(statistics.median(len(data) for data in seen))


def p95_ms(times: list[float]) -> float:
    return sorted(times)[int(0.95 * (len(times) - 1))] * 1e3


def row(what: str, line: Line, keys: Iterable[str], asked: int) -> None:
    line.rest()
    times, written = timed(line, keys)
    line.rest()
    bound = f"{asked:>8,}" if asked else f"{'frame':>8}"
    print(
        f"  {what:<28} {p95_ms(times):>8.0f} {ASKED_MS:>6} {median_bytes(written):>9,} "
        f"{max(map(len, written)):>9,} {bound}"
    )


def timed(line: Line, keys: Iterable[str]) -> tuple[list[float], list[bytes]]:
    answers = [line.press(key) for key in keys]
    return [seconds for seconds, _ in answers], [data for _, data in answers]


def mouse(button: int, column: int, row: int, *, release: bool = False) -> str:
    """An event of the mouse as terminals report it (SGR)."""
    return f"\x1b[<{button};{column};{row}{'m' if release else 'M'}"


def measure(line: Line) -> None:
    _, frames = timed(line, ["p", "p", ESCAPE])  # the parts have the keys until Escape
    line.press("\x1b[H")
    row("select (arrow)", line, [DOWN, UP] * (ROUNDS // 2), ASKED["select"])
    row("count - and + with figures", line, ["-", "+"] * (ROUNDS // 4), ASKED["count"])
    line.press("\x1b[H")
    at = [(90 + step, 12 + step % 3) for step in range(ROUNDS)]
    line.press(mouse(0, 100, 8))
    row("drag", line, [mouse(32, x, y) for x, y in at], ASKED["drag"])
    line.press(mouse(0, 52, 4, release=True))  # on nothing
    line.press(ESCAPE)
    row("parts panel away and back", line, ["p"] * 8, 0)
    line.press(ESCAPE)
    row("curve and back", line, ["v", "v"] * 4, 0)
    row("bill and back", line, ["b", "b"] * 4, 0)
    row("one layer after the other", line, ["L"] * 6, 0)
    line.press("\x1b[H")
    line.press("Z")
    line.press(RIGHT * 60)  # now the fabric is wider than the canvas
    line.press(ENTER)
    row("pan", line, [PAN_RIGHT, PAN_LEFT] * (ROUNDS // 4), 0)
    line.press("O")
    line.press("\x1b[F")
    line.press("c")
    row("typed count with preview", line, ["1", "2", "\x7f", "\x7f"] * 2, ASKED["count"])
    line.press(ESCAPE)
    row("into a unit and out", line, [ENTER, BACKSPACE] * 4, 0)
    line.press(ENTER)
    row("step in a unit", line, [DOWN, UP] * (ROUNDS // 4), ASKED["select"])
    line.press(ENTER)
    row("step in a node", line, [DOWN, UP] * (ROUNDS // 4), ASKED["select"])
    line.press(ESCAPE)
    line.press(ESCAPE)
    line.drain(first=1.0)
    before = line.cpu_seconds()
    written = line.written_in(IDLE_SECONDS)
    share = (line.cpu_seconds() - before) / IDLE_SECONDS
    print(f"  {'idle for 10 s':<28} {written:,} bytes, {100 * share:.1f} % CPU (asked 0, below 1)")
    print(f"  {'(one full frame is about)':<28} {max(map(len, frames)):,} bytes")


def main() -> None:
    for words, design in DESIGNS.items():
        print(f"{words}, {COLUMNS} x {ROWS}")
        heads = f"{'p95 ms':>8} {'asked':>6} {'bytes':>9} {'most':>9} {'asked':>8}"
        print(f"  {'key to screen':<28} {heads}")
        on_line(design, COLUMNS, ROWS, measure)


if __name__ == "__main__":
    main()
