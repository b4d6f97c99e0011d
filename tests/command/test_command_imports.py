"""What the command loads: nothing slow for help, and never the screen for headless work."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("textual", "networkx", "pydantic", "rich", "yaml")


def loaded_after(*args: str) -> set[str]:
    """The modules that a run of the command has loaded, in a process of its own."""
    code = (
        "import sys; from toposmith.command.main import main; main(); "
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, timeout=300, check=True
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("args", [("--version",), ("--help",)])
def test_help_and_version_load_nothing_heavy(args: tuple[str, ...]) -> None:
    assert loaded_after(*args).isdisjoint(HEAVY)


def test_headless_commands_never_load_the_screen() -> None:
    commands = """
        new
        catalog list
        catalog list --search nv
        catalog show qm9700 qm8700
        config --schema parts
        new leaf-spine
        bom dgx-a100-su
        check dgx-a100-su
        analyze dgx-a100-su
        export dgx-a100-su --to nccl-xml
        export dgx-a100-su --to svg
    """
    code = f"""if True:
        import sys
        from toposmith.command.main import main
        for line in {commands!r}.strip().splitlines():
            assert main(tuple(line.split())) < 2, line
            loaded = {{"textual", "rich", "PIL"}} & sys.modules.keys()
            assert not loaded, f"{{line.strip()}} loads {{loaded}}"
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["check", "analyze", "bom"])
def test_a_design_without_faults_or_a_lock_waits_for_no_solver(command: str) -> None:
    assert "scipy" not in loaded_after(command, "dgx-h100-superpod-1su")


def test_a_command_is_imported_when_it_is_asked_for() -> None:
    loaded = loaded_after("new")
    assert "toposmith.command.designs" in loaded
    assert loaded.isdisjoint(("toposmith.command.analyze", "toposmith.command.fix"))


def test_the_app_comes_up_before_parts_are_loaded() -> None:
    code = "import sys, toposmith.command.app_start, toposmith.tui.launch; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    loaded = set(done.stdout.split())
    assert "textual" in loaded
    assert loaded.isdisjoint(("toposmith.catalog", "networkx", "pydantic", "yaml"))


def test_the_first_figures_of_a_design_wait_for_no_review() -> None:
    code = """if True:
        import gc, sys
        from pathlib import Path
        from toposmith.catalog import load_catalog
        from toposmith.saved_designs import find_saved
        from toposmith.tui.app import designer_screen
        designer_screen()
        rubbish_is_looked_for, kept_apart = gc.isenabled(), gc.get_freeze_count()
        from toposmith.analysis.request import Request
        from toposmith.design.stored_files import load_file
        from toposmith.tui.figures.shared_figures import Wanted, figure
        design = load_file(find_saved("dgx-h100-superpod-4su").path).design
        figures = figure(Wanted(design, Request()), load_catalog(), None)
        assert figures.analysis is not None
        print(rubbish_is_looked_for, kept_apart, *sys.modules)
    """
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    rubbish_is_looked_for, kept_apart, *loaded = done.stdout.split()
    assert rubbish_is_looked_for == "True"
    assert int(kept_apart) > 100_000
    assert set(loaded).isdisjoint(
        (
            "toposmith.review.findings.collecting",
            "toposmith.tui.screens.folder_designs",
            "toposmith.tui.views.bill_view",
        )
    )
