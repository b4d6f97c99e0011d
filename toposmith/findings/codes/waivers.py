"""Codes of findings about waivers."""

from __future__ import annotations

from toposmith.findings.codes.code import Code, Value, Values


def _of(v: Values) -> str:
    """``oversubscribed at leaf``, or anywhere."""
    return f"{v['waived']} at {v['at']}" if "at" in v else v.text("waived")


def _exceeded(v: Values) -> str:
    if "now" not in v:
        return f"{_of(v)} measures nothing that could be held to {v['given']:g}; its finding counts"
    return (
        f"the waiver of {_of(v)} was given at {_amount(v, 'given')}, it is {_amount(v, 'now')} "
        "now; its finding counts again"
    )


def _amount(v: Values, name: str) -> str:
    return Value(v.number(name), v.text("unit")).words


def _anew(v: Values) -> str:
    if "now" not in v:
        return "remove value:"
    return f"fix it, or waive it again with value: {v['now']:.6g}"


WAIVERS: tuple[Code, ...] = (
    Code(
        "waiver-unused",
        "info",
        "waiver without its finding",
        "what was waived does not occur (any more)",
        "remove the waiver",
        text=lambda v: f"{_of(v)} does not occur, so that there is nothing to waive",
        figure="{date}",
        fix="remove the waiver",
    ),
    Code(
        "waiver-expired",
        "warning",
        "waiver past its date",
        "its until: has passed; the finding counts again",
        "fix it, or waive it again",
        text=lambda v: f"the waiver of {_of(v)} held until {v['until']}; its finding counts again",
        figure="{until}",
        fix="fix it, or waive it again",
    ),
    Code(
        "waiver-exceeded",
        "warning",
        "waiver of less than there is",
        "the finding is worse than its value: says; it counts again",
        "fix it, or waive it again",
        text=_exceeded,
        figure=lambda v: _amount(v, "now") if "now" in v else None,
        fix=_anew,
    ),
    Code(
        "waiver-not-begun",
        "warning",
        "waiver of a day to come",
        "its date: has not come yet; the finding counts until then",
        "correct its date:",
        text=lambda v: (
            f"the waiver of {_of(v)} begins on {v['date']}, which has not come; "
            "its finding counts until then"
        ),
        figure="{date}",
        fix="correct its date:",
    ),
    Code(
        "waiver-unknown-code",
        "warning",
        "waiver of an unknown code",
        "no finding has that code",
        "name a code of docs/findings.md",
        text="no finding has the code {code!r}",
        figure="{code}",
        fix="name {nearest}",
    ),
)
