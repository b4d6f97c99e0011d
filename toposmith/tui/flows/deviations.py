"""What is not as the links say: slow devices and cables, swapped and moved ones; named sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import TYPE_CHECKING

from toposmith.design.edits.links import drop_set, name_set, put_back, restore_speed, slow_down
from toposmith.fabric.moved_cables import goes_to, move_cable, swap_cables
from toposmith.tui.asking import Asking, Asks, Here, TextQuestion, ask, pick
from toposmith.tui.questions import Choice

if TYPE_CHECKING:
    from toposmith.design.document import Design
    from toposmith.design.edits import Edit

SPEED_HINT = "Gb/s like 200, or a share of the link's speed like 50 %"
PORT_HINT = "the port of a node, like node[node=0].compute[0]; all numbers count from 0"


def recable(here: Here) -> Asking:
    """Offer what can be said of single devices, cables and sets."""
    design = here.design
    chosen = yield from pick(
        "single cables and devices",
        [
            Choice("slow", "slow: a device, a port or cables run below their speed", "s"),
            _way("restore", "full speed: what was slow", "f", design.slow, "nothing is slow"),
            Choice("swap", "swap two cables at ports of nodes", "w"),
            Choice("move", "move the end of one cable", "m"),
            _way(
                "put back", "put a single cable back as its link says", "b", design.cables,
                "no single cables are listed",
            ),
            Choice("set", "name a set that fails or is serviced together", "n"),
            _way("drop", "drop the name of a set", "d", design.sets, "there are no sets"),
        ],
        leads=True,
    )  # fmt: skip
    return (yield from _WAYS[chosen](here))


def _way(id: str, words: str, key: str, there: Sized, none: str) -> Choice:
    """A way that there must be something for."""
    return Choice(id, words, key if there else "", "" if there else none)


def _slow(here: Here) -> Asking:
    design = here.design

    def what_runs(text: str) -> str:
        slow_down(design, text.strip(), "50 %")
        return text.strip()

    hint = "a device, a port, or cables like leaf[leaf=0] - spine[spine=0]"
    what = yield from ask(TextQuestion("what runs slow", _first_of_selected(here), what_runs, hint))
    return (
        yield from ask(
            TextQuestion(
                f"speed of {what}",
                "50 %",
                lambda text: slow_down(design, what, _speed(text)),
                SPEED_HINT,
            )
        )
    )


def _restore(here: Here) -> Asking:
    slow = here.design.slow
    at = yield from _one_of("what runs at full speed again", [f"{a}: {b}" for a, b in slow.items()])
    return restore_speed(here.design, list(slow)[at])


def _swap(here: Here) -> Asking:
    plan = here.plan
    one = yield from _port(here, "swap the cable at port")

    def read(text: str) -> tuple[str, Edit]:
        return text.strip(), swap_cables(plan, one, text.strip())

    def told(read: tuple[str, Edit]) -> str:
        return f"it goes to {goes_to(plan, read[0])}"

    label = f"with that of {one} at port"
    _, made = yield from ask(TextQuestion(label, _next_port(one), read, PORT_HINT, told))
    return made


def _port(here: Here, label: str) -> Asks[str]:
    """Which port, with the other end of its cable shown."""

    def read(text: str) -> str:
        goes_to(here.plan, text.strip())
        return text.strip()

    def told(port: str) -> str:
        return f"it goes to {goes_to(here.plan, port)}"

    return (yield from ask(TextQuestion(label, _first_port(here), read, PORT_HINT, told)))


def _move(here: Here) -> Asking:
    plan = here.plan
    port = yield from _port(here, "move the cable at port")
    return (
        yield from ask(
            TextQuestion(
                f"{port} goes to",
                goes_to(plan, port),
                lambda text: move_cable(plan, port, text.strip()),
                "a device of another group, at a switch with or without .port[12]",
            )
        )
    )


def _put_back(here: Here) -> Asking:
    rows = [f"{cable.a} to {cable.z}" for cable in here.design.cables]
    return put_back(here.design, (yield from _one_of("which goes as its link says", rows)))


def _name_set(here: Here) -> Asking:
    design = here.design

    def members_of(text: str) -> list[str]:
        members = [one.strip() for one in text.split(";") if one.strip()]
        name_set(design, "set", members)
        return members

    hint = "selectors with ; between them, like leaf[leaf=0]; node[node=0..3]"
    label = "what fails or is serviced together"
    members = yield from ask(TextQuestion(label, _first_of_selected(here), members_of, hint))
    return (
        yield from ask(
            TextQuestion(
                "name of the set",
                "",
                lambda text: name_set(design, text.strip(), members),
                "a letter, then letters, digits, - or _",
            )
        )
    )


def _drop_set(here: Here) -> Asking:
    sets = here.design.sets
    rows = [f"{name}: {', '.join(members)}" for name, members in sets.items()]
    at = yield from _one_of("which name is dropped", rows)
    return drop_set(here.design, list(sets)[at])


_WAYS: dict[str, Callable[[Here], Asking]] = {
    "slow": _slow,
    "restore": _restore,
    "swap": _swap,
    "move": _move,
    "put back": _put_back,
    "set": _name_set,
    "drop": _drop_set,
}


def _one_of(title: str, rows: Sequence[str]) -> Asks[int]:
    """The place of one of these rows."""
    return int((yield from pick(title, [Choice(str(at), row) for at, row in enumerate(rows)])))


def _speed(text: str) -> float | str:
    """Gb/s or a share, as typed; what is neither the document refuses."""
    typed = text.strip()
    try:
        return float(typed)
    except ValueError:
        return typed if typed.endswith(" %") or "%" not in typed else typed.replace("%", " %")


def _first_of_selected(here: Here) -> str:
    """The first device of the selected group, or cables of the selected link; else empty."""
    design = here.design
    index = here.link
    if (name := here.group) is not None:
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


def _first_port(here: Here) -> str:
    """The first port of the selected nodes, or of any nodes."""
    plan = here.plan
    names = sorted(plan.groups, key=lambda name: name != here.group)
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
