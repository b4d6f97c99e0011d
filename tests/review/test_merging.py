"""Reviews on branches of git: whatever the order of merges, no conflict, nothing lost."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from toposmith.design.stored_files import load_file
from toposmith.review.sidecar.entries import ReviewEntry
from toposmith.review.sidecar.folder import add_entries, load_sidecar
from toposmith.review.sidecar.verdict import Basis, Review, review_of

DESIGN = """\
toposmith: 1
groups: {node: {part: dgx-h100, count: 4}, leaf: {part: qm9700}}
links: [{between: [node.compute, leaf], length: 20}]
"""
DIGEST = "a" * 64


class Repository:
    """A repository with a design, in which several people review."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pod = folder / "pod.yaml"
        self.pod.write_text(DESIGN)
        self.git("init", "-q", "-b", "main")
        self.commit()

    def git(self, *words: str) -> None:
        own = ("-c", "user.name=T", "-c", "user.email=t@example", "-c", "commit.gpgsign=false")
        alone = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        done = subprocess.run(
            ["git", *own, *words], cwd=self.folder, capture_output=True, text=True, env=alone
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "x")

    def say(self, author: str, **said: object) -> str:
        values = {"author": author, "date": "2026-11-22", **said}
        entry = ReviewEntry.model_validate(values)
        return add_entries(load_sidecar(self.pod), [entry]).said[-1].id

    def on_branch(self, name: str, work: Callable[[], object]) -> None:
        self.git("checkout", "-q", "-b", name, "main")
        work()
        self.commit()
        self.git("checkout", "-q", "main")

    def merged(self, names: tuple[str, ...]) -> tuple[frozenset[str], Review]:
        """What stands there after merges in this order, each from the same beginning."""
        self.git("checkout", "-q", "-B", "merged", "main")
        for name in names:
            self.git("merge", "-q", "--no-ff", "-m", "x", name)
        said = load_sidecar(self.pod).said
        ids = frozenset(each.id for each in said)
        return ids, review_of(said, load_file(self.pod).design, Basis(DIGEST))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_three_people_merge_in_any_order_and_say_the_same(repository: Repository) -> None:
    asked = repository.say("Ann", comment="leaf", text="one leaf?")
    repository.commit()
    repository.on_branch("ann", lambda: repository.say("Ann", resolve=asked))
    repository.on_branch("bob", lambda: repository.say("Bob", comment="leaf", text="a blocker"))

    def cy() -> None:
        repository.say("Cy", reply=asked, text="I wonder, too")
        repository.say("Cy", request_changes=DIGEST, text="two")

    repository.on_branch("cy", cy)
    orders = list(itertools.permutations(("ann", "bob", "cy")))
    first, *others = [repository.merged(order) for order in orders]
    assert len(first[0]) == 5
    assert [one.text for one in first[1].open_comments] == ["a blocker"]
    assert [reply.author for one in first[1].comments for reply in one.replies] == ["Cy"]
    assert first[1].verdict == "changes requested"
    assert all(other == first for other in others)


def test_of_ten_people_who_merge_nobody_resolves_what_nobody_resolved(
    repository: Repository,
) -> None:
    dice = random.Random(24)
    asked = [repository.say("Ann", comment="leaf", text=f"{n}") for n in range(6)]
    repository.commit()
    settled: set[str] = set()

    def work(name: str) -> None:
        repository.say(name, comment=dice.choice(("node", "leaf", "design")), text=f"by {name}")
        for about in dice.sample(asked[:4], dice.randrange(3)):
            settled.add(about)
            repository.say(name, resolve=about)

    people = [f"person-{n}" for n in range(10)]
    for name in people:
        repository.on_branch(name, partial(work, name))
    dice.shuffle(people)
    ids, found = repository.merged(tuple(people))
    assert {one.id for one in found.comments if not one.open} == settled
    assert len(found.comments) == 16
    assert ids >= set(asked)
