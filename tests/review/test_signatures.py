"""Approvals signed by SSH keys: whose count under a policy that demands it, and whose never do."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bench import forgeries
from bench.forgeries import KINDS, MOMENT, Forgers
from toposmith import programs
from toposmith.errors import SaveError
from toposmith.review.sidecar.approval import EvaluatedBasis
from toposmith.review.sidecar.entries import ReviewEntry, Said, Signers, Signing, said_at
from toposmith.review.sidecar.folder import add_entries, load_sidecar
from toposmith.review.sidecar.verdict import Review

pytestmark = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="needs ssh-keygen")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forgers]:
    return forgeries.forgers(tmp_path_factory.mktemp("keys"))


def demanding(people: Forgers, needed: int = 1, signed: bool = True) -> Forgers:
    """The same people under a policy that asks for so many approvals."""
    evaluated = people.basis._standing
    policy = replace(
        evaluated.policy,
        approvals=evaluated.policy.approvals.model_copy(
            update={"needed": needed, "signed": signed}
        ),
    )
    basis = EvaluatedBasis(replace(evaluated, policy=policy), signers=people.signers)
    return replace(people, basis=basis)


def said(people: Forgers, entry: ReviewEntry, key: str = "", day: int = 0) -> Said:
    moment = MOMENT + timedelta(days=day)
    return said_at(moment, people.signed(entry, key, moment) if key else entry)


def remarks(review: Review) -> str:
    return "\n".join(line for each in review.decisions for line in each.remarks)


def test_no_forged_approval_counts_nor_takes_back_what_was_signed(tmp_path: Path) -> None:
    tried, wrong = forgeries.counting(2 * len(KINDS), 7, tmp_path)
    assert wrong == []
    assert set(tried.values()) == {2}


def test_it_is_the_signature_that_tells_forgeries_apart(people: Forgers) -> None:
    """Without a demand for signatures most of them count: they hold all that an approval signs."""
    import random

    trusting, rng = demanding(people, signed=False), random.Random(3)
    real = people.signed(people.approving("ann"), "ann")
    taken = [
        kind
        for kind, forge in KINDS.items()
        for entry, moment in [forge(people, real, rng)]
        if trusting.judged(said_at(moment, entry)).approvals
    ]
    assert len(taken) == len(KINDS)


def test_an_approval_by_the_key_of_a_signer_counts_and_says_which(people: Forgers) -> None:
    found = people.judged(said(people, people.approving("ann"), "ann"))
    assert found.verdict == "approved"
    shown = subprocess.run(
        ["ssh-keygen", "-lf", people.folder / "ann.pub"], capture_output=True, text=True, check=True
    )
    assert f"signed by ann with the key {shown.stdout.split()[1]}" in remarks(found)


def test_a_person_without_an_address_signs_by_name(people: Forgers) -> None:
    """As the server of a review over SSH names them."""
    key = forgeries.public_key(people.folder, "ann")
    named = replace(people, signers=Signers(f"ann {key}\n", "signers"))
    entry = people.approving("ann").model_copy(update={"email": None})
    proof = named.signers.proof(said(people, entry, "ann"))
    assert (bool(proof.key), proof.fault) == (True, "")


def test_one_key_is_one_person_under_whatever_names(people: Forgers) -> None:
    key = forgeries.public_key(people.folder, "ann")
    twice = f"ann@example.org {key}\nannie@example.org {key}\n"
    two = demanding(replace(people, signers=Signers(twice, "signers")), needed=2)
    both = [said(two, two.approving(who), "ann", day) for day, who in enumerate(("ann", "annie"))]
    assert two.judged(*both).words == "approvals missing (1 of 2)"
    others = demanding(people, needed=2)
    ann, bob = (
        said(others, others.approving("ann"), "ann"),
        said(others, others.approving("bob"), "bob", 1),
    )
    assert others.judged(ann, bob).verdict == "approved"


def test_what_is_signed_is_taken_back_by_what_is_signed_alone(people: Forgers) -> None:
    asks = people.entry("bob", request_changes=people.basis.design, text="no")
    other = people.entry("bob", request_changes="0" * 64, text="of another design")
    ann = said(people, people.approving("ann"), "ann")
    signed = said(people, asks, "bob", 1)
    for later in (people.approving("bob"), other):
        assert people.judged(ann, signed, said(people, later, "", 2)).verdict == "changes requested"
        assert (
            people.judged(ann, said(people, asks, "", 1), said(people, later, "", 2)).verdict
            == "approved"
        )
    settled = said(people, people.approving("bob"), "bob", 3)
    assert people.judged(ann, signed, settled).verdict == "approved"


def test_a_signature_without_a_demand_is_shown_and_an_unsigned_approval_counts(
    people: Forgers,
) -> None:
    asking = demanding(people, signed=False)
    plain = asking.judged(said(people, people.approving("bob")))
    assert (plain.verdict, remarks(plain)) == ("approved", "")
    assert "with the key SHA256:" in remarks(
        asking.judged(said(people, people.approving("ann"), "ann"))
    )
    assert "its signature is not ann@example.org's, by allowed_signers" in remarks(
        asking.judged(said(people, people.approving("ann"), "eve"))
    )


def test_without_signers_or_without_ssh_keygen_nothing_counts_and_says_why(
    people: Forgers, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = said(people, people.approving("ann"), "ann")
    nobody = demanding(replace(people, signers=Signers()))
    assert "nobody is trusted here, by " in remarks(nobody.judged(ann))
    monkeypatch.setattr(programs.shutil, "which", lambda *_, **__: None)
    bob = said_at(
        datetime(2026, 12, 1), people.approving("bob").model_copy(update={"signature": "x"})
    )
    found = people.judged(bob)
    assert found.approvals == 0
    assert "its signature cannot be checked: ssh-keygen is not installed" in remarks(found)


def test_an_entry_is_signed_as_it_is_written_with_what_it_has_seen(
    people: Forgers, tmp_path: Path
) -> None:
    pod = tmp_path / "pod.yaml"
    sidecar = add_entries(load_sidecar(pod), [people.entry("bob", comment="leaf", text="?")])
    sign = Signing(people.signers, str(people.folder / "ann"))
    done = add_entries(sidecar, [people.approving("ann")], sign)
    approved = done.said[-1]
    assert approved.entry.seen == (sidecar.said[0].id,)
    assert people.signers.proof(approved).key
    other = Said(approved.id, approved.entry.model_copy(update={"seen": ()}))
    assert not people.signers.proof(other).key


def test_a_key_that_is_not_the_authors_signs_nothing_and_nothing_is_written(
    people: Forgers, tmp_path: Path
) -> None:
    pod = tmp_path / "pod.yaml"
    for key, said_ in (
        ("eve", "its signature is not ann@example.org's"),
        ("nobody", "No such file or directory"),
    ):
        with pytest.raises(SaveError, match=said_):
            sign = Signing(people.signers, str(people.folder / key))
            add_entries(load_sidecar(pod), [people.approving("ann")], sign)
    assert load_sidecar(pod).said == ()


def test_the_keys_of_an_agent_sign_where_no_file_does(
    people: Forgers, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
    entry = people.approving("ann")
    with pytest.raises(SaveError, match="no agent here holds a key of the signers"):
        Signing(people.signers)("20261121T091500000000", entry)
    agent = subprocess.Popen(
        ["ssh-agent", "-D", "-a", str(tmp_path / "agent")], stdout=subprocess.DEVNULL
    )
    try:
        subprocess.run(
            ["sh", "-c", f"until [ -S {tmp_path}/agent ]; do sleep 0.1; done"],
            check=True,
            timeout=60,
        )
        for who in ("eve", "bob", "ann"):
            key = people.folder / who
            key.chmod(0o600)
            subprocess.run(["ssh-add", "-q", str(key)], check=True)
        signed = Signing(people.signers)("20261121T091500000000", entry)
        assert people.signers.proof(said_at(MOMENT, signed)).key
    finally:
        agent.terminate()
        agent.wait(60)
