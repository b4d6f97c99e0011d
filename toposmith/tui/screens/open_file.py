"""Choosing a design file: a path to type, and the files of its directory below."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.widgets.path_suggester import PathSuggester, entry_names

SUFFIXES = (".yaml", ".yml")
MOST_SHOWN = 300


class OpenFileScreen(ModalScreen[Path | None]):
    """Returns the path of a file, or None where the question was cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "back", show=False)]

    def __init__(self, folder: Path, glyphs: Glyphs) -> None:
        super().__init__()
        self._folder = folder
        self._glyphs = glyphs

    def compose(self) -> ComposeResult:
        """Path above, entries below."""
        with Vertical(id="open-file") as box:
            box.border_title = "Open a design"
            box.border_subtitle = "Enter opens, Down goes to the list, Esc goes back"
            yield Input(
                self._shown_folder(), id="open-path", suggester=PathSuggester(), compact=True
            )
            yield OptionList(id="open-list", markup=False, compact=True)
            yield Static("", id="open-note", markup=False)

    def on_mount(self) -> None:
        """Begin at the path."""
        entry = self.query_one("#open-path", Input)
        entry.focus()
        entry.cursor_position = len(entry.value)
        self._list_entries(entry.value)

    def action_back(self) -> None:
        """Choose nothing."""
        self.dismiss(None)

    @on(Input.Changed, "#open-path")
    def _typed(self, event: Input.Changed) -> None:
        self._list_entries(event.value)

    @on(Input.Submitted, "#open-path")
    def _entered(self, event: Input.Submitted) -> None:
        self._take(event.value.strip())

    @on(OptionList.OptionSelected, "#open-list")
    def _picked(self, event: OptionList.OptionSelected) -> None:
        folder, _ = os.path.split(self.query_one("#open-path", Input).value)
        self._take(os.path.join(folder, event.option_id or ""))  # noqa: PTH118 - as typed

    @on(events.Key)
    def _to_list(self, event: events.Key) -> None:
        if event.key == "down" and self.query_one("#open-path", Input).has_focus:
            event.stop()
            self.query_one("#open-list", OptionList).focus()

    def _take(self, text: str) -> None:
        if not text:
            return
        try:
            path = Path(text).expanduser()
            is_folder = path.is_dir()
        except (OSError, ValueError, RuntimeError) as error:
            self.query_one("#open-note", Static).update(self._glyphs.shown(str(error)))
            return
        if is_folder:
            entry = self.query_one("#open-path", Input)
            entry.value = f"{text.rstrip('/')}/"
            entry.focus()
            entry.cursor_position = len(entry.value)
        else:
            self.dismiss(path)

    def _list_entries(self, text: str) -> None:
        folder, stem = os.path.split(text)
        names = sorted(
            name
            for name in entry_names(folder)
            if (name.endswith("/") or name.endswith(SUFFIXES))
            and name.startswith(stem)
            and (stem.startswith(".") or not name.startswith("."))
        )
        if folder not in ("", "/"):
            names.insert(0, "../")
        listing = self.query_one("#open-list", OptionList)
        listing.clear_options()
        listing.add_options(
            [Option(Content(self._glyphs.shown(name)), name) for name in names[:MOST_SHOWN]]
        )
        files = sum(name.endswith(SUFFIXES) for name in names)
        note = "" if files else "no design files (*.yaml) here"
        self.query_one("#open-note", Static).update(note)

    def _shown_folder(self) -> str:
        try:
            relative = self._folder.absolute().relative_to(Path.cwd())
        except (ValueError, OSError):
            return f"{self._folder}/"
        return "" if str(relative) == "." else f"{relative}/"
