"""The command ``config``: where the configuration is, what it says, what is wrong with it."""

from __future__ import annotations

import click

from toposmith.command.edge import FINDINGS, FINE, Refused, say, write_data, write_talk
from toposmith.entry_points import PLUGINS
from toposmith.schemas import SCHEMAS, schema_text
from toposmith.user_folders import is_there, why_unusable


@click.command()
@click.option("--path", "what", flag_value="path", help="Say where the file is.")
@click.option("--check", "what", flag_value="check", help="List what is wrong with it.")
@click.option(
    "--schema",
    "kind",
    metavar="KIND",
    type=click.Choice(SCHEMAS),
    help=f"Write a JSON Schema, by which editors complete files: {', '.join(SCHEMAS)}.",
)
def config(what: str | None, kind: str | None) -> int:
    """Show, find or check your configuration: keys, theme, ASCII, mouse, plug-ins.

    With --schema: the schema of a kind of file that people write.
    """
    if kind is not None:
        write_data(schema_text(kind))
        return FINE
    # a schema does not wait for what knows keys and themes
    from toposmith.tui.config.config_file import config_text, read_config
    from toposmith.tui.config.settings import config_path

    path = config_path()
    if what == "path":
        write_talk(f"{path}\n")
        return FINE
    if what == "check" and not is_there(path):
        raise Refused(f"{path}: there is no such file; toposmith config shows what it could say")
    found, problems = read_config()
    if what is None:
        there = "" if is_there(path) else " (not there: all as usual)"
        write_talk(f"# {path}{there}\n{config_text(found)}")
        write_talk("".join(f"# {one.words}\n" for one in PLUGINS if not one.fault))
    if trouble := why_unusable(path.parent):
        say(f"{path.parent}: {trouble}; nothing of yours is read or kept there")
    for problem in problems:
        say(problem)
    faulty = any(one.fault for one in PLUGINS)  # which the end of every run names
    if what == "check" and not problems and not faulty:
        say(f"{path}: fine")
    return FINDINGS if problems or faulty else FINE
