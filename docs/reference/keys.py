"""The page of all keys of the files that people write, out of their JSON Schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from docs.reference.tables import MADE, table
from toposmith.schemas import schema_text

KINDS = {
    "design": ("A design", "How it is read: [the design file](file-format.md)."),
    "policy": ("A policy", "What it is for: [policy](policy.md)."),
    "map": ("A map of names", "How it is used: [exports](exports.md#one-map-of-names)."),
    "offers": ("A price list", "How prices are taken: [price lists](price-lists.md)."),
    "parts": ("A part", "How to write one: [adding a part](adding-a-part.md)."),
    "bill": ("A bill", "What it counts: [the bill of materials](bill-of-materials.md)."),
}
"""Kinds of files with titles, and the page that explains each."""

MOST_CHOICES = 20


def _type(schema: Mapping[str, Any]) -> str:
    """What a value may be, in a few words."""
    choices = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    if choices:
        return " or ".join(dict.fromkeys(_type(each) for each in choices))
    if "$ref" in schema:
        return f"`{_block(schema['$ref'].rpartition('/')[2])}`"
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return _choice(schema["enum"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return " or ".join(_type({**schema, "type": each}) for each in kind if each != "null")
    if kind == "array":
        items = schema.get("items") or {}
        return f"list of {_type(items)}" if items else "list"
    if kind == "object":
        values = _values(schema)
        return f"name: {_type(values)}" if values else "keys"
    names = {"integer": "whole number", "string": "text", "boolean": "true or false"}
    ranged = _range(schema) if kind in ("integer", "number") else ""
    return names.get(str(kind), str(kind or "value")) + ranged


def _choice(words: list[object]) -> str:
    if len(words) > MOST_CHOICES:
        return f"one of {len(words)}, such as `{words[0]}`"
    return ", ".join(f"`{each}`" for each in words)


def _values(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the values of a mapping with free keys are; empty where its keys are fixed."""
    further = schema.get("additionalProperties")
    patterns = list(schema.get("patternProperties", {}).values())
    return further if isinstance(further, dict) else next(iter(patterns), {})


def _range(schema: Mapping[str, Any]) -> str:
    low = schema.get("minimum")
    above, high = schema.get("exclusiveMinimum"), schema.get("maximum")
    if low is not None and high is not None:
        return f", {low:,} to {high:,}"
    if low is not None or above is not None:
        return f", {low:,} or more" if low is not None else f" above {above:,}"
    return "" if high is None else f", at most {high:,}"


def _block(name: str) -> str:
    """A block's name in words: ``LayoutBlock`` is layout."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.removesuffix("Block").removesuffix("Record"))
    return words.lower()


def _rows(block: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    required = block.get("required", ())
    for key, schema in block["properties"].items():
        words = str(schema.get("description", ""))
        default = schema.get("default")
        if key in required:
            words = f"Required. {words}"
        elif isinstance(default, str | int | float) and default != "" and str(default) not in words:
            words = f"{words} Default: {str(default).lower()}."
        yield f"`{key}`", _type(schema), words


def _table(block: Mapping[str, Any]) -> Iterator[str]:
    rows = list(_rows(block))
    told = 3 if any(row[2] not in ("", "Required. ") for row in rows) else 2
    return table(("key", "value", "meaning")[:told], (row[:told] for row in rows))


def keys_page() -> str:
    """Every key of the files that people or the program write."""
    lines = [MADE, "", "# Every key", ""]
    lines += [
        "`toposmith config --schema` prints the JSON Schemas that these tables are made of.",
        "",
    ]
    for kind, (title, leads) in KINDS.items():
        schema = json.loads(schema_text(kind))
        lines += [f"## {title}", "", leads, ""]
        whole = schema.get("items", {}).get("anyOf", [schema])[0]
        lines += _table(whole) if whole.get("properties") else []
        for name, block in schema.get("$defs", {}).items():
            if block.get("properties"):
                lines += [f"### `{_block(name)}`", "", str(block.get("description", "")), ""]
                lines += _table(block)
    return "\n".join(lines)
