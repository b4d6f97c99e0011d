"""What a bill's YAML or JSON file holds, field by field, and its JSON Schema.

The models read a bill back; the published schema is made from them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema

from toposmith.bill.terms import Lengths
from toposmith.catalog.kinds import billed_kinds
from toposmith.design.document import CablingChoice, SpareKind

Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
Day = Annotated[str, Field(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
SpareRate = Annotated[int, Field(ge=0)] | Annotated[str, Field(pattern=r"^[0-9.]+ ?%$")]
Count = Annotated[int, Field(ge=0)]
NotNegative = Annotated[float, Field(ge=0)]


def _billed(kind: str) -> str:
    known = billed_kinds()
    if kind not in known:
        raise ValueError(f"no kind of part that is bought: {kind!r} (known: {', '.join(known)})")
    return kind


BilledKind = Annotated[
    str,
    AfterValidator(_billed),
    WithJsonSchema({"enum": [*billed_kinds()], "title": "Kind", "type": "string"}),
]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CatalogRecord(_Record):
    """The catalog that parts were chosen from: how many parts, and a hash of all of them."""

    parts: Count
    sha256: Sha256


class PolicyRecord(_Record):
    """What was asked for: what cables may be made of, and spares by kind of part.

    `lengths` is where those are from that links do not have themselves: `racks`, or nowhere.
    `stock_lengths_m` are the lengths in stock, where cables are ordered in such, and `currency` the
    one that prices were asked for in.
    """

    cabling: CablingChoice
    lengths: Lengths
    spares: dict[SpareKind, SpareRate]
    stock_lengths_m: tuple[float, ...] = ()
    currency: Currency | None = None


class RacksRecord(_Record):
    """Racks in which something stands, and their height in U.

    `part` is null where the design names none: the racks are then counted, but not on a line.
    `feeds` are the PDUs of each rack, null where the design states none. `complete` is false where
    the count rests on anything unknown, assumed or left to a default, which `state` names.
    """

    count: Count
    units: Count
    part: str | None
    feeds: Count | None
    complete: bool
    state: str


class UncabledRecord(_Record):
    """Ports of one end that nothing is plugged into."""

    end: str
    ports: Count


class ScopeRecord(_Record):
    """What the bill is of (`covers`), and what of a cluster is not on it; `text` says both.

    `uncabled_ports` are those of all nodes and storage of a group, by slots, that no link reaches.
    """

    text: str
    covers: str
    not_on_it: list[str]
    uncabled_ports: list[UncabledRecord]


class OrderableRecord(_Record):
    """How many lines have a whole part number that its source vouches for, of how many."""

    count: Count
    of: Count
    text: str


class UnsettledRecord(_Record):
    """Something that stands between the bill and an order: what it is about, and of which kind."""

    what: str
    label: Literal["missing", "unknown", "unverified", "assumed", "at most"]
    text: str
    parts: list[str]


class IncludedRecord(_Record):
    """What comes with a line: `each` with one, `quantity` in all; in no total. Null: no count."""

    name: str
    part: str | None
    each: Count | None
    quantity: Count | None


class ProductRecord(_Record):
    """What the lines of one part have in common; figures are of one piece."""

    kind: BilledKind
    name: str
    manufacturer: str
    family: str | None = None
    description: str
    unit_power_w: NotNegative | None = None
    unit_rack_units: NotNegative | None = None
    unit_weight_kg: NotNegative | None = None
    power_includes_modules: bool | None = None


class LineRecord(_Record):
    """One part to buy, or one length of it. What is not known is null or left out, never zero.

    `quantity` is what the design needs; `order` adds `spares`; both are left out where there are
    none. Totals (`power_w`, `rack_units`, `weight_kg`, `price`) are of the quantity, without
    spares. `family` stands where each length has a part number of its own; `part_number` is then
    null until that of the length is known. Of a switch `power_includes_modules` says whether its
    power is that with modules in its cages; `in_switch_power` is how many of the quantity the total
    therefore leaves out. YAML has what is of the part alone under `products`, and leaves out what
    follows from the quantity. Figures that begin with `unit_` are of one piece; `used_by` names the
    groups, ends or links that it is for, `includes` what comes with each piece, `unverified`
    figures to check, and `notes` what to know before ordering.
    """

    part: str
    kind: BilledKind | None = None
    name: str | None = None
    manufacturer: str | None = None
    part_number: str | None = None
    family: str | None = None
    orderable: bool = False
    description: str | None = None
    includes: list[IncludedRecord] = []
    length_m: NotNegative | None = None
    quantity: Count
    spares: Count = 0
    order: Count | None = None
    used_by: list[str]
    unit_power_w: NotNegative | None = None
    power_w: NotNegative | None = None
    power_includes_modules: bool | None = None
    in_switch_power: Count = 0
    unit_rack_units: NotNegative | None = None
    rack_units: NotNegative | None = None
    unit_weight_kg: NotNegative | None = None
    weight_kg: NotNegative | None = None
    unit_price: NotNegative | None = None
    price: NotNegative | None = None
    currency: Currency | None = None
    price_date: Day | None = None
    price_source: str | None = None
    unverified: list[str] = []
    notes: list[str] = []


class TotalRecord(_Record):
    """A sum of what is known; `lines_without` names the parts that it lacks.

    `at_least` adds what is known of these: a node draws what its GPUs and NICs draw.
    `within_switches` is the power of modules and cables that their switches' figures include.
    """

    known: NotNegative
    at_least: NotNegative | None = None
    within_switches: NotNegative | None = None
    lines_without: list[str]
    complete: bool
    state: str


class PriceTotalRecord(_Record):
    """Sums of prices by currency; amounts of two currencies are never added."""

    known: dict[Currency, NotNegative]
    lines_without: list[str]
    complete: bool
    state: str


class TotalsRecord(_Record):
    """Totals of all lines; `rack_units` of devices, `power_w` without racks and PDUs.

    `order_price` has spares in it, and no fewer pieces of a line than are sold at once.
    """

    power_w: TotalRecord
    rack_units: TotalRecord
    weight_kg: TotalRecord
    price: PriceTotalRecord
    spares_price: PriceTotalRecord
    order_price: PriceTotalRecord


class RunRecord(_Record):
    """Connections of a link that are built alike; `length_m` is the length to order."""

    part: str | None
    length_m: NotNegative | None
    connections: Count
    cables: Count | None


class LinkRecord(_Record):
    """A link: ports joined to ports, and the cables or fibres that make them."""

    link: str
    speed_gbit: Count
    connections: Count
    cables: Count | None
    runs: list[RunRecord]


class EndRecord(_Record):
    """Cages taken at one end of the links, and the transceivers plugged into them."""

    end: str
    cages: Count
    modules: Count


class FindingRecord(_Record):
    """Something to know before ordering."""

    code: str
    severity: Literal["error", "warning", "info"]
    where: str
    text: str


class BillFile(_Record):
    """A bill of materials that Toposmith wrote.

    `complete` is false where anything of it is unknown or assumed, which `to_settle` names;
    `signed` is what people say of it, which is not worked out of the design. `listed` says whether
    every part that the drawn fabric takes has a line.
    """

    toposmith_bill: Literal[4]
    design: str
    design_sha256: Sha256
    program: str
    catalog: CatalogRecord
    policy: PolicyRecord
    signed: dict[Literal["date", "revision", "commit", "author", "approver"], str] = {}
    prices_sha256: Sha256 | None
    complete: bool
    listed: bool
    orderable: OrderableRecord
    scope: ScopeRecord
    to_settle: list[UnsettledRecord]
    racks: RacksRecord | None
    products: dict[str, ProductRecord] = {}
    lines: list[LineRecord]
    totals: TotalsRecord
    links: list[LinkRecord]
    ends: list[EndRecord]
    findings: list[FindingRecord]


_UNITS = {
    "_gbit": "Gb/s as printed on the port, one direction",
    "_w": "watts",
    "_kg": "kilograms",
    "_m": "metres",
    "rack_units": "rack units (U)",
}


def bill_schema() -> dict[str, Any]:
    """Return the JSON Schema of a bill's file."""
    schema = BillFile.model_json_schema()
    for model in (schema, *schema["$defs"].values()):
        for name, field in model.get("properties", {}).items():
            field.pop("title", None)
            unit = next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), None)
            if unit is not None and "$ref" not in field:
                field["description"] = unit
    return schema
