"""Words beside what is bought and where it stands: complete, scope, orderable, racks, numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from tests.labels.facts import Facts, can_be_ordered, least_power_w, sources, texts_of
from tests.labels.rule import Broken, Rule, Walk, around, data, in_data, on, text
from tests.oracle.parts import parts

_NOT_COMPLETE = re.compile(
    r"(?:not|never) complete|complete: (?:false|False)|in-?complete|no-complete"
)


def _rests_on_nothing_assumed(facts: Facts) -> bool:
    return not (facts.unknown_power or facts.unknown_height) and facts.can_be_built


def _complete(walk: Walk) -> Iterator[Broken]:
    facts = walk.facts
    if not facts.groups or _rests_on_nothing_assumed(facts):
        return
    lacks = sorted({*facts.unknown_power, *facts.unknown_height}) or ["a part"]
    for page in walk.of("bill"):
        if page.is_data:
            if page.data.get("complete") is True:
                yield Broken(page.place, f"complete: true; unknown of {', '.join(lacks)}")
            continue
        whole = re.compile(
            r"^complete: true$|sha256 `?\w+`?; complete|\bcomplete\b[.;]|complete \| [Tt]rue",
            re.MULTILINE,
        )
        found = whole.search(_NOT_COMPLETE.sub("", page.text))
        if found:
            yield Broken(page.place, f"{found[0]}; unknown of {', '.join(lacks)}")


def _totals(walk: Walk) -> Iterator[Broken]:
    """The sums of a bill in data: complete only where every line has the figure."""
    facts = walk.facts
    lacks = {"power_w": facts.unknown_power, "rack_units": facts.unknown_height}
    for page in walk.of("bill"):
        for totals in in_data(page.data, "totals"):
            for key, parts_without in lacks.items():
                if parts_without and totals.get(key, {}).get("complete") is True:
                    yield Broken(page.place, f"{key} complete; unknown of {parts_without[0]}")


def _racks(walk: Walk) -> Iterator[Broken]:
    facts = walk.facts
    unknown = sorted({*facts.unlimited_power, *facts.unknown_height})
    if not unknown:
        return
    for page in walk.of("bill"):
        for racks in in_data(page.data, "racks"):
            if racks.get("complete") is True:
                yield Broken(page.place, f"racks complete; unknown of {', '.join(unknown)}")
    count = re.compile(
        r"(?:Racks: |^|\W)(\d+) (?:racks? )?of (?:\d+|unknown) U[^|\n]*", re.MULTILINE
    )
    for page in walk.pages:
        if page.is_data or not {"racks", "bill"} & page.shows or "schedule" in page.shows:
            continue
        for line in page.lines:
            found = count.search(line)
            if not found or "of 42 U; power" in line or not re.search("[Rr]acks?", line):
                continue
            said = re.sub(r"kW each \(assumed\)", "", line)
            if not re.search("at least|assumed|incomplete|≥|>=", said):
                yield Broken(page.place, line.strip(" │"))
            break


def _overfull(walk: Walk) -> Iterator[Broken]:
    """No rack is filled with more than its limit by what its devices are known to draw at least."""
    facts = walk.facts
    for page in walk.of("elevations"):
        limit = facts.rack_limit_w
        said = re.search(r"at most ([\d.,]+) kW each", page.text)
        if limit is None and said:
            limit = float(said[1].replace(",", "")) * 1000
        if limit is None:
            continue
        for rack in re.split(r"\n\n", page.text)[1:]:
            names = re.findall(r"\[([\w-]+?)(?:-(?:\d+|[a-z]+\d+)(?:-[\w]+)*)?\]", rack)
            groups = [facts.groups[name] for name in names if name in facts.groups]
            least = sum(least_power_w(group.part) for group in groups)
            if least > limit:
                yield Broken(page.place, f"a rack of {limit:.0f} W, its devices draw {least:.0f} W")


_UNCABLED = r"\b{0}\b[^.;]{{0,30}}uncabled|uncabled[^.;]{{0,40}}\b{0}\b"


def _scope(walk: Walk) -> Iterator[Broken]:
    facts = walk.facts
    if not facts.placed:
        return
    for page in walk.of("bill"):
        words = page.flat.replace(",", "")
        if not re.search(r"not on (?:it|the bill|this bill)|not_on|scope", words, re.IGNORECASE):
            yield Broken(page.place, "says nothing of what is not on it")
            continue
        counts = {str(count) for count in facts.uncabled_ports if count}
        if counts and not any(re.search(_UNCABLED.format(count), words) for count in counts):
            yield Broken(page.place, f"not the {' or '.join(sorted(counts))} uncabled ports")


def _orderable(walk: Walk) -> Iterator[Broken]:
    """How many lines have a whole part number, and are known to be taken where they plug in."""
    lines: list[dict[str, Any]] = []
    for page in walk.of("bill", "json"):
        lines = page.data.get("lines", lines)
    if not lines:
        return
    whole = sum(_is_orderable(line) for line in lines)
    wanted = re.compile(rf"orderable[^.]{{0,40}}?\b{whole}\b[^.]{{0,40}}?\b{len(lines)}\b")
    for page in walk.of("bill"):
        if not wanted.search(page.flat):
            found = re.search("orderable.{0,40}", page.flat)
            said = found[0] if found else "nothing"
            yield Broken(page.place, f"orderable: {whole} of {len(lines)}; said {said}")


def _is_orderable(line: dict[str, Any]) -> bool:
    number = line.get("part_number")
    sound = isinstance(number, str) and not re.search("x{2,}|chosen|family", number)
    doubts = [one for one in line.get("notes", ()) if one.startswith("not known to be taken")]
    if not all(one.endswith("order it coded for these") for one in doubts):
        return False
    return sound and can_be_ordered(parts().get(line["part"], {}), line.get("length_m"))


_FAMILY = re.compile(r"\b[A-Z0-9]+[A-Z0-9-]*-?[A-Z]*[xX]{3,}\w*")


def _families(walk: Walk) -> Iterator[Broken]:
    for page in walk.pages:
        words = page.flat
        if not _FAMILY.search(words):
            continue
        for source in sources():
            words = words.replace(" ".join(source.split()), "")
        for found in list(_FAMILY.finditer(words))[:1]:
            yield Broken(page.place, around(words, found, 25))


_UNPUBLISHED = re.compile(
    r"not published|(?:nobody|noone|no one) publish\w*|never published|unpublished", re.IGNORECASE
)


def _unpublished(walk: Walk) -> Iterator[Broken]:
    """The words may stand in what a part's own file says of it, and nowhere else."""
    said = [" ".join(note.split()) for note in _notes_saying_so()]
    for page in walk.pages:
        words = page.flat
        if not _UNPUBLISHED.search(words):
            continue
        for note in said:
            words = words.replace(note, "")
        for found in list(_UNPUBLISHED.finditer(words))[:1]:
            yield Broken(page.place, around(words, found))


def _notes_saying_so() -> list[str]:
    found = []
    for part in parts().values():
        note = part.get("note", "")
        if _UNPUBLISHED.search(texts_of(part)):
            found += [note, *re.split(r"(?<=\.) ", note)]
    return sorted({note for note in found if _UNPUBLISHED.search(note)}, key=len, reverse=True)


def _power_of_nothing(walk: Walk) -> Iterator[Broken]:
    """A sum of power that lacks a node's says so beside it."""
    if not any(g.part.get("power_w") is None for g in walk.facts.nodes):
        return
    total = re.compile(r"[Pp]ower:? \|? ?([\d.,]+ k?W)(?![^|\n]{0,20}each)[^|\n]*")
    for page in walk.pages:
        if page.is_data or not {"bill", "review", "compare"} & page.shows:
            continue
        for line in page.lines:
            found = total.search(line)
            if found and not re.search("incomplete|at least|unknown|known|≥|>=", found[0]):
                yield Broken(page.place, around(line, found))


_FULL, _LACKING = "lengths-not-sold", "unknown-power"
_LINES = [
    {"part": "mma4z00-ns", "part_number": "MMA4Z00-NS", "length_m": None},
    {"part": "connectx-3-fdr", "part_number": "MCX353A-FCBT", "length_m": None},
]

BILLS = (
    Rule(
        "complete",
        "'complete' beside a bill",
        "power and height of everything placed are in the catalog or the design",
        "a rack of nodes of unknown power is not counted, it is guessed",
        _complete,
        honest=(
            on(_FULL, data({"complete": True}, "bill")),
            on(_LACKING, data({"complete": False}, "bill")),
            on(_LACKING, text("sha256 `a7`; incomplete: power of xe9680-h100", "bill")),
        ),
        lies=(
            on(_LACKING, data({"complete": True}, "bill")),
            on(_LACKING, text("catalog of 317 parts sha256 `a7`; complete. Cabling:", "bill")),
        ),
    ),
    Rule(
        "totals",
        "'complete' beside a sum",
        "every placed part has the figure",
        "an unknown figure never counts as zero",
        _totals,
        honest=(on(_LACKING, data({"totals": {"power_w": {"complete": False}}}, "bill")),),
        lies=(on(_LACKING, data({"totals": {"power_w": {"complete": True}}}, "bill")),),
    ),
    Rule(
        "power",
        "a sum of power with a node of unknown power",
        "'incomplete', 'known' or 'at least' stands beside it",
        "1.6 W are not the power of eight servers",
        _power_of_nothing,
        honest=(on(_LACKING, text("Power: 20,829 W known; incomplete: 2 lines", "bill")),),
        lies=(on(_LACKING, text("- power 20,829 W", "review")),),
    ),
    Rule(
        "racks",
        "a number of racks",
        "'at least' or 'assumed' beside it where a power has no upper bound or a height is assumed",
        "the count rests on a guess",
        _racks,
        honest=(
            on(
                "unknown-power-and-height",
                text("2 racks of 42 U (assumed), at most 20 kW each", "racks"),
            ),
            on("unknown-power-and-height", data({"racks": {"complete": False}}, "bill")),
        ),
        lies=(
            on(
                "unknown-power-and-height",
                text("1 rack of 42 U, at most 20 kW each (assumed)", "racks"),
            ),
            on("unknown-power-and-height", data({"racks": {"complete": True}}, "bill")),
        ),
    ),
    Rule(
        "overfull racks",
        "devices in one rack",
        "their GPUs alone draw no more than its limit",
        "unknown power is not zero",
        _overfull,
        honest=(
            on(_LACKING, text("at most 40.8 kW each\n\nA01\n [node-0]\n [node-1]", "elevations")),
        ),
        lies=(
            on(
                _LACKING,
                text(
                    "at most 40.8 kW each\n\nA01\n" + "".join(f" [node-{n}]\n" for n in range(8)),
                    "elevations",
                ),
            ),
        ),
    ),
    Rule(
        "scope",
        "what is not on a bill, with the ports of nodes that no cable reaches",
        "must, on every bill",
        "a buyer takes the list for all that is needed",
        _scope,
        honest=(on(_FULL, text("compute fabric as drawn; not on it: 16 uncabled ports", "bill")),),
        lies=(
            on(_FULL, text("Bill of materials", "bill")),
            on(_FULL, text("compute fabric as drawn; not on it: 9 uncabled ports", "bill")),
        ),
    ),
    Rule(
        "orderable",
        "'orderable: n of m lines'",
        "must, on every bill: n lines have a whole part number that a source vouches for",
        "complete is not the same as something one can order",
        _orderable,
        honest=(
            on(_FULL, data({"lines": _LINES, "orderable": "orderable: 1 of 2 lines"}, "bill")),
        ),
        lies=(
            on(_FULL, data({"lines": _LINES}, "bill")),
            on(_FULL, data({"lines": _LINES, "orderable": "orderable: 2 of 2 lines"}, "bill")),
        ),
    ),
    Rule(
        "families",
        "xxx in a part number",
        "never, but in the name of a source",
        "nobody can order a family",
        _families,
        honest=(
            on(_FULL, text("MFP7E10, length to be chosen", "bill")),
            on(
                _FULL,
                text(parts()["mcp4y10-n"]["source"], "card"),
            ),
        ),
        lies=(
            on(_FULL, text("MFP7E10-Nxxx | 3 m", "bill")),
            on(_FULL, text("MFA1A00-xxxx", "bill")),
        ),
    ),
    Rule(
        "not published",
        "'not published'",
        "a source of that part says so; else it is not in this catalog",
        "most of what the catalog lacks stands on its maker's pages",
        _unpublished,
        honest=(on(_FULL, text("power not in this catalog", "findings")),),
        lies=(
            on(_FULL, text("QM9700: latency not published; what rests on it", "findings")),
            on(_FULL, text("nobody published whether it routes adaptively", "findings")),
        ),
    ),
)
