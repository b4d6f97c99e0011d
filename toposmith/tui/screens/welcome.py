"""The start: an empty canvas, recovered work, recent files and the designs that come along."""

from __future__ import annotations

import time
from functools import partial
from itertools import islice
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from toposmith.errors import DesignFileError
from toposmith.parts_at_hand import PartsAtHand
from toposmith.saved_designs import saved_designs
from toposmith.text import counted
from toposmith.tui.actions.every_action import action, actions_of, bindings_of
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.keeping.recent_files import is_first_start, recent_files
from toposmith.tui.keeping.recovery import Rescued, rescued_designs
from toposmith.tui.keeping.session import (
    new_session,
    open_beside,
    open_recovered,
    open_saved,
    open_session,
    search_session,
    template_session,
    tour_session,
)
from toposmith.tui.screens.app_screen import Begun, Opening, PlaceScreen
from toposmith.tui.widgets.key_bar import KeyBar
from toposmith.tui.widgets.message_line import MessageLine

TAGLINE = "design GPU-cluster networks, and watch the bandwidth as you build"

NARROW_AND_WIDE = [(0, "-narrow"), (120, "-wide")]

SHORT_AND_TALL = [(0, "-short"), (30, "-tall")]
LOOK_LINES = 60
LOOK_COLUMNS = 400


class WelcomeScreen(PlaceScreen):
    """What can be opened or begun, each with a line about it."""

    PLACE = "welcome"
    AUTO_FOCUS = "#welcome-list"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("welcome")
    HORIZONTAL_BREAKPOINTS = NARROW_AND_WIDE
    VERTICAL_BREAKPOINTS = SHORT_AND_TALL

    def __init__(
        self,
        glyphs: Glyphs,
        *,
        failed: DesignFileError | None = None,
        complaint: str = "",
        parts: PartsAtHand | None = None,
    ) -> None:
        super().__init__()
        self._parts = parts
        self._complaint = complaint
        self._glyphs = glyphs
        self._failed = failed
        self._openings: dict[str, tuple[Opening, str]] = {}
        self._looks: dict[str, Path | Rescued] = {}
        self._width = 0

    def compose(self) -> ComposeResult:
        """Title, what went wrong if something did, the list, and the keys."""
        with Vertical(id="welcome"):
            yield Static(
                Content.assemble(("Toposmith", "bold $text-accent"), f"  {TAGLINE}"),
                id="welcome-title",
            )
            yield Static("", id="welcome-problems", markup=False)
            yield OptionList(id="welcome-list", markup=False, compact=True)
            with VerticalScroll(id="welcome-look", can_focus=False):
                yield Static("", id="welcome-text", markup=False)
        yield MessageLine(self._glyphs, id="message")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        """Fill the list after the first paint."""
        actions = actions_of("welcome")
        self.query_one(KeyBar).show(actions, {action.id for action in actions})
        problems = self.query_one("#welcome-problems", Static)
        problems.display = self._failed is not None
        if self._failed is not None:
            lines = [self._glyphs.shown(line) for line in self._failed.lines()]
            problems.update("\n".join(lines))
            problems.border_title = "this file cannot be read"
            self.query_one(MessageLine).say(
                "mend the file and open it again, or begin with something else", "hint"
            )
        elif self._complaint:
            self.query_one(MessageLine).say(self._complaint, "minded")
        elif is_first_start():
            key = action("tour").first_key
            words = (
                f"new here? {key} is a tour: build, break and mend a small cluster; Esc leaves it"
            )
            self.query_one(MessageLine).say(words, "hint")
        self.call_after_refresh(self._fill)

    def on_screen_resume(self) -> None:
        """Look again for files: they may have changed meanwhile."""
        if self.is_mounted:
            self.call_after_refresh(self._fill)

    def action_do(self, action_id: str) -> None:
        """Do an action of the table."""
        done = action(action_id).at_start
        if done is not None:
            done(self)

    def begin_empty(self) -> None:
        """Begin with an empty canvas."""
        self.post_message(Begun(new_session))

    def begin_template(self) -> None:
        """Begin with a template."""
        self.post_message(Begun(template_session))

    def begin_search(self) -> None:
        """Begin with what the cluster has to be."""
        self.post_message(Begun(search_session))

    def begin_tour(self) -> None:
        """Begin the tour."""
        self.post_message(Begun(tour_session))

    def open_file(self) -> None:
        """Let a file be picked, and open it."""
        self.run_worker(self._pick_file(), group="flow", exclusive=True)

    def open_design(self) -> None:
        """Let one or two designs of the folder be picked, and open them."""
        self.run_worker(self._pick_design(), group="flow", exclusive=True)

    def redraw(self) -> None:
        """Draw the whole screen anew."""
        self.app.call_later(self.app.run_action, "redraw")

    def show_help(self) -> None:
        """Show what can be done here."""
        from toposmith.tui.screens.help import HelpScreen  # the start is painted first

        self.app.push_screen(HelpScreen("welcome"))

    def show_palette(self) -> None:
        """Let any action be found by its name."""
        self.app.action_command_palette()

    def leave(self) -> None:
        """End the app."""
        self.app.exit(return_code=0)

    async def _pick_file(self) -> None:
        from toposmith.tui.screens.open_file import OpenFileScreen  # as above

        path = await self.app.push_screen_wait(OpenFileScreen(Path.cwd(), self._glyphs))
        if path is not None:
            self.post_message(Begun(partial(open_session, path)))

    async def _pick_design(self) -> None:
        from toposmith.tui.screens.folder_designs import DesignsScreen  # imports the engine

        screen = DesignsScreen(Path.cwd(), self._glyphs, self._parts)
        picked = await self.app.push_screen_wait(screen)
        if picked is not None:
            self.post_message(Begun(partial(open_beside, *picked)))

    @on(OptionList.OptionSelected, "#welcome-list")
    def _selected(self, event: OptionList.OptionSelected) -> None:
        opening = self._openings.get(event.option_id or "")
        if opening is not None:
            self.post_message(Begun(*opening))

    @on(OptionList.OptionHighlighted, "#welcome-list")
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Show the beginning of the file under the cursor."""
        look = self._looks.get(event.option_id or "")
        self.set_class(look is not None, "-looking")
        if look is not None:
            rescued = isinstance(look, Rescued)
            title = "what was done, the last first" if rescued else "what the file says"
            self.query_one("#welcome-look").border_title = title
            lines = _last_steps(look) if isinstance(look, Rescued) else _first_lines(look)
            shown = [self._glyphs.shown(line) for line in lines]
            self.query_one("#welcome-text", Static).update("\n".join(shown))

    @on(KeyBar.Pressed)
    def _key_clicked(self, event: KeyBar.Pressed) -> None:
        self.action_do(event.action_id)

    def _fill(self) -> None:
        listing = self.query_one("#welcome-list", OptionList)
        listing.clear_options()
        self._openings.clear()
        self._looks.clear()
        self._width = max(listing.scrollable_content_region.width, 30)
        rescued = rescued_designs()
        if rescued:  # first, and under the cursor: nothing else can be lost
            self._head(listing, "unsaved work of an earlier run")
        for found in rescued:
            self._offer(
                listing,
                found.name,
                f"{counted(found.told.position, 'step')}, kept {_age(found)} ago at the run's end",
                partial(open_recovered, found),
                "recovered what was not saved, with every step (u takes back); s saves it",
                found,
            )
        if rescued:
            self._head(listing, "new design")
        self._offer(listing, "empty canvas", "add parts, wire them, see the bandwidth", new_session)
        self._offer(
            listing,
            "template",
            "rail-optimised, top-of-rack, planes and others, by a few questions",
            template_session,
        )
        self._offer(
            listing,
            "design it for me",
            "how many nodes, what each GPU needs: the fabrics that give it",
            search_session,
        )
        recent = recent_files()
        if recent:
            self._head(listing, "recent files")
        for path in recent:
            self._offer(
                listing, path.name, str(path.parent), partial(open_session, path), look=path
            )
        saved = saved_designs()
        if saved:
            self._head(listing, "saved designs of real and reference clusters")
        for design in saved:
            self._offer(
                listing,
                design.name,
                design.summary,
                partial(open_saved, design.path),
                f"opened {design.name}; saving it makes a file of your own",
                design.path,
            )
        listing.highlighted = listing.get_option_index("0")

    def _head(self, listing: OptionList, title: str) -> None:
        if listing.option_count:
            listing.add_option(Option("", disabled=True))
        listing.add_option(Option(Content.styled(title, "bold"), disabled=True))

    def _offer(
        self,
        listing: OptionList,
        name: str,
        about: str,
        opening: Opening,
        greeting: str = "",
        look: Path | Rescued | None = None,
    ) -> None:
        option_id = str(len(self._openings))
        if look is not None:
            self._looks[option_id] = look
        self._openings[option_id] = (opening, greeting)
        shown = self._glyphs.shown
        name, about = shown(name), shown(about)
        column = 32
        if len(name) < column and column + len(about) <= self._width:
            text = Content.assemble(name.ljust(column), (about, "$text-muted"))
        else:
            text = Content.assemble(name, "\n    ", (about, "$text-muted"))
        listing.add_option(Option(text, id=option_id))


def _first_lines(path: Path) -> list[str]:
    """The beginning of a file, as far as a glance goes; empty where it cannot be read."""
    try:
        with path.open(encoding="utf-8", errors="replace") as opened:
            return [line.rstrip("\n")[:LOOK_COLUMNS] for line in islice(opened, LOOK_LINES)]
    except OSError:
        return []


def _last_steps(rescued: Rescued) -> list[str]:
    """What was done in a run, in words, up to where it stood."""
    there = rescued.told
    done = [step.label for step in there.steps[1 : there.position + 1]]
    return done[::-1][:LOOK_LINES]


def _age(rescued: Rescued) -> str:
    seconds = max(time.time() - rescued.written, 0)
    for unit, size in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= size:
            number = int(seconds // size)
            return f"{number} {unit}{'s' if number > 1 else ''}"
    return "less than a minute"
