"""The page to sign: of what it is, whose approval it shows, where to sign it."""

from __future__ import annotations

import json
import re
import subprocess
from datetime import date

import pytest

from tests.command.shell import SIGNED, SOUND, Shell
from toposmith.version import program_version

FORMS = ("--report=html", "--report=md", "--report=comment", "--status")


def git(shell: Shell, *words: str) -> str:
    own = ("-c", "user.name=Ann", "-c", "user.email=ann@example", "-c", "commit.gpgsign=false")
    done = subprocess.run(
        ["git", *own, *words], cwd=shell.folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def committed(shell: Shell) -> Shell:
    shell.file("pod.yaml", SOUND)
    git(shell, "init", "-q")
    git(shell, "add", "pod.yaml")
    git(shell, "commit", "-q", "-m", "one")
    return shell


@pytest.mark.parametrize("form", ["md", "html"])
def test_a_page_has_date_revision_version_digest_and_lines_to_sign(
    committed: Shell, form: str
) -> None:
    digest = json.loads(committed("review", "pod.yaml", "--status", "--json").out)["design_sha256"]
    page = committed("review", "pod.yaml", "--report", form).out.replace("\\", "")
    (signed,) = re.findall(r"Signed is: .*", page)
    for words in (
        date.today().isoformat(),
        f"git revision {git(committed, 'rev-parse', 'HEAD')[:12]},",
        f"Toposmith {program_version()}",
        digest,
    ):
        assert words in signed
    for words in ("name", "role", "date", "signature", "designed by", "approved by"):
        assert words in page.partition("Signed is: ")[2]


def test_a_page_of_a_file_that_is_not_committed_says_so(committed: Shell) -> None:
    commit = git(committed, "rev-parse", "HEAD")[:12]
    committed.file("pod.yaml", SOUND.replace("\n", "\r\n"))
    assert f"git revision {commit}," in committed("review", "pod.yaml", "--report", "md").out
    committed.file("pod.yaml", SOUND.replace("count: 4", "count: 5"))
    page = committed("review", "pod.yaml", "--report", "md").out
    assert f"git revision {commit} with changes that are not committed," in page


def test_a_page_without_git_says_that_there_is_no_revision(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(shell.folder.parent))
    file = shell.file("pod.yaml", SOUND)
    shell("review", file, "--approve", "--author", "Ann")
    page = shell("review", file, "--report", "md").out
    assert "File pod.yaml, no git revision, design sha256 " in page
    assert "Whether who approved changed the design is unknown" in page
    assert "(own approval)" not in page


def test_as_many_lines_to_sign_as_approvals_are_needed(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell.file("p.yaml", "toposmith-policy: 1\napprovals: {needed: 3}\n")
    page = shell("review", file, "--report", "md", "--policy", "p.yaml").out
    assert page.count("| approved by |") == 3


@pytest.mark.parametrize("form", FORMS)
def test_an_own_approval_is_named_without_a_policy(committed: Shell, form: str) -> None:
    committed("review", "pod.yaml", "--approve", "--author", "Ann")
    said = committed("review", "pod.yaml", form).out
    assert "pproved (own approval)" in said
    assert "own: Ann approved a design that Ann changed, by git" in said
    committed("review", "pod.yaml", "--approve", "--author", "Bob")
    said = committed("review", "pod.yaml", form).out
    assert "(own approval)" not in said
    assert "own: Ann approved" in said
    assert "own: Bob" not in said


@pytest.mark.parametrize("form", FORMS)
def test_a_stale_approval_says_that_it_was_an_own_one(committed: Shell, form: str) -> None:
    committed("review", "pod.yaml", "--approve", "--author", "Ann")
    committed("review", "pod.yaml", "--approve", "--author", "Bob")
    pod = committed.folder / "pod.yaml"
    pod.write_text(pod.read_text().replace("count: 4", "count: 3"))
    said = committed("review", "pod.yaml", form).out
    assert "stale, changed since: the design" in said
    assert "own: Ann approved a design that Ann changed, by git" in said
    assert "own: Bob" not in said


def test_an_own_approval_is_named_in_data_and_counts_but_by_the_policy(committed: Shell) -> None:
    committed("review", "pod.yaml", "--approve", "--author", "Ann")
    done = committed("review", "pod.yaml", "--status", "--json")
    (decision,) = json.loads(done.out)["decisions"]
    assert (done.code, decision["own"], decision["counts"]) == (0, True, True)
    committed.file("p.yaml", "toposmith-policy: 1\napprovals: {own: false}\n")
    done = committed("review", "pod.yaml", "--status", "--json", "--policy", "p.yaml")
    (decision,) = json.loads(done.out)["decisions"]
    assert (done.code, decision["own"], decision["counts"]) == (1, True, False)
    assert decision["why_void"] == "changed the design, by git"


@pytest.mark.parametrize("form", ["md", "html"])
def test_a_page_has_the_change_order_with_its_acts_figures_floor_and_parts(
    shell: Shell, form: str
) -> None:
    file = shell.file("pod.yaml", SIGNED)
    assert "Change order" not in shell("review", file, "--report", form).out  # nothing is bound
    shell("lock", file)
    shell.file("pod.yaml", SIGNED.replace("count: 4", "count: 5"))
    order = json.loads(shell("change", file, "--floor", "all_to_all=20", "--json").out)
    page = shell("review", file, "--report", form, "--floor", "all_to_all=20").out
    text = re.sub(r"<[^>]+>", " ", page).replace("\\", "").replace("|", " ")
    text = " ".join(text.split())
    told = text.partition("Change order")[2].partition("Signatures")[0]
    assert "the floor holds throughout" in told
    acts = [act for step in order["steps"] for act in step["acts"]]
    # a node and its eight cables
    assert [act["act"] for act in acts] == ["add"] + ["lay"] * 8
    for act in acts:
        assert f"{act['act']} {act['name']}" in told
        assert act["to"] in told
    for step in order["steps"]:
        assert f"{step['after']['all_to_all']['busbw_GBps']:.1f} GB/s" in told
    for name, place in (("buy", 0), ("left_over", 1), ("keep", 2)):
        for part in order[name]:
            metres = f"{part['length_m']:g} " if part["length_m"] else ""
            stands = re.finditer(re.escape(f" {part['part']} {metres}"), told)
            counts = [told[one.end() :].split()[:3] for one in stands]
            assert any(count[place] == f"{part['quantity']:,}" for count in counts), part
    missed = shell("review", file, "--report", form, "--floor", "all_to_all=900").out
    assert "below the floor of 900 GB/s" in missed
    assert shell("review", file, "--status", "--floor", "all_to_all=20").code == 2


def test_a_page_asks_what_was_renamed_before_it_has_an_order(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("lock", file)
    shell.file("pod.yaml", SOUND.replace("node", "dgx"))
    page = shell("review", file, "--report", "html").out
    assert "group node is not in this design" in page.partition("Change order")[2]
    assert "take out" not in page.partition("Change order")[2]
