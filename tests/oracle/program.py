"""The program as a person meets it: its command, run in this process. Nothing else is called."""

from __future__ import annotations

import csv
import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

_GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


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
    """Devices and connections as `export --to graphml` writes them."""
    _, out, err = run("export", "-", "--to", "graphml", design=design)
    if not out:
        raise Refused(err)
    root = ElementTree.fromstring(out)
    rows = []
    for edge in root.iter(f"{_GRAPHML}edge"):
        data = {item.get("key"): item.text or "" for item in edge.iter(f"{_GRAPHML}data")}
        rows.append(
            Row(
                edge.get("source") or "",
                data["a_port"],
                edge.get("target") or "",
                data["z_port"],
                int(data["gbit"]),
            )
        )
    return [node.get("id") or "" for node in root.iter(f"{_GRAPHML}node")], rows


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
