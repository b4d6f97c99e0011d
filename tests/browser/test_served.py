"""A design in a real browser: looked at, found in, commented on where that was asked for."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.tab import Served, Tab
from toposmith.saved_designs import saved_path

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest.importorskip("textual_serve", reason="needs textual-serve")
pytestmark = pytest.mark.slow
Serve = Callable[..., Served]


@pytest.fixture
def design(own_home: Path) -> Path:
    saved = saved_path("a100-rack-1x100gbe")
    assert saved is not None
    folder = own_home / "designs"
    folder.mkdir()
    shutil.copy(saved, folder / "other.yaml")
    return shutil.copy(saved, folder / "pod.yaml")


@pytest.fixture
def serve(design: Path, own_home: Path) -> Iterator[Serve]:
    with ExitStack() as ends:

        def start(*options: str) -> Served:
            served = Served(design, own_home, *options)
            ends.callback(served.process.wait)
            ends.callback(served.process.kill)
            return served

        yield start


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_two_tabs_look_at_a_design_and_nothing_is_changed(
    browser: Browser, serve: Serve, design: Path
) -> None:
    before = files(design.parent)
    served = serve()
    assert "read only" in served.said() and "//localhost:" in served.address
    tab, second = Tab(browser, served.address), Tab(browser, served.address)
    tab.wait_for("12.0")
    tab.page.wait_for_timeout(300)
    assert tab.hues() > 20  # it is painted, too
    # open and move
    tab.press("f")
    tab.wait_for("─ Findings")
    tab.press("Escape")
    tab.wait_for("◀━ limits")
    # find
    tab.press("g")
    tab.wait_for("go to")
    tab.page.keyboard.type("leaf")
    tab.press("Enter")
    tab.press("i")
    tab.wait_for("MSN2700")
    tab.press("Escape")
    second.wait_for("12.0")
    second.press("b")
    second.wait_for("─ Bill")
    assert "─ Bill" not in tab.shown()
    # nothing else is opened, saved, exported or said
    for key, refusal in (
        ("s", "open for review"),
        ("o", "not for visitors"),
        ("Shift+E", "not for visitors"),
        ("Shift+W", "not for visitors"),
        ("7", "not for visitors"),
        (",", "comments take one author"),
    ):
        tab.press(key)
        tab.wait_for(refusal)
    tab.press("?")
    helped = tab.wait_for("Help")
    assert "Save the design" not in helped and "Open a design file" not in helped
    host = served.address.partition("/?")[0]
    assert tab.faults == [] and all(
        url.startswith((host, host.replace("http", "ws"), "data:")) for url in tab.asked
    )
    tab.close()
    served.wait_for("went: 1 visit now")
    second.press("v")
    second.wait_for("─ Curve")
    second.close()
    served.wait_for("went: 0 visits now")
    assert served.end() == 0
    assert files(design.parent) == before
    assert "Traceback" not in served.said()


def test_one_author_comments_and_leaves_the_design(
    browser: Browser, serve: Serve, design: Path
) -> None:
    before = design.read_bytes()
    served = serve("--author", "Ann Bauer")
    tab = Tab(browser, served.address)
    tab.wait_for("12.0")
    tab.press(",")
    tab.wait_for("comment on")
    tab.page.keyboard.type("too few NICs")
    tab.press("Enter")
    tab.wait_for("commented on")
    tab.close()
    said = b"".join(text for name, text in files(design.parent).items() if "review" in name)
    assert b"too few NICs" in said and b"Ann Bauer" in said
    assert design.read_bytes() == before


def test_what_was_edited_outlives_a_tab_that_is_closed(
    browser: Browser, serve: Serve, design: Path, own_home: Path
) -> None:
    before = design.read_bytes()
    served = serve("--edit")
    tab = Tab(browser, served.address)
    tab.wait_for("12.0")
    tab.press("+")
    tab.wait_for("unsaved")
    tab.close()
    served.wait_for("went: 0 visits now")
    assert design.read_bytes() == before
    journals = [name for name in files(own_home / "state") if "journal" in name or "rescue" in name]
    assert journals, files(own_home / "state").keys()
    tab = Tab(browser, served.address)
    tab.wait_for("an earlier run left unsaved work")  # said over the line that has the figure
    tab.press("+", "s")
    tab.wait_for("saved designs/pod.yaml")
    assert design.read_bytes() != before
    tab.press("Shift+S")
    tab.wait_for("not for visitors")
    tab.close()


def answer(address: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as found:
            return found.status
    except urllib.error.HTTPError as refused:
        return refused.code


def test_only_those_with_the_key_are_let_in_and_from_no_other_page(serve: Serve) -> None:
    served = serve()
    host, key = served.address.split("/?key=")
    port = host.rpartition(":")[2]
    cookie = f"toposmith-{port}={key}"
    assert answer(host) == 403 and answer(f"{host}/ws") == 403
    assert answer(f"{host}/?key=wrong") == 403
    assert answer(f"{host}/static/js/textual.js") == 403
    assert answer(host, Cookie=cookie) == 200
    assert answer(host, Cookie=cookie, Origin="http://elsewhere.example") == 403
    with socket.socket() as other:  # nothing listens but on this machine itself
        other.settimeout(5)
        own = socket.gethostbyname(socket.gethostname())
        if not own.startswith("127."):
            assert other.connect_ex((own, int(port))) != 0


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "toposmith", "serve", *words],
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_port_in_use_and_a_design_that_cannot_be_read_are_named(design: Path) -> None:
    with socket.create_server(("localhost", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(str(design), "--port", str(port))
    assert done.returncode == 2 and f"port {port} of localhost: " in done.stderr
    assert "in use" in done.stderr and "Traceback" not in done.stderr
    design.write_text("toposmith: [\n")
    done = run(str(design), "--port", "0")
    assert done.returncode == 2 and "pod.yaml:2:1: " in done.stderr
