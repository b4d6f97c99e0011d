"""Help that fits a screen: what is asked most in full, all else by name in groups."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

import click

GROUPS = {
    "What is measured": (
        *("seed", "message_bytes", "layout", "group", "placement", "version", "routing"),
        *("queue_pairs", "sharp", "algorithm", "protocol", "exact", "mtu", "gpudirect", "pxn"),
        "calibration",
    ),
    "Prices and cables": ("cabling", "stock", "spares", "lists", "currency", "lengths"),
    "Needs and limits": ("part", "needs", "limits", "most", "seconds"),
    "Requests and checks": ("vendors", "verify", "signed", "all_priced", "schema"),
    "Comments and decisions": (
        *("comments", "reply", "resolve", "reopen", "approve", "despite_open", "pin"),
        *("request_changes", "author"),
    ),
    "What else is read": ("more", "names", "earlier", "texts", "policy_file", "names_file"),
    "A design of a dump": ("sources", "parts", "map_out"),
    "Layouts, and a run of yours": ("vary", "measured_step_s"),
    "The app": ("ascii_only", "no_mouse"),
}
"""Parameters by the title of their group; all others are described on the first screen."""


class GroupedCommand(click.Command):
    """A command with more options than a screen has lines: ``--help-all`` describes them all."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        everything = click.Option(
            ["--help-all"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_all,
            help="Describe all options, those named below, too.",
        )
        self.params.append(everything)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of groups by name where not all are wanted."""
        grouped = {name: title for title, names in GROUPS.items() for name in names}
        told: dict[str, list[click.Parameter]] = {"Options": []}
        for option in filter(lambda each: isinstance(each, click.Option), self.get_params(ctx)):
            told.setdefault(grouped.get(option.name or "", "Options"), []).append(option)
        for title, options in told.items():
            with formatter.section(title):
                if title == "Options" or ctx.meta.get(_ALL):
                    records = (option.get_help_record(ctx) for option in options)
                    formatter.write_dl([record for record in records if record is not None])
                else:
                    names = ("/".join((*one.opts, *one.secondary_opts)) for one in options)
                    lines = wrap(", ".join(names), formatter.width - 4, break_on_hyphens=False)
                    formatter.write("".join(f"  {line}\n" for line in lines))


_ALL = "toposmith.help_all"


def _show_all(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()
