"""The program as a person meets it: its command, run in this process. Nothing else is called."""

from __future__ import annotations

import csv
import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any


class Refused(RuntimeError):
    """The command wrote nothing."""


@dataclass(frozen=True)
class Row:
    """One connection of the schedule or the exported graph."""

    a: str
    a_port: str
    z: str
    z_port: str
    gbit: int


def run(*args: str, design: str) -> tuple[int, str, str]:
    """Run the command on a design given on standard input; exit code, stdout, stderr."""
    from toposmith.command.main import main

    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(design.encode()), "utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main(args)
    finally:
        sys.stdin = before
    return code, *(stream.buffer.getvalue().decode() for stream in (out, err))


def graph(design: str) -> tuple[list[str], list[Row]]:
    """Devices and connections as `export --to json` writes them."""
    _, out, err = run("export", "-", "--to", "json", design=design)
    if not out:
        raise Refused(err)
    fabric = json.loads(out)
    rows = [
        Row(
            each["a"]["device"],
            each["a"]["port"],
            each["z"]["device"],
            each["z"]["port"],
            each["speed_gbit"],
        )
        for each in fabric["connections"]
    ]
    return [each["name"] for each in fabric["devices"]], rows


def schedule(design: str) -> list[dict[str, str]]:
    """Rows as `export --to cables` writes them."""
    _, out, err = run("export", "-", "--to", "cables", design=design)
    if not out:
        raise Refused(err)
    return list(csv.DictReader(io.StringIO(out)))


def analysis(design: str, *options: str) -> dict[str, Any]:
    """What `analyze --json` says."""
    _, out, err = run("analyze", "-", "--json", *options, design=design)
    if not out:
        raise Refused(err)
    found: dict[str, Any] = json.loads(out)
    return found


def findings(design: str) -> list[dict[str, Any]]:
    """What `check --json` lists."""
    _, out, err = run("check", "-", "--json", design=design)
    if not out:
        raise Refused(err)
    found: list[dict[str, Any]] = json.loads(out)["designs"][0]["findings"]
    return found


def bill(design: str, *options: str) -> dict[str, Any]:
    """What `bom --format json` lists."""
    _, out, err = run("bom", "-", "--format", "json", *options, design=design)
    if not out:
        raise Refused(err)
    found: dict[str, Any] = json.loads(out)
    return found
