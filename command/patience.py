"""Words on a terminal while figures take long."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

import click

from toposmith.topology.stopping import stopped_unless

PATIENCE_SECONDS = 1.0
"""How long a person waits without a word."""


@contextmanager
def told_while_computing(what: str = "computing") -> Iterator[None]:
    """Say on a terminal, on one line that goes away, that something is being worked out."""
    if not sys.stderr.isatty():
        yield
        return
    began = said = monotonic()

    def tell() -> bool:
        nonlocal said
        now = monotonic()
        if now - said >= PATIENCE_SECONDS:
            said = now
            click.echo(f"\r{what}, {now - began:.0f} s; Ctrl+C stops", err=True, nl=False)
        return True

    try:
        with stopped_unless(tell):
            yield
    finally:
        if said > began:
            click.echo("\r\x1b[K", err=True, nl=False)
