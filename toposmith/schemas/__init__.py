"""JSON Schemas of the files that people write, for editors that complete and check them.

Each is made from the pydantic model that reads the file; the descriptions are those of the model's
docstring. The files beside this one are those schemas as the program comes with them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from toposmith.analysis.jobs.parallel_layout import PLACEMENTS
from toposmith.bill.bill_file import bill_schema
from toposmith.catalog.currencies import CURRENCIES
from toposmith.catalog.price_file import MEANINGS, PATTERNS, PRICE_FIELDS, RATE_FIELDS
from toposmith.catalog.schema import part_schema
from toposmith.design.document import (
    FILE_VERSION,
    FIRST_VERSION,
    LATER_KEYS,
    LATER_KEYS_OF_LINKS,
    Design,
)
from toposmith.design.group_positions import FARTHEST, POSITIONS
from toposmith.design.model_files import schema_of
from toposmith.exports.names_file import NamesFile
from toposmith.leaving_text import json_text
from toposmith.lock.lock_file import lock_schema
from toposmith.review.policy import PolicyFile
from toposmith.version import PROJECT_URL
from toposmith.workloads.block import Workload
from toposmith.workloads.model import preset_names

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_PARAMETERS = re.compile(r"\n+Parameters\n-+\n(.*?)(?=\n\n\w+\n--|\Z)", re.DOTALL)
_ENTRY = re.compile(r"^(\w[\w, ]*?)(?: : [^\n]*)?\n((?: {4}[^\n]*\n?)+)", re.MULTILINE)

Schema = dict[str, Any]


def _design() -> Schema:
    schema, workload = _described(schema_of(Design)), _described(schema_of(Workload))
    keys, defs = schema["properties"], schema["$defs"]
    defs |= workload.pop("$defs")
    dimensions = workload["properties"]["model"]
    workload["properties"]["model"] = {
        "anyOf": [{"enum": list(preset_names())}, dimensions],
        "description": "A model that comes with the program, or its dimensions.",
    }
    defs["Workload"] = workload
    keys["workload"] |= {"anyOf": [{"$ref": "#/$defs/Workload"}, {"type": "null"}]}
    keys["communicator"] |= {
        "anyOf": [_block(layout={}, group={}, placement={"enum": list(PLACEMENTS)},
                         seed={"type": "integer"}), {"type": "null"}]
    }  # fmt: skip
    columns = {"type": "integer", "minimum": -FARTHEST, "maximum": FARTHEST}
    positions = {"type": "object", "additionalProperties": columns}
    keys["view"] |= {"anyOf": [_block(**{POSITIONS: positions}), {"type": "null"}]}
    schema["required"] = ["toposmith"]
    schema["allOf"] = [_before(version) for version in range(FIRST_VERSION, FILE_VERSION)]
    return schema


def _block(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _before(version: int) -> Schema:
    """What a file of a version cannot hold yet."""
    no_links = {key: False for key, since in LATER_KEYS_OF_LINKS.items() if since > version}
    keys: Schema = {key: False for key, since in LATER_KEYS.items() if since > version}
    keys["links"] = {"items": {"properties": no_links}}
    return {"if": {"properties": {"toposmith": {"const": version}}}, "then": {"properties": keys}}


def _offers() -> Schema:
    """A list of prices, or of rates of exchange; figures are read as they are written."""
    currency = {"enum": sorted(CURRENCIES)}
    number = {"type": ["number", "string"], "minimum": 0}
    fields = {
        name: {"type": "string"} | (number | {"pattern": f"^({PATTERNS[name].pattern})$"}
        if name in PATTERNS else {}) | (currency if name in ("currency", "to") else {})
        | {"description": words}
        for name, words in MEANINGS.items()
    }  # fmt: skip
    for day in ("date", "valid_until"):
        fields[day]["type"] = "string"
    kinds = [
        {"type": "object", "properties": fields, "required": list(names)}
        for names in (PRICE_FIELDS, RATE_FIELDS)
    ]
    return {"type": "array", "items": {"anyOf": kinds}}


_MAKERS: dict[str, tuple[str, Callable[[], Schema]]] = {
    "design": ("Toposmith design", _design),
    "policy": ("Toposmith policy", lambda: _described(schema_of(PolicyFile))),
    "map": ("Toposmith map of names", lambda: _described(schema_of(NamesFile))),
    "offers": ("Toposmith list of prices", _offers),
    "parts": ("Toposmith part file", part_schema),
    "bill": ("Toposmith bill of materials", bill_schema),
    "lock": ("Toposmith lock, its lines as arrays of fields", lock_schema),
}
SCHEMAS = tuple(_MAKERS)
"""The kinds of files that have a schema."""

SHIPPED = Path(__file__).parent
"""The folder of the schemas that come with the program, ``design.schema.json`` and so on."""


def schema_text(kind: str) -> str:
    """The JSON Schema (draft 2020-12) of a kind of file, as text."""
    title, make = _MAKERS[kind]
    head = {"$schema": _DRAFT, "$id": f"{PROJECT_URL}/schemas/{kind}.schema.json", "title": title}
    return json_text(head | make() | head, indent=1) + "\n"


def _described(schema: Schema) -> Schema:
    """A model's schema with the descriptions of its docstrings, and closed against other keys."""
    # a copy: messages about files go by the original
    schema = json.loads(json.dumps(schema))
    for model in (schema, *schema.get("$defs", {}).values()):
        doc = model.get("description", "")
        said = dict(parameter_entries(doc))
        model["description"] = _plain(_PARAMETERS.sub("", doc))
        for name, field in model.get("properties", {}).items():
            field.pop("title", None)
            field.setdefault("description", said.get(name, ""))
        model.pop("title", None)
    _close(schema)
    return schema


def parameter_entries(doc: str) -> Iterator[tuple[str, str]]:
    """What a docstring says of each parameter."""
    section = _PARAMETERS.search(doc)
    for names, text in _ENTRY.findall(section.group(1) if section else ""):
        for name in names.split(","):
            yield name.strip(), _plain(text)


def _plain(text: str) -> str:
    return re.sub(r":\w+:`([^`]*)`", r"`\1`", " ".join(text.split())).replace("``", "`")


def _close(schema: Any) -> None:
    """Forbid keys that are no names; drop the words that only messages need."""
    if isinstance(schema, dict):
        schema.pop("expected", None)
        if schema.get("default", 0) is None:
            del schema["default"]  # editors would write it
        if "patternProperties" in schema:
            schema["additionalProperties"] = False
        schema = list(schema.values())
    for value in schema if isinstance(schema, list) else ():
        _close(value)
