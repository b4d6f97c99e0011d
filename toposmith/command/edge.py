"""The edge of commands: exit codes, refusals, output, help, where parts are, names of designs."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toposmith.command.patience import make_room
from toposmith.leaving_text import json_text
from toposmith.parts_at_hand import PartsAtHand
from toposmith.plain_text import visible
from toposmith.saved_designs import saved_path

if TYPE_CHECKING:
    from toposmith.catalog import Catalog


def names_a_design(word: str) -> bool:
    """Whether a word of the command line is a file or a saved design rather than a command."""
    if word.startswith("-") and word != "-":
        return False
    looks_like_file = word == "-" or os.sep in word or Path(word).suffix in (".yaml", ".yml")
    return looks_like_file or Path(word).exists() or saved_path(word) is not None


def path_of(file: str) -> Path:
    """The file of this name; the saved design where there is no such file, or only a folder."""
    path = Path(file)
    saved = saved_path(file)
    if saved is None or path.is_dir():
        return saved or path
    return path if path.exists() or path.is_symlink() else saved


FINE = 0
FINDINGS = 1
BAD_INPUT = 2
INTERRUPTED = 130
PIPE_CLOSED = 141


class Refused(click.ClickException):
    """A request that cannot be carried out; exit code 2, where it is no finding."""

    exit_code = BAD_INPUT

    def show(self, file: Any = None) -> None:
        """Print every line of the message on stderr."""
        for line in self.message.splitlines():
            say(line)


def refuse(*rules: tuple[object, click.ClickException]) -> None:
    """Raise the error of the first rule that is broken: what is wrong, and how that is said."""
    for wrong, error in rules:
        if wrong:
            raise error


def wrong(option: str, words: str) -> click.BadParameter:
    """The error of an option that does not go with others."""
    return click.BadParameter(words, param_hint=option)


def require_free(out: str, force: bool, *read: str | None) -> None:
    """Refuse to overwrite a file without ``force``, and always one that this run reads.

    Raises
    ------
    Refused
        When ``out`` exists and may not be replaced.
    """
    for name in read:
        if out != "-" and name not in (None, "-") and _is_same(Path(out), path_of(str(name))):
            raise Refused(f"{out}: is read for this; write to another file")
    if out != "-" and not force and (Path(out).exists() or Path(out).is_symlink()):
        raise Refused(f"{out}: is there already; say --force to replace it")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def write_out(text: str, out: str) -> None:
    """Write data to a file, or to stdout (``-``)."""
    if out == "-":
        write_data(text)
        return
    # needs pydantic and YAML, which --help does not wait for
    from toposmith.design.stored_files import save_file

    save_file(out, text)
    say(f"wrote {out}")


def write_data(text: str) -> None:
    """Write machine-readable text to stdout: UTF-8 in every locale."""
    _write(text.encode("utf-8"))


def write_json(data: Any) -> None:
    """Write data under stable keys to stdout."""
    write_data(json_text(data, indent=2) + "\n")


def write_either(as_json: bool, data: Callable[[], Any], report: Callable[[], str]) -> None:
    """Write what was found: as JSON, or as text for people."""
    if as_json:
        write_json(data())
    else:
        write_talk(report())


def write_bytes(data: bytes) -> None:
    """Write binary data to stdout, such as a picture."""
    _write(data)


def terminal_columns() -> int:
    """The width of the terminal that stdout is; 0 where it is none, as of a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def write_talk(text: str) -> None:
    """Write text for people to stdout; characters that the terminal cannot show are escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        _write(text.encode(encoding))
    except UnicodeEncodeError:
        # rarely needed, and --help does not wait for it
        from toposmith.labels import in_ascii

        plain = in_ascii(text.replace("µs", "us"))
        _write(plain.encode(encoding, "backslashreplace"))


def _write(data: bytes) -> None:
    make_room(is_within_line=not data.endswith(b"\n"))
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        drop_what_is_left()
        if isinstance(error, BrokenPipeError):
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        raise Refused(f"stdout: {error.strerror}") from None


def drop_what_is_left() -> None:
    """Discard unwritten output, so that the interpreter does not retry it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_closed_streams() -> None:
    """Open usable streams in a command started with ``<&-``, ``>&-`` or ``2>&-``.

    Stdin is then empty, writing to stdout fails with a message, stderr is discarded. Python sets
    closed streams to None, and the next file opened would take their descriptor.
    """
    ways = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}
    for number, (name, way) in enumerate(ways.items()):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, way)
            if nothing != number:
                os.dup2(nothing, number)
                os.close(nothing)
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115  (as long as we run)


def say_failure(error: Exception) -> int:
    """Say on one line what nobody foresaw and where its log is; returns the exit code."""
    # only where it happens
    from toposmith.crash import FAILED, crash_line, log_crash

    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
    say(crash_line(error, log_crash(error)))
    return FAILED


def say(line: str) -> None:
    """Print a line on stderr with control characters escaped; nowhere, where that is gone."""
    with contextlib.suppress(OSError):
        make_room()
        click.echo(visible(line), err=True)


Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_PLACES, _LOADED = "toposmith.places", "toposmith.parts"


def _remember(ctx: click.Context, _option: click.Parameter, places: tuple[Path, ...]) -> None:
    """Remember the folders for later reads; commands and their groups share them."""
    ctx.meta[_PLACES] = (*ctx.meta.get(_PLACES, ()), *places)


CATALOG = "--catalog"

catalog_option = click.option(
    CATALOG,
    metavar="DIR",
    type=click.Path(path_type=Path),
    multiple=True,
    expose_value=False,
    callback=_remember,
    help="Further parts, of any command: a folder, or a file; may be repeated.",
)
"""The option for folders with further parts; it may stand before a command or behind it."""


def hoisted(args: list[str]) -> list[str]:
    """The words of a command line with every ``--catalog`` and its folder in front."""
    first: list[str] = []
    others: list[str] = []
    words = iter(args)
    for word in words:
        if word == CATALOG:
            first += [word, *islice(words, 1)]
        elif word.startswith(f"{CATALOG}="):
            first.append(word)
        else:
            others.append(word)
    return [*first, *others]


def parts_at_hand() -> PartsAtHand:
    """The places where this run looks for parts."""
    ctx = click.get_current_context(silent=True)
    return PartsAtHand(() if ctx is None else ctx.meta.get(_PLACES, ()))


def load_parts() -> Catalog:
    """The catalog, read once in a run; faults of part files go to stderr."""
    ctx = click.get_current_context(silent=True)
    held: dict[str, Any] = {} if ctx is None else ctx.meta
    if _LOADED not in held:
        held[_LOADED] = _load()
    known: Catalog = held[_LOADED]
    return known


def _load() -> Catalog:
    known = parts_at_hand().load()
    for line in (*known.faults, *known.notes):
        say(line)
    return known


def app_options(command: Decorated) -> Decorated:
    """Give a command ``--ascii`` and ``--no-mouse``."""
    ascii_only = click.option("--ascii", "ascii_only", is_flag=True, help="Draw in ASCII only.")
    no_mouse = click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
    return ascii_only(no_mouse(command))


GROUPS = {
    "What is measured": (*("size", "layout", "routing", "queue_pairs", "further"),),
    "Prices and cables": ("cabling", "stock", "spares", "lists", "currency", "lengths"),
    "Needs and limits": ("part", "needs", "limits", "most", "seconds"),
    "Requests and checks": ("vendors", "verify", "signed", "all_priced", "schema"),
    "Comments and decisions": (
        *("comments", "reply", "resolve", "reopen", "approve", "despite_open", "pin"),
        *("request_changes", "sign", "signers", "author"),
    ),
    "What else is read": ("more", "names", "earlier", "texts", "policy_file", "names_file"),
    "A design of a dump": ("sources", "parts", "map_out"),
    "Layouts, and a run of yours": ("vary", "measured_step_s"),
    "The app": ("only",),
}
"""Parameters by the title of their group; all others are described on the first screen."""


_ALL = "toposmith.help_all"

OWN = "Options"
"""The title of what no group has."""


def _show_all(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help())
        ctx.exit()


class GroupedCommand(click.Command):
    """A command with many options: ``--help`` names those of groups, ``--help-all`` describes them.

    A command whose options all fit the first screen has one kind of help under both names.
    """

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its parameters, and the options of help."""
        help_all = click.Option(
            ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all,
            hidden=True, help="Describe all options.",
        )  # fmt: skip
        return [*super().get_params(ctx), help_all]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options that no group has; of groups the names, or all where that is asked."""
        grouped = {name: title for title, names in GROUPS.items() for name in names}
        told: dict[str, list[tuple[str, str]]] = {OWN: []}
        for option in self.get_params(ctx):
            record = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if record is not None:
                told.setdefault(grouped.get(option.name or "", OWN), []).append(record)
        named = {} if ctx.meta.get(_ALL) else {title: told.pop(title) for title in [*told][1:]}
        for title, records in told.items():
            with formatter.section(title):
                formatter.write_dl(records)
        if named:
            with formatter.section("More options, described by --help-all"):
                names = (", ".join(map(_name_of, records)) for records in named.values())
                formatter.write_dl(list(zip(named, names, strict=True)))


def _name_of(record: tuple[str, str]) -> str:
    """``--output`` of ``-o, --output OUT``."""
    return next(word for word in record[0].replace(",", " ").split() if word.startswith("--"))
