"""What is not as the links say: slow devices and cables, swapped and moved ones; named sets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposmith.design.edits.links import drop_set, name_set, put_back, restore_speed, slow_down
from toposmith.errors import EditError
from toposmith.fabric.moved_cables import goes_to, move_cable, swap_cables
from toposmith.tui.designer.designer import Designer
from toposmith.tui.flows.prompts import refusal_of
from toposmith.tui.questions import Choice, Question

if TYPE_CHECKING:
    from toposmith.design.document import Design
    from toposmith.design.edits import Edit

SPEED_HINT = "Gb/s like 200, or a share of the link's speed like 50 %"
PORT_HINT = "the port of a node, like node[node=0].compute[0]; all numbers count from 0"


@dataclass(frozen=True)
class _Way:
    """One change: its words, its key, what it asks; why not, where it cannot be."""

    words: str
    key: str
    run: Callable[[Designer], Awaitable[None]]
    refusal: str = ""


async def recable(designer: Designer) -> None:
    """Offer what can be said of single devices, cables and sets."""
    design = designer.editing.design
    ways = [
        _Way("slow: a device, a port or cables run below their speed", "s", _slow),
        _Way("full speed: what was slow", "f", _restore, "" if design.slow else "nothing is slow"),
        _Way("swap two cables at ports of nodes", "w", _swap),
        _Way("move the end of one cable", "m", _move),
        _Way(
            "put a single cable back as its link says", "b", _put_back,
            "" if design.cables else "no single cables are listed",
        ),
        _Way("name a set that fails or is serviced together", "n", _name_set),
        _Way("drop the name of a set", "d", _drop_set, "" if design.sets else "there are no sets"),
    ]  # fmt: skip
    choices = [
        Choice(str(at), way.words, "" if way.refusal else way.key, way.refusal)
        for at, way in enumerate(ways)
    ]
    chosen = await designer.questions.choose("single cables and devices", choices)
    if chosen is not None:
        await ways[int(chosen)].run(designer)


async def _slow(designer: Designer) -> None:
    design = designer.editing.design
    what = await designer.questions.ask(
        Question(
            "what runs slow",
            _first_of_selected(designer),
            "a device, a port, or cables like leaf[leaf=0] - spine[spine=0]",
            check=refusal_of(lambda text: slow_down(design, text, "50 %")),
        )
    )
    if not what:
        return
    speed = await designer.questions.ask(
        Question(
            f"speed of {what.strip()}",
            "50 %",
            SPEED_HINT,
            check=refusal_of(lambda text: slow_down(design, what.strip(), _speed(text))),
            edit=lambda text: slow_down(design, what.strip(), _speed(text)),
        )
    )
    if speed:
        designer.editing.make(slow_down(design, what.strip(), _speed(speed)))


async def _restore(designer: Designer) -> None:
    design = designer.editing.design
    texts = list(design.slow)
    await _make_one_of(
        designer,
        "what runs at full speed again",
        [f"{text}: {design.slow[text]}" for text in texts],
        lambda at: restore_speed(design, texts[at]),
    )


async def _ask_port(designer: Designer, label: str) -> str | None:
    """Which port, with the other end of its cable shown; None where the question was cancelled."""
    plan = designer.editing.workbench.plan
    return await designer.questions.ask(
        Question(
            label,
            _first_port(designer),
            PORT_HINT,
            check=_problem_of(lambda text: goes_to(plan, text)),
            told=lambda text: _told(lambda: f"it goes to {goes_to(plan, text.strip())}"),
        )
    )


async def _swap(designer: Designer) -> None:
    plan = designer.editing.workbench.plan
    one = await _ask_port(designer, "swap the cable at port")
    if not one:
        return
    other = await designer.questions.ask(
        Question(
            f"with that of {one.strip()} at port",
            _next_port(one),
            PORT_HINT,
            check=refusal_of(lambda text: swap_cables(plan, one.strip(), text)),
            edit=lambda text: swap_cables(plan, one.strip(), text.strip()),
            told=lambda text: _told(lambda: f"it goes to {goes_to(plan, text.strip())}"),
        )
    )
    if other:
        designer.editing.make(swap_cables(plan, one.strip(), other.strip()))


async def _move(designer: Designer) -> None:
    plan = designer.editing.workbench.plan
    port = await _ask_port(designer, "move the cable at port")
    if not port:
        return
    there = await designer.questions.ask(
        Question(
            f"{port.strip()} goes to",
            goes_to(plan, port.strip()),
            "a device of another group, at a switch with or without .port[12]",
            check=refusal_of(lambda text: move_cable(plan, port.strip(), text)),
            edit=lambda text: move_cable(plan, port.strip(), text.strip()),
        )
    )
    if there:
        designer.editing.make(move_cable(plan, port.strip(), there.strip()))


async def _put_back(designer: Designer) -> None:
    design = designer.editing.design
    await _make_one_of(
        designer,
        "which goes as its link says",
        [f"{cable.a} to {cable.z}" for cable in design.cables],
        lambda at: put_back(design, at),
    )


async def _name_set(designer: Designer) -> None:
    design = designer.editing.design
    members = await designer.questions.ask(
        Question(
            "what fails or is serviced together",
            _first_of_selected(designer),
            "selectors with ; between them, like leaf[leaf=0]; node[node=0..3]",
            check=refusal_of(lambda text: name_set(design, "set", _several(text))),
        )
    )
    if not members:
        return
    name = await designer.questions.ask(
        Question(
            "name of the set",
            "",
            "a letter, then letters, digits, - or _",
            check=refusal_of(lambda text: name_set(design, text, _several(members))),
        )
    )
    if name:
        designer.editing.make(name_set(design, name.strip(), _several(members)))


async def _drop_set(designer: Designer) -> None:
    design = designer.editing.design
    names = list(design.sets)
    await _make_one_of(
        designer,
        "which name is dropped",
        [f"{name}: {', '.join(design.sets[name])}" for name in names],
        lambda at: drop_set(design, names[at]),
    )


async def _make_one_of(
    designer: Designer, question: str, rows: Sequence[str], edit: Callable[[int], Edit]
) -> None:
    """Ask which of the rows, each previewed as the edit of its place, and make that edit."""
    choices = [
        Choice(str(at), row, edit=lambda at=at: edit(at))  # type: ignore[misc]
        for at, row in enumerate(rows)
    ]
    chosen = await designer.questions.choose(question, choices)
    if chosen is not None:
        designer.editing.make(edit(int(chosen)))


def _speed(text: str) -> float | str:
    """Gb/s or a share, as typed; what is neither the document refuses."""
    typed = text.strip()
    try:
        return float(typed)
    except ValueError:
        return typed if typed.endswith(" %") or "%" not in typed else typed.replace("%", " %")


def _several(text: str) -> list[str]:
    return [one.strip() for one in text.split(";") if one.strip()]


def _problem_of(read: Callable[[str], object]) -> Callable[[str], str]:
    def check(text: str) -> str:
        try:
            read(text.strip())
        except EditError as wrong:
            return str(wrong)
        return ""

    return check


def _told(words: Callable[[], str]) -> str:
    try:
        return words()
    except EditError:
        return ""


def _first_of_selected(designer: Designer) -> str:
    """The first device of the selected group, or cables of the selected link; else empty."""
    design = designer.editing.design
    index = designer.selection.link
    if (name := designer.selection.group) is not None:
        return _first(design, name)
    if index is None or index >= len(design.links):
        return ""
    (a, a_slots), (b, b_slots) = (end.partition(".")[::2] for end in design.links[index].between)
    if not a_slots and not b_slots:
        return f"{_first(design, a)} - {_first(design, b)}"
    node, slots = (a, a_slots) if a_slots else (b, b_slots)
    return f"{_first(design, node)}.{slots}[0]"


def _first(design: Design, name: str) -> str:
    """The first device of a group."""
    group = design.groups[name]
    return f"{name}[{','.join(f'{axis}=0' for axis in (*group.per, name))}]"


def _first_port(designer: Designer) -> str:
    """The first port of the selected nodes, or of any nodes."""
    plan = designer.editing.workbench.plan
    names = sorted(plan.groups, key=lambda name: name != designer.selection.group)
    for name in names:
        for link in plan.links_of(name):
            end = link.end_of(name)
            if end.ports:
                return f"{_first(plan.design, end.group)}.{end.ports}[{end.first_port}]"
    return ""


def _next_port(text: str) -> str:
    """The port after one."""
    head, _, number = text.strip().removesuffix("]").rpartition("[")
    return f"{head}[{int(number) + 1}]" if number.isdecimal() else text
