"""A flow is questions as data: a generator yields each, and returns what the answers come to.

It reads a snapshot (`Here`) and changes nothing, so that one loop (``designer/following.py``) can
run it again with fewer answers to go back, or with answers that are only thought of, to preview
them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from toposmith.errors import ToposmithError
from toposmith.tui.questions import Choice

if TYPE_CHECKING:
    from toposmith.analysis.request import Request
    from toposmith.catalog import Catalog
    from toposmith.design.document import Design
    from toposmith.design.edits import Edit
    from toposmith.fabric.plan import Plan
    from toposmith.tui.drawing.glyphs import Glyphs
    from toposmith.tui.figures.live_figures import LiveFigures
    from toposmith.tui.figures.shared_figures import Wanted
    from toposmith.tui.keeping.session import Session
    from toposmith.workbench import Workbench

T = TypeVar("T")
REVIEW_REFUSAL = "open for review: nothing can be changed here"
MAX_NUMBER = 1_000_000
MOST_DIGITS = 20
"""Longer texts are no sensible number, and Python refuses to read some of them."""


@dataclass(frozen=True)
class Here:
    """What a flow may read: the design under work, its file, what is selected and measured."""

    bench: Workbench
    session: Session
    wanted: Wanted
    figures: LiveFigures
    glyphs: Glyphs
    routing_edit: Callable[[Request], Edit | None]
    """The step that gives the design what a request routes by, where that is a step."""
    group: str | None = None
    link: int | None = None
    chosen: tuple[str, ...] = ()
    copied: Design | None = None

    @property
    def design(self) -> Design:
        """The design as it is."""
        return self.bench.design

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return self.bench.plan

    @property
    def catalog(self) -> Catalog:
        """Where its parts are."""
        return self.bench.catalog


# Questions


@dataclass(frozen=True)
class TextQuestion(Generic[T]):
    """Something to be typed; ``read`` makes a value of it, or raises what is wrong.

    ``told`` are words for what a value gives, shown in place of the hint; ``file`` where it is a
    file that is named: names are completed, and visitors are not asked.
    """

    label: str
    proposed: str
    read: Callable[[str], T]
    hint: str = ""
    told: Callable[[T], str] | None = None
    file: bool = False
    number: bool = False
    lowest: int = 1

    def usual(self) -> T:
        """The value of what is proposed."""
        return self.read(self.proposed)


@dataclass(frozen=True)
class ChoiceQuestion:
    """One of several answers; ``choices`` are made only when somebody looks at them.

    ``look`` where the list is only read, ``typed`` where letters find an answer among many,
    ``leads`` where each answer leads to questions of its own, so that none is previewed.
    """

    title: str
    choices: Callable[[], Sequence[Choice]]
    at: str = ""
    hint: str = ""
    look: bool = False
    typed: bool = False
    leads: bool = False

    def usual(self) -> str:
        """The answer at which the cursor begins.

        Raises
        ------
        FlowEnded
            Where none of them can be taken.
        """
        open_ones = [one.id for one in self.choices() if not one.refusal]
        if not open_ones:
            raise FlowEnded(None)
        return self.at if self.at in open_ones else open_ones[0]


@dataclass(frozen=True)
class Target:
    """Another group, picked on the canvas."""

    source: str
    likely: Sequence[str]

    def usual(self) -> str:
        """Nobody knows it before it is picked.

        Raises
        ------
        FlowEnded
            Always.
        """
        raise FlowEnded(None)


@dataclass(frozen=True)
class Wait:
    """Something that only the designer can find out, such as a file picked in a dialog.

    ``once`` where nobody is asked again who goes back; False or None is no answer.
    """

    do: Callable[[Any], Awaitable[object] | object]
    once: bool = False

    def usual(self) -> object:
        """Nothing is known before it is asked.

        Raises
        ------
        FlowEnded
            Always.
        """
        raise FlowEnded(None)


AnyQuestion = TextQuestion[Any] | ChoiceQuestion | Target | Wait


# What answers come to


@dataclass(frozen=True)
class MadeEdit:
    """An edit, what is selected after it, and what is said of it.

    ``added`` where the groups that it adds are selected, and marked where they are several;
    ``anew`` where the design on the screen is left for an empty canvas first.
    """

    edit: Edit
    group: str | None = None
    link: int | None = None
    say: Callable[[Workbench], str] | None = None
    added: bool = False
    anew: bool = False


@dataclass(frozen=True)
class Say:
    """Nothing is done; this is why."""

    words: str
    tone: Literal["done", "refused", "failed", "hint", "minded"] = "refused"


@dataclass(frozen=True)
class Show:
    """A view is shown by its name, and asked something else where ``asked`` says what."""

    view: str
    asked: object = None


@dataclass(frozen=True)
class Go:
    """The place that a row is about is selected."""

    groups: frozenset[str] = frozenset()
    links: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Write:
    """A file outside of the design is written; ``do`` returns what is said of it, or raises."""

    do: Callable[[], str]


@dataclass(frozen=True)
class Act:
    """Something that only the designer can do: export, sign, let fail; False where it failed."""

    do: Callable[[Any], object]


FlowOutcome: TypeAlias = "MadeEdit | Edit | Say | Show | Go | Write | Act | None"
Asking: TypeAlias = "Generator[AnyQuestion, Any, FlowOutcome]"
Asks = Generator[AnyQuestion, Any, T]
"""A part of a flow that asks for a value of this type."""
Do: TypeAlias = "Callable[[Here], Asking | FlowOutcome]"
"""What an action or a key does: it may ask questions."""


class FlowEnded(Exception):
    """A flow ends inside a question that several flows ask."""

    def __init__(self, outcome: FlowOutcome) -> None:
        self.outcome = outcome
        super().__init__()


# The usual questions


def ask(question: TextQuestion[T]) -> Asks[T]:
    """Ask for something typed."""
    answer: T = yield question
    return answer


def number(
    label: str,
    proposed: int,
    *,
    hint: str = "",
    lowest: int = 1,
    highest: int = MAX_NUMBER,
    told: Callable[[int], str] | None = None,
) -> Asks[int]:
    """Ask for a whole number."""

    def read(text: str) -> int:
        if not text.strip().isdecimal() or len(text) > MOST_DIGITS:
            raise ToposmithError(f"a whole number from {lowest:,} to {highest:,} is needed")
        if not lowest <= int(text) <= highest:
            raise ToposmithError(f"{int(text):,} is not between {lowest:,} and {highest:,}")
        return int(text)

    asked = TextQuestion(label, str(proposed), read, hint, told, number=True, lowest=lowest)
    return (yield from ask(asked))


def pick(
    title: str,
    choices: Sequence[Choice] | Callable[[], Sequence[Choice]],
    at: str = "",
    **more: Any,
) -> Asks[str]:
    """Ask for one of several answers."""
    made = choices if callable(choices) else lambda: choices
    answer: str = yield ChoiceQuestion(title, made, at, **more)
    return answer


def needed(words: str) -> Callable[[str], str]:
    """Read a text that may not be empty; ``words`` say so."""

    def read(text: str) -> str:
        if not text.strip():
            raise ToposmithError(words)
        return text.strip()

    return read


# Running a flow as far as its answers go


def run_to(
    start: Callable[[], Asking], answers: Sequence[object]
) -> AnyQuestion | tuple[FlowOutcome]:
    """The next question after so many answers; what they come to where all is answered."""
    running = start()
    try:
        asked = next(running)
        for answer in answers:
            asked = running.send(answer)
    except StopIteration as ended:
        return (ended.value,)
    except FlowEnded as ended:
        return (ended.outcome,)
    running.close()
    return asked


def would_make(start: Callable[[], Asking], answers: Sequence[object]) -> Edit | None:
    """The edit of so many answers if all that is asked after them is answered as proposed.

    Raises
    ------
    ToposmithError
        Why the answers are refused.
    """
    running, given, made = start(), list(answers), None
    try:
        asked = next(running)
        while True:
            try:
                answer = given.pop(0) if given else asked.usual()
            except ToposmithError:
                return None  # what is proposed there is no answer
            asked = running.send(answer)
    except StopIteration as ended:
        made = ended.value
    except FlowEnded:
        return None
    if isinstance(made, MadeEdit):
        return made.edit
    return None if isinstance(made, Say | Show | Go | Write | Act) else made
