"""How much of a bill can be ordered, and of how much of it the power is known.

    python -m bench.orderable

For every saved design, and for the default of every template: how many lines its bill has, how many
of them carry a whole part number that its source vouches for, the same of switches, NICs, cables,
fibres and modules alone, and of how many nodes, switches and NICs the power is a figure, a range of
at most 3:1, or unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

from toposmith.bill.bill import placed_bill
from toposmith.bill.bill_lines import BillLine
from toposmith.catalog import Catalog, load_catalog
from toposmith.catalog.part_power import power_range
from toposmith.catalog.platforms import GENERIC
from toposmith.design.document import Design
from toposmith.design.stored_files import load_file
from toposmith.fabric.planner import plan_design
from toposmith.saved_designs import saved_designs
from toposmith.templates import TEMPLATES, new_design

NETWORK = ("switch", "nic", "cable", "transceiver", "fibre")
"""Kinds that carry traffic: of these 90 % of lines are to be orderable, of all 75 %."""

DRAWING = ("node", "switch", "nic", "storage")
"""Kinds whose power has to be known for racks to hold."""

WIDEST_RANGE = 3.0


@dataclass(frozen=True)
class Orderable:
    """What of one bill can be ordered.

    Parameters
    ----------
    name : str
        The design.
    lines, orderable : int
        Lines of its bill, and those with a whole part number that is not in doubt.
    network, network_orderable : int
        The same of the kinds that carry traffic.
    to_measure : int
        Of the lines, fibres of any maker that are made to measure: trunks are numbered by nobody,
        and counted apart.
    figures, ranges, unknown : int
        Lines of nodes, switches, NICs and storage whose power is a figure, a range of at most 3:1,
        or neither.
    """

    name: str
    lines: int
    orderable: int
    network: int
    network_orderable: int
    to_measure: int
    figures: int
    ranges: int
    unknown: int


def count_orderable(name: str, lines: Sequence[BillLine], catalog: Catalog) -> Orderable:
    """Count what of the lines of a bill can be ordered, and how well their power is known."""
    network = [line for line in lines if line.kind in NETWORK]
    powers = Counter(how_known(line, catalog) for line in lines if line.kind in DRAWING)
    return Orderable(
        name,
        len(lines),
        sum(line.orderable for line in lines),
        len(network),
        sum(line.orderable for line in network),
        sum(_is_to_measure(line) for line in lines),
        powers["figure"],
        powers["range"],
        powers["unknown"],
    )


def _is_to_measure(line: BillLine) -> bool:
    return (line.kind, line.manufacturer) == ("fibre", GENERIC)


def how_known(line: BillLine, catalog: Catalog) -> str:
    """Whether the power of a line's part is a figure, a range of at most 3:1, or unknown."""
    bounds = power_range(catalog[line.part], catalog)
    if bounds.known_w is not None:
        return "figure"
    wide = bounds.most_w is None or bounds.most_w > WIDEST_RANGE * bounds.least_w
    return "unknown" if wide else "range"


def _designs(catalog: Catalog) -> Iterator[tuple[str, Design]]:
    for saved in saved_designs():
        yield saved.name, load_file(saved.path).design
    for template in TEMPLATES:
        yield f"new {template}", new_design(template, catalog=catalog)


def main() -> None:
    """Print the table, and its sums: of saved designs, and of all."""
    catalog = load_catalog()
    print(
        f"{'design':44} {'lines':>11} {'network':>12}   trunks apart   power: figure range unknown"
    )
    counted = []
    saved = {one.name for one in saved_designs()}
    for name, design in _designs(catalog):
        bill = placed_bill(plan_design(design, catalog), catalog)
        counted.append(count_orderable(name, bill.lines, catalog))
        print(_row(counted[-1]))
    print(_row(_summed("saved designs", [one for one in counted if one.name in saved])))
    print(_row(_summed("all of them", counted)))


def _summed(name: str, counted: Sequence[Orderable]) -> Orderable:
    figures = [field.name for field in fields(Orderable) if field.name != "name"]
    return Orderable(name, *(sum(getattr(one, each) for one in counted) for each in figures))


def _row(found: Orderable) -> str:
    share = f"{found.orderable} of {found.lines}"
    of_network = f"{found.network_orderable} of {found.network}"
    percent = 100 * found.network_orderable / max(found.network, 1)
    rest = found.lines - found.to_measure
    apart = f"{found.orderable} of {rest} {100 * found.orderable / max(rest, 1):3.0f} %"
    return (
        f"{found.name:44} {share:>11} {of_network:>12} {percent:3.0f} % {apart:>17}"
        f" {found.figures:8} {found.ranges:5} {found.unknown:7}"
    )


if __name__ == "__main__":
    main()
