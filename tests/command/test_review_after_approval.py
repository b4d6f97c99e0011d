"""What can change after an approval, and what every form of the review says of it then.

Where ssh-keygen is there, the policy demands signatures, and Ann signed.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command.shell import Shell
from toposmith.catalog import load_catalog, user_folder
from toposmith.catalog.own_part import copy_of, write_own
from toposmith.evaluation import here as evaluation_here
from toposmith.review.sidecar import approval
from toposmith.review.sidecar.entries import ReviewEntry, entry_text, said_at
from toposmith.user_folders import cache_folder
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
SIGNS = shutil.which("ssh-keygen") is not None
PRICES = "part,price,currency,date,source\nqm9700,20000,EUR,2026-01-02,offer 1\n"


_BEGUN: dict[Path, bytes] = {}
"""All files of a world as it begins: what was said by three commands is said once."""


def key_of(who: str) -> Path:
    """The new key of somebody: its file, in the user's home."""
    path = user_folder().with_name(who)
    words = ("-q", "-t", "ed25519", "-N", "", "-C", who, "-f", str(path))
    subprocess.run(["ssh-keygen", *words], check=True)
    return path


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
            (shell.folder / name).chmod(0o600)
        self.demands(signed=SIGNS)

    def _begin(self) -> None:
        self.pod.write_text(DESIGN)
        self.own_part(power_w="1500")
        self.prices(PRICES)
        if SIGNS:
            self.trust(f"Ann {key_of('ann').with_suffix('.pub').read_text()}")
        self.say("--comment", "leaf", "why two?", by="Bob")
        (entry,) = self.entries
        self.say("--resolve", entry.stem.partition("-")[2], by="Bob")
        self.say("--approve", by="Ann")

    def say(self, *words: str, by: str) -> None:
        if SIGNS and "--approve" in words:
            words += ("--sign", str(user_folder().with_name(by.lower())))
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
        """A policy that demands what the user's own does, and says more."""
        self.shell.file("p.yaml", f"{self.own_policy.read_text()}{text}\n")
        self.options = ("--policy", "p.yaml")

    @property
    def own_policy(self) -> Path:
        return user_folder().with_name("policy.yaml")

    def demands(self, **approvals: object) -> None:
        said = json.dumps(approvals)
        self.own_policy.write_text(f"toposmith-policy: 1\napprovals: {said}\n")

    def trust(self, signers: str) -> None:
        user_folder().with_name("allowed_signers").write_text(signers)

    def signers(self) -> str:
        return user_folder().with_name("allowed_signers").read_text()

    def forge(self, moment: datetime = datetime(2099, 1, 1), **other: Any) -> None:
        """Put another entry in the place of the last one, with an ID that fits it."""
        path = self.entries[-1]
        path.with_suffix(".head").unlink()
        data = yaml.safe_load(path.read_text())
        path.unlink()
        del data["toposmith-review"]
        said = said_at(moment, ReviewEntry.model_validate({**data, **other}))
        path.with_name(f"{said.id}.yaml").write_text(entry_text(said.entry))

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
    names = ("catalog", "prices", "policy", "lock", "program", "signature")
    world.forge(**dict.fromkeys(names), parts={}, figures={})


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


def cached(world: World) -> None:
    """Somebody who can write into the cache, and has not the user's key, lowers the power there."""
    assert world.shell("check", "pod.yaml").code < 2
    changed = []
    for file in cache_folder().glob("catalog*.json"):
        raw = file.read_bytes()
        file.write_bytes(raw.replace(b'"power_w":1500.0', b'"power_w":1200.0'))
        changed.append(raw != file.read_bytes())
    assert any(changed)


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
    "another catalog in the cache": (cached, 0, APPROVED, ""),
    "a price": (lambda w: w.prices(PRICES.replace("20000", "21000")), 1, STALE, "since: prices"),
    "a price that is not needed": (
        lambda w: w.prices(PRICES + "sn5600,9,EUR,2026-01-02,offer 1\n"), 0, APPROVED, "",
    ),
    "severities": (
        lambda w: w.policy("severities: {length-unknown: error}"), 1, STALE, "since: the policy",
    ),
    "two have to approve": (
        lambda w: w.demands(needed=2, signed=SIGNS), 1, "approvals missing (1 of 2)", "",
    ),
    "no own approvals": (
        lambda w: w.demands(own=False, signed=SIGNS), 1, "approvals missing (0 of 1)",
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
    "a lock": (lambda w: w.shell("lock", "pod.yaml"), 1, STALE, "since: the lock"),
    "an entry moved": (
        lambda w: w.entries[-1].rename(w.entries[-1].with_name("x.yaml")), 2,
        "incomplete, 2 entries lost or not readable", "no entry has this name",
    ),
}  # fmt: skip
NOT_SIGNED, UNSIGNED = "approvals missing (0 of 1)", "does not count: it is not signed"
FORGED = "does not count: its signature is not Ann's"
OF_SIGNATURES: dict[str, tuple[Change, int, str, str]] = {
    "no signature": (lambda w: w.forge(signature=None), 1, NOT_SIGNED, UNSIGNED),
    "another moment": (lambda w: w.forge(), 1, NOT_SIGNED, FORGED),
    "a note of hers": (lambda w: w.forge(text="and all else"), 1, NOT_SIGNED, FORGED),
    "a figure that she signed": (
        lambda w: w.forge(figures={"power": "1 W"}), 1, NOT_SIGNED, FORGED,
    ),
    "what she had seen": (lambda w: w.forge(seen=[]), 1, NOT_SIGNED, FORGED),
    "her name": (
        lambda w: w.forge(author="Bob"), 1, NOT_SIGNED, "its signature is not Bob's",
    ),
    "a signer less": (lambda w: w.trust(""), 1, NOT_SIGNED, FORGED),
    "a signer of another name": (
        lambda w: w.trust(w.signers().replace("Ann", "Bob", 1)), 1, NOT_SIGNED, FORGED,
    ),
    "a signer with another key": (
        lambda w: w.trust(f"Ann {key_of('eve').with_suffix('.pub').read_text()}"), 1, NOT_SIGNED,
        FORGED,
    ),
    "a signer whose time is over": (
        lambda w: w.trust(w.signers().replace("Ann ", 'Ann valid-before="20200101" ')), 1,
        NOT_SIGNED, FORGED,
    ),
    "a signer for commits alone": (
        lambda w: w.trust(w.signers().replace("Ann ", 'Ann namespaces="git" ')), 1,
        NOT_SIGNED, FORGED,
    ),
    "a comment in the list of signers": (
        lambda w: w.trust(f"# trusted\n{w.signers()}"), 0, APPROVED,
        "signed by Ann with the key SHA",
    ),
}  # fmt: skip
CHANGES |= OF_SIGNATURES if SIGNS else {}


def test_more_than_thirty_kinds_of_change_leave_no_approval() -> None:
    assert not SIGNS or sum(code > 0 for _, code, _, _ in CHANGES.values()) >= 30


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
