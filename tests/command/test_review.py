"""`failures`, `diff` and `review` without a screen, as a script sees them."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command.shell import OVERFULL, SHARED_NIC, SOUND, Shell
from toposmith.bill.terms import all_parts
from toposmith.cancellation import go_on
from toposmith.catalog import Catalog, load_catalog
from toposmith.command import differences as command_differences
from toposmith.command import review
from toposmith.evaluation import here as evaluation_here
from toposmith.review.failures import sweep as failures_sweep
from toposmith.review.failures.without import DegradedDesign
from toposmith.review.policy import Policy

CATALOG = load_catalog(user=False)
HELIOS = """\
toposmith: 1
groups:
  tray:  {part: helios-mi455x-tray, count: 18}
  scale: {part: tomahawk-6-scale-up, count: 12}
links:
  - {between: [tray.nvlink, scale]}
"""
MORE = SOUND.replace("count: 4", "count: 6")


def git(folder: Path, *words: str) -> None:
    own = ("-c", "user.name=T", "-c", "user.email=t@example", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(shell: Shell) -> Shell:
    """A repository with SOUND committed as deep/pod.yaml, and MORE in the work tree."""
    folder = shell.folder / "deep"
    folder.mkdir()
    (folder / "pod.yaml").write_text(SOUND)
    git(shell.folder, "init", "-q")
    git(shell.folder, "add", "-A")
    git(shell.folder, "commit", "-q", "-m", "one")
    (folder / "pod.yaml").write_text(MORE)
    return shell


def test_selectors_of_failures_are_whole_however_long(shell: Shell) -> None:
    """A page to paste from: 32 ports of a module are 16 selectors, and none is cut."""
    groups = (
        "groups:\n  a-node-with-a-long-name: {part: dgx-h100, count: 4}\n  leaf: {part: qm9700}"
    )
    links = "links:\n  - {between: [a-node-with-a-long-name.compute, leaf], cables: 8}"
    file = shell.file("pod.yaml", f"toposmith: 1\n{groups}\n{links}\n")
    rows = shell("failures", file).out.splitlines()
    modules = [row for row in rows if row.split()[:1] == ["module"]]
    assert any(len(row.partition("a-node")[2]) > 60 for row in modules)
    assert not any("..." in row for row in modules)


def test_pairs_of_failures_stand_on_the_page_to_sign(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    assert "Pairs of failures were not looked at." in shell("review", file, "--report", "md").out
    page = shell("review", file, "--report", "md", "--doubles", "all").out
    assert "### Pairs of failures, all " in page
    assert "| leaf and " in page or "| node and " in page
    assert "were not looked at" not in page


def test_failures_lists_the_worst_first_and_what_is_not_looked_at(shell: Shell) -> None:
    done = shell("failures", shell.file("pod.yaml", SOUND))
    assert (done.code, done.err) == (0, "")
    assert "no all-reduce after leaf: network lost; 8 GPUs of one node remain" in done.out
    lines = done.out.splitlines()
    head = next(at for at, line in enumerate(lines) if line.split()[:1] == ["fails"])
    assert lines[head + 1].split()[:1] == ["leaf"]
    assert "leaf[leaf=0]" in lines[head + 1]
    assert "not looked at: power feeds" in done.out


def interrupting(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """Somebody presses Ctrl+C while the failure after so many is looked at."""
    done = [0]

    def without(*args: Any) -> DegradedDesign:
        done[0] += 1
        if done[0] > after:
            signal.raise_signal(signal.SIGINT)
            go_on()
        return real(*args)

    real = failures_sweep.without
    monkeypatch.setattr(failures_sweep, "without", without)


def test_failures_that_were_looked_at_outlive_ctrl_c(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = shell.file("pod.yaml", SOUND)
    whole = json.loads(shell("failures", file, "--json").out)
    interrupting(monkeypatch, after=2)
    done = shell("failures", file, "--json")
    data = json.loads(done.out)
    assert (done.code, done.err) == (130, "interrupted: the failures looked at until then\n")
    assert (data["complete"], len(data["singles"])) == (False, 2)
    assert all(each in whole["singles"] for each in data["singles"])
    left = [line for line in data["not_looked_at"] if line.endswith("as it was ended early")]
    assert sum(int(line.split(": ")[1].split()[0]) for line in left) == len(whole["singles"]) - 2


def test_no_kind_of_which_some_failures_are_left_is_said_to_be_survived(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlike = SOUND + 'down: ["node[node=0].compute[0]"]\n'
    file = shell.file("pod.yaml", unlike)

    def told() -> tuple[int, set[str], list[str]]:
        done = shell("failures", file, "--json")
        data = json.loads(done.out)
        return done.code, {each["kind"] for each in data["survival"]}, data["not_looked_at"]

    assert "node" in told()[1]
    interrupting(monkeypatch, after=1)
    code, kinds, left = told()
    assert code == 130
    assert "node node: 3 of 4 classes, as it was ended early" in left
    assert "node" not in kinds


def test_ctrl_c_before_any_failure_is_looked_at_ends_all(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(failures_sweep, "intact", interrupted)
    assert shell("failures", shell.file("pod.yaml", SOUND)).code == 130
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_failures_as_data_with_pairs(shell: Shell) -> None:
    done = shell(
        *("failures", shell.file("pod.yaml", SOUND), "--json", "--doubles", "3"),
        *("--collective", "all-gather"),
    )
    data = json.loads(done.out)
    assert [each["collective"] for each in data["before"]] == ["all_gather"]
    assert len(data["doubles"]) == 3
    assert data["complete"] is True


def test_failures_says_what_can_be_taken_out_now(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    done = shell("failures", file, "--keep", "90 %", "--collective", "all-reduce")
    assert (done.code, done.err) == (0, "")
    assert "can be taken out now, with at least 90 % of every collective kept (model):" in done.out
    assert "  not the leaf, worst leaf[leaf=0]: cuts off 24 GPUs" in done.out
    data = json.loads(shell("failures", file, "--keep", "90", "--json").out)["maintenance"]
    assert data["keep"] == 0.9
    assert {"kind", "what", "things", "of", "kept", "down", "why"} == set(data["cannot"][0])


def test_a_share_of_more_than_all_is_refused(shell: Shell) -> None:
    done = shell("failures", shell.file("pod.yaml", SOUND), "--keep", "120%")
    assert (done.code, done.out) == (2, "")
    assert "'120%' is not a share from 0 % to 100 %" in done.err


def test_ranks_that_are_scattered_have_a_seed(shell: Shell) -> None:
    scattered = ("--with", "placement=scattered", "--with", "seed=3")
    assert shell("failures", shell.file("pod.yaml", SOUND), *scattered).code == 0


TRAYS = """\
toposmith: 1
axes: {rail: 4}
groups:
  tray: {part: gb200-nvl72-tray, count: 20}
  leaf: {part: qm9700, per: [rail]}
links: [{between: [tray.compute, leaf]}]
"""


def test_failures_of_an_nvlink_rack_say_what_they_leave_out(shell: Shell) -> None:
    file = shell.file("trays.yaml", TRAYS)
    done = shell("failures", file)
    assert "warning: tray: its NVSwitches join 72 GPUs" in done.out
    data = json.loads(shell("failures", file, "--json").out)
    assert [one["code"] for one in data["findings"]] == ["wider-nvlink-domain"]
    inside = shell("failures", file, "--communicator", "tp=4,dp=20", "--with", "group=tp", "--json")
    assert json.loads(inside.out)["findings"] == []


def test_a_comparison_with_an_nvlink_rack_says_what_its_row_leaves_out(shell: Shell) -> None:
    files = (shell.file("trays.yaml", TRAYS), shell.file("pod.yaml", SOUND))
    for form in ((), ("--markdown",)):
        done = shell("diff", "--table", *files, *form)
        notes = [line for line in done.out.splitlines() if "trays.yaml: warning" in line]
        assert len(notes) == 2
        assert "figures inside such a domain are too low" in notes[0]
        assert "the bill lacks them" in notes[1]
    first, second = json.loads(shell("diff", "--table", *files, "--json").out)["designs"]
    codes = [one["code"] for one in first["left_out"]]
    assert codes == ["wider-nvlink-domain", "no-nvlink-switches"]
    assert second["left_out"] == []


def test_every_failure_can_be_tried_with_what_the_table_says(shell: Shell) -> None:
    data = json.loads(shell("failures", "hgx-a100-64gpu-roce-2to1", "--json").out)
    from toposmith.saved_designs import find_saved

    saved = find_saved("hgx-a100-64gpu-roce-2to1")
    assert saved is not None
    for single in data["singles"]:
        if single["parts"] > 1 or not single["kept"]:
            continue
        down = json.dumps(single["failures"][0]["down"])
        file = shell.file("down.yaml", f"{saved.path.read_text()}down: {down}\n")
        figures = json.loads(shell("analyze", file, "--json").out)
        kept = next(kept for kept in single["kept"] if kept["collective"] == "all_reduce")
        assert figures["busbw_GBps"] == pytest.approx(kept["busbw_GBps"])


def test_failures_of_a_design_that_delivers_nothing_exit_1(shell: Shell) -> None:
    unwired = SOUND[: SOUND.index("links:")]
    done = shell("failures", shell.file("pod.yaml", unwired))
    assert done.code == 1
    assert "unknown" in done.out


@pytest.mark.parametrize("command", ["failures", "review"])
def test_a_file_that_is_not_there_exits_2(shell: Shell, command: str) -> None:
    done = shell(command, "nope.yaml", *(("--status",) if command == "review" else ()))
    assert (done.code, done.out) == (2, "")
    assert done.err == "nope.yaml: there is no such file\n"


def test_a_communicator_that_cannot_be_read_exits_2(shell: Shell) -> None:
    done = shell("failures", shell.file("pod.yaml", f"{SOUND}communicator: {{layout: x=1}}\n"))
    assert done.code == 2
    assert done.err.startswith("pod.yaml: communicator: ")


def test_exit_codes_of_diff_suit_ci(shell: Shell) -> None:
    old, new = shell.file("old.yaml", SOUND), shell.file("new.yaml", MORE)
    assert shell("diff", old, old).code == 0
    assert shell("diff", old, new).code == 1
    assert shell("diff", old, new, "--fail-on", "never").code == 0
    assert shell("diff", old, "nope.yaml").code == 2
    assert shell("diff", "-", "-").code == 2
    assert shell("diff", old, new, "--json", "--markdown").code == 2
    over = shell.file("over.yaml", OVERFULL)
    assert shell("diff", old, over, "--fail-on", "worse").code == 1
    assert shell("diff", over, old, "--fail-on", "worse").code == 0
    assert "ports-overused" in shell("diff", old, over).out


def test_diff_says_what_to_buy(shell: Shell) -> None:
    old, new = shell.file("old.yaml", SOUND), shell.file("new.yaml", MORE)
    done = shell("diff", old, new)
    assert "node count" in done.out
    (bought,) = (line for line in done.out.splitlines() if "dgx-h100" in line)
    assert bought.endswith(" buy 2")
    data = json.loads(shell("diff", new, old, "--json").out)
    assert {p["part"]: p["buy"] for p in data["parts"]}["dgx-h100"] == -2
    told = shell("diff", old, new, "--markdown").out
    assert "| change | group node count | 4 | 6 | changed |" in told


def test_diff_reads_a_revision_of_git(repository: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    done = repository("diff", "HEAD:deep/pod.yaml", "deep/pod.yaml")
    assert done.code == 1
    assert "node count" in done.out
    monkeypatch.chdir(repository.folder / "deep")
    assert repository("diff", "HEAD:pod.yaml", "pod.yaml").code == 1
    assert repository("diff", "HEAD:deep/pod.yaml", "HEAD:pod.yaml").code == 0


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("NOPE:deep/pod.yaml", "git knows no revision NOPE"),
        ("HEAD:deep/no.yaml", "HEAD has no file deep/no.yaml"),
        ("HEAD:deep", "deep is no file in HEAD"),
        ("--output=x:deep/pod.yaml", "no such option"),
        ("HEAD^{tree}:deep/pod.yaml", "git knows no revision"),
    ],
)
def test_what_git_does_not_have_is_said(repository: Shell, old: str, said: str) -> None:
    done = repository("diff", old, "deep/pod.yaml")
    assert (done.code, done.out) == (2, "")
    assert said.lower() in done.err.lower()
    assert not (repository.folder / "x").exists()


def test_a_revision_that_looks_like_an_option_reaches_git_never(repository: Shell) -> None:
    done = repository("diff", "--", "--output=x:deep/pod.yaml", "deep/pod.yaml")
    assert done.code == 2
    assert "is no revision of git" in done.err


def test_without_git_or_a_repository_it_is_said(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = shell.file("new.yaml", SOUND)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(shell.folder.parent))
    assert "this is no git repository" in shell("diff", "HEAD:new.yaml", new).err
    monkeypatch.setenv("PATH", "/nowhere")
    assert "git is not installed" in shell("diff", "HEAD:new.yaml", new).err


def test_compare_reads_a_folder_and_says_what_it_could_not(shell: Shell) -> None:
    folder = shell.folder / "designs"
    folder.mkdir()
    for name, text in (
        ("a.yaml", SOUND),
        ("b.yaml", SHARED_NIC),
        ("bad.yaml", "x: 1\n"),
        ("a.policy.yaml", "toposmith-policy: 1\n"),
        ("notes.txt", "no design"),
    ):
        (folder / name).write_text(text)
    done = shell("diff", "designs", "--sort", "gpus")
    assert done.code == 2
    assert "busbw: model, per GPU (8 GiB, NCCL 2.32.3, ideal routing)" in done.out
    assert "bound: at line rate" in done.out
    notes = ("busbw: ", "bound: ")
    lines = [line for line in done.out.splitlines()[1:] if line and not line.startswith(notes)]
    sources = [line.split()[0].rstrip(":") for line in lines]
    assert sources == ["designs/a.yaml", "designs/b.yaml", "designs/bad.yaml"]
    assert shell("diff", "--table", "designs/a.yaml", "dgx-a100-su", "--markdown").code == 0
    data = json.loads(shell("diff", "--table", "designs/a.yaml", "--json").out)
    assert data["designs"][0]["gpus"] == 32


def test_compare_refuses_a_folder_without_designs(shell: Shell) -> None:
    (shell.folder / "empty").mkdir()
    done = shell("diff", "empty")
    assert (done.code, done.err) == (2, "empty: no design (.yaml) in this folder\n")


def test_comments_and_decisions_lie_beside_the_design_and_never_change_it(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)
    says = ("--comment", "node.compute - leaf", "why 20 m?", "--approve", "--author", "Ann")
    refused = shell("review", file, *says)
    assert (refused.code, refused.out) == (1, "")
    assert "not approved: 1 comment open" in refused.err
    assert not (shell.folder / "pod.review").exists()
    said = shell("review", file, *says, "--despite-open")
    assert said.code == 0
    assert "approved although: 1 comment open" in said.out
    assert "not looked at in the approval: networks that are not drawn" in said.out
    assert re.fullmatch(r"wrote to pod.review: comment [0-9a-f]{6}\n", said.err)
    assert (shell.folder / file).read_text() == SOUND
    status = shell("review", file, "--status")
    assert (status.code, status.out.splitlines()[0]) == (1, "approved, 1 comment open")
    (shell.folder / file).write_text(MORE)
    assert shell("review", file, "--status").out.startswith("stale, 1 comment open\n")
    mark = open_mark(shell, file)
    shell("review", file, "--reply", mark, "it is", "--author", "Cy")
    again = shell(
        *("review", file, "--request-changes", "too many", "--author", "Bob"), "--resolve", mark
    )
    assert "reply" in again.out
    assert again.out.startswith("changes requested\n")
    assert "resolved" in again.out


def open_mark(shell: Shell, file: str) -> str:
    """The mark of the first open comment."""
    lines = shell("review", file, "--status").out.splitlines()
    return next(line.split()[0] for line in lines if line.split()[1:2] == ["open"])


def test_an_approval_over_errors_says_so(shell: Shell) -> None:
    file = shell.file("pod.yaml", OVERFULL)
    refused = shell("review", file, "--approve")
    assert (refused.code, "not approved: 1 error found" in refused.err) == (1, True)
    done = shell("review", file, "--approve", "--despite-open")
    assert "approved although: 1 error found" in done.out


def test_an_approval_holds_no_longer_than_parts_prices_and_policy(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("review", file, "--approve", "--author", "Ann")
    assert shell("review", file, "--status").code == 0

    def status(catalog: Catalog = CATALOG, policy: Policy | None = None) -> str:
        with monkeypatch.context() as here:
            here.setattr(review, "load_parts", lambda: catalog)
            here.setattr(evaluation_here, "read_policy", lambda: policy or Policy())
            return shell("review", file, "--status").out

    def changed(part_id: str, **values: object) -> Catalog:
        part = CATALOG[part_id].model_copy(update=values)
        return Catalog([part if each.id == part_id else each for each in all_parts(CATALOG)])

    assert status(changed("qm8700", name="another name")).startswith("approved\n")
    named = status(changed("connectx-7-ndr-dgx", name="another name"))
    assert named.startswith("approved\n")
    assert "changed since, figures equal: the catalog (connectx-7-ndr-dgx)" in named
    moved = status(changed("qm9700", power_w=2000.0))
    assert moved.startswith("stale\n")
    assert "stale, changed since: the catalog (qm9700)" in moved
    assert re.search(r"figures since: power [\d,]+ W -> [\d,]+ W\n", moved)
    assert "stale, changed since: the policy" in status(policy=Policy(sharp=True))


def test_a_pin_says_years_later_which_figures_moved_with_which_part(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = shell.file("pod.yaml", SOUND)
    assert shell("review", file, "--pin", "--author", "Ann").code == 0
    before = shell("review", file, "--status").out
    assert "changed" not in before
    nic = CATALOG.nic("connectx-7-ndr-dgx")
    assert nic.pcie is not None
    slower = nic.model_copy(update={"pcie": nic.pcie.model_copy(update={"generation": 3})})
    others = [slower if each.id == nic.id else each for each in all_parts(CATALOG)]
    monkeypatch.setattr(review, "load_parts", lambda: Catalog(others))
    status = shell("review", file, "--status")
    (line,) = [line for line in status.out.splitlines() if line.startswith("since ")]
    assert "(Ann) changed: the catalog (connectx-7-ndr-dgx); busbw all-reduce " in line
    was, now = line.partition("all-reduce ")[2].partition(";")[0].split(" -> ")
    figures = json.loads(shell("review", file, "--status", "--json").out)["pinned"]
    assert (figures["figures"]["busbw all-reduce"], figures["figures_now"]["busbw all-reduce"]) == (
        was,
        now,
    )
    assert float(now.split()[0]) < float(was.split()[0])
    page = shell("review", file, "--report", "html").out
    assert "(Ann) changed: the catalog (connectx-7-ndr-dgx); busbw all-reduce " in page
    monkeypatch.setattr(command_differences, "load_parts", lambda: Catalog(others))
    other = shell.file("other.yaml", SOUND)
    told = shell("diff", other, file)
    assert told.code == 0, "the designs are the same: the catalog is not theirs"
    assert f"pinned: {file}: {line}" in told.out
    data = json.loads(shell("diff", other, file, "--json").out)
    assert data["moved_since_pinned"] == [f"{file}: {line}"]


def test_pins_travel_in_the_file_and_leave_the_design_as_it_is(shell: Shell) -> None:
    text = "# ours\n" + SOUND
    file = shell.file("pod.yaml", text)
    shell("review", file, "--approve", "--author", "Bob")
    told = shell("review", file, "--pin", "--author", "Ann")
    assert told.code == 0, told.err
    written = Path(file).read_text(encoding="utf-8")
    assert written.startswith("# ours\n")
    assert yaml.safe_load(written)["pins"]["by"] == "Ann"
    assert "connectx-7-ndr-dgx" in yaml.safe_load(written)["pins"]["parts"]
    assert shell("review", file, "--status").code == 0, "the approval is of the same design"
    assert shell("diff", shell.file("before.yaml", text), file).code == 0
    assert "pinned-parts-changed" not in shell("check", file).out


def test_pins_of_an_edited_design_tell_the_parts_and_compare_no_figures(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = shell.file("pod.yaml", SOUND)
    shell("review", file, "--pin", "--author", "Ann")
    path = Path(file)
    path.write_text(path.read_text(encoding="utf-8") + "note: edited\n", encoding="utf-8")
    other = CATALOG["connectx-7-ndr-dgx"].model_copy(update={"name": "another name"})
    catalog = Catalog([other if part.id == other.id else part for part in all_parts(CATALOG)])
    monkeypatch.setattr(review, "load_parts", lambda: catalog)
    monkeypatch.setattr(command_differences, "load_parts", lambda: catalog)
    (line,) = [x for x in shell("review", file, "--status").out.splitlines() if "since" in x]
    assert "(Ann) changed: the catalog (connectx-7-ndr-dgx)" in line
    assert line.endswith("the design was edited since: its figures cannot be compared")
    assert line in shell("diff", file, file).out
    page = shell("review", file, "--report", "md").out
    assert "pinned-parts-changed" in page


@pytest.mark.parametrize(
    ("pins", "words"),
    [
        ("{date: soon, design: '%s', parts: {}}" % ("0" * 64), "a date like 2026-01-31"),
        ('{date: "2026-01-31", design: abc, parts: {}}', "a SHA-256"),
        ('{date: "2026-01-31", design: "%s"}' % ("0" * 64), "parts"),
        ("[]", "pins"),
    ],
)
def test_pins_that_make_no_sense_are_refused_with_their_line(
    shell: Shell, pins: str, words: str
) -> None:
    text = SOUND.replace("toposmith: 1", "toposmith: 2", 1) + f"pins: {pins}\n"
    told = shell("check", shell.file("pod.yaml", text))
    assert told.code == 2
    assert words in told.err


def test_pins_are_not_written_where_nothing_is_ones_own(shell: Shell) -> None:
    told = shell("review", "dgx-h100-superpod-1su", "--pin", "--author", "Ann")
    assert (told.code, "a saved design" in told.err) == (2, True)


def test_status_exits_0_only_where_a_design_is_approved_as_it_is(shell: Shell) -> None:
    file = shell.file("pod.yaml", SOUND)

    def status() -> tuple[int, str]:
        done = shell("review", file, "--status")
        return done.code, done.out.splitlines()[0]

    assert status() == (1, "not reviewed")
    shell("review", file, "--approve", "--author", "Ann")
    assert status() == (0, "approved")
    shell("review", file, "--comment", "leaf", "why?", "--author", "Bob")
    assert status() == (1, "approved, 1 comment open")
    shell("review", file, "--resolve", open_mark(shell, file), "--author", "Bob")
    assert status() == (0, "approved")
    shell("review", file, "--request-changes", "more", "--author", "Bob")
    assert status() == (1, "changes requested")
    (shell.folder / file).write_text(MORE)
    assert status() == (1, "stale")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--comment", "lef", "x"), "did you mean 'leaf'?"),
        (("--comment", "leaf", ""), "text: found nothing"),
        (("--resolve", "3"), "there is no comment '3'"),
        (("--despite-open", "--status"), "goes with --approve"),
        (("--approve", "--request-changes", "x"), "approve or request changes"),
        (("--status", "--against", "x"), "goes with --report"),
        (("--status", "--doubles", "all"), "goes with --report md or html"),
        (("--report", "comment", "--doubles", "9"), "goes with --report md or html"),
        (("--author", "x"), "nothing is said"),
        (("--comment", "leaf", "\x1b[2J"), "printable"),
    ],
)
def test_what_cannot_be_said_is_refused_and_nothing_written(
    shell: Shell, options: tuple[str, ...], said: str
) -> None:
    done = shell("review", shell.file("pod.yaml", SOUND), *options)
    assert done.code == 2
    assert said in done.err
    assert "\x1b" not in done.err
    assert not (shell.folder / "pod.review").exists()


def test_saved_designs_and_stdin_have_no_place_for_a_review(shell: Shell) -> None:
    done = shell("review", "dgx-a100-su", "--approve")
    assert done.code == 2
    assert "a saved design" in done.err


def test_a_file_where_the_review_should_be_is_refused_in_words(shell: Shell) -> None:
    shell.file("pod.yaml", SOUND)
    shell.file("pod.review", "of somebody else")
    done = shell("review", "pod.yaml", "--status")
    assert (done.code, done.out) == (2, "")
    assert "pod.review: found a file, expected a folder" in done.err


@pytest.mark.parametrize("form", ["md", "html"])
def test_a_page_to_send(shell: Shell, form: str) -> None:
    shell.file("old.yaml", SOUND)
    shell.file("pod.yaml", MORE)
    shell("review", "pod.yaml", "--comment", "leaf", "why?", "--author", "Ann")
    done = shell("review", "pod.yaml", "--report", form, "--against", "old.yaml", "-o", "out")
    assert (done.code, done.out) == (0, "")
    page = (shell.folder / "out").read_text()
    for words in ("why?", "node count", "survives any one NIC", "State of the review"):
        assert words in page
    assert shell("review", "pod.yaml", "--report", form, "-o", "out").code == 2
    assert shell("review", "pod.yaml", "--report", form, "-o", "out", "--force").code == 0
    assert "survives" in shell("review", "dgx-a100-su", "--report", form).out


@pytest.mark.parametrize(
    "args",
    [
        ("failures", "rack.yaml"),
        ("diff", "--table", "rack.yaml", "more.yaml"),
        ("diff", "rack.yaml", "more.yaml"),
        ("analyze", "rack.yaml"),
        ("analyze", "rack.yaml", "more.yaml"),
        ("change", "rack.yaml", "more.yaml"),
        ("fix", "rack.yaml"),
        ("export", "--to", "html", "rack.yaml"),
        ("review", "--report", "md", "rack.yaml"),
        ("review", "--report", "comment", "rack.yaml"),
        ("review", "--report", "html", "--against", "more.yaml", "rack.yaml"),
    ],
    ids=" ".join,
)
def test_nccl_is_not_named_where_nobody_published_what_runs(
    shell: Shell, args: tuple[str, ...]
) -> None:
    """Over AMD's scale-up Ethernet; of nodes of NVIDIA the same page names its release."""
    shell.file("rack.yaml", HELIOS)
    shell.file("more.yaml", HELIOS.replace("count: 12", "count: 18"))
    assert "NCCL" not in shell(*args).out
    shell.file("rack.yaml", SOUND)
    shell.file("more.yaml", SOUND.replace("count: 4", "count: 6"))
    assert "NCCL" in shell(*args).out


@pytest.mark.parametrize(
    "args",
    [
        ("analyze", "rack.yaml"),
        ("failures", "rack.yaml"),
        ("diff", "--table", "rack.yaml", "more.yaml"),
        ("diff", "rack.yaml", "more.yaml"),
        ("change", "rack.yaml", "more.yaml"),
        ("fix", "rack.yaml"),
    ],
    ids=" ".join,
)
def test_data_has_no_release_of_nccl_where_none_is_known_to_run(
    shell: Shell, args: tuple[str, ...]
) -> None:
    for text in (HELIOS, SOUND):
        shell.file("rack.yaml", text)
        shell.file("more.yaml", text.replace("count: 12", "count: 18"))
        data = json.loads(shell(*args, "--json").out)
        first = data["designs"][0] if "designs" in data else data
        assert (first["nccl"] is None) == (text == HELIOS)
