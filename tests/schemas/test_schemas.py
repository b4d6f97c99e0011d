"""Schemas accept what is read, and refuse what is refused as far as a schema can say it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from tests.every_design import ODD
from tests.lock.fabrics import FABRIC, locked
from tests.lock.test_lock_file import FAULTS as LOCK_FAULTS
from tests.lock.test_lock_file import SMALL as SMALL_LOCK
from toposmith.catalog import load_catalog
from toposmith.catalog.prices import read_prices
from toposmith.design.document import Design
from toposmith.design.loader import plain_file
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import load_text
from toposmith.design.writer import design_text, with_schema_line
from toposmith.errors import LockError, ToposmithError
from toposmith.exports.names_file import parse_names
from toposmith.lock.lock_file import lock_text, read_lock
from toposmith.review.policy import parse_policy
from toposmith.saved_designs import saved_designs
from toposmith.schemas import SCHEMAS, SHIPPED, schema_text
from toposmith.templates import TEMPLATES, new_design

DOCS = Path(__file__).parents[2] / "docs"
CATALOG = load_catalog(user=False)
FABRIC_LOCK = lock_text(locked(FABRIC))
HEAD = "toposmith: 2\ngroups: {node: {part: dgx-h100}, leaf: {part: qm9700}}\n"
READERS: dict[str, Callable[[str, str], object]] = {
    "design": parse_design,
    "policy": parse_policy,
    "map": parse_names,
}
MAP = "toposmith-names: 1\n"
POLICY = "toposmith-policy: 1\n"


def validator(kind: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(schema_text(kind)))


VALIDATORS = {kind: validator(kind) for kind in SCHEMAS}


def accepts(kind: str, text: str) -> bool:
    return VALIDATORS[kind].is_valid(plain_file(text, "f.yaml").data)


@pytest.mark.parametrize("kind", SCHEMAS)
def test_the_file_that_comes_along_is_that_of_the_models(kind: str) -> None:
    file = SHIPPED / f"{kind}.schema.json"
    assert file.read_text(encoding="utf-8") == schema_text(kind), (
        f"run: toposmith config --schema {kind} > {file}"
    )
    VALIDATORS[kind].check_schema(VALIDATORS[kind].schema)


def objects(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(schema, dict):
        properties = schema.get("properties", {})
        yield from ((name, field) for name, field in properties.items() if isinstance(field, dict))
        schema = list(schema.values())
    for each in schema if isinstance(schema, list) else ():
        yield from objects(each)


@pytest.mark.parametrize("kind", ["policy", "map", "offers", "design"])
def test_every_key_says_what_it_is(kind: str) -> None:
    schema = json.loads(schema_text(kind))
    blocks = [schema, schema.get("items", {}), *schema.get("$defs", {}).values()]
    fields = [pair for block in blocks for pair in block.get("properties", {}).items()]
    assert len(fields) >= 3 or kind == "offers"
    assert [name for name, field in fields if not field.get("description")] == []


def designs() -> Iterator[tuple[str, str]]:
    for saved in saved_designs():
        yield saved.name, load_text(saved.path)[0]
    for name in TEMPLATES:
        yield name, design_text(new_design(name, {}, catalog=CATALOG))
    for name, text in ODD.items():
        yield name, text if text.lstrip().startswith("toposmith") else f"toposmith: 2\n{text}"


@pytest.mark.parametrize(("name", "text"), list(designs()), ids=lambda value: str(value)[:40])
def test_designs_that_are_read_are_accepted(name: str, text: str) -> None:
    parse_design(text, name)
    data = plain_file(text, name).data
    faults = [f"{error.json_path}: {error.message}" for error in
              VALIDATORS["design"].iter_errors(data)]  # fmt: skip
    assert faults == []


GOOD = {
    "design": [
        HEAD + 'slow: {"leaf": 50 %, node: 200, "node[node=0]": 12.5 %}\n',
        HEAD + "bill: {spares: {cables: 2 %, nics: 3}, currency: USD, stock_lengths_m: [3, 5.5]}\n",
        HEAD
        + "jobs: [{nodes: 8, runs: all_reduce, size: 1GiB}, {nodes: [node, leaf], runs: read}]\n",
        HEAD + "placement: {feeds: {pdu: x}, devices: {node: {rack: B07, unit: 3}}}\nnote: null\n",
        HEAD + "workload: {model: llama3-70b, layout: {tp: 8, order: [tp, pp, cp, dp]}}\n",
        HEAD + "communicator: {layout: tp=8, group: tp, placement: striped, seed: 3}\nview: null\n",
        HEAD + "links: [{between: [node.compute, leaf], speed: 400, length: 3.5, cables: 2}]\n",
    ],
    "policy": [
        POLICY,
        POLICY + "limits: {oversubscription: 2}\nassume: {routing: adaptive, sharp: true}\n",
        POLICY + "limits: {oversubscription: {leaf: 2, core: 0.5}, power_kw: 400}\nname: x\n",
        POLICY + "severities: {single-leaf: off}\napprovals: {needed: 2, own: false}\n",
    ],
    "map": [MAP, MAP + 'devices: {"node-{n}": "dgx{n+1:03}"}\nports: {node: {P1: swp1}}\n'],
}
BAD = {
    "design": [
        "name: no version\n", "toposmith: 9\n", "toposmith: two\n", HEAD + "grups: {}\n",
        HEAD + "axes: {su: 0}\n", HEAD + "axes: {su: 1000001}\n", HEAD + "axes: {1a: 2}\n",
        HEAD + "axes: {" + "a" * 65 + ": 2}\n", HEAD + "axes: {su: many}\n", HEAD + "axes: []\n",
        "toposmith: 1\ngroups: {node: {count: 3}}\n", "toposmith: 1\ngroups: {a: {part: 3}}\n",
        "toposmith: 1\ngroups: {node: {part: x, count: true}}\n",
        "toposmith: 1\ngroups: {node: {part: x, per: su}}\n",
        "toposmith: 1\ngroups: {node: {part: x, nics: {a: {part: b, count: 65}}}}\n",
        HEAD + "links: [{between: [node]}]\n", HEAD + "links: [{between: [node, leaf, leaf]}]\n",
        HEAD + "links: [{between: [node, leaf], cables: 0}]\n",
        HEAD + "links: [{between: [node, leaf], cables: 1025}]\n",
        HEAD + "links: [{between: [node, leaf], along: {su: up}}]\n",
        HEAD + "links: [{between: [node, leaf], length: -1}]\n",
        HEAD + "slow: {leaf: 0}\n", HEAD + "slow: {leaf: half}\n", HEAD + "slow: {leaf: true}\n",
        HEAD + "absent: leaf\n", HEAD + "routing: best\n", HEAD + "rails: joined\n",
        HEAD + "sets: {4: [leaf]}\n", HEAD + "cables: [{a: leaf}]\n",
        HEAD + "bill: {spares: {cables: -1}}\n", HEAD + "bill: {spares: {cables: 2%%}}\n",
        HEAD + "bill: {currency: usd}\n", HEAD + "bill: {currency: XQX}\n",
        HEAD + "bill: {cabling: dearest}\n", HEAD + "bill: {stock_lengths_m: [0]}\n",
        HEAD + "waivers: [{code: x, reason: y}]\n",
        HEAD + "waivers: [{code: x, reason: y, date: soon}]\n",
        HEAD + "waivers: [{code: x, reason: '  ', date: '2026-01-01'}]\n",
        HEAD + "placement: {feeds: {pdu: x, count: 13}}\n",
        HEAD + "placement: {devices: {node: {rack: 7B, unit: 3}}}\n",
        HEAD + "jobs: [{nodes: 0, runs: read}]\n", HEAD + "jobs: [{nodes: 8, runs: alltoall}]\n",
        HEAD + "jobs: [{nodes: 8, runs: read, seed: -1}]\n", HEAD + "jobs: [{nodes: 8}]\n",
        HEAD + "jobs: [{nodes: [], runs: read}]\n",
        HEAD + "pins: {date: '2026-01-01', design: abc, parts: {}}\n",
        "toposmith: 1\nslow: {leaf: 50 %}\n", "toposmith: 1\nrouting: static\n",
        "toposmith: 1\ngroups: {sw: {part: x}}\nlinks: [{between: [sw, sw], along: {sw: next}}]\n",
        "- a\n", "", HEAD + "groups2: 3\n",
    ],
    "policy": [
        "name: x\n", "toposmith-policy: 9\n", "toposmith-policy: one\n", POLICY + "limit: {}\n",
        POLICY + "severities: {single-leef: info}\n", POLICY + "severities: {single-leaf: bad}\n",
        POLICY + "limits: {oversubscription: 0}\n", POLICY + "limits: {oversubscription: {x: 2}}\n",
        POLICY + "limits: {nics_per_gpu: -1}\n", POLICY + "limits: {power_kw: true}\n",
        POLICY + "limits: 3\n", POLICY + "assume: {routing: magic}\n",
        POLICY + "assume: {sharp: 1}\n", POLICY + "name: 3\n", POLICY + "severities:\n",
        POLICY + "approvals: {needed: 0}\n", POLICY + "approvals: {own: maybe}\n", "[]\n",
    ],
    "map": [
        "devices: {}\n", "toposmith-names: 2\n", MAP + "device: {a: b}\n", MAP + "devices: [a]\n",
        MAP + "devices: {a: 5}\n", MAP + "devices: {a: ''}\n", MAP + "ports: {node: 3}\n",
        MAP + f"devices: {{a: {'x' * 200}}}\n", MAP + "ports: {node: {P1: 3}}\n",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), [(k, text) for k in GOOD for text in GOOD[k]])
def test_what_is_read_is_accepted(kind: str, text: str) -> None:
    READERS[kind](text, "f.yaml")
    assert accepts(kind, text)


@pytest.mark.parametrize(("kind", "text"), [(k, text) for k in BAD for text in BAD[k]])
def test_what_is_refused_is_not_accepted(kind: str, text: str) -> None:
    with pytest.raises(ToposmithError):
        READERS[kind](text, "f.yaml")
    assert not accepts(kind, text)


@pytest.mark.parametrize(
    ("change", "sound"),
    [
        ({}, True),
        ({"part": "mcp4y10-n", "price": 140.5, "length_m": 2}, True),
        ({"part": None}, False),
        ({"price": "12,500"}, False),
        ({"price": "-3 USD"}, False),
        ({"price": -3}, False),
        ({"currency": "usd"}, False),
        ({"date": "31.3.2025"}, False),
        ({"discount_percent": "100"}, False),
        ({"minimum_order": "0"}, False),
        ({"lead_time_days": "soon"}, False),
        ({"valid_until": "June"}, False),
    ],
    ids=str,
)
def test_an_offer_is_accepted_as_it_is_read(
    change: dict[str, Any], sound: bool, tmp_path: Path
) -> None:
    row = {"part": "qm9700", "price": "24500.50", "currency": "USD", "date": "2025-03-31",
           "source": "offer 4711"}  # fmt: skip
    rows = [{key: value for key, value in (row | change).items() if value is not None}]
    file = tmp_path / "offer.yaml"
    file.write_text(yaml.safe_dump(rows), encoding="utf-8")
    assert (not read_prices(file, catalog=CATALOG).faults) is sound
    assert VALIDATORS["offers"].is_valid(rows) is sound


def test_rates_of_exchange_are_offers_too() -> None:
    rate = {"currency": "EUR", "to": "USD", "rate": 1.08, "date": "2026-03-31", "source": "bank"}
    assert VALIDATORS["offers"].is_valid([rate])
    assert not VALIDATORS["offers"].is_valid([{**rate, "to": "dollars"}])


def test_a_new_file_names_the_nearest_schema_and_is_the_same_design(tmp_path: Path) -> None:
    designs = tmp_path / "designs" / "old"
    designs.mkdir(parents=True)
    text = design_text(new_design("leaf-spine", {}, catalog=CATALOG))
    assert with_schema_line(text, designs) == text  # no path of this machine
    (tmp_path / "design.schema.json").write_text("{}", encoding="utf-8")
    near = with_schema_line(text, designs)
    assert near.startswith("# yaml-language-server: $schema=../../design.schema.json\ntoposmith: ")
    design = parse_design(near, "f.yaml")
    assert design == parse_design(text, "f.yaml")
    assert design_text(design, near) == near
    renamed = design_text(design.model_copy(update={"name": "other"}), near)
    assert renamed.partition("\n")[0] == near.partition("\n")[0]
    assert parse_design(renamed, "f.yaml").name == "other"


@pytest.mark.parametrize("fault", [*LOCK_FAULTS.values(), "", SMALL_LOCK, FABRIC_LOCK])
def test_lines_of_a_lock_are_accepted_as_they_are_read(fault: str) -> None:
    """But for what takes two lines to be wrong: a kit that is missing, or means two things."""
    try:
        read_lock(fault)
    except LockError as refused:
        sound = "kit" in str(refused)
    else:
        sound = True
    lines = [line.split("\t") for line in fault.split("\n")]
    assert VALIDATORS["lock"].is_valid(lines) is sound


def test_every_key_of_a_design_is_in_its_schema() -> None:
    assert set(json.loads(schema_text("design"))["properties"]) == set(Design.model_fields)
