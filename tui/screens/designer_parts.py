"""The designer's parts: judged by what is selected, looked at whole, compared."""

from __future__ import annotations

from textual import on

from toposmith.catalog import AnyPart
from toposmith.tui.parts.fitting import fits_group, fits_link
from toposmith.tui.screens.designer_review import DesignerReview
from toposmith.tui.screens.part_card import PartCardScreen
from toposmith.tui.widgets.parts_panel import PartsPanel


class DesignerParts(DesignerReview):
    """The main screen with what one can do with parts besides building with them."""

    def refresh_state(self) -> None:
        """Show what is saved and what is not, and what fits now."""
        super().refresh_state()
        if self._parts.has_focus_within:
            self.judge_parts()

    def judge_parts(self) -> None:
        """Order the parts by how they fit what is selected.

        Done when one turns to the parts: a list that is sorted anew with every step on the canvas
        would write more than all the rest of the screen.
        """
        plan, catalog = self.workbench.plan, self.workbench.catalog
        group, link = self.selected_group, self.selected_link
        if group is not None:
            self._parts.judge_by(fits_group(plan, catalog, group), group)
        elif link is not None:
            between = self.workbench.design.links[link].between
            self._parts.judge_by(fits_link(plan, link), " - ".join(between))
        else:
            self._parts.judge_by(None, "")

    def show_card(self) -> None:
        """Show the card of the selected group's part."""
        part = self._selected_part()
        if part is not None:
            self._open_card(part)

    def compare_parts(self) -> None:
        """Lay the marked part beside the one looked at; mark that where none is marked."""
        part = self._parts.current if self._parts.has_focus_within else self._selected_part()
        marked = self._parts.marked
        if part is None:
            return
        if marked is None:
            self._parts.mark(part)
            self.say(f"marked {part.name}; select another and C compares them", "hint")
        elif marked.id == part.id:
            self.say(f"{part.name} is what is marked: select another part to compare", "refused")
        else:
            card = PartCardScreen(marked, self.workbench.catalog, self.glyphs, beside=part)
            self.app.push_screen(card)

    @property
    def _parts(self) -> PartsPanel:
        return self.query_one(PartsPanel)

    def _selected_part(self) -> AnyPart | None:
        """The part of the selected group; says why where there is none."""
        name = self.selected_group
        if name is None:
            self.say("select a group first, or a part in the parts panel (p)", "refused")
            return None
        wanted = self.workbench.design.groups[name].part
        part = self.workbench.catalog.get(wanted)
        if part is None:
            self.say(f"the catalog has no part {wanted!r}", "refused")
        return part

    def _open_card(self, part: AnyPart, *, judged: bool = False) -> None:
        head = self._parts.fit_of(part) if judged else None
        self.app.push_screen(PartCardScreen(part, self.workbench.catalog, self.glyphs, head=head))

    @on(PartsPanel.Approached)
    def _parts_approached(self) -> None:
        if self._bench is not None:
            self.call_after_refresh(self.judge_parts)  # the panel is seen first

    @on(PartsPanel.Opened)
    def _card_wanted(self, event: PartsPanel.Opened) -> None:
        self._open_card(event.part, judged=True)

    @on(PartsPanel.Marked)
    def _part_marked(self, event: PartsPanel.Marked) -> None:
        if event.part is None:
            self.say("no part is marked any longer", "hint")
        else:
            self.say(f"marked {event.part.name}; = on another part compares them", "hint")

    @on(PartsPanel.CompareWanted)
    def _compare_wanted(self) -> None:
        self.compare_parts()
