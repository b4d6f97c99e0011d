"""Escapes, markup and invisible signs in a file are shown everywhere, and obeyed nowhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command.shell import Shell
from tests.tui.person import OpenApp

HOSTILE = [
    "\x1b[31mred\x1b]0;title\x07",
    "\x9b2J\x90q",
    "\u202eesrever\u2066",
    "[bold red]x[/] [link=file:///etc/passwd]y[/link] [@click=app.quit]z[/]",
    "[/]",
    "a\r\nb\tc\x00d",
    "\u200b\ufeff\U000e0041",
]
OBEYED = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\n\t"]
OBEYED += list("\u202e\u2066\u200b\ufeff\U000e0041")


def hostile_design(text: str) -> str:
    quoted = json.dumps(text)
    return (
        f"toposmith: 1\nname: {quoted}\nnote: {quoted}\ngroups:\n"
        f"  node: {{part: dgx-h100, count: 4, note: {quoted}}}\n"
        f"  odd: {{part: {quoted}}}\n  leaf: {{part: qm9700}}\n"
        f"links:\n  - {{between: [node.compute, leaf], note: {quoted}}}\n"
    )


def obeyed(output: str) -> list[str]:
    return [sign for sign in OBEYED if sign in output]


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
def test_no_command_writes_what_a_terminal_would_obey(shell: Shell, text: str) -> None:
    file = shell.file("hostile.yaml", hostile_design(text))
    for command in (["check"], ["analyze"], ["bom"], ["bom", "--format", "md"]):
        done = shell(command[0], file, *command[1:])
        assert obeyed(done.out + done.err) == [], command


@pytest.mark.parametrize("text", HOSTILE, ids=ascii)
async def test_no_screen_shows_what_a_terminal_would_obey(
    open_app: OpenApp, work_dir: Path, text: str
) -> None:
    path = work_dir / "hostile.yaml"
    path.write_text(hostile_design(text), encoding="utf-8")
    async with open_app(path) as person:
        if person.app.return_code == 2:  # the file is refused, with what was found in it
            assert person.app.farewell
            assert obeyed("".join(person.app.farewell)) == []
            return
        for keys in ((), ("e",), ("escape", "f"), ("escape", "escape", "e"), ("escape", "y")):
            await person.press(*keys)
            assert obeyed(person.seen()) == [], keys
        await person.press("escape", "home", "minus", "x", "W", "d")
        assert person.app.is_running
        assert obeyed(person.seen()) == []
