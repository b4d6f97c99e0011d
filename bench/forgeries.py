"""Approvals forged by those who may write into a folder: does any count where all are to be signed?

    python -m bench.forgeries [COUNT] [SEED]

Ann and Bob are trusted, Eve is not; Cy's time is over, Dee's has not come, Fay signs commits only.
A forger writes any file into the folder of the review and works its ID out anew, has all that was
ever signed, and the private keys of all but Ann and Bob. Exits 1 if a forgery counts, or takes back
the changes that Ann requested. The approval that each is made from does count, which is checked.
"""

from __future__ import annotations

import base64
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.evaluation.here import compared_here
from toposmith.review.policy import Approvals, Policy
from toposmith.review.sidecar.approval import EvaluatedBasis, approval
from toposmith.review.sidecar.entries import (
    NAMESPACE,
    ReviewEntry,
    Said,
    Signers,
    Signing,
    entry_text,
    said_at,
    said_text,
    stamp_of,
)
from toposmith.review.sidecar.folder import load_sidecar
from toposmith.review.sidecar.verdict import Review, review_of

DESIGN = """\
toposmith: 1
name: one switch
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700}
links:
  - {between: [node.compute, leaf], length: 20}
"""
PEOPLE = ("ann", "bob", "cy", "dee", "eve", "fay")
OPTIONS = {
    "cy": 'valid-before="20200101" ',
    "dee": 'valid-after="20900101" ',
    "fay": 'namespaces="git" ',
}
MOMENT = datetime(2026, 11, 21, 9, 15)


@dataclass(frozen=True)
class Forgers:
    """Keys of everybody in a folder, whom the owner trusts, and a design with what it rests on."""

    folder: Path
    signers: Signers
    basis: EvaluatedBasis
    holds: dict[str, Any]

    def entry(self, who: str, **more: Any) -> ReviewEntry:
        """What somebody says, not signed."""
        by = {"author": who, "email": f"{who}@example.org", "date": "2026-11-21"}
        return ReviewEntry.model_validate({**by, **more})

    def approving(self, who: str) -> ReviewEntry:
        return self.entry(who, **self.holds)

    def signed(self, entry: ReviewEntry, key: str, moment: datetime = MOMENT) -> ReviewEntry:
        """An entry with the signature of any key, whoever is trusted."""
        return Signing(Signers(), str(self.folder / key))(stamp_of(moment), entry)

    def judged(self, *said: Said) -> Review:
        """The review of a folder with these entries."""
        with tempfile.TemporaryDirectory() as name:
            pod = Path(name) / "pod.yaml"
            review = pod.with_suffix(".review")
            review.mkdir()
            for each in said:
                (review / f"{each.id}.yaml").write_text(entry_text(each.entry), "utf-8")
            # what a folder says of whom to trust is for nobody
            (Path(name) / "allowed_signers").write_text(self._everybody(), "utf-8")
            (review / "allowed_signers").write_text(self._everybody(), "utf-8")
            found = load_sidecar(pod)
        return review_of(found.said, parse_design(DESIGN, "pod"), self.basis, found.faults)

    def _everybody(self) -> str:
        return "".join(f"* {public_key(self.folder, who)}\n" for who in PEOPLE)


def public_key(folder: Path, who: str) -> str:
    return (folder / f"{who}.pub").read_text("utf-8").strip()


def forgers(folder: Path) -> Forgers:
    """New keys for everybody; a design that Ann and Bob may approve."""
    for who in PEOPLE:
        words = ("-q", "-t", "ed25519", "-N", "", "-C", who, "-f", str(folder / who))
        subprocess.run(["ssh-keygen", *words], check=True)
    lines = (
        f"{who}@example.org {OPTIONS.get(who, '')}{public_key(folder, who)}\n"
        for who in PEOPLE
        if who != "eve"
    )
    signers = Signers("".join(lines), "allowed_signers")
    design, policy = parse_design(DESIGN, "pod"), Policy(approvals=Approvals(signed=True))
    evaluated = compared_here("pod", design, load_catalog(user=False), policy=policy)
    basis = EvaluatedBasis(evaluated, signers=signers)
    return Forgers(folder, signers, basis, approval(evaluated, Review()))


Forged = tuple[ReviewEntry, datetime]
Forge = Callable[[Forgers, ReviewEntry, random.Random], Forged]
"""An entry made from Ann's signed approval, and the moment that its ID says."""


def _other_digest(rng: random.Random) -> str:
    return f"{rng.getrandbits(256):064x}"


def _with(**more: Any) -> Forge:
    """Ann's signature under another text."""
    return lambda all_, real, rng: (real.model_copy(update=more), MOMENT)


def _signed_as(author: str, key: str) -> Forge:
    """An approval in somebody's name by a key."""
    return lambda all_, real, rng: (all_.signed(all_.approving(author), key), MOMENT)


def _stale_replayed(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    """What Ann signed of another design, with this one's digest."""
    old = all_.signed(real.model_copy(update={"approve": _other_digest(rng)}), "ann")
    return real.model_copy(update={"signature": old.signature}), MOMENT


def _of_a_comment(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    said = all_.signed(all_.entry("ann", comment="design", text="fine so far"), "ann")
    return real.model_copy(update={"signature": said.signature}), MOMENT


def _another_moment(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    return real, MOMENT + timedelta(microseconds=rng.choice((1, -1)) * rng.randint(1, 10**12))


def _one_figure(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    name = rng.choice(sorted(real.figures))
    figures = {**real.figures, name: all_.basis.figures[name]}
    old = all_.signed(real.model_copy(update={"figures": {**figures, name: "another"}}), "ann")
    return real.model_copy(update={"signature": old.signature}), MOMENT


def _one_part(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    name = rng.choice(sorted(real.parts))
    then = {**real.parts, name: _other_digest(rng)}
    old = all_.signed(real.model_copy(update={"parts": then}), "ann")
    return real.model_copy(update={"signature": old.signature}), MOMENT


def _one_term(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    term = rng.choice(("catalog", "prices", "policy", "lock"))
    old = all_.signed(real.model_copy(update={term: _other_digest(rng)}), "ann")
    return real.model_copy(update={"signature": old.signature}), MOMENT


def _other_purpose(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    """Ann signed these very bytes as a commit or a file."""
    unsigned = real.model_copy(update={"signature": None})
    space = rng.choice(("git", "file", f"{NAMESPACE}s"))
    words = ("-q", "-Y", "sign", "-n", space, "-f", str(all_.folder / "ann"))
    text = said_text(stamp_of(MOMENT), unsigned).encode()
    done = subprocess.run(["ssh-keygen", *words], input=text, capture_output=True, check=True)
    return real.model_copy(update={"signature": done.stdout.decode()}), MOMENT


def _raw(armoured: str) -> bytes:
    return base64.b64decode("".join(armoured.splitlines()[1:-1]))


def _armoured(raw: bytes) -> str:
    body = base64.b64encode(raw).decode()
    lines = (body[at : at + 70] for at in range(0, len(body), 70))
    return "\n".join(("-----BEGIN SSH SIGNATURE-----", *lines, "-----END SSH SIGNATURE-----", ""))


def _damaged(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    raw = bytearray(_raw(real.signature or ""))
    raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
    return real.model_copy(update={"signature": _armoured(bytes(raw))}), MOMENT


def _cut_off(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    raw = _raw(real.signature or "")
    return real.model_copy(update={"signature": _armoured(raw[: rng.randrange(len(raw))])}), MOMENT


def _anns_key_over_eves(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    """Eve's signature with Ann's public key in the place of hers."""
    eve = all_.signed(real.model_copy(update={"signature": None}), "eve")
    anns, eves = (
        base64.b64decode(public_key(all_.folder, who).split()[1]) for who in ("ann", "eve")
    )
    return real.model_copy(
        update={"signature": _armoured(_raw(eve.signature or "").replace(eves, anns))}
    ), MOMENT


def _any_text(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    text = rng.choice(
        (
            "x",
            public_key(all_.folder, "ann"),
            "-----BEGIN SSH SIGNATURE-----",
            "../../ann",
            "-",
            "\0",
        )
    )
    return real.model_copy(update={"signature": text}), MOMENT


def _backdated(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    """A person whose time has not come says that it is long past, or today."""
    moment = MOMENT - timedelta(days=rng.randint(0, 5000))
    return all_.signed(all_.approving("dee"), "dee", moment), moment


def _in_anns_words(all_: Forgers, real: ReviewEntry, rng: random.Random) -> Forged:
    """Eve with an address that a pattern, a list or a blank might take for Ann's."""
    email = rng.choice(
        ("*", "ann@example.org,eve", "*@example.org", "ann@example.org ", "ANN@example.org", "ann?")
    )
    return all_.signed(real.model_copy(update={"email": email, "signature": None}), "eve"), MOMENT


KINDS: dict[str, Forge] = {
    "not signed": _with(signature=None),
    "signed by a stranger in Ann's name": _signed_as("ann", "eve"),
    "signed by a stranger in her own": _signed_as("eve", "eve"),
    "Ann's name, Cy's key": _signed_as("ann", "cy"),
    "a person whose time is over": _signed_as("cy", "cy"),
    "a person whose time has not come": _backdated,
    "a key for commits alone": _signed_as("fay", "fay"),
    "Ann's signature under Bob's name": _with(author="bob", email="bob@example.org"),
    "Ann's signature under another name": _with(author="Zed"),
    "Ann's signature and no address": _with(email=None),
    "another text": _with(text="approved by all"),
    "what Ann had seen": _with(seen=("20261120T170240553017-07c1d4e99a3f",)),
    "what was open": _with(despite="1 error found"),
    "what was not looked at": _with(not_looked_at=("everything",)),
    "another program": _with(program="0.0.1"),
    "another day": _with(date="2026-11-22"),
    "of another design": _stale_replayed,
    "of a comment": _of_a_comment,
    "another moment": _another_moment,
    "another figure": _one_figure,
    "another part": _one_part,
    "other terms": _one_term,
    "signed for another purpose": _other_purpose,
    "a bit of the signature": _damaged,
    "a signature cut off": _cut_off,
    "Ann's key over Eve's signature": _anns_key_over_eves,
    "no signature at all": _any_text,
    "an address like Ann's": _in_anns_words,
}


def counting(count: int, seed: int, folder: Path) -> tuple[Counter[str], list[str]]:
    """Forgeries of each kind that were tried, and those that counted or took something back."""
    rng, all_ = random.Random(seed), forgers(folder)
    real = all_.signed(all_.approving("ann"), "ann")
    asks = all_.entry("ann", request_changes=all_.basis.design, text="no")
    refused = said_at(
        MOMENT - timedelta(days=6000), all_.signed(asks, "ann", MOMENT - timedelta(days=6000))
    )
    assert all_.judged(said_at(MOMENT, real)).approvals == 1
    assert all_.judged(refused, said_at(MOMENT, real)).verdict == "approved"
    tried: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(count):
        kind = list(KINDS)[number % len(KINDS)]
        entry, moment = KINDS[kind](all_, real, rng)
        said = said_at(moment, entry)
        tried[kind] += 1
        alone, after = all_.judged(said), all_.judged(refused, said)
        if alone.approvals or alone.settled or after.verdict not in ("changes requested",):
            wrong.append(f"{kind} ({number}): {alone.words}; {after.words}")
    return tried, wrong


def main(words: list[str]) -> int:
    count, seed = (
        int(words[at]) if len(words) > at else usual for at, usual in ((0, 1000), (1, 1))
    )
    with tempfile.TemporaryDirectory() as folder:
        tried, wrong = counting(count, seed, Path(folder))
    for line in wrong:
        print(line)
    print(f"{sum(tried.values()):,} forgeries of {len(tried)} kinds: {len(wrong)} counted")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
