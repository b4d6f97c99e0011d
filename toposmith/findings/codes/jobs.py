"""Codes of findings about jobs and figures."""

from __future__ import annotations

from toposmith.findings.codes.code import Code, Measure, Values, marked


def _does_not_fit(v: Values) -> str:
    if "ranks_each" in v:
        return (
            f"{v['layout']} takes {v.with_noun('ranks_each', 'GPU')} at a time, which does not "
            "divide "
            f"the {v['ranks']:,} there are"
        )
    if "layout" in v:
        return f"the layout {v['layout']} has no {v['kind']} groups"
    if "gpus_of_nodes" in v:
        counts = " and ".join(v.texts("gpus_of_nodes"))
        if "joined" in v:
            return f"NVLink domains have {counts} GPUs; a layout needs the same in every one"
        return f"nodes have {counts} GPUs; a layout needs the same in every node"
    if "kind" not in v:
        return "there are no GPUs to split"
    nodes = "NVLink domains" if "joined" in v else "nodes"
    return (
        f"{v['kind']} groups of {v['size']} at every {v.with_noun('stride', 'rank')} straddle "
        f"{nodes} of {v.with_noun('gpus', 'GPU')} unevenly; sizes that divide {v['gpus']}, or "
        "multiples of it, fit"
    )


def _no_gpus(v: Values) -> str:
    unknown, lost = ", ".join(v.texts("unknown")), ", ".join(v.texts("lost"))
    why = f"the part of {unknown} is unknown" if unknown else "no node yet"
    why = f"every {lost} is absent or down" if lost else why
    return f"{why}, so no collective to run"


def _unreachable(v: Values) -> str:
    if "gap" in v:
        return f"{v['gap']} for the collective to take"
    words = "none of its nodes has a" if v["every_node"] else "some of its nodes have no"
    return (
        f"{words} cabled NIC, so their GPUs cannot be reached; "
        "wire their ports to a switch, after fitting NICs where slots are empty"
    )


def _name_first(v: Values) -> str:
    return (
        f"name the part of {', '.join(v.texts('unknown')) or v['unknown']} first: this rests on it"
    )


def _predicted(v: Values) -> str:
    return f"{marked(v, 'busbw')} GB/s per GPU"


def _lifted(v: Values) -> str | None:
    """The change that was found to raise a figure, or that none was."""
    if "change" not in v:
        return str(v["no_change"]) if "no_change" in v else None
    gives = float(str(v["change_GBps"]))
    required = float(str(v["required_GBps"])) if "required_GBps" in v else 0.0
    short = ", less than required but the most found" if gives < required else ""
    return f"{v['change']}: {gives:.4g} GB/s per GPU{short}"


def _below(v: Values) -> str:
    text = f"predicted {_predicted(v)}, the policy asks for {v['required_GBps']:g}"
    if v["busbw_kind"] == "at least":
        text += ": whether it gives that is not known"
    return text


def _power(v: Values) -> str:
    at_least = "" if v["complete"] else "at least "
    return (
        f"its parts draw {at_least}{v['power_kw']:,.1f} kW, the policy allows {v['limit_kw']:g} kW"
    )


def _less_power(v: Values) -> str:
    return (
        f"{(1 - v.number('limit_kw') / v.number('power_kw')) * 100:.0f} % less, such as fewer nodes"
    )


JOBS: tuple[Code, ...] = (
    Code(
        "bad-communicator",
        "error",
        "communicator: cannot be read",
        "the block is wrong",
        "correct it",
        text="{reason}",
    ),
    Code(
        "bad-job",
        "error",
        "jobs: one that cannot run",
        "its nodes are not there, or belong to another job",
        "correct it",
        text="{reason}",
    ),
    Code(
        "communicator-does-not-fit",
        "error",
        "layout that does not fit",
        "the layout does not divide the GPUs",
        "a layout that does",
        text=_does_not_fit,
    ),
    Code(
        "bad-workload",
        "error",
        "workload: cannot run",
        "the block is wrong, or does not divide model, batch or cluster",
        "correct it",
        text="{reason}",
    ),
    Code(
        "group-of-one",
        "info",
        "groups of one rank",
        "nothing to exchange",
        "another kind of group",
        text="{kind} groups have one rank each: nothing to exchange",
    ),
    Code(
        "no-gpus",
        "info",
        "no GPUs",
        "no collective to run",
        "add nodes",
        text=_no_gpus,
    ),
    Code(
        "one-gpu",
        "info",
        "one GPU",
        "no collective to run",
        "add nodes",
        text="a collective needs at least two GPUs",
    ),
    Code(
        "unreachable",
        "error",
        "GPUs cut off",
        "there is no path between some nodes",
        "wire them",
        text=_unreachable,
        figure="{gpus:,} GPUs in {group}",
        fix=_name_first,
    ),
    Code(
        "scale-up-not-modelled",
        "warning",
        "links between GPUs of which no prediction is made",
        "how RCCL counts UALink or lanes of Ethernet between GPUs is not public, nor are results",
        "the bounds hold at line rate; measure with rccl-tests",
        text="what collectives take of {link} is not public: there is no prediction, bounds hold",
    ),
    Code(
        "no-channels",
        "error",
        "NCCL finds no channels",
        "its search gives nothing between the GPUs",
        "another node",
        text="NCCL finds no channels between its GPUs",
    ),
    Code(
        "cannot-run",
        "error",
        "what is asked cannot run",
        "the algorithm or protocol does not exist here",
        "ask for another",
        text="{reason}",
    ),
    Code(
        "routing-does-not-fit",
        "error",
        "a routing that the fabric does not have",
        "detours need groups that links join all to all, dimension order needs rings",
        "another routing, or links that say their relation along an axis",
        text="{routing}: {reason}",
    ),
    Code(
        "too-large",
        "error",
        "out of proportion",
        "figures would take too long",
        "fewer nodes, or fewer combinations of axes",
        text=(
            "its {nodes:,} nodes repeat over {blocks:,} combinations of axes; figures are computed "
            "for up to {most_nodes:,} nodes and {most_blocks:,} combinations"
        ),
    ),
    Code(
        "too-irregular",
        "error",
        "too many different devices",
        "devices that differ from each other are too many for figures",
        "groups over axes instead of groups of one; fewer selectors and single cables",
        text=(
            "too many devices differ from each other for figures (groups: {groups:,}, links: "
            "{links:,}, selectors and single cables: {entries:,})"
        ),
    ),
    Code(
        "not-all-checked",
        "warning",
        "not all was checked",
        "devices that differ from each other are too many for every check",
        "groups over axes instead of groups of one; fewer selectors and single cables",
        text="too many devices differ from each other for every check; there may be more to find",
    ),
    Code(
        "below-required",
        "warning",
        "busbw below policy",
        "the predicted busbw is below what the policy requires",
        "relieve the bottleneck links",
        text=_below,
        figure=_predicted,
        fix=_lifted,
        measure=Measure("busbw_GBps", "GB/s per GPU", "less"),
        lifted_by_fixes=True,
    ),
    Code(
        "far-from-bound",
        "warning",
        "far below the bound",
        "the prediction is below the policy's share of the bound",
        "see what limits it",
        text="predicted {percent:.0f}% of the bound, the policy asks for {required_percent:.0f}%",
        figure="{percent:.0f}% of the bound",
        fix=_lifted,
        measure=Measure("percent", "% of the bound", "less"),
        lifted_by_fixes=True,
    ),
    Code(
        "power-over-policy",
        "warning",
        "power above policy",
        "the parts draw more than the policy allows",
        "fewer parts",
        text=_power,
        figure="{power_kw:,.1f} kW",
        fix=_less_power,
        measure=Measure("power_kw", "kW"),
    ),
)
