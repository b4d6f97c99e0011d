"""Words of a review: warnings, waivers, severities, changes, what was not looked at."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from tests.labels.pages import Asked
from tests.labels.rule import Broken, Rule, Walk, around, data, on, text

_NOTHING_WRONG = (
    r"\bno (?:errors or )?(?:warnings|findings|problems)\b|nothing (?:is wrong|to report)"
)


def _findings(walk: Walk) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every finding that a program reads anywhere, with the page."""
    for page in walk.pages:
        if isinstance(page.data, (dict, list)):
            for found in _nested(page.data):
                yield page.place, found


def _nested(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        if {"code", "severity", "where", "text"} <= value.keys():
            yield value
        for each in value.values():
            yield from _nested(each)
    elif isinstance(value, list):
        for each in value:
            yield from _nested(each)


def _waived(walk: Walk) -> list[dict[str, Any]]:
    """Findings that some waiver in force is for, as the file says it."""
    waivers = walk.facts.waivers_in_force
    found = {}
    for _, one in _findings(walk):
        for waiver in waivers:
            if one["code"] == waiver["code"] and waiver.get("where", one["where"]) == one["where"]:
                found[one["code"], one["where"]] = one
    return list(found.values())


def _nothing_wrong(walk: Walk) -> Iterator[Broken]:
    counting = [
        one
        for place, one in _findings(walk)
        if one["severity"] in ("error", "warning") and place.startswith(("check", "made up"))
    ]
    if not counting and not _waived(walk):
        return
    for page in walk.pages:
        found = re.search(_NOTHING_WRONG, page.flat)
        if found and not page.is_data:
            yield Broken(page.place, around(page.flat, found))


def _waived_counted(walk: Walk) -> Iterator[Broken]:
    waived = _waived(walk)
    if not waived:
        return
    for page in walk.of("live"):
        said = re.search(r"findings \(f\).{0,60}", page.flat)
        if said and not re.search(rf"\b{len(waived)} waived|\b{len(waived)}w\b", said[0]):
            yield Broken(page.place, f"not '{len(waived)} waived': {said[0]}")


def _severities(walk: Walk) -> Iterator[Broken]:
    """A finding is as severe on every page; words of a table name it, too."""
    said: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for place, one in _findings(walk):
        said[one["code"], one["where"]].setdefault(one["severity"], place)
    row = re.compile(r"\b(error|warning|info)\b: (.+?): .*\[([a-z-]+)\]")
    for page in walk.pages:
        for line in page.lines if not page.is_data else ():
            found = row.search(line)
            if found and not line.startswith(("gained", "resolved")):
                said[found[3], found[2]].setdefault(found[1], page.place)
    for (code, where), severities in said.items():
        if len(severities) > 1:
            told = "; ".join(f"{severity} in {place}" for severity, place in severities.items())
            yield Broken("several", f"{code} at {where}: {told}")


_FOUND = re.compile(r"^\s*(?:\S+: )?(waived )?(error|warning): (.+?): .*\[([a-z-]+)\]$")


def _same_everywhere(walk: Walk) -> Iterator[Broken]:
    """What `check` lists, an analysis of what it measures lists too, waived or not."""
    checked: set[tuple[str, str, bool]] = set()
    if not any(walk.of("findings", "json")):
        return  # a table of designs, of which nothing was checked
    for page in walk.of("findings", "json"):
        for one in _nested(page.data):
            if one["severity"] != "info":
                checked.add((one["code"], one["where"], "waived" in one))
    for page in walk.of("analysis"):
        if page.asked != Asked():
            continue
        told = {
            (found[4], found[3], bool(found[1]))
            for found in map(_FOUND.match, () if page.is_data else page.lines)
            if found
        }
        for one in _nested(page.data):
            if one["severity"] != "info":
                told.add((one["code"], one["where"], "waived" in one))
        for code, where, waived in sorted(checked ^ told):
            here = "only here" if (code, where, waived) in told else "not here"
            yield Broken(page.place, f"{code} at {where}{', waived' if waived else ''}: {here}")


def _changes(walk: Walk) -> Iterator[Broken]:
    for page in walk.of("differences"):
        if page.is_data:
            moved = [each["figure"] for each in page.data["figures"] if each["differs"]]
            if moved and not page.data["changes"]:
                yield Broken(page.place, f"no changes beside changed {', '.join(moved)}")
            continue
        found = re.search(r"(?<!\d)0 changes|[Nn]o changes|no differences", page.flat)
        moved_line = re.search(
            r"(?:busbw|bound|bisection).{0,80}(?:\((?:worse|better)\)|changed)", page.text
        )
        if found and moved_line:
            yield Broken(page.place, around(page.flat, found))


def _not_looked_at(walk: Walk) -> Iterator[Broken]:
    for name in walk.facts.other_switches:
        for page in walk.pages:
            wanted = {"failures", "review", "findings"} & page.shows
            if not wanted or ("bill" in page.shows and "html" not in page.shows):
                continue
            beside = rf"not.looked.at.{{0,300}}?\b{name}\b|\b{name}\b.{{0,300}}?not.looked.at"
            if not re.search(beside, page.flat):
                yield Broken(page.place, f"not a word that {name} was not looked at")


def _contradiction(walk: Walk) -> Iterator[Broken]:
    for page in walk.pages:
        falls = re.search(r"it fails, (?:nothing joins|the cluster falls)[^|.]{0,40}", page.flat)
        stands = re.search(r"survives any (?:one|single) spine[^|]{0,20}100 %", page.flat)
        single = re.search(r"any single spine failure: 100 % of busbw", page.flat)
        if falls and (stands or single):
            yield Broken(page.place, f"{falls[0]} / {(stands or single)[0]}")  # type: ignore[index]


def _signed(walk: Walk) -> Iterator[Broken]:
    wanted = {
        "message size": r"\d+ [KMG]i?B\b(?!/s)",
        "NCCL release": r"NCCL 2\.\d+",
        "routing": r"(?:ideal|adaptive|static) routing|routing",
        "band or none": r"published|no band",
        "scope": r"not on (?:it|the bill)|[Ss]cope|[Nn]ot looked at: [^.]{0,80}not drawn",
    }
    for page in walk.of("review", "figures"):
        if page.is_data or "app" in page.shows or not walk.facts.gpus:
            continue
        lacks = [name for name, words in wanted.items() if not re.search(words, page.flat)]
        if lacks:
            yield Broken(page.place, f"does not name {', '.join(lacks)}")


_SOUND, _WAIVED, _OTHERS = "one-spine", "waived-findings", "several-networks"
_OVER = {"code": "oversubscribed", "where": "leaf", "severity": "warning", "text": "2:1"}
_DIFF = {"changes": [], "figures": [{"figure": "all-reduce busbw", "differs": True}]}

REVIEWS = (
    Rule(
        "no warnings",
        "'no warnings', 'no findings'",
        "nothing is found that counts, and nothing is waived",
        "what is waived is still wrong",
        _nothing_wrong,
        honest=(on(_WAIVED, data([_OVER]), text("findings (f)  3 waived", "live")),),
        lies=(on(_WAIVED, data([_OVER]), text("findings (f)  no warnings", "live")),),
    ),
    Rule(
        "waived",
        "'n waived' in the line of findings",
        "must, with as many as are waived",
        "a reader counts on the line",
        _waived_counted,
        honest=(on(_WAIVED, data([_OVER]), text("findings (f)  1 warning, 1 waived", "live")),),
        lies=(on(_WAIVED, data([_OVER]), text("findings (f)  1 warning", "live")),),
    ),
    Rule(
        "severity",
        "error, warning, info",
        "one for a finding, on every page",
        "a team sorts and stops by it",
        _severities,
        honest=(on(_SOUND, data([_OVER]), text("x: warning: leaf: 2:1 [oversubscribed]")),),
        lies=(
            on(_SOUND, data([_OVER, {**_OVER, "severity": "info"}])),
            on(_SOUND, data([_OVER]), text("x: info: leaf: 2:1 [oversubscribed]")),
        ),
    ),
    Rule(
        "same findings",
        "errors and warnings beside figures",
        "those that `check` lists, waived where they are waived there",
        "of two lists a reader knows one",
        _same_everywhere,
        honest=(
            on(
                _WAIVED,
                data([{**_OVER, "waived": {}}], "findings"),
                data([{**_OVER, "waived": {}}], "analysis"),
                text("waived warning: leaf: 2:1 [oversubscribed]", "analysis"),
            ),
        ),
        lies=(
            on(
                _WAIVED,
                data([{**_OVER, "waived": {}}], "findings"),
                text("warning: leaf: 2:1 [oversubscribed]", "analysis"),
            ),
            on(_SOUND, data([_OVER], "findings"), data([], "analysis")),
        ),
    ),
    Rule(
        "0 changes",
        "'0 changes', 'no differences'",
        "no figure differs",
        "what changes a figure is a change",
        _changes,
        honest=(on(_SOUND, data({**_DIFF, "changes": ["links"]}, "differences")),),
        lies=(
            on(_SOUND, data(_DIFF, "differences")),
            on(_SOUND, text("0 changes\nall-reduce busbw  1 GB/s  2 GB/s  changed", "differences")),
        ),
    ),
    Rule(
        "not looked at",
        "'not looked at' with the switches of other networks",
        "must, where failures are judged and where a design is signed",
        "the loss of a storage leaf stops every job",
        _not_looked_at,
        honest=(
            on(
                _OTHERS,
                text("not looked at: networks of storage-leaf, mgmt, mgmt-core", "failures"),
            ),
        ),
        lies=(
            on(_OTHERS, text("not looked at: power feeds", "failures")),
            on(_OTHERS, text("no more", "review")),
        ),
    ),
    Rule(
        "survives",
        "'survives any one spine at 100 %'",
        "nothing on the page says that the cluster falls apart without it",
        "one of the two is wrong",
        _contradiction,
        honest=(on(_SOUND, text("one spine joins 8 leaves; survives any one spine at 100 %")),),
        lies=(
            on(
                _SOUND,
                text("one spine: if it fails, nothing joins them\nsurvives any one spine at 100 %"),
            ),
        ),
    ),
    Rule(
        "signed",
        "message size, NCCL's release, routing, band or none, scope",
        "must, on the page to sign",
        "a figure without what it is for cannot be held to",
        _signed,
        honest=(
            on(
                _SOUND,
                text(
                    "8 GiB, NCCL 2.32.3, ideal routing; too few published results; scope: as drawn",
                    "review",
                    "figures",
                ),
            ),
        ),
        lies=(on(_SOUND, text("busbw 365 GB/s; NCCL 2.32.3, ideal routing", "review", "figures")),),
    ),
)
