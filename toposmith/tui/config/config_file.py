"""The configuration file to a Config; what is wrong is said with its line, the rest holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from toposmith.design.loader import (
    MAX_BYTES,
    PlainFile,
    decoded,
    plain_file,
    require_size,
    shown,
    suggestion,
)
from toposmith.errors import DesignFileError, Problem
from toposmith.tui.actions.every_action import all_actions
from toposmith.tui.config.key_names import key_name
from toposmith.tui.config.settings import THEMES, Config, config_path
from toposmith.user_folders import is_there

_SETTINGS = ("keys", "theme", "ascii", "mouse")


def read_config(path: Path | None = None) -> tuple[Config, list[str]]:
    """The configuration, and what is wrong with it as ``file:line:column: text``.

    A setting at fault is left out; where there is no file everything is as usual.
    """
    if path is None and not is_there(config_path()):
        return Config(), []
    path = path or config_path()
    try:
        raw = path.read_bytes()
    except OSError as error:
        return Config(), [f"{path}: cannot be read: {error.strerror}"]
    try:
        require_size(min(len(raw), MAX_BYTES + 1), str(path))
        return parse_config(decoded(raw, str(path)), str(path))
    except DesignFileError as failed:
        return Config(), failed.lines()


def parse_config(text: str, source: str) -> tuple[Config, list[str]]:
    """The configuration of a text; as :func:`read_config`.

    Raises
    ------
    DesignFileError
        Where the text is no YAML.
    """
    file = plain_file(text, source)
    problems = list(file.problems)
    if file.data is not None and not isinstance(file.data, dict):
        problems.append(_placed(file, (), f"found {shown(file.data)}, expected {_listed()}"))
    data = file.data if isinstance(file.data, dict) else {}
    for name in data:
        if name not in _SETTINGS:
            text = f"there is no setting {shown(name)}; {suggestion(str(name), _SETTINGS)}"
            problems.append(_placed(file, (name,), text))
    keys = _keys(file, data.get("keys"), problems)
    theme = data.get("theme", THEMES[0])
    if theme not in THEMES:
        near = suggestion(str(theme), THEMES)
        text = f"found {shown(theme)}, expected a theme; {near}"
        problems.append(_placed(file, ("theme",), text))
        theme = THEMES[0]
    ascii_only = _switch(file, data, "ascii", problems)
    mouse = _switch(file, data, "mouse", problems) is not False
    config = Config(keys, theme, ascii_only, mouse)
    ordered = sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0))
    return config, DesignFileError(source, ordered).lines() if ordered else []


def _keys(file: PlainFile, found: object, problems: list[Problem]) -> Mapping[str, tuple[str, ...]]:
    """The keys that make sense by themselves and with each other."""
    if found is None:
        return {}
    if not isinstance(found, dict):
        text = f"found {shown(found)}, expected actions with keys, such as undo: z"
        problems.append(_placed(file, ("keys",), text))
        return {}
    chosen: dict[str, tuple[str, ...]] = {}
    known = [action.id for action in all_actions()]
    for name, written in found.items():
        if name not in known:
            text = f"there is no action {shown(name)}; {suggestion(str(name), known)}"
            problems.append(_placed(file, ("keys", name), text))
            continue
        listed = written if isinstance(written, list) else [written]
        try:
            names = [key_name(_text(key)) for key in listed]
            if not names:
                raise ValueError("at least one key is needed")
            chosen[name] = tuple(dict.fromkeys(names))
        except ValueError as wrong:
            problems.append(_placed(file, ("keys", name), f"{name}: {wrong}"))
    for name, text in _conflicts(chosen):
        problems.append(_placed(file, ("keys", name), text))
    return chosen


def _text(key: object) -> str:
    if type(key) is int and 0 <= key <= 9:
        return str(key)
    if not isinstance(key, str) or not key:
        raise ValueError(f"found {shown(key)}, expected a key such as z, ctrl+s or f5")
    return key


def _conflicts(chosen: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Take out choices whose keys another action of the same screen has, until none is left."""
    while (clash := _clash(chosen)) is not None:
        one, other, key = clash
        del chosen[one]
        yield one, f"{one}: {key} is also a key of {other}; give {other} another key, too"


def _clash(chosen: Mapping[str, tuple[str, ...]]) -> tuple[str, str, str] | None:
    actions = {action.id: action for action in all_actions()}
    for name, keys in chosen.items():
        for action in actions.values():
            if action.id == name or not set(action.where) & set(actions[name].where):
                continue
            for key in chosen.get(action.id, action.keys):
                if key in keys:
                    return name, action.id, key
    return None


def _switch(
    file: PlainFile, data: Mapping[str, Any], name: str, problems: list[Problem]
) -> bool | None:
    value = data.get(name)
    if value is None or isinstance(value, bool):
        return value
    text = f"{name}: found {shown(value)}, expected true or false"
    problems.append(_placed(file, (name,), text))
    return None


def _placed(file: PlainFile, where: tuple[object, ...], text: str) -> Problem:
    """A problem at the key that it is about."""
    node = file.root
    mark = node.start_mark if node is not None else None
    for step in where:
        if not isinstance(node, yaml.MappingNode):
            break
        for key, value in node.value:
            if getattr(key, "value", None) == step:
                mark, node = key.start_mark, value
                break
    return Problem(text, mark.line + 1, mark.column + 1) if mark else Problem(text)


def _listed() -> str:
    return ", ".join(_SETTINGS)


def config_text(config: Config) -> str:
    """The configuration in full as the text of a file."""
    theme = [f"theme: {config.theme}"]
    if config.ascii_only is None:
        theme.append("# ascii: true   # without it, the terminal's locale decides")
    else:
        theme.append(f"ascii: {str(config.ascii_only).lower()}")
    theme.append(f"mouse: {str(config.mouse).lower()}")
    rows = ["keys:"]
    for action in all_actions():
        keys = ", ".join(f'"{key}"' for key in config.keys.get(action.id, action.keys))
        rows.append(f"  {action.id + ':':<16} {f'[{keys}]':<28} # {action.label}")
    return "\n".join([*theme, *rows]) + "\n"
