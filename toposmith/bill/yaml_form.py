"""The bill as YAML and JSON: equal bills give equal bytes, and text stays text.

Every text is in double quotes, so that readers of YAML 1.1 and 1.2 agree that ``0123``, ``no`` and
``1e3`` are part numbers. It holds no date of its own:
a bill changes only when the design, the catalog, the prices or the options do.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from toposmith.bill.bill import Bill, LinkCount
from toposmith.bill.bill_file import LineRecord
from toposmith.bill.bill_lines import BillLine, Included
from toposmith.bill.scope import Scope
from toposmith.bill.terms import OPTIONS, SIGNED, options_text
from toposmith.bill.totals import PriceTotal, RackCount, Total
from toposmith.bill.unsettled_items import Unsettled
from toposmith.plain_text import visible

BILL_VERSION = 4
"""The version of the bill's form, written to the ``toposmith_bill:`` key."""


_FIRST = ("part", "part_number", "quantity", "spares", "length_m")
_OF_PRODUCT = (
    *("kind", "name", "manufacturer", "family", "description", "unit_power_w", "unit_rack_units"),
    *("unit_weight_kg", "power_includes_modules"),
)
"""What all lengths of a part have in common: YAML says it once."""
_WORKED_OUT = ("order", "power_w", "rack_units", "weight_kg", "price")
"""What follows from the quantity, and is not in YAML."""
_MAY_BE_EMPTY = ("unverified", "notes")
_MAY_BE_NULL = (
    *("part_number", "family", "length_m", "unit_power_w", "power_w", "power_includes_modules"),
    *("unit_rack_units", "rack_units", "unit_weight_kg", "weight_kg"),
    *("unit_price", "price", "currency", "price_date", "price_source"),
)
_ON_ONE_LINE = ("lines", "runs", "ends", "uncabled_ports")
_IN_ONE_LINE = ("catalog", "orderable", "racks", "scope", "totals")


def bill_data(bill: Bill) -> dict[str, Any]:
    """The bill as plain data under stable keys (see ``docs/bill-of-materials.md``)."""
    return {
        "toposmith_bill": BILL_VERSION,
        "design": bill.design,
        "design_sha256": bill.design_sha256,
        "program": bill.program,
        "catalog": {"parts": bill.catalog_parts, "sha256": bill.catalog_sha256},
        "policy": {
            "cabling": bill.policy.cabling,
            "lengths": bill.lengths,
            "spares": bill.spares.stated(),
            **(
                {"stock_lengths_m": list(bill.policy.stock_lengths_m)}
                if bill.policy.stock_lengths_m
                else {}
            ),
            **({"currency": bill.currency} if bill.currency else {}),
        },
        **({SIGNED: dict(bill.signed)} if bill.signed else {}),
        "prices_sha256": bill.prices_sha256,
        "complete": bill.complete,
        "listed": bill.listed,
        "orderable": {
            "count": bill.orderable,
            "of": len(bill.lines),
            "text": bill.orderable_words,
        },
        "scope": _scope(bill.scope),
        "to_settle": [_unsettled(each) for each in bill.to_settle],
        "racks": _racks(bill.racks) if bill.racks else None,
        "lines": [_line(line) for line in bill.lines],
        "totals": {
            "power_w": {
                **_total(bill.power_w, "power"),
                "within_switches": bill.within_switches_w,
            },
            "rack_units": _total(bill.rack_units, "height"),
            "weight_kg": _total(bill.weight_kg, "weight"),
            "price": _price_total(bill.price),
            "spares_price": _price_total(bill.spares_price),
            "order_price": _price_total(bill.order_price),
        },
        "links": [_link(link) for link in bill.links],
        "ends": [{"end": end.end, "cages": end.cages, "modules": end.modules} for end in bill.ends],
        "findings": [
            {
                "code": finding.code,
                "severity": finding.severity,
                "where": finding.where,
                "text": finding.text,
            }
            for finding in bill.findings
        ],
    }


def bill_yaml(bill: Bill) -> str:
    """The bill as a YAML document, to be read and compared by eye.

    Products come once, and lines refer to them by ``part``, each on one line of the file; what is
    null, empty or none, or follows from the quantity, is left out.
    """
    data = bill_data(bill)
    products = {line["part"]: _kept(line, _OF_PRODUCT) for line in data["lines"]}
    of_line = [key for key in LineRecord.model_fields if key not in (*_OF_PRODUCT, *_WORKED_OUT)]
    lines = [_kept(line, (*_FIRST, *of_line)) for line in data["lines"]]
    before = [*data][: [*data].index("lines")]
    data = {key: data[key] for key in before} | {"products": products} | data | {"lines": lines}
    return "".join(f"{line}\n" for line in _mapping(data, ""))


def whole_line(line: dict[str, Any], products: Mapping[str, Any]) -> dict[str, Any]:
    """A line of a file with what its product says, and what was left out of it or follows."""
    left_out = dict.fromkeys(_MAY_BE_NULL) | {key: [] for key in _MAY_BE_EMPTY}
    spares, many = line.get("spares", 0), line["quantity"]
    counts = {"spares": spares, "order": many + spares, "in_switch_power": 0}
    said = {**left_out, **counts, **products.get(line["part"], {}), **line}
    for key in ("power_w", "rack_units", "weight_kg"):
        unit = said[f"unit_{key}"]
        if key not in line and isinstance(unit, int | float):
            said[key] = round(many * unit, 3)
    if "price" not in line and said["unit_price"] is not None:
        said["price"] = _amount(many * Decimal(repr(said["unit_price"])))
    return said


def _kept(line: dict[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """Some keys of a line, but those that say nothing."""
    zero = ("spares", "in_switch_power")
    said = {key: line[key] for key in keys if line.get(key) not in (None, [])}
    return {key: value for key, value in said.items() if value or key not in zero}


def bill_json(bill: Bill) -> str:
    """The bill as a JSON document."""
    return json.dumps(bill_data(bill), indent=2) + "\n"


def _scope(scope: Scope) -> dict[str, Any]:
    return {
        "text": scope.words,
        "covers": scope.covers,
        "not_on_it": list(scope.not_on_it),
        "uncabled_ports": [{"end": one.end, "ports": one.ports} for one in scope.uncabled],
    }


def _unsettled(each: Unsettled) -> dict[str, Any]:
    return {
        "what": each.what,
        "label": each.label,
        "text": each.text,
        "parts": list(each.parts),
    }


def _racks(racks: RackCount) -> dict[str, Any]:
    return {
        "count": racks.count,
        "units": racks.units,
        "part": racks.part,
        "feeds": racks.feeds,
        "complete": racks.complete,
        "state": racks.state,
    }


def _line(line: BillLine) -> dict[str, Any]:
    price = line.price
    total = line.total_price
    return {
        "part": line.part,
        "kind": line.kind,
        "name": line.name,
        "manufacturer": line.manufacturer,
        "part_number": line.part_number,
        "family": line.family,
        "orderable": line.orderable,
        "description": line.description,
        **({"includes": [_included(one) for one in line.includes]} if line.includes else {}),
        "length_m": line.length_m,
        "quantity": line.quantity,
        "spares": line.spares,
        "order": line.order,
        "used_by": list(line.used_by),
        "unit_power_w": line.unit_power_w,
        "power_w": line.power_w,
        "power_includes_modules": line.power_includes_modules,
        "in_switch_power": line.in_switch_power,
        "unit_rack_units": line.unit_rack_units,
        "rack_units": line.rack_units,
        "unit_weight_kg": line.unit_weight_kg,
        "weight_kg": line.weight_kg,
        "unit_price": _amount(price.amount) if price else None,
        "price": _amount(total) if total is not None else None,
        "currency": price.currency if price else None,
        "price_date": price.date.isoformat() if price else None,
        "price_source": price.stated if price else None,
        "unverified": list(line.unverified),
        "notes": list(line.notes),
    }


def _included(one: Included) -> dict[str, Any]:
    return {"name": one.name, "part": one.part, "each": one.each, "quantity": one.quantity}


def _amount(amount: Decimal) -> int | float:
    """An amount as a number that is written without an exponent."""
    return int(amount) if amount == int(amount) else float(amount)


def _total(total: Total, figure: str) -> dict[str, Any]:
    return {
        "known": total.known,
        "at_least": total.at_least,
        "lines_without": list(total.lines_without),
        "complete": total.complete,
        "state": total.state(figure),
    }


def _price_total(total: PriceTotal) -> dict[str, Any]:
    return {
        "known": {currency: _amount(amount) for currency, amount in total.known.items()},
        "lines_without": list(total.lines_without),
        "complete": total.complete,
        "state": total.state,
    }


def _link(link: LinkCount) -> dict[str, Any]:
    return {
        "link": link.link,
        "speed_gbit": link.speed_gbit,
        "connections": link.connections,
        "cables": link.cables,
        "runs": [
            {
                "part": run.part,
                "length_m": run.length_m,
                "connections": run.connections,
                "cables": run.cables,
            }
            for run in link.runs
        ],
    }


def _mapping(data: Mapping[str, Any], indent: str, every: bool = False) -> Iterator[str]:
    """The lines of a mapping; ``every`` value on one line, or those that are short."""
    for key, value in data.items():
        if every or key in _IN_ONE_LINE:
            yield f"{indent}{_key(key)}: {_inline(value)}"
        elif isinstance(value, dict) and value:
            yield f"{indent}{key}:"
            yield from _mapping(value, indent + "  ", key == "products")
        elif isinstance(value, list) and value and key in _ON_ONE_LINE:
            yield f"{indent}{key}:"
            yield from (f"{indent}  - {_inline(item)}" for item in value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield f"{indent}{key}:"
            for item in value:
                first, *rest = _mapping(item, indent + "    ")
                yield f"{indent}  - {first.lstrip()}"
                yield from rest
        else:
            yield f"{indent}{key}: {_inline(value)}"


def _key(key: str) -> str:
    """A key as text, whatever a part is called."""
    return key if key.replace("_", "").isalpha() else _quoted(key)


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)}: {_inline(one)}' for key, one in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(_inline(item) for item in value)}]"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


def _quoted(text: str) -> str:
    return '"' + "".join(_sign(sign) for sign in text) + '"'


def _sign(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    if sign.isprintable():
        return sign
    code = ord(sign)
    if code <= 0xFF:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


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
    held = [_included_component(line, one) for one in line.includes if one.each is not None]
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


def _included_component(line: BillLine, one: Included) -> dict[str, Any]:
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
