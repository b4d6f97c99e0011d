"""A finding about a design, as data: how severe it is, and the place of the design where it is."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from toposmith.documents.table import Cell, Column, Row, Table, Tone
from toposmith.entry_points import refuse_twice
from toposmith.findings.codes import RECORDS
from toposmith.findings.codes.code import Code, Fact, Severity, Value, Values, rendered
from toposmith.text import counted

PlaceKind = Literal["design", "network", "group", "link", "axis", "rack", "waiver", "block", "file"]
"""``design`` is all of it and ``network`` its compute network; ``block`` is a key of the file, such
as ``absent`` or ``placement.feeds``, and what it holds."""


@dataclass(frozen=True)
class Place:
    """A place of a design.

    Parameters
    ----------
    kind : str
        One of :data:`PlaceKind`.
    names : tuple of str
        The groups, the two ends of the link, the axis, the rack's label, the keys of the block,
        the file; none of design, network and waiver.
    index : int or None
        Which link, or which waiver, from 0.
    slots : str
        Slots of the group, where the place is its ports.
    others : int
        Racks besides the named one of which the same holds.
    """

    kind: PlaceKind
    names: tuple[str, ...] = ()
    index: int | None = None
    slots: str = ""
    others: int = 0

    def __str__(self) -> str:
        """``node.compute``, ``leaf + storage-leaf``, ``links[2] leaf - spine``, ``rack A01``."""
        if self.kind == "link":
            return f"links[{self.index}] {self.ends}"
        if self.kind == "waiver":
            return f"waivers[{self.index}]"
        if self.kind == "rack":
            label = self.names[0]
            return f"racks {label} and {self.others:,} more" if self.others else f"rack {label}"
        if self.kind == "group":
            return " + ".join(self.names) + (f".{self.slots}" if self.slots else "")
        return " ".join(self.names) or self.kind

    @property
    def ends(self) -> str:
        """The ends of a link: ``leaf - spine``."""
        return " - ".join(self.names)

    @property
    def group(self) -> str:
        """The first group; empty where the place is none."""
        return self.names[0] if self.kind == "group" else ""

    @property
    def lasting(self) -> Place:
        """The place without its number, which changes when what stands before it goes."""
        return replace(self, index=None) if self.kind == "link" else self

    @property
    def lasting_name(self) -> str:
        """Its name in files, which does not depend on its number: a link by its ends."""
        return self.ends if self.kind == "link" else str(self)

    def is_called(self, name: str) -> bool:
        """Whether this name refers to this place; a link also by its ends."""
        shorter = self.names[0] if self.kind == "rack" else self.lasting_name
        return name in (str(self), shorter)

    def renamed(self, rename: Callable[[str], str]) -> Place:
        """The place with other names of groups, wherever it names some."""
        if self.kind not in ("group", "link", "block"):
            return self
        return replace(self, names=tuple(map(rename, self.names)))


DESIGN = Place("design")
NETWORK = Place("network")


def at_group(name: str, slots: str = "") -> Place:
    """A group of devices, or the ports in some of its slots."""
    return Place("group", (name,), slots=slots)


def at_groups(names: Iterable[str]) -> Place:
    """Several groups of which one thing holds."""
    return Place("group", tuple(names))


def at_link(index: int, ends: Iterable[str]) -> Place:
    """A link by its number and its two ends."""
    return Place("link", tuple(ends), index)


def at_axis(name: str) -> Place:
    """An axis."""
    return Place("axis", (name,))


def at_block(*keys: str) -> Place:
    """A key of the design's file, and which of its entries."""
    return Place("block", keys)


def at_racks(label: str, others: int = 0) -> Place:
    """A rack by its label, and how many more."""
    return Place("rack", (label,), others=others)


def at_waiver(index: int) -> Place:
    """A waiver by its number."""
    return Place("waiver", index=index)


def at_file(name: str) -> Place:
    """A file, with the line where that is known."""
    return Place("file", (name,))


@dataclass(frozen=True)
class Waived:
    """Why a finding was accepted, when, by whom, and until when it holds (dates as YYYY-MM-DD).

    ``value`` is the amount at which it was accepted; None where none was stated.
    """

    reason: str
    date: str
    until: str | None = None
    value: float | None = None
    by: str | None = None

    def as_data(self) -> dict[str, str | float | None]:
        """The waiver under stable keys."""
        return {
            "reason": self.reason,
            "date": self.date,
            "until": self.until,
            "value": self.value,
            "by": self.by,
        }


@dataclass(frozen=True)
class Finding:
    """A finding: its code, place, severity and values.

    Its text is rendered on demand from the record of its code
    (:mod:`toposmith.findings.codes`); no code depends on the text.

    Parameters
    ----------
    code : str
        Its stable name.
    severity : str
        Its severity.
    place : Place
        Its place.
    values : Values
        The values found there.
    waived : Waived or None
        The waiver, if it was accepted.
    computed_values : Values
        Further values that a review computed for its figure and its fix.
    """

    code: str
    severity: Severity
    place: Place
    values: Values = field(default_factory=Values)
    waived: Waived | None = None
    computed_values: Values = field(default_factory=Values)

    @property
    def record(self) -> Code:
        """The record of its code."""
        return RECORDS[self.code]

    @property
    def key(self) -> Hashable:
        """A key equal for the same finding, regardless of computed values."""
        return self.code, self.place, self.values

    @property
    def counts(self) -> bool:
        """Whether it is an error or a warning that nobody waived."""
        return self.severity != "info" and self.waived is None

    @property
    def where(self) -> str:
        """Its place as it is written."""
        return str(self.place)

    @property
    def text(self) -> str:
        """The reason, in a sentence."""
        return rendered(self.record.text, self.all_values) or self.record.title

    @property
    def figure(self) -> str | None:
        """The figure behind it in words; None without one."""
        return rendered(self.record.figure, self.all_values)

    @property
    def fix(self) -> str:
        """The fix: computed for this design where possible, else the usual one."""
        return rendered(self.record.fix, self.all_values) or self.record.usual_fix

    @property
    def value(self) -> Value | None:
        """The value that it measures; None without one."""
        return self.record.measure.of(self.all_values) if self.record.measure else None

    @property
    def all_values(self) -> Values:
        """What was found, and what was computed."""
        return (
            Values({**self.values, **self.computed_values}) if self.computed_values else self.values
        )

    def with_worked_out(self, values: Mapping[str, Fact]) -> Finding:
        """The finding with more values for its figure and its fix."""
        return (
            replace(self, computed_values=Values({**self.computed_values, **values}))
            if values
            else self
        )


def found(code: str, place: Place, severity: Severity | None = None, /, **values: Fact) -> Finding:
    """A finding with the severity of its code, unless another is given."""
    return Finding(code, severity or RECORDS[code].severity, place, Values(values))


SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""The worst first."""

_NOUNS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "remark"}


def rank(finding: Finding) -> int:
    """The place of a finding among others: the worst at 0, waived ones behind all that count."""
    waived = len(SEVERITIES) if finding.waived is not None else 0
    return waived + SEVERITIES.index(finding.severity)


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Each finding once, errors first and waived ones last; alike ones stay in their order."""
    return sorted(dict.fromkeys(findings), key=rank)


def counts(findings: Iterable[Finding]) -> dict[Severity, int]:
    """How many findings there are of each severity, without those that were waived."""
    found = dict.fromkeys(SEVERITIES, 0)
    for finding in findings:
        found[finding.severity] += finding.waived is None
    return found


def waived_count(findings: Iterable[Finding]) -> int:
    """How many findings were waived."""
    return sum(finding.waived is not None for finding in findings)


def findings_words(findings: Iterable[Finding]) -> str:
    """``1 error, 2 warnings, 3 remarks, 1 waived``: each counts once, however often it is there."""
    unique = worst_first(findings)
    said = [counted(many, _NOUNS[severity]) for severity, many in counts(unique).items() if many]
    waived = waived_count(unique)
    return ", ".join([*said, *([f"{waived:,} waived"] if waived else [])]) or "no findings"


def severity_words(finding: Finding) -> str:
    """The severity of a finding; of one that was waived also since when, until when and why."""
    if finding.waived is None:
        return finding.severity
    return f"{finding.severity}, waived {waiver_words(finding)}: {finding.waived.reason}"


def waiver_words(finding: Finding) -> str:
    """When a finding was waived, at which value, and until when; empty where it was not.

    ``2026-11-21 by Ann at 2:1, until 2027-06-30``; at any value where the waiver names none.
    """
    waived, value = finding.waived, finding.value
    if waived is None:
        return ""
    at = ""
    if value is not None:
        at = " at any value" if waived.value is None else f" at {value.words_of(waived.value)}"
    by = f" by {waived.by}" if waived.by else ""
    return f"{waived.date}{by}{at}{f', until {waived.until}' if waived.until else ''}"


# Findings of one's own: what looks for them, with the record that says how bad one is.


@dataclass(frozen=True)
class AddedFinding:
    """A finding of one's own.

    Parameters
    ----------
    code : Code
        Its record.
    find : callable
        Looks for it: gets a ``toposmith.review.findings.subject.Subject``, the design under review.
    """

    code: Code
    find: Callable[[Any], Iterable[Finding]]


ADDED: list[AddedFinding] = []
"""Findings that were added to those of the program."""


def add_finding(added: AddedFinding) -> None:
    """Have one more finding looked for; policies and waivers know its code.

    Raises
    ------
    ValueError
        Where there is one of its code.
    """
    refuse_twice(RECORDS, added.code.code)
    RECORDS[added.code.code] = added.code
    ADDED.append(added)


# Findings as a table, the same on every page.

TONES = {"error": Tone.BAD, "warning": Tone.WARNING, "info": Tone.PLAIN}


def findings_table(findings: Iterable[Finding]) -> Table:
    """Each finding with its figure and its fix, in the order given."""
    columns = (
        *(Column("severity"), Column("where"), Column("reason", wraps=True)),
        *(Column("figure"), Column("fix", wraps=True), Column("code")),
    )
    rows = (
        (
            Cell(severity_words(one), rank(one), Tone.DIM if one.waived else TONES[one.severity]),
            *(Cell(one.where), Cell(one.text), Cell(one.figure or "")),
            *(Cell(one.fix), Cell(one.code)),
        )
        for one in findings
    )
    return Table(columns, tuple(Row(str(at), cells) for at, cells in enumerate(rows)))


def head_tone(findings: Sequence[Finding]) -> Tone:
    """The tone of the worst that counts."""
    found = counts(findings)
    return Tone.BAD if found["error"] else Tone.WARNING if found["warning"] else Tone.PLAIN
