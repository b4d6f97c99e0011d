"""What is measured: collective, size, ranks, NCCL and routing, each on a line of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, Label, Static

from toposmith.analysis.request import Request
from toposmith.findings.finding import Finding
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.measure_fields import FIELDS, Field, complaints
from toposmith.tui.widgets.choice_field import ChoiceField

_PREFIX = "measure-"


class MeasurePanel(VerticalScroll, can_focus=False):
    """Every change that makes sense holds at once; what makes none is said below its field."""

    BORDER_TITLE = "Measure"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go(-1)", "field above", show=False, priority=True),
        Binding("down", "go(1)", "field below", show=False, priority=True),
        Binding("enter", "finish", "done", show=False, priority=True),
        Binding("escape", "leave", "back", show=False),
    ]

    @dataclass
    class Changed(Message):
        """Something else is to be measured."""

        request: Request

    class Left(Message):
        """The user is done."""

    def __init__(self, glyphs: Glyphs, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._glyphs = glyphs
        self._request = Request()
        self._at_entry = Request()
        self._wrong: dict[str, str] = {}
        self._said: dict[str, str] = {}
        self._complained: dict[str, str] = {}
        self._published = ""
        self._filled = self._coming = False

    @property
    def coming(self) -> bool:
        """Whether its fields are being mounted."""
        return self._coming

    def show(self, request: Request) -> None:
        """Show what is measured now; a text that is being typed stays as it is."""
        self._request = request
        self._write()

    def show_findings(self, findings: tuple[Finding, ...]) -> None:
        """Say beside the fields what the engine has to say about them."""
        self._said = complaints(findings)
        self._write_complaints()

    def show_published(self, words: str) -> None:
        """Say below the fields what is published of such systems."""
        self._published = words
        if self._filled:
            self.query_one("#measure-published", Static).update(self._glyphs.shown(words))

    def open(self) -> None:
        """Begin at the first field, with all that is measured in its place.

        Its fields, some fifty widgets, are made when it is opened first: a start is quicker so.
        """
        self._wrong.clear()
        if self._filled:
            self._begin()
        elif not self._coming:
            self._coming = True
            rows = [self._row(field) for field in FIELDS]
            hint, published = (
                Static("", id=f"measure-{name}", markup=False) for name in ("hint", "published")
            )
            self.mount(*rows, hint, published)
            rows[-1].call_later(self.call_later, self._arrived)

    def _row(self, field: Field) -> Vertical:
        """A line for a field, with room for a complaint below."""
        name = f"{_PREFIX}{field.id}"
        value: Widget = ChoiceField(self._glyphs, id=name)
        if field.choices is None:
            value = Input(id=name, compact=True)
        label = Label(field.label, classes="measure-label", markup=False)
        complaint = Static("", classes="measure-complaint", markup=False)
        line = Horizontal(label, value, classes="measure-line")
        return Vertical(line, complaint, classes="measure-row", id=f"row-{field.id}")

    def _arrived(self) -> None:
        self._filled, self._coming = True, False
        self.show_published(self._published)
        self._begin()

    def _begin(self) -> None:
        self._write(typed_too=True)
        self.screen.set_focus(self._widgets()[0])

    def action_go(self, by: int) -> None:
        """Go to the field above or below."""
        shown = self._widgets()
        focused = self.screen.focused
        at = shown.index(focused) if focused in shown else 0
        self.screen.set_focus(shown[max(0, min(at + by, len(shown) - 1))])

    def action_finish(self) -> None:
        """Be done, where every field makes sense."""
        focused = self.screen.focused
        if not any(focused is self._widget(FIELD_BY_ID[name]) for name in self._wrong):
            self.action_leave()

    def action_leave(self) -> None:
        """Be done; what made no sense is forgotten."""
        self._wrong.clear()
        self._write(typed_too=True)
        self.post_message(self.Left())

    @on(events.DescendantFocus)
    def _focus_moved(self, event: events.DescendantFocus) -> None:
        self._at_entry = self._request
        self._show_focus()
        hint = _field(event.widget).hint
        self.query_one("#measure-hint", Static).update(self._glyphs.shown(hint))

    @on(events.DescendantBlur)
    def _show_focus(self) -> None:
        """Light the frame; for ``:focus-within`` each key would style some ninety widgets."""
        if self.has_focus_within != self.has_class("-focused"):
            self.set_class(self.has_focus_within, "-focused", update=False)
            self.app.stylesheet.update_nodes([self])

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._take(_field(event.input), event.value)

    @on(ChoiceField.Changed)
    def _chosen(self, event: ChoiceField.Changed) -> None:
        event.stop()
        self._take(_field(event.field), event.value)

    def _take(self, field: Field, text: str) -> None:
        """Measure what a field says, or say what is wrong with it."""
        try:
            request = field.set(self._request, text)
        except ValueError as wrong:
            self._wrong[field.id] = str(wrong)
            # the beginning of a wrong text may have made sense: what held before it holds again
            self._measure(field.set(self._request, field.value(self._at_entry)))
            self._write_complaints()
            return
        self._wrong.pop(field.id, None)
        self._measure(request)
        self._write()

    def _measure(self, request: Request) -> None:
        if request != self._request:
            self._request = request
            self.post_message(self.Changed(request))

    def _write(self, *, typed_too: bool = False) -> None:
        if not self._filled:
            return
        for field in FIELDS:
            self.query_one(f"#row-{field.id}").display = field.counts(self._request)
            widget = self._widget(field)
            if isinstance(widget, ChoiceField):
                assert field.choices is not None
                widget.show(field.choices(self._request), field.value(self._request))
            elif typed_too or not (widget.has_focus or field.id in self._wrong):
                assert isinstance(widget, Input)
                with self.prevent(Input.Changed):
                    widget.value = field.value(self._request)
        self._write_complaints()

    def _write_complaints(self) -> None:
        if not self._filled:
            return
        for field in FIELDS:
            wrong = self._wrong.get(field.id) or self._said.get(field.id, "")
            if self._complained.get(field.id, "") == wrong:
                continue
            self._complained[field.id] = wrong
            line = self.query_one(f"#row-{field.id}").query_one(".measure-complaint", Static)
            line.display = bool(wrong)
            line.update(self._glyphs.shown(f"{self._glyphs.warning} {wrong}"))

    def _widget(self, field: Field) -> Widget:
        return self.query_one(f"#{_PREFIX}{field.id}")

    def _widgets(self) -> list[Widget]:
        """The fields that can be set now, from the top."""
        return [self._widget(field) for field in FIELDS if field.counts(self._request)]


FIELD_BY_ID = {field.id: field for field in FIELDS}


def _field(widget: Widget) -> Field:
    return FIELD_BY_ID[(widget.id or "").removeprefix(_PREFIX)]
