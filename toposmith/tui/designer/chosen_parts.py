"""What can be done with parts besides building with them: judge, view, compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from toposmith.catalog import Catalog, Part
from toposmith.tui.designer.editing import Editing
from toposmith.tui.designer.messages import Messages
from toposmith.tui.parts.fits import fits_group, fits_link

if TYPE_CHECKING:
    from textual.content import Content

    from toposmith.tui.designer.selection import CanvasSelection
    from toposmith.tui.widgets.parts_panel import PartsPanel


class ShowCard(Protocol):
    """Shows the card of a part, or two parts side by side."""

    def __call__(
        self,
        part: Part,
        catalog: Catalog,
        *,
        beside: Part | None = None,
        head: Content | None = None,
    ) -> None:
        """Show it."""
        ...


class Parts:
    """The parts, judged by what is selected.

    Parameters
    ----------
    panel : PartsPanel
        Where they are listed.
    editing, selection : Editing, CanvasSelection
        What they are judged by.
    messages : Messages
        Where it is said what was marked.
    show_card : callable
        Shows a card over the screen.
    """

    def __init__(
        self,
        panel: PartsPanel,
        editing: Editing,
        selection: CanvasSelection,
        messages: Messages,
        show_card: ShowCard,
    ) -> None:
        self._panel = panel
        self._editing = editing
        self._selection = selection
        self._messages = messages
        self._show_card = show_card

    def show_in_use(self) -> None:
        """Show the card of the selected group's part below the list."""
        group = self._editing.design.groups.get(self._selection.group or "")
        part = self._catalog.get(group.part) if group is not None else None
        if part is not None:
            self._panel.show_in_use(part)

    def judge_in_use(self) -> None:
        """Order the parts anew when one is about to be chosen."""
        if self._panel.has_focus_within:
            self.judge()

    def judge(self) -> None:
        """Order the parts by how they fit what is selected.

        Done when one turns to the parts: a list that is sorted anew with every step on the canvas
        would write more than all the rest of the screen.
        """
        bench = self._editing.workbench
        group, link = self._selection.group, self._selection.link
        if group is not None:
            self._panel.judge_by(fits_group(bench.plan, bench.catalog, group), group)
        elif link is not None:
            between = bench.design.links[link].between
            self._panel.judge_by(fits_link(bench.plan, link), " - ".join(between))
        else:
            self._panel.judge_by(None, "")

    def show_selected(self) -> None:
        """Show the card of the selected group's part."""
        part = self._selected()
        if part is not None:
            self._show_card(part, self._catalog)

    def show_listed(self, part: Part) -> None:
        """Show the card of a part of the list, with how it fits what is selected."""
        self._show_card(part, self._catalog, head=self._panel.fit_of(part))

    def say_marked(self, part: Part | None) -> None:
        """Say which part is marked for a comparison."""
        words = "no part is marked any longer"
        if part is not None:
            words = f"marked {part.name}; = on another part compares them"
        self._messages.say(words, "hint")

    def compare(self) -> None:
        """Compare the marked part with the one under the cursor; mark that where none is marked."""
        part = self.looked_at()
        marked = self._panel.marked
        if part is None:
            return
        if marked is None:
            self._panel.mark(part)
            words = f"marked {part.name}; select another and C compares them"
            self._messages.say(words, "hint")
        elif marked.id == part.id:
            words = f"{part.name} is what is marked: select another part to compare"
            self._messages.say(words, "refused")
        else:
            self._show_card(marked, self._catalog, beside=part)

    def looked_at(self) -> Part | None:
        """The part under the panel's cursor, else that of the selected group; says why if none."""
        current = self._panel.current if self._panel.has_focus_within else None
        return self._selected() if current is None else current

    def take_catalog(self, catalog: Catalog) -> None:
        """Work with another catalog from now on, and list its parts."""
        self._editing.workbench.take_catalog(catalog)
        self._panel.show(catalog)
        self._editing.show()

    @property
    def _catalog(self) -> Catalog:
        return self._editing.workbench.catalog

    def _selected(self) -> Part | None:
        """The part of the selected group; says why where there is none."""
        name = self._selection.group
        if name is None:
            words = "select a group first, or a part in the parts panel (p)"
            self._messages.say(words, "refused")
            return None
        wanted = self._editing.design.groups[name].part
        part = self._catalog.get(wanted)
        if part is None:
            self._messages.say(f"the catalog has no part {wanted!r}", "refused")
        return part
