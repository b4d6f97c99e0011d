"""`schema`: JSON Schemas of the files that people write."""

from __future__ import annotations

import click

from toposmith.command.edge import FINE, write_data
from toposmith.schemas import SCHEMAS, schema_text


@click.command()
@click.argument("kind", metavar="[KIND]", type=click.Choice(SCHEMAS), default="design")
def schema(kind: str) -> int:
    """Write the JSON Schema of a KIND of file, for editors that complete and check it."""
    write_data(schema_text(kind))
    return FINE
