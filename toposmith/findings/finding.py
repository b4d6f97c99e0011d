"""A finding about a design, as data."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from toposmith.findings.codes import RECORDS
from toposmith.findings.codes.code import Code, Severity, rendered
from toposmith.findings.place import Place
from toposmith.findings.values import Fact, Value, Values


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
