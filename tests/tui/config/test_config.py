"""What a person sets holds everywhere; what is wrong is said with its place, the rest holds."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.keys import _character_to_key
from textual.theme import BUILTIN_THEMES
from textual.widgets import Static

from tests.command.shell import Shell
from tests.tui.person import Person
from toposmith.errors import DesignFileError
from toposmith.tui.actions.every_action import actions_of, all_actions, use_keys
from toposmith.tui.actions.footer import footer_actions
from toposmith.tui.app import ToposmithApp
from toposmith.tui.config.config_file import config_text, parse_config
from toposmith.tui.config.key_names import key_name
from toposmith.tui.config.settings import THEMES, Config, config_path


def said(text: str) -> tuple[Config, list[str]]:
    return parse_config(text, "c.yaml")


def test_every_setting_is_read() -> None:
    config, problems = said(
        "theme: nord\nascii: true\nmouse: false\nkeys:\n  undo: ['6', F5]\n  bill: '9'\n"
    )
    assert problems == []
    assert config == Config({"undo": ("6", "f5"), "bill": ("9",)}, "nord", True, False)


def test_an_empty_file_leaves_all_as_usual() -> None:
    assert said("") == (Config(), [])
    assert said("# nothing\n") == (Config(), [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("colour: red\n", "c.yaml:1:1: there is no setting 'colour'"),
        ("mouse: maybe\n", "c.yaml:1:1: mouse: found 'maybe', expected true or false"),
        ("theme: nrod\n", "did you mean 'nord'?"),
        ("keys: [a]\n", "expected actions with keys"),
        ("keys:\n  undoo: z\n", "c.yaml:2:3: there is no action 'undoo'; did you mean 'undo'?"),
        ("keys:\n  undo: ctrl+i\n", "ctrl+i and Tab are the same to a terminal"),
        ("keys:\n  undo: ctrl+shift+z\n", "terminals do not send ctrl+shift+z"),
        ("keys:\n  undo: j\n", "j always walks on the canvas"),
        ("keys:\n  undo: hyper\n", "hyper is no key"),
        ("keys:\n  undo: []\n", "at least one key is needed"),
        ("keys:\n  undo: {a: b}\n", "expected a key such as"),
        ("keys:\n  undo: s\n", "undo: s is also a key of save"),
        ("- a\n", "found a list of 1"),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_left_out(text: str, words: str) -> None:
    config, problems = said(text + ("ascii: true\n" if text[0] != "-" else ""))
    assert any(words in problem for problem in problems), problems
    assert "\x1b" not in "".join(problems)
    assert config == Config(ascii_only=True if text[0] != "-" else None)


def test_two_actions_that_swap_their_keys_are_no_conflict() -> None:
    config, problems = said("keys: {undo: x, delete: u}\n")
    assert problems == []
    assert config.keys == {"undo": ("x",), "delete": ("u",)}


def test_a_refused_key_may_leave_another_without_room() -> None:
    # add wants s, so save would have to move; save's own choice is refused: neither holds
    config, problems = said("keys: {save: ctrl+m, add: s}\n")
    assert config.keys == {}
    assert len(problems) == 2


@given(
    st.dictionaries(st.sampled_from([a.id for a in all_actions()]), st.sampled_from("abcsuxyz9+"))
)
def test_keys_that_are_taken_never_do_two_things(wanted: dict[str, str]) -> None:
    config, _ = said("keys: {" + ", ".join(f"{k}: '{v}'" for k, v in wanted.items()) + "}\n")
    for place in ("designer", "welcome"):
        held = [
            key
            for action in all_actions()
            if place in action.where
            for key in config.keys.get(action.id, action.keys)
        ]
        assert len(held) == len(set(held))


@pytest.mark.parametrize("sign", [s for s in string.printable if s.isprintable()])
def test_signs_have_the_names_that_the_app_gives_them(sign: str) -> None:
    if sign not in "hjkl":
        assert key_name(sign) == (sign if sign.isalnum() else _character_to_key(sign))


def test_every_theme_exists() -> None:
    own = {"toposmith", "colour-blind"}
    assert set(THEMES) - own == set(BUILTIN_THEMES)


def test_what_is_shown_says_the_same_when_it_is_read() -> None:
    config = Config({"undo": ("6",)}, "nord", True, False)
    again, problems = said(config_text(config))
    assert problems == []
    assert again.theme == "nord"
    assert again.ascii_only is True
    assert again.mouse is False
    assert again.keys["undo"] == ("6",)
    assert said(config_text(Config()))[1] == []


def test_no_yaml_is_an_error_of_the_file() -> None:
    with pytest.raises(DesignFileError):
        said("keys: [\n")


async def test_remapped_keys_work_and_are_shown_and_the_old_ones_do_nothing(
    two_tier: Path,
) -> None:
    config = Config({"delete": ("d",), "undo": ("x",), "fewer": ("u",)})
    app = ToposmithApp(two_tier, config=config)
    try:
        async with app.run_test(size=(200, 50)) as pilot:
            person = Person(app, pilot)
            await person.settle()
            person.designer.select_group("node")
            await person.press("u")
            bench = person.designer.workbench
            assert bench.design.groups["node"].count == 7
            assert "x undo" in person.seen()
            await person.press("x")
            assert bench.design.groups["node"].count == 8
            await person.press("minus", "delete")
            assert bench.design.groups["node"].count == 8
            await person.press("question_mark")
            help_text = str(person.app.screen.query_one("#help-text", Static).content)
            assert re.search(r"^x +Take the last change back", help_text, re.MULTILINE)
            await person.press("escape", "d")
            assert "node" not in bench.design.groups
    finally:
        use_keys({})
    assert [a.first_key for a in footer_actions(actions_of("designer"), 78) if a.id == "undo"] == [
        "u"
    ]


async def test_a_broken_file_is_said_at_the_start(two_tier: Path) -> None:
    app = ToposmithApp(two_tier, complaints=["c.yaml:1:1: wrong", "more"])
    async with app.run_test() as pilot:
        person = Person(app, pilot)
        await person.settle()
        assert "c.yaml:1:1: wrong (and 1 more" in person.message


def test_the_command_shows_finds_and_checks(shell: Shell) -> None:
    path = config_path()
    assert str(path) in shell("config", "--path").out
    assert "not there" in shell("config").out
    assert shell("config", "--check").code == 2
    path.parent.mkdir(parents=True)
    path.write_text("theme: nord\nkeys: {undo: s}\n", encoding="utf-8")
    checked = shell("config", "--check")
    assert checked.code == 1
    assert f"{path}:2:8: undo: s is also a key of save" in checked.err
    assert "theme: nord" in shell("config").out
    path.write_bytes(b"\xff\xfe")
    assert "UTF-8" in shell("config", "--check").err
