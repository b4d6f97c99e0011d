"""Codes of findings about rails."""

from __future__ import annotations

from toposmith.topology.findings.codes.code import Code
from toposmith.topology.findings.values import Measure, Values


def _apart(v: Values) -> str:
    return (
        f"port {v['port']} of {v['end']} and of {v['other']} end at different "
        f"{' and '.join(v.texts('leaves'))} switches, and so do "
        f"{v['wrong_ports']} ports in all: their rails meet at the spines only"
    )


def _in_order(v: Values) -> str:
    leaves = " and ".join(v.texts("leaves"))
    return f"deal the ports of both to {leaves} from port 0 on, in the same order"


RAILS: tuple[Code, ...] = (
    Code(
        "rails-crossed",
        "warning",
        "rails crossed",
        "NICs of one number of two node groups end at different leaves",
        "cable the same ports of both groups, in the same order",
        text=_apart,
        figure="{wrong_ports} of {ports} ports",
        fix=_in_order,
        measure=Measure("wrong_ports", "ports"),
    ),
    Code(
        "rails-uneven",
        "warning",
        "rails uneven",
        "nodes of one group have unlike numbers of cabled NICs",
        "cable the missing ports",
        text=(
            "{nodes:,} nodes have fewer cabled NICs than the others ({fewest} instead of "
            "{most}); a collective over all runs with the fewest"
        ),
        figure="{fewest} of {most} NICs",
        fix=lambda v: (
            f"cable the missing {v.count('most') - v.count('fewest')} ports of each, "
            "or leave them out of jobs"
        ),
        measure=Measure("missing", "NICs"),
    ),
)
