"""Whether the design serves a model, in place of the fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from toposmith.tui.asking import Act, Asking, Here
from toposmith.tui.drawing.glyphs import Glyphs
from toposmith.tui.figures.shared_figures import (
    over_gpus_figures,
    required_figures,
    workload_figures,
)
from toposmith.tui.flows.exchange_questions import ask_numbers
from toposmith.tui.flows.workload_questions import change_workload
from toposmith.tui.pages.workload_page import required_content, workload_content
from toposmith.tui.views.own_keys import ESC, OwnKeys
from toposmith.tui.views.view import View

if TYPE_CHECKING:
    from toposmith.catalog import Catalog
    from toposmith.tui.figures.shared_figures import Wanted
    from toposmith.workloads.assess import Assessment
    from toposmith.workloads.required_bandwidth import PlainNumbers, RequiredBandwidth
    from toposmith.workloads.steps_over_gpus import StepsOverGpus


NO_WORKLOAD = "\n\n".join(
    (
        "This design names no workload yet: what is to run on it?",
        "Press e to choose a model with its layout and batch, or a service with its targets; "
        "the design keeps them.",
        "This page then shows the step as a picture, what each communication adds to it, the busbw "
        "that each needs and what this network gives, memory, storage, and tokens per second.",
        "Press x to ask without a model: N ranks that exchange M bytes r times a second.",
    )
)


class WorkloadView(View):
    """The workload of the design: its step as a picture, and what each communication needs."""

    NAME = "workload"
    OWN_KEYS = OwnKeys(
        "the workload",
        (
            ("e", "Choose the model and what is done with it"),
            ("x", "Ask of plain numbers: N ranks exchange M bytes r times a second"),
            ("up, down, k, j", "Scroll; PgUp and PgDn by a page, Home and End to the ends"),
            *ESC,
        ),
    )
    FEELS_FAILURES = True
    BORDER_TITLE = "Workload"
    KEYS = (
        ("e", "choose workload"),
        ("x", "plain numbers"),
        ("Y", "best layouts"),
        ("Up Down", "scroll"),
        ("Esc", "fabric"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("e", "change", "change the workload", show=False),
        Binding("x", "exchange", "ask of plain numbers", show=False),
        Binding("up,k", "scroll_up", "up", show=False),
        Binding("down,j", "scroll_down", "down", show=False),
        Binding("pageup", "page_up", "page up", show=False),
        Binding("pagedown", "page_down", "page down", show=False),
        Binding("home", "scroll_home", "top", show=False),
        Binding("end", "scroll_end", "bottom", show=False),
    ]

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs)
        self._found: Assessment | None = None
        self._required: tuple[RequiredBandwidth, ...] = ()
        self._over: StepsOverGpus | None = None
        self._numbers: PlainNumbers | None = None
        self._words = "computing ..."
        self._asked = False

    def compose(self) -> ComposeResult:
        """One page, longer than the screen."""
        yield Static("", id="workload-page")

    def action_change(self) -> None:
        """Ask for another workload."""
        self.want(change_workload, changes=True)

    def action_exchange(self) -> None:
        """Ask what N ranks need that exchange M bytes r times a second."""

        def ask(here: Here) -> Asking:
            numbers = yield from ask_numbers(here, self._numbers)

            def follow(_: object) -> None:
                self._numbers, self._asked = numbers, True
                wanted, self._wanted = self._wanted, None
                if wanted is not None:
                    self.follow(wanted, here.catalog)

            return Act(follow)

        self.want(ask)

    def forget(self) -> None:
        """Another design was opened, with other groups."""
        self._numbers = None
        super().forget()

    def compute(self, wanted: Wanted, catalog: Catalog) -> object:
        """What the workload gets of the design, and what its exchanges need; None without any."""
        found = workload_figures(wanted, catalog) if wanted.design.workload else None
        required = required_figures(wanted, catalog, found, self._numbers)
        over = over_gpus_figures(wanted, catalog, found)
        return (found, required, over) if found is not None or required else None

    def show(self, found: object) -> None:
        """Show the page."""
        none = (None, (), None)
        self._found, self._required, self._over = found if isinstance(found, tuple) else none
        self._words = NO_WORKLOAD if found is None else ""
        self._write()

    def show_trouble(self, trouble: str) -> None:
        """Say why there is no page."""
        self._found, self._required, self._over = None, (), None
        self._words = trouble
        self._write()

    def on_resize(self) -> None:
        """Write for the new room."""
        self.call_after_refresh(self._write)

    def _write(self) -> None:
        """Write the page as wide as it is; it keeps room for the scroll bar."""
        page_of = self.query_one("#workload-page", Static)
        width = page_of.size.width
        if not width:
            return
        if self._found is None and self._required:
            page = required_content(self._required, width, self._glyphs)
        elif self._found is None:
            lines = [self._glyphs.shown(line) for line in self._words.splitlines()]
            page = Content("\n".join(lines))
        else:
            asked = self._required[-1:] if self._numbers is not None else ()
            own = self._required[: len(self._required) - len(asked)]
            page = workload_content(self._found, width, self._glyphs, own, self._over)
            if asked:  # the answer to what was asked last stands first
                answer = required_content(asked, width, self._glyphs)
                page = Content("\n").join((answer, Content(""), page))
        page_of.update(page)
        if self._asked and self._required:
            self._asked = False
            self.call_after_refresh(self.scroll_home, animate=False)
