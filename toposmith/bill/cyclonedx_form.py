"""The bill as CycloneDX 1.6 JSON: a hardware bill of materials that inventory tools read.

Components of type ``device`` with the properties of CycloneDX's device taxonomy
(github.com/CycloneDX/cyclonedx-property-taxonomy, ``cdx:device``); what that has no name for is
under ``toposmith:``. The serial number is made of the bill's own content, and there is no
timestamp: the same bill gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from toposmith.bill.bill import Bill
from toposmith.bill.bill_lines import BillLine, Included
from toposmith.bill.terms import OPTIONS, options_text
from toposmith.bill.yaml_form import bill_data, bill_json
from toposmith.plain_text import visible

_OWN = (
    *("family", "length_m", "power_w", "power_includes_modules", "in_switch_power", "rack_units"),
    *("weight_kg", "spares", "orderable"),
)

_PREFIXES = ("cdx:device:", "toposmith:")
_QUANTITY = "cdx:device:quantity"
_OPTIONS = f"toposmith:{OPTIONS}"
_DESIGN = "toposmith:design"  # no part has a colon in its id


def bill_cyclonedx(bill: Bill) -> str:
    """The bill as a CycloneDX 1.6 document."""
    design = {
        "type": "device",
        "bom-ref": _DESIGN,
        "name": visible(bill.design) or "unnamed design",
        "hashes": [{"alg": "SHA-256", "content": bill.design_sha256}],
    }
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, bill_json(bill))}",
        "version": 1,
        "metadata": {
            "tools": {
                "components": [
                    {"type": "application", "name": "toposmith", "version": bill.program}
                ]
            },
            "component": design,
            "properties": _properties(
                {
                    "toposmith:scope": bill.scope.words,
                    "toposmith:orderable": bill.orderable_words,
                    "toposmith:complete": bill.complete,
                    "toposmith:listed": bill.listed,
                    "toposmith:to_settle": "; ".join(each.words for each in bill.to_settle) or None,
                    "toposmith:cabling": bill.policy.cabling,
                    "toposmith:lengths": bill.lengths,
                    "toposmith:spares": bill.spares.words(),
                    **{f"toposmith:{key}": text for key, text in bill.signed.items()},
                    _OPTIONS: options_text(bill_data(bill)["policy"]),
                    "toposmith:catalog_sha256": bill.catalog_sha256,
                    "toposmith:racks": bill.racks.count if bill.racks else None,
                    "toposmith:racks_state": bill.racks.state if bill.racks else None,
                    "toposmith:power": bill.power_w.words("W", "power"),
                    "toposmith:power_within_switches": bill.within_switches_words or None,
                    "toposmith:price": bill.price.state,
                }
            ),
        },
        "components": [_component(line) for line in bill.lines],
        "dependencies": [
            {"ref": _DESIGN, "dependsOn": [_reference(line) for line in bill.lines]},
            *({"ref": _reference(line), "dependsOn": []} for line in bill.lines),
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def component_lines(document: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """The lines of a document, as names and texts; None where its components are of no bill."""
    components = document.get("components")
    if not isinstance(components, list) or not components:
        return None
    lines = []
    for component in components:
        if not isinstance(component, dict):
            return None
        held = component.get("properties")
        pairs = [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []
        own = {str(one.get("name")): one.get("value") for one in pairs}
        if _QUANTITY not in own:
            return None
        maker = component.get("manufacturer")
        known = {name: value for name, value in own.items() if name.startswith(_PREFIXES)}
        lines.append(
            {
                "part": str(component.get("bom-ref")),
                "name": component.get("name"),
                "description": component.get("description"),
                "manufacturer": maker.get("name") if isinstance(maker, dict) else None,
                "unit_price": None,
                **{name.rpartition(":")[2]: value for name, value in known.items()},
            }
        )
    return lines


def stated_options(document: Mapping[str, Any]) -> str:
    """The options that a document says it was made with; empty where it says none."""
    metadata = document.get("metadata")
    held = metadata.get("properties") if isinstance(metadata, dict) else None
    pairs = [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []
    return next((str(one.get("value")) for one in pairs if one.get("name") == _OPTIONS), "")


def _component(line: BillLine) -> dict[str, Any]:
    price = line.price
    held = [_included(line, one) for one in line.includes if one.each is not None]
    return {
        "type": "device",
        "bom-ref": _reference(line),
        "manufacturer": {"name": visible(line.manufacturer)},
        "name": visible(line.name),
        "description": visible(line.description),
        "properties": _properties(
            {
                _QUANTITY: line.quantity,
                "cdx:device:function": ", ".join(line.used_by),
                "cdx:device:deviceType": line.kind,
                "cdx:device:sku": line.part_number,
                **{f"toposmith:{name}": getattr(line, name) for name in _OWN},
                "toposmith:unit_price": f"{price.amount} {price.currency}" if price else None,
                "toposmith:price_date": price.date.isoformat() if price else None,
                "toposmith:price_source": price.stated if price else None,
            }
        ),
        **({"components": held} if held else {}),
    }


def _included(line: BillLine, one: Included) -> dict[str, Any]:
    """What comes with a line, within its component."""
    name = visible(one.name)
    counted: dict[str, object] = {_QUANTITY: one.quantity, "toposmith:with_each": one.each}
    return {
        "type": "device",
        "bom-ref": f"{_reference(line)}:{name}",
        "name": name,
        "properties": _properties(counted),
    }


def _reference(line: BillLine) -> str:
    """What names the line in this document: its part, and the length where it has one."""
    return line.part if line.length_m is None else f"{line.part}:{line.length_m:g}m"


def _properties(values: dict[str, object]) -> list[dict[str, str]]:
    """Properties are text; what is not known is left out."""
    return [
        {"name": name, "value": _text(value)} for name, value in values.items() if value is not None
    ]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else visible(str(value))
