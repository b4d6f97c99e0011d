"""The JSON Schema of part files."""

from __future__ import annotations

from pathlib import Path

from toposmith.catalog import folders
from toposmith.catalog.schema import part_schema
from toposmith.schemas import SHIPPED

SCHEMA = part_schema()
KINDS = SCHEMA["items"]["discriminator"]["mapping"]


def test_a_part_file_is_a_list_of_parts_told_apart_by_their_kind() -> None:
    assert SCHEMA["type"] == "array"
    assert SCHEMA["items"]["discriminator"]["propertyName"] == "kind"
    assert set(KINDS) == {
        *("gpu", "nic", "node", "switch", "cable", "transceiver", "fibre"),
        *("storage", "rack", "pdu", "module", "rack-system", "nvlink-switch"),
    }
    for kind, place in KINDS.items():
        model = SCHEMA["$defs"][place.rpartition("/")[2]]
        assert model["properties"]["kind"] == {"const": kind, "type": "string"}
        assert "kind" in model["required"]
        assert "source" in model["required"]


def test_unknown_fields_and_unknown_cages_are_marked_as_one_types() -> None:
    assert all(model["additionalProperties"] is False for model in SCHEMA["$defs"].values())
    assert "osfp" in SCHEMA["$defs"]["Cages"]["properties"]["cage"]["enum"]


def test_an_editor_shows_the_unit_of_a_figure() -> None:
    nic = SCHEMA["$defs"]["Nic"]["properties"]
    assert nic["speed_gbit"]["description"] == "Gb/s as printed on the port, one direction"
    assert nic["latency_ns"]["description"] == "nanoseconds"
    node = SCHEMA["$defs"]["Node"]["properties"]
    assert node["inter_socket_GBps"]["description"].startswith("GB/s (10^9 bytes per second)")
    assert node["power_w"]["description"] == "watts"
    assert SCHEMA["$defs"]["Gpu"]["properties"]["memory_gb"]["description"] == "GB (10^9 bytes)"


def test_the_part_files_tell_editors_where_it_is() -> None:
    parts = Path(folders.__file__).parent / "parts"
    for file in parts.rglob("*.yaml"):
        first = file.read_text(encoding="utf-8").partition("\n")[0]
        hint = first.removeprefix("# yaml-language-server: $schema=")
        assert (file.parent / hint).resolve() == SHIPPED / "parts.schema.json", file
