"""Codes of findings about rails."""

from __future__ import annotations

from toposmith.findings.codes.code import Code, Measure, Values
from toposmith.text import counted


def _apart(v: Values) -> str:
    return (
        f"port {v['port']} of {v['end']} and of {v['other']} end at different "
        f"{' and '.join(v.texts('leaves'))} switches, and so do "
        f"{v.with_noun('wrong_ports', 'port')} in all: their rails meet at the spines only"
    )


def _in_order(v: Values) -> str:
    leaves = " and ".join(v.texts("leaves"))
    return f"deal the ports of both to {leaves} from port 0 on, in the same order"


def _elsewhere(v: Values) -> str:
    if "more" in v:
        return f"{v.count('more'):,} more single cables go elsewhere than links deal them"
    return f"{v['port']} goes to {v['goes_to']}, not to {v['dealt_to']} as its link deals it"


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
        "rails-apart",
        "warning",
        "rails that meet only inside nodes",
        "no switch joins the rails: what goes from one to another rests on PXN, and what hangs on "
        "one of them, such as storage or management, reaches the NICs of that one only",
        "switches above that join all rails; `rails: apart` in the file where it is meant, since "
        "nothing but NCCL with PXN runs over them",
        text=(
            "no switch joins its rails: a NIC reaches {met} of the {nics} NICs of another node; "
            "what goes from one rail to another rests on PXN, through NVLink inside nodes, and "
            "storage or management on one rail is not reached from the others"
        ),
        figure="{met} of {nics} NICs reached",
        measure=Measure("missed", "NICs"),
    ),
    Code(
        "cable-crosses-rails",
        "warning",
        "single cable crosses rails",
        "a single cable leads to another leaf than its link deals its port to",
        "move the cable back and take its entry away",
        text=(
            "{port} goes to {goes_to}, not to {dealt_to} as its link deals it: its rail meets the "
            "others of its number above these only"
        ),
        fix="move the cable to {dealt_to}, and take the entry away",
    ),
    Code(
        "cable-elsewhere",
        "warning",
        "cable goes elsewhere",
        "a single cable leads to another device than its link deals its port to",
        "move the cable back and take its entry away, or waive it",
        text=_elsewhere,
    ),
    Code(
        "rails-uneven",
        "warning",
        "rails uneven",
        "nodes of one group have different numbers of cabled NICs",
        "cable the missing ports",
        text=(
            "{nodes:,} nodes have fewer cabled NICs than the others ({fewest} instead of "
            "{most}); a collective over all runs with the fewest"
        ),
        figure="{fewest} of {most} NICs",
        fix=lambda v: (
            f"cable the missing {counted(v.count('most') - v.count('fewest'), 'port')} of each, "
            "or leave them out of jobs"
        ),
        measure=Measure("missing", "NICs"),
    ),
)
