"""The racks of the design from the front, equal racks once, in place of the fabric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from toposmith.racks.rack_loads import BTU_PER_HOUR_PER_W, count_words, elevations
from toposmith.text import counted, power, wrapped
from toposmith.tui.asking import Act
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.drawing.rack_picture import (
    HEAD_LINES,
    RackStyle,
    body_lines,
    head_lines,
    rack_words,
)
from toposmith.tui.views.own_keys import ESC, OwnKeys
from toposmith.tui.views.view import View

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.findings.finding import Finding
    from toposmith.racks.rack_devices import Floor
    from toposmith.racks.rack_loads import Elevation, FeedPower, MountedDevice
    from toposmith.tui.drawing.rack_picture import RackLine
    from toposmith.tui.figures.shared_figures import Wanted

_NARROWEST, _WIDEST, _GAP = 34, 46, 2
_FINDINGS_SHOWN = 2
_HEAD_SHARE = 4
"""The head has at most a quarter of the height; what racks assume is left out first."""


@dataclass(frozen=True)
class RacksFound:
    """Every kind of rack, with what is said of all of them."""

    kinds: tuple[Elevation, ...]
    floor: Floor
    count: str
    feeds: FeedPower | None
    findings: tuple[Finding, ...]

    def head(self) -> str:
        """Racks, power and heat of the whole design; what is unknown or assumed is said."""
        power_w = sum(len(one.alike) * one.load.least_w for one in self.kinds)
        without = sum(len(one.alike) * one.load.without_power for one in self.kinds)
        count = self.count.partition("; ")[0]
        if without and not power_w:
            words = "power unknown"
        else:
            least = "at least " if without else ""
            words = f"{least}{power(power_w)}, heat {power_w * BTU_PER_HOUR_PER_W:,.0f} BTU/h"
            words += " without modules and cables"
        if without:
            words += f", incomplete: {counted(without, 'device')} of unknown power"
        return f"{count}, {counted(len(self.kinds), 'kind')}; {words}"

    @property
    def assumed(self) -> str:
        """What the count of racks rests on; empty where nothing is assumed."""
        return self.count.partition("; ")[2]


class RacksView(View):
    """Walk from rack to rack and from device to device; Enter goes to the device's group."""

    NAME = "racks"
    OWN_KEYS = OwnKeys(
        "the racks",
        (
            ("left, right, h, l", "Go from rack to rack; Home the first, End the last"),
            ("up, down, k, j", "Go from device to device"),
            ("Enter", "Go to the group of the device"),
            *ESC,
        ),
    )
    BORDER_TITLE = "Racks"
    KEYS = (
        ("Left Right", "rack"),
        ("Up Down", "device"),
        ("Enter", "go to its group"),
        ("Esc", "fabric"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "walk(-1)", "the rack before", show=False),
        Binding("right,l", "walk(1)", "the next rack", show=False),
        Binding("up,k", "step(-1)", "the device above", show=False),
        Binding("down,j", "step(1)", "the device below", show=False),
        Binding("home", "edge(0)", "the topmost device", show=False),
        Binding("end", "edge(-1)", "the lowest device", show=False),
        Binding("enter", "open", "go to its group", show=False),
    ]

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self._found: RacksFound | None = None
        self._words = "computing ..."
        self._kind = self._device = 0
        self._column = _NARROWEST
        self._spots: list[list[tuple[int, int] | None]] = []

    def compose(self) -> ComposeResult:
        """What holds for all racks, the racks, and what there is to say of the selected device."""
        yield Static("", classes="table-head")
        yield Static("", id="racks-picture")
        yield Static("", classes="table-detail")

    @property
    def selected(self) -> MountedDevice | None:
        """The device that is selected."""
        one = self._rack
        return one.boxes[self._device] if one is not None and one.boxes else None

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """Where everything is, and what is wrong with that."""
        design = wanted.evaluated(catalog)
        kinds = tuple(elevations(design.plan, design.placement))
        return RacksFound(
            kinds,
            design.placement.floor,
            count_words(design.placement, sum(len(one.alike) for one in kinds)),
            design.feeds,
            design.rack_findings,
        )

    def show(self, found: object) -> None:
        """Show the racks; the selection stays with its device's group where that is there."""
        before = self.selected
        self._found = found if isinstance(found, RacksFound) else None
        self._words = "computing ..."
        kinds = self._kinds
        self._kind = min(self._kind, max(len(kinds) - 1, 0))
        boxes = kinds[self._kind].boxes if kinds else ()
        self._device = min(self._device, max(len(boxes) - 1, 0))
        if before is not None:
            same = [at for at, box in enumerate(boxes) if box.name == before.name]
            self._device = same[0] if same else self._device
        self._write()

    def show_trouble(self, trouble: str) -> None:
        """Say why there are no racks."""
        self._found, self._words = None, trouble
        self._write()

    def on_resize(self) -> None:
        """Draw for the new room."""
        self.call_after_refresh(self._write)

    def action_walk(self, by: int) -> None:
        """Go to another rack; about as high up as before."""
        before = self.selected
        kinds = self._kinds
        if not kinds:
            return
        self._kind = min(max(self._kind + by, 0), len(kinds) - 1)
        boxes = kinds[self._kind].boxes
        unit = before.unit if before else 0
        self._device = min(range(len(boxes)), key=lambda at: abs(boxes[at].unit - unit), default=0)
        self._write()

    def action_step(self, by: int) -> None:
        """Go to another device of the rack."""
        if self._rack is not None:
            self._device = min(max(self._device + by, 0), max(len(self._rack.boxes) - 1, 0))
            self._write()

    def action_edge(self, end: int) -> None:
        """Go to the topmost device, or the lowest."""
        if self._rack is not None:
            self._device = 0 if end == 0 else max(len(self._rack.boxes) - 1, 0)
            self._write()

    def action_open(self) -> None:
        """Go to the group of the selected device."""
        box = self.selected
        if box is not None:
            group = box.group
            self.want(Act(lambda designer: designer.selection.select_group(group)))

    def on_click(self, event: events.Click) -> None:
        """Select the device that was clicked; twice goes to its group."""
        at = event.get_content_offset(self.query_one("#racks-picture"))
        if at is None or not 0 <= at.y < len(self._spots):
            return
        row, column = self._spots[at.y], at.x // (self._column + _GAP)
        spot = row[column] if column < len(row) else None
        if spot is None:
            return
        self._kind, self._device = spot
        self._write()
        if event.chain == 2:
            self.action_open()

    @property
    def _kinds(self) -> tuple[Elevation, ...]:
        return self._found.kinds if self._found is not None else ()

    @property
    def _rack(self) -> Elevation | None:
        return self._kinds[self._kind] if self._kinds else None

    def _write(self) -> None:
        """Draw the racks that there is room for, the selected one among them."""
        picture = self.query_one("#racks-picture", Static)
        width = self.content_size.width
        if not width or not self.is_mounted:
            return
        before = picture.size.height
        self._write_words(width)
        if not self._kinds:
            picture.update(Content(""))
            return
        if before:
            picture.update(self._drawn(width, before))
        self.call_after_refresh(self._fit, before)

    def _fit(self, before: int) -> None:
        """Draw once more where the words above and below left another room."""
        picture = self.query_one("#racks-picture", Static)
        height, width = picture.size.height, self.content_size.width
        if height and width and height != before and self._kinds:
            picture.update(self._drawn(width, height))

    def _write_words(self, width: int) -> None:
        head: list[Content] = []
        found = self._found
        if found is None or not found.kinds:
            words = self._words if found is None else "no device is in a rack"
            head = [Content(line) for line in wrapped(self._glyphs.shown(words), width)]
        else:
            head = [Content(line) for line in wrapped(self._glyphs.shown(found.head()), width)]
            assumed = wrapped(self._glyphs.shown(found.assumed), width) if found.assumed else []
            if len(head) + len(assumed) <= self.content_size.height // _HEAD_SHARE:
                head += [Content.styled(line, "$text-muted") for line in assumed]
        bad = [one for one in found.findings if one.severity != "info"] if found else []
        for one in bad[:_FINDINGS_SHOWN]:
            words = f"{self._glyphs.mark(one.severity)} {one.where}: {one.text}"
            style = "$text-error" if one.severity == "error" else "$text-warning"
            shown = self._glyphs.shortened(self._glyphs.shown(words), width)
            head.append(Content.styled(shown, style))
        if len(bad) > _FINDINGS_SHOWN:
            words = f"and {counted(len(bad) - _FINDINGS_SHOWN, 'finding')} more about racks"
            head.append(Content.styled(words, "$text-warning"))
        detail = rack_words(self._rack, self.selected, width, self._glyphs) if self._rack else []
        self.query_one(".table-head", Static).update(Content("\n").join(head))
        self.query_one(".table-detail", Static).update(Content("\n".join(detail)))

    def _drawn(self, width: int, height: int) -> Content:
        assert self._found is not None
        many = min(max((width + _GAP) // (_NARROWEST + _GAP), 1), len(self._kinds))
        self._column = min((width + _GAP) // many - _GAP, _WIDEST)
        found = self._found
        frame = RackStyle(self._column, self._glyphs, found.floor.max_power_w, found.feeds)
        first = min(max(self._kind - many // 2, 0), max(len(self._kinds) - many, 0))
        columns: list[list[tuple[RackLine, tuple[int, int] | None]]] = []
        room = height - HEAD_LINES
        for kind in range(first, min(first + many, len(self._kinds))):
            one = self._kinds[kind]
            chosen = kind == self._kind
            body = body_lines(one, frame, room, self._device if chosen else None)
            body = self._in_view(body, room) if chosen else body[:room]
            lines = [*head_lines(one, frame, chosen=chosen), *body]
            columns.append(
                [(line, None if line.box is None else (kind, line.box)) for line in lines]
            )
        self._spots = []
        rows: list[Content] = []
        for y in range(max(len(column) for column in columns)):
            pieces: list[tuple[str, str]] = []
            self._spots.append([])
            for column in columns:
                line, spot = column[y] if y < len(column) else (None, None)
                pieces += line.pieces if line else [(" " * frame.width, "")]
                pieces.append((" " * _GAP, ""))
                self._spots[-1].append(spot)
            rows.append(Content.assemble(*pieces[:-1]))
        return Content("\n").join(rows)

    def _in_view(self, body: list[RackLine], room: int) -> list[RackLine]:
        """The lines around the selected device where there are too many."""
        at = next((y for y, line in enumerate(body) if line.box == self._device), 0)
        first = min(max(at - room // 2, 0), max(len(body) - room, 0))
        return body[first : first + room]
