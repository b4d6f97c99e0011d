"""What can change after an approval, and what every form of the review says of it then."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path

import pytest
import yaml

from tests.command.shell import Shell
from toposmith.catalog import load_catalog, user_folder
from toposmith.catalog.own_part import copy_of, write_own
from toposmith.evaluation import here as evaluation_here
from toposmith.review.sidecar import approval
from toposmith.review.sidecar.entries import ReviewEntry, entry_text, said_at
from toposmith.version import program_version

CATALOG = load_catalog(user=False)
DESIGN = """\
toposmith: 1
name: pod
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: acme-64, count: 2}
  spine: {part: qm9700}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [leaf, spine], cables: 8, length: 20}
waivers:
  - {code: oversubscribed, reason: meant, date: "2026-01-31", until: "2030-12-31"}
"""
PRICES = "part,price,currency,date,source\nqm9700,20000,EUR,2026-01-02,offer 1\n"


_BEGUN: dict[Path, bytes] = {}
"""All files of a world as it begins: what was said by three commands is said once."""


class World:
    """A design with an own part and prices, a comment that is settled, and Ann's approval."""

    def __init__(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        self.shell, self.monkeypatch = shell, monkeypatch
        self.options: tuple[str, ...] = ()
        self.pod = shell.folder / "pod.yaml"
        if not _BEGUN:
            self._begin()
            files = [path for path in shell.folder.rglob("*") if path.is_file()]
            _BEGUN.update({path.relative_to(shell.folder): path.read_bytes() for path in files})
        for name, raw in _BEGUN.items():
            (shell.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (shell.folder / name).write_bytes(raw)

    def _begin(self) -> None:
        self.pod.write_text(DESIGN)
        self.own_part(power_w="1500")
        self.prices(PRICES)
        self.say("--comment", "leaf", "why two?", by="Bob")
        (entry,) = self.entries
        self.say("--resolve", entry.stem.partition("-")[2], by="Bob")
        self.say("--approve", by="Ann")

    def say(self, *words: str, by: str) -> None:
        done = self.shell("review", "pod.yaml", *words, "--author", by)
        assert done.code == 0, done.err

    @property
    def entries(self) -> list[Path]:
        return sorted(self.pod.with_suffix(".review").glob("*.yaml"))

    def edit(self, old: str, new: str) -> None:
        text = self.pod.read_text()
        assert old in text
        self.pod.write_text(text.replace(old, new))

    def own_part(self, **figures: str) -> None:
        (user_folder() / "own-parts.yaml").unlink(missing_ok=True)
        write_own(copy_of(CATALOG["qm9700"], "acme-64", figures, "an offer", CATALOG))

    def prices(self, text: str) -> None:
        folder = user_folder().with_name("prices")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "own.csv").write_text(text)

    def policy(self, text: str) -> None:
        self.shell.file("p.yaml", f"toposmith-policy: 1\n{text}\n")
        self.options = ("--policy", "p.yaml")

    def version(self, version: str, **figures: str) -> None:
        real = approval.signed_figures
        self.monkeypatch.setattr(approval, "program_version", lambda: version)
        self.monkeypatch.setattr(approval, "signed_figures", lambda now: real(now) | figures)


def today(world: World, day: date) -> None:
    class Day(date):
        @classmethod
        def today(cls) -> Day:
            return cls(day.year, day.month, day.day)

    world.monkeypatch.setattr(evaluation_here, "date", Day)


def turned(text: str) -> str:
    def mixed(data: object) -> object:
        if isinstance(data, dict):
            return {key: mixed(data[key]) for key in sorted(data, reverse=True)}
        return [mixed(each) for each in data] if isinstance(data, list) else data

    return yaml.safe_dump(mixed(yaml.safe_load(text)), sort_keys=False)


def other_hand(world: World) -> None:
    """Every entry with its keys in another order, and files touched in another order."""
    paths = world.entries
    random.Random(1).shuffle(paths)
    for path in paths:
        path.write_text(turned(path.read_text()))


def replace_last(world: World, text: str) -> None:
    world.entries[-1].write_text(text)


def of_the_design_alone(world: World) -> None:
    """An approval of the digest of the design, and of nothing else."""
    path = world.entries[-1]
    data = yaml.safe_load(path.read_text())
    keys = ("approve", "author", "date")
    entry = ReviewEntry.model_validate({key: data[key] for key in keys})
    path.with_suffix(".head").unlink()
    path.unlink()
    said = said_at(datetime(2099, 1, 1), entry)
    path.with_name(f"{said.id}.yaml").write_text(entry_text(entry))


def denied(world: World) -> None:
    """Bob requests changes, and his entry is deleted."""
    world.say("--request-changes", "no", by="Bob")
    world.entries[-1].unlink()


def denied_and_seen(world: World) -> None:
    """Bob requested changes, Ann approved all the same, and Bob's entry is deleted."""
    world.say("--request-changes", "no", by="Bob")
    gone = world.entries[-1]
    world.say("--approve", by="Ann")
    gone.unlink()


def edited(world: World) -> None:
    path = world.entries[-1]
    path.write_text(path.read_text().replace('"Ann"', '"Bob"'))


APPROVED, STALE, BROKEN = "approved", "stale", "incomplete, 1 entry lost or not readable"
Change = Callable[[World], object]
CHANGES: dict[str, tuple[Change, int, str, str]] = {
    "nothing": (lambda w: None, 0, APPROVED, ""),
    "a count": (lambda w: w.edit("count: 4", "count: 5"), 1, STALE, "since: the design"),
    "another node": (lambda w: w.edit("dgx-h100", "dgx-h200"), 1, STALE, "since: the design"),
    "another length": (lambda w: w.edit("length: 20}", "length: 30}"), 1, STALE, "the design"),
    "a note": (lambda w: w.edit("name: pod", "name: pod\nnote: x"), 1, STALE, "the design"),
    "a group's name": (lambda w: w.edit("leaf", "tor"), 1, STALE, "since: the design"),
    "the order of keys": (lambda w: w.pod.write_text(turned(DESIGN)), 0, APPROVED, ""),
    "a comment": (lambda w: w.pod.write_text(f"# mine\n{DESIGN}# end\n"), 0, APPROVED, ""),
    "ends of lines": (
        lambda w: w.pod.write_bytes(DESIGN.replace("\n", "\r\n").encode()), 0, APPROVED, "",
    ),
    "a place on the canvas": (
        lambda w: w.edit("name: pod", "name: pod\nview: {positions: {leaf: 3}}"), 0, APPROVED, "",
    ),
    "a pin": (lambda w: w.say("--pin", by="Cy"), 0, APPROVED, ""),
    "power of an own part": (
        lambda w: w.own_part(power_w="1600"), 1, STALE, "figures since: power ",
    ),
    "latency of an own part": (
        lambda w: w.own_part(power_w="1500", latency_ns="500"), 0, APPROVED,
        "changed since, figures equal: the catalog (acme-64)",
    ),
    "number of an own part": (
        lambda w: w.own_part(power_w="1500", part_number="AC-64"), 1, STALE,
        "bill: MQM9700-NS2F 3 -> 1; bill: AC-64 none -> 2",
    ),
    "no own part": (
        lambda w: (user_folder() / "own-parts.yaml").unlink(), 1, STALE, "the catalog (acme-64",
    ),
    "a part that is not needed": (
        lambda w: write_own(copy_of(CATALOG["sn5600"], "acme-96", {}, "offer", CATALOG)), 0,
        APPROVED, "",
    ),
    "a price": (lambda w: w.prices(PRICES.replace("20000", "21000")), 1, STALE, "since: prices"),
    "a price that is not needed": (
        lambda w: w.prices(PRICES + "sn5600,9,EUR,2026-01-02,offer 1\n"), 0, APPROVED, "",
    ),
    "severities": (
        lambda w: w.policy("severities: {length-unknown: error}"), 1, STALE, "since: the policy",
    ),
    "two have to approve": (
        lambda w: w.policy("approvals: {needed: 2}"), 1, "approvals missing (1 of 2)", "",
    ),
    "no own approvals": (
        lambda w: w.policy("approvals: {own: false}"), 1, "approvals missing (0 of 1)",
        "Ann's approval does not count: who changed the design is unknown, by git",
    ),
    "a calibration": (
        lambda w: w.shell.file("calibration.yaml", "toposmith_calibration: 1\n"), 0, APPROVED, "",
    ),
    "a waiver that ended": (
        lambda w: today(w, date(2031, 1, 1)), 1, STALE, "figures since: warnings ",
    ),
    "the program": (
        lambda w: w.version("9.9"), 0, APPROVED,
        f"changed since, figures equal: the program (Toposmith {program_version()} -> 9.9)",
    ),
    "the program and a figure": (
        lambda w: w.version("9.9", **{"busbw all-reduce": "1.00 GB/s"}), 1, STALE,
        " GB/s -> 1.00 GB/s",
    ),
    "a figure alone": (
        lambda w: w.version(program_version(), **{"busbw all-to-all": "1.00 GB/s"}), 1, STALE,
        "stale, changed since: figures",
    ),
    "a comment opened": (
        lambda w: w.say("--comment", "leaf", "hm", by="Bob"), 1, "approved, 1 comment open", "",
    ),
    "keys of entries in another order": (other_hand, 0, APPROVED, ""),
    "an approval of the design alone": (
        of_the_design_alone, 1, "approvals missing (0 of 1)", "the digest of the design alone",
    ),
    "the last entry deleted": (denied, 2, BROKEN, "this entry is lost"),
    "a seen entry deleted": (denied_and_seen, 2, BROKEN, "Ann had seen it on "),
    "the first entry deleted": (lambda w: w.entries[0].unlink(), 2, BROKEN, "Bob had seen it"),
    "an entry edited": (edited, 2, BROKEN, ".yaml:1:1: it was changed since it was written"),
    "an entry cut off": (
        lambda w: replace_last(w, w.entries[-1].read_text()[:300]), 2, BROKEN, ".yaml:",
    ),
    "an entry emptied": (lambda w: replace_last(w, ""), 2, BROKEN, "expected an entry"),
    "an entry moved": (
        lambda w: w.entries[-1].rename(w.entries[-1].with_name("x.yaml")), 2,
        "incomplete, 2 entries lost or not readable", "no entry has this name",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_every_form_says_what_a_change_made_of_the_approval(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    change, code, verdict, said = CHANGES[name]
    world = World(shell, monkeypatch)
    change(world)
    asked = ("review", "pod.yaml", *world.options)
    status = shell(*asked, "--status")
    assert (status.code, status.out.splitlines()[0]) == (code, verdict)
    assert said in status.out
    done = shell(*asked, "--status", "--json")
    data = json.loads(done.out)
    assert done.code == code
    assert data["settled"] == (code == 0)
    assert verdict.startswith(data["state"])
    assert bool(data["faults"]) == (code == 2)
    comment = shell(*asked, "--report", "comment", "--status")
    assert (comment.code, comment.out.splitlines()[0]) == (
        code, f"## Review of pod.yaml: {verdict}",
    )  # fmt: skip
    assert said.replace("->", "-&gt;") in comment.out.replace("\\", "") or said in (
        comment.out.replace("\\", "")
    )
