"""A JSON Schema of part files, for editors that complete and check while one types.

It checks a part file field by field; faults that involve two figures are found only
when the file is read (:mod:`toposmith.catalog.folders`).
"""

from __future__ import annotations

from typing import Any

from toposmith.catalog.kinds import part_adapter

_UNITS = {
    "_gbit": "Gb/s as printed on the port, one direction",
    "_GBps": "GB/s (10^9 bytes per second), one direction",
    "GBps_per_link": "GB/s (10^9 bytes per second) of one link, one direction",
    "_TBps": "TB/s (10^12 bytes per second)",
    "_gb": "GB (10^9 bytes)",
    "_mb": "MB (10^6 bytes)",
    "_tflops": "TFLOPS",
    "_w": "watts",
    "_kg": "kilograms",
    "_mm": "millimetres",
    "_m": "metres",
    "_ns": "nanoseconds",
}


def part_schema() -> dict[str, Any]:
    """Return the JSON Schema of a part file, a list of parts."""
    part = part_adapter().json_schema()
    schema = {"$defs": part.pop("$defs"), "items": part, "type": "array"}
    for model in schema["$defs"].values():
        # Without its kind nothing else of a part can be checked.
        if "kind" in model["properties"] and "id" in model["properties"]:
            model["required"] = ["kind", *model["required"]]
            del model["properties"]["kind"]["default"]
        model["description"] = model["description"].replace("``", "`")  # editors show Markdown
        for name, field in model["properties"].items():
            _explain(name, field)
    return {"description": "A list of parts; docs/adding-a-part.md explains the fields.", **schema}


def _explain(name: str, field: dict[str, Any]) -> None:
    """Add the unit of a field where its name has one; drop titles derived from names."""
    field.pop("title", None)
    unit = next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), None)
    if unit is not None:
        field["description"] = unit
