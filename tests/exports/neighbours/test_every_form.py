"""Every form that lists cables lists those of a second expander, each port once."""

from __future__ import annotations

import csv
import io
from collections import Counter
from functools import cache

import pytest
import yaml

from tests.exports.neighbours.readers import READERS
from tests.exports.neighbours.written import (
    SAVED,
    design_of,
    expanded,
    files_of,
    name_of,
    pair,
    pairs_of,
    raw_of,
    saved_text,
)
from tests.oracle.designs import random_design
from toposmith.errors import ToposmithError

DRAWN = [f"drawn {seed}" for seed in range(25)]


@cache
def text_of(name: str) -> str:
    """The file of a saved design, or of a random one by its number."""
    word, _, seed = name.partition(" ")
    return random_design(int(seed)) if word == "drawn" else saved_text(name)


@pytest.mark.parametrize("name", [*SAVED, *DRAWN])
def test_cables_are_those_of_the_second_expander_and_each_port_stands_once(name: str) -> None:
    text = text_of(name)
    design, fabric = design_of(text), expanded(text)
    pairs = {protocol: pairs_of(fabric, protocol) for _, protocol in READERS.values()}
    written: dict[str, bytes] = {}
    for form, (reader, protocol) in READERS.items():
        wanted = pairs[protocol]
        if form == "sonic":  # speaks for switches: a cable between two nodes is in no table
            nodes = {name_of(fabric, one) for one in fabric.devices if fabric.kind(one) != "switch"}
            wanted = Counter({ends: n for ends, n in wanted.items() if not nodes >= set(ends)})
        if not wanted:
            if protocol or form == "containerlab":
                with pytest.raises(ToposmithError):
                    raw_of(design, form)
            continue
        written[form] = raw_of(design, form)
        links = list(reader(written[form]))
        assert Counter(pair(a[0], z[0]) for a, z in links) == wanted, form
        ends = [end for link in links for end in link]
        assert len(set(ends)) == len(ends), form
    # whatever was written of a design before, each form comes out the same
    again = design_of.__wrapped__(text)
    for form, raw in reversed(written.items()):
        assert raw == raw_of(again, form), form


@pytest.mark.parametrize("name", [*SAVED, *DRAWN[:8]])
def test_netbox_finds_every_interface_device_rack_and_type_that_a_later_file_names(
    name: str,
) -> None:
    design = design_of(text_of(name))
    files = files_of(design, "netbox")
    order = list(files)
    assert order[0] == "README.md" and order[1:] == sorted(order[1:])
    assert all(one in files["README.md"] for one in order[1:])
    tables = {
        one.partition("-")[2]: list(csv.DictReader(io.StringIO(text)))
        for one, text in files.items()
        if one.endswith(".csv")
    }
    types = list(yaml.safe_load_all(next(t for n, t in files.items() if n.endswith(".yaml"))))
    makers = {row["name"] for row in tables["manufacturers.csv"]}
    roles = {row["name"] for row in tables["device-roles.csv"]}
    racks = {(row["site"], row["name"]) for row in tables["racks.csv"]}
    by_model = {(one["manufacturer"], one["model"]): one for one in types}
    assert {one["manufacturer"] for one in types} <= makers
    for slugs in (
        [row["slug"] for row in tables["manufacturers.csv"]],
        [row["slug"] for row in tables["device-roles.csv"]],
        [one["slug"] for one in types],
    ):
        assert len(set(slugs)) == len(slugs)
    interfaces: set[tuple[str, str]] = set()
    for row in tables["devices.csv"]:
        assert row["role"] in roles
        assert not row["rack"] or (row["site"], row["rack"]) in racks
        kind = by_model[row["manufacturer"], row["device_type"]]
        held = [(row["name"], one["name"]) for one in kind.get("interfaces", [])]
        assert interfaces.isdisjoint(held)
        interfaces.update(held)
    for row in tables["interfaces.csv"]:
        assert (row["device"], row["name"]) not in interfaces
        interfaces.add((row["device"], row["name"]))
    for row in tables["cables.csv"]:
        for side in "ab":
            assert (row[f"side_{side}_device"], row[f"side_{side}_name"]) in interfaces
