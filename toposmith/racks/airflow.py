"""Switches of one rack with opposite airflow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from toposmith.catalog import Catalog, Switch
from toposmith.findings.finding import Finding, found
from toposmith.findings.place import at_racks
from toposmith.racks.placement import NOWHERE, Placement


def airflow_findings(placement: Placement, catalog: Catalog) -> Iterator[Finding]:
    """Findings on racks with switches of both airflow directions, equal racks merged.

    Switches of unknown direction, and nodes, are ignored.
    """
    held: list[dict[str, str]] = [{} for _ in placement.racks]
    for name, racks in placement.rack_of.items():
        part = catalog.get(placement.devices[name].part)
        if not isinstance(part, Switch) or part.airflow is None:
            continue
        for rack in racks:
            if rack != NOWHERE:
                held[rack][part.id] = part.airflow
    alike: dict[tuple[tuple[str, str], ...], list[int]] = defaultdict(list)
    for rack, ways in enumerate(held):
        if len(set(ways.values())) > 1:
            alike[tuple(sorted(ways.items()))].append(rack)
    for ways_of, racks in alike.items():
        parts = {part: catalog[part] for part, _ in ways_of}
        others = [
            f"{part} as {one.other_airflow_number}"
            for part, one in parts.items()
            if isinstance(one, Switch) and one.other_airflow_number
        ]
        yield found(
            "rack-airflow-mixed",
            at_racks(placement.label(racks[0]), len(racks) - 1),
            switches=tuple(f"{part} ({way})" for part, way in ways_of),
            others=tuple(others),
        )
