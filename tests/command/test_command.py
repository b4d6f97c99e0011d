"""The command line, as a script sees it: stdout, stderr and exit codes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import yaml
from pydantic import BaseModel, model_serializer

from tests.command.shell import OVERFULL, SHARED_NIC, SIGNED, SOUND, Shell
from toposmith.parts_at_hand import PartsAtHand


def test_check_of_a_sound_design_exits_0(shell: Shell) -> None:
    done = shell("check", shell.file("a.yaml", SIGNED))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("a.yaml: no warnings, ")
    assert "error" not in done.out


def test_check_of_a_design_with_errors_exits_1_and_names_file_and_place(shell: Shell) -> None:
    done = shell("check", shell.file("a.yaml", OVERFULL))
    assert done.code == 1
    assert done.out.startswith("a.yaml: error: leaf: ")
    assert "[ports-overused]" in done.out


def test_a_warning_is_a_finding_too(shell: Shell) -> None:
    done = shell("check", shell.file("a.yaml", SHARED_NIC))
    assert done.code == 1
    assert "warning: " in done.out


def test_check_says_each_thing_once(shell: Shell) -> None:
    lines = shell("check", shell.file("a.yaml", OVERFULL)).out.splitlines()
    assert len(lines) == len(set(lines))


def test_check_reads_on_after_a_file_that_cannot_be_read_and_exits_2(shell: Shell) -> None:
    bad = shell.file("bad.yaml", "toposmith: 1\ngroups: {leaf: {prat: qm9700}}\n")
    done = shell("check", bad, "missing.yaml", shell.file("good.yaml", SIGNED))
    assert done.code == 2
    assert done.out.startswith("good.yaml: no warnings")
    assert "bad.yaml:2:" in done.err
    assert "missing.yaml: there is no such file" in done.err
    assert "Traceback" not in done.err


def test_bom_writes_yaml_to_stdout(shell: Shell) -> None:
    done = shell("bom", shell.file("a.yaml", SOUND))
    read = yaml.safe_load(done.out)
    assert (done.code, done.err) == (0, "")
    assert read["toposmith_bill"] == 4
    nodes = [part for part, product in read["products"].items() if product["kind"] == "node"]
    assert [line["quantity"] for line in read["lines"] if line["part"] in nodes] == [4]


def test_bom_takes_its_form_from_the_name_of_the_file(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    for name, begins in (
        ("b.csv", "kind,"),
        ("b.md", "# Bill"),
        ("b.json", "{"),
        ("b.yaml", "topo"),
    ):
        assert shell("bom", design, "-o", name).code == 0
        assert (shell.folder / name).read_text(encoding="utf-8").startswith(begins)


def test_bom_replaces_a_file_only_when_forced(shell: Shell) -> None:
    design, out = shell.file("a.yaml", SOUND), shell.file("b.yaml", "mine")
    refused = shell("bom", design, "-o", out)
    assert refused.code == 2
    assert "--force" in refused.err
    assert (shell.folder / out).read_text() == "mine"
    assert shell("bom", design, "-o", out, "--force").code == 0
    assert (shell.folder / out).read_text().startswith("toposmith_bill: 4")


def test_bom_of_a_link_that_cannot_be_built_exits_1_and_says_why(shell: Shell) -> None:
    done = shell("bom", shell.file("a.yaml", SOUND.replace("length: 20", "length: 9000")))
    assert done.code == 1
    assert "9,000 m are too far" in done.err
    assert yaml.safe_load(done.out)["complete"] is False


def test_stdin_is_a_design_too(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "toposmith: 1\n"
    with open(shell.file("a.yaml", text), encoding="utf-8") as design:  # noqa: PTH123 - has .buffer
        monkeypatch.setattr(sys, "stdin", design)
        assert shell("check", "-", "--remarks").out.startswith("-: info: design: no node yet")


def test_new_writes_a_design_that_check_finds_sound(shell: Shell) -> None:
    assert shell("new", "leaf-spine", "--set", "su=2", "-o", "a.yaml").code == 0
    assert shell("check", "a.yaml").code == 0
    again = shell("new", "leaf-spine", "-o", "a.yaml")
    assert (again.code, "--force" in again.err) == (2, True)


def test_new_without_a_template_lists_them_with_their_settings(shell: Shell) -> None:
    done = shell("new")
    assert done.code == 0
    for word in ("empty", "single-switch", "leaf-spine", "three-tier", "top-of-rack", "nodes"):
        assert word in done.out


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("new", "leef-spine"), "did you mean leaf-spine"),
        (("new", "leaf-spine", "--set", "su"), "'su' is not NAME=VALUE"),
        (("new", "leaf-spine", "--set", "su=0"), "su is a whole number"),
        (("catalog", "show", "qm970"), "did you mean qm9790 or qm9700"),
        (("catalog", "list", "switches"), "switch"),
        (("analyse", "x"), "Did you mean 'analyze'?"),
        (("analyze", "nowhere.yaml"), "nowhere.yaml: there is no such file"),
        (
            ("analyze", "a100-1x100gbe"),
            "a100-1x100gbe: there is no such file and no such saved design; "
            "did you mean 'a100-rack-1x100gbe'?",
        ),
        (("nowhere.yaml",), "nowhere.yaml: there is no such file"),
        (("review", "nowhere.yaml"), "nowhere.yaml: there is no such file"),
        (("-",), "cannot read its design from stdin"),
        (("check",), "Missing argument"),
        (("--frobnicate",), "No such option"),
    ],
)
def test_bad_usage_exits_2_and_says_what_would_be_right(
    shell: Shell, args: tuple[str, ...], says: str
) -> None:
    done = shell(*args)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_catalog_list_has_a_line_for_every_part_of_a_kind(shell: Shell) -> None:
    lines = shell("catalog", "list", "switch").out.splitlines()
    assert any(line.startswith("qm9700 ") and "64 x 400 Gb/s" in line for line in lines)
    assert all(" switch " in line for line in lines[1:])


def test_catalog_show_gives_every_figure_with_its_source(shell: Shell) -> None:
    done = shell("catalog", "show", "qm9700")
    assert "Power, W" in done.out
    assert "Source" in done.out
    read = json.loads(shell("catalog", "show", "qm9700", "--json").out)
    assert (read["id"], read["cages"]["count"]) == ("qm9700", 32)


@pytest.mark.parametrize("args", [(), ("dgx-h100-superpod-4su",), ("review", "dgx-a100-su")])
def test_without_a_terminal_the_app_is_refused_with_a_hint(
    shell: Shell, args: tuple[str, ...]
) -> None:
    done = shell(*args)
    assert done.code == 2
    assert "needs a terminal" in done.err
    assert "toposmith analyze FILE" in done.err


def test_escapes_in_a_design_do_not_reach_the_terminal(shell: Shell) -> None:
    for name in (r"a\e[31mred", r"a\u202eb", r"a\u009bb"):
        design = shell.file(
            "a.yaml", SIGNED.replace("name: eight rails, two spines", f'name: "{name}"')
        )
        for args in (("analyze", design), ("check", design), ("bom", design, "--format", "md")):
            done = shell(*args)
            assert done.code in (0, 2)
            assert all(sign.isprintable() or sign == "\n" for sign in done.out + done.err)


def test_an_escape_in_a_file_s_name_does_not_reach_the_terminal(shell: Shell) -> None:
    for command in ("check", "analyze", "bom"):
        done = shell(command, "a\x1b[31m.yaml")
        assert done.code == 2
        assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize(
    ("args", "name", "options"),
    [
        ((), None, {"review": False, "ascii_only": False, "mouse": True, "against": None}),
        (
            ("a.yaml",),
            "a.yaml",
            {"review": False, "ascii_only": False, "mouse": True, "against": None},
        ),
        (
            ("--ascii", "a.yaml"),
            "a.yaml",
            {"review": False, "ascii_only": True, "mouse": True, "against": None},
        ),
        (
            ("a.yaml", "--no-mouse"),
            "a.yaml",
            {"review": False, "ascii_only": False, "mouse": False, "against": None},
        ),
        (
            ("review", "a.yaml"),
            "a.yaml",
            {"review": True, "ascii_only": False, "mouse": True, "against": None},
        ),
        (
            ("dgx-a100-su",),
            "dgx-a100-su.yaml",
            {"review": False, "ascii_only": False, "mouse": True, "against": None},
        ),
    ],
)
def test_on_a_terminal_the_app_starts_with_the_file(
    shell: Shell,
    monkeypatch: pytest.MonkeyPatch,
    args: tuple[str, ...],
    name: str | None,
    options: dict[str, object],
) -> None:
    started: list[tuple[Path | None, dict[str, object]]] = []
    places: list[tuple[Path, ...]] = []

    def run_app(path: Path | None, *, parts: PartsAtHand, **given: object) -> int:
        started.append((path, given))
        places.append(parts.places)
        return 0

    running = ModuleType("toposmith.tui.launch")
    running.run_app = run_app  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "toposmith.tui.launch", running)
    monkeypatch.setenv("TERM", "xterm-256color")
    for stream in ("stdin", "stdout"):
        monkeypatch.setattr(f"sys.{stream}.isatty", lambda: True, raising=False)
    shell.file("a.yaml", SOUND)
    assert shell(*args).code == 0
    ((path, given),) = started
    assert (path.name if path else None, given) == (name, options | {"visitor": None})
    assert places == [()]
    shell.file("mine.yaml", "[]")
    assert shell("--catalog", "mine.yaml", *args).code == 0
    assert places.pop() == (Path("mine.yaml"),)
    assert shell("--catalog", "nowhere", *args).code == 2
    started.pop()
    monkeypatch.setenv("TERM", "dumb")
    assert shell(*args).code == 2
    assert len(started) == 1


def run(*args: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    code = "import sys; from toposmith.command.main import main; sys.exit(main())"
    return subprocess.run([sys.executable, "-c", code, *args], timeout=300, **options)  # type: ignore[call-overload,no-any-return]


def test_a_file_named_as_a_saved_design_is_read_and_that_is_said(shell: Shell) -> None:
    shell.file("dgx-a100-su", SOUND)
    done = shell("check", "dgx-a100-su")
    assert "dgx-a100-su: the file here, not the saved design of this name" in done.err
    assert "the file here" not in shell("check", "dgx-h100-superpod-1su").err


def test_a_folder_does_not_hide_the_saved_design_of_its_name(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "dgx-a100-su").mkdir()
    done = shell("analyze", "dgx-a100-su")
    assert (done.code, done.err) == (0, "")


def test_a_reader_that_goes_away_is_no_error_message() -> None:
    read, write = os.pipe()
    os.close(read)
    done = run("catalog", "list", stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    said = [line for line in done.stderr.splitlines() if not re.fullmatch(rb".*, \d+ s", line)]
    assert (done.returncode, said) == (141, [])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
def test_a_full_disk_is_said_without_a_traceback() -> None:
    with Path("/dev/full").open("wb") as full:
        done = run("catalog", "list", stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 2
    assert b"No space left" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux only")
@pytest.mark.parametrize("args", [["--version"], ["analyze", "--help"]])
def test_help_on_a_full_disk_is_said_without_a_traceback(args: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(*args, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr.strip()) == (2, b"stdout: No space left on device")


@pytest.mark.parametrize(
    ("closed", "words", "code", "said"),
    [
        (0, "check -", 2, "the file is empty"),
        (1, "catalog show qm9700", 2, "stdout: Bad file descriptor"),
        (2, "catalog show qm9700", 0, "OSFP"),
    ],
    ids=["stdin", "stdout", "stderr"],
)
def test_a_closed_stream_is_no_traceback(closed: int, words: str, code: int, said: str) -> None:
    told: dict[str, object] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = run(*words.split(), preexec_fn=lambda: os.close(closed), **told)
    assert done.returncode == code
    assert said in (done.stdout + done.stderr).decode()
    assert b"Traceback" not in done.stderr


def test_an_interrupt_exits_130(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("toposmith.planned_design.plan_design", interrupted)
    file = shell.file("a.yaml", SOUND)
    for words, what in ((("check",), "checking"), (("analyze",), "analyzing"),
                        (("change", file), "planning steps"),
                        (("bom",), "counting parts")):  # fmt: skip
        done = shell(*words, file)
        assert (done.code, done.out) == (130, "")
        assert re.fullmatch(rf"interrupted while {what}, after \d+ s\n", done.err)


def test_an_interrupt_while_parts_are_written_as_json_is_no_traceback(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(BaseModel):
        @model_serializer
        def written(self) -> str:
            raise KeyboardInterrupt

    def digest(*_: object, **__: object) -> str:
        return Interrupted().model_dump_json()

    monkeypatch.setattr("toposmith.bill.bill.make_bill", digest)
    done = shell("bom", shell.file("a.yaml", SOUND))
    assert done.code == 130
    assert re.fullmatch(r"interrupted while counting parts, after \d+ s", done.err.splitlines()[-1])


def test_an_ascii_terminal_is_never_sent_what_it_cannot_show() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    args = ("analyze", "dgx-h100-superpod-1su", "--size", "1KiB", "--why")
    done = run(*args, env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert re.search(rb"\d us ", done.stdout), "microseconds stay readable"


@pytest.mark.parametrize(
    "args",
    [
        ("new", "single-switch", "-o", "pod.docx"),
        ("fix", "hgx-a100-64gpu-roce-2to1", "--take", "1", "-o", "pod.json"),
        ("bom", "dgx-a100-su", "-o", "bill.docx"),
        ("export", "dgx-a100-su", "--to", "html", "-o", "report.docx"),
    ],
)
def test_a_file_whose_ending_is_of_no_such_form_is_refused(
    shell: Shell, args: tuple[str, ...]
) -> None:
    done = shell(*args)
    assert (done.code, done.out) == (2, "")
    assert re.search(r"its ending is \.\w+", done.err)
    assert not (shell.folder / args[-1]).exists()


def test_a_name_without_an_ending_gets_that_of_its_form(shell: Shell) -> None:
    assert shell("new", "single-switch", "-o", "pod").code == 0
    assert shell("bom", "pod.yaml", "-o", "bill", "--format", "csv").code in (0, 1)
    assert (shell.folder / "pod.yaml").exists()
    assert (shell.folder / "bill.csv").exists()


def test_fix_that_finds_nothing_is_no_fault(shell: Shell) -> None:
    done = shell("fix", "gb200-nvl72-rack", "--seconds", "1")
    assert done.code == 0
