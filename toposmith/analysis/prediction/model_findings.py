"""Findings about a prediction: what limits it, and what it leaves out."""

from __future__ import annotations

from toposmith.analysis.prediction.demands import is_amd
from toposmith.analysis.prediction.figure_labels import by_one_run
from toposmith.analysis.prediction.path_latency import CABLE_NS_PER_M
from toposmith.analysis.prediction.payload import COPIED_SOURCE
from toposmith.analysis.prediction.predictor import BOTH_HOLD, PredictedCollective, Predictor
from toposmith.analysis.request import Request
from toposmith.collectives import COLLECTIVES
from toposmith.fabric.nvlink_domains import domain_findings, part_filled
from toposmith.findings.finding import NETWORK, Finding, at_block, at_group, at_groups, found
from toposmith.text import message_size

SMALL_SHARE_BYTES = 64 * 2**10


LOSSLESS_CONNECTIONS = 47
"""Connections of a NIC up to which packet-level simulations of an all-to-all lost 6 % at most
(``bench/simulated/results.yaml``)."""

LONG_CABLE_M = 2000.0
"""From so long a cable on, its round trip is twice what NICs, switches and software take."""

SHARP_ALGORITHMS = ("collnet_direct", "collnet_chain", "nvls")
"""Algorithms that reduce in network switches; NVLS between nodes does so, too."""


def model_findings(
    predictor: Predictor, request: Request, outcome: PredictedCollective
) -> list[Finding]:
    """Findings about the prediction itself; ``outcome`` is what runs."""
    return [
        *_not_nccl(predictor),
        *_unlike_nodes(predictor, outcome),
        *_sockets(predictor),
        *_own_switches(predictor, request),
        *_wider_domains(predictor),
        *_racks(predictor, request),
        *_sharp(predictor, request, outcome.algorithm),
        *_without_gpudirect(predictor),
        *_small_shares(predictor, request),
        *_congestion(predictor, request),
        *_long_cables(predictor, outcome),
        *_nothing_to_choose(request),
    ]


def _not_nccl(predictor: Predictor) -> list[Finding]:
    """AMD GPUs run RCCL: a fork of NCCL with searches and tables of its own."""
    groups = [name for name in predictor.cluster.nodes if is_amd(predictor.cluster, name)]
    if not groups:
        return []
    return [found("rccl-not-modelled", at_groups(groups))]


def _unlike_nodes(predictor: Predictor, outcome: PredictedCollective) -> list[Finding]:
    """The group of the weakest nodes, where its channels or its own links are what limits."""
    weakest = predictor.cluster.weakest_group
    if weakest is None or outcome.limited_by == "latency":
        return []
    if outcome.limited_by == "links":
        least = min(demand.allows for demand in outcome.demands) * BOTH_HOLD
        full = [demand for demand in outcome.demands if demand.allows <= least]
        # single cables between groups that no link of the design joins are links of the plan, too
        links = {link.index: link for link in predictor.cluster.network.plan.every_link}
        groups = set[str]()
        for demand in full:
            link = None if demand.index is None else links[demand.index]
            groups |= (
                {demand.link.partition(" ")[0]} if link is None else {link.a.group, link.b.group}
            )
        if weakest not in groups:
            return []
    return [found("weakest-node", at_group(weakest))]


def _sockets(predictor: Predictor) -> list[Finding]:
    cluster = predictor.cluster
    if cluster.groups.nodes == 1 or "tcp" not in cluster.transports:
        return []
    return [found("tcp-sockets", NETWORK, source=COPIED_SOURCE)]


def _own_switches(predictor: Predictor, request: Request) -> list[Finding]:
    affected = (2, 26) <= request.version < (2, 29) and predictor.cluster.groups.nodes > 1
    nodes = predictor.cluster.nodes.items()
    names = [n for n, node in nodes if node.own_switch and node.compute_capability == 80]
    return [found("nccl-own-switch", at_group(name)) for name in names if affected]


def _wider_domains(predictor: Predictor) -> list[Finding]:
    groups = predictor.cluster.network.world.groups
    if predictor.cluster.groups.nodes == 1:
        return part_filled(groups)
    return [*domain_findings(groups), *part_filled(groups)]


PUBLISHED_OF_RACKS = (2**29, 2**34)
"""Sizes of which an all-reduce over more than two racks is published: 512 MiB to 16 GiB."""


def _racks(predictor: Predictor, request: Request) -> list[Finding]:
    """That one public run is all that is known of all-reduces over so many racks."""
    network = predictor.cluster.network
    if not by_one_run(network, predictor.cluster.groups, request):
        return []
    names = [group.name for group in network.world.groups]
    size = request.message_bytes
    published = PUBLISHED_OF_RACKS[0] <= size <= PUBLISHED_OF_RACKS[1]
    message = "" if published else message_size(size)
    return [found("nvlink-racks-by-one-run", at_groups(names), message=message)]


def _sharp(predictor: Predictor, request: Request, algorithm: str) -> list[Finding]:
    """The finding that SHARP is unavailable, or not used by the figure."""
    if not request.sharp or predictor.cluster.groups.nodes == 1:
        return []
    if not predictor.cluster.reduces:
        return [found("no-sharp", NETWORK)]
    if COLLECTIVES[request.collective].runs != "all_reduce":
        return []
    if algorithm in SHARP_ALGORITHMS:
        return [found("sharp-of-one-system", NETWORK)]
    return [found("sharp-not-chosen", NETWORK, algorithm=algorithm)]


def _without_gpudirect(predictor: Predictor) -> list[Finding]:
    """NICs that do not reach the memory of GPUs, or of which no source says that they do."""
    cluster = predictor.cluster
    if cluster.groups.nodes == 1:
        return []
    if cluster.staging_is_free:
        return []
    if not cluster.request.gpudirect and set(cluster.transports) != {"tcp"}:
        return [found("without-gpudirect", NETWORK, source=COPIED_SOURCE)]
    if "efa" not in cluster.transports:
        return []
    if not cluster.gpudirect:
        return [found("efa-without-gpudirect", NETWORK, source=COPIED_SOURCE)]
    names = [name for name, node in cluster.nodes.items() if not node.switched]
    return [found("efa-gpudirect-unknown", at_group(name)) for name in names]


def _nothing_to_choose(request: Request) -> list[Finding]:
    if request.algorithm is None or COLLECTIVES[request.collective].tuned:
        return []
    return [found("no-algorithm", at_block("communicator"), algorithm=request.algorithm)]


def _small_shares(predictor: Predictor, request: Request) -> list[Finding]:
    if COLLECTIVES[request.collective].runs != "pairs":
        return []
    share = request.message_bytes / predictor.cluster.groups.size
    if predictor.cluster.groups.nodes == 1 or share >= SMALL_SHARE_BYTES:
        return []
    return [found("small-messages", at_block("communicator"), share_bytes=share)]


def _congestion(predictor: Predictor, request: Request) -> list[Finding]:
    """That many connections at once lose what an ideal fabric would carry."""
    groups = predictor.cluster.groups
    if COLLECTIVES[request.collective].runs != "pairs" or groups.nodes == 1:
        return []
    others = groups.nodes - 1
    # with PXN a NIC sends to the one of its number in every other node, else to every GPU there
    connections = others if predictor.cluster.keeps_rails else others * groups.size // groups.nodes
    if connections <= LOSSLESS_CONNECTIONS:
        return []
    return [found("exchange-congestion", NETWORK, connections=connections)]


def _long_cables(predictor: Predictor, outcome: PredictedCollective) -> list[Finding]:
    """Links in use so long that what holds data back over them is not in the figure."""
    plan = predictor.cluster.network.plan
    used = {demand.index for demand in outcome.demands if demand.per_algbw}
    long = [
        link
        for link in plan.every_link
        if link.index in used and (link.length_m or 0.0) >= LONG_CABLE_M
    ]
    if not long:
        return []
    link = max(long, key=lambda one: one.length_m or 0.0)
    metres = link.length_m or 0.0
    round_trip_us = 2 * metres * CABLE_NS_PER_M / 1000
    return [
        found(
            "long-cables",
            link.place,
            length_m=metres,
            round_trip_us=round_trip_us,
            speed_gbit=link.speed_gbit,
            # what is on the way until the first answer to it can be back
            on_the_way_MB=link.line_GBps * round_trip_us / 1000,
        )
    ]
