"""Codes of findings about assumptions."""

from __future__ import annotations

from toposmith.catalog.part_text import domain_noun, switches_noun
from toposmith.findings.codes.code import Code, Measure, Values, gpu_links, marked, whether_adaptive
from toposmith.text import counted


def _without_them(v: Values) -> str:
    without = marked(v, "without")
    return f"{without} GB/s per GPU for a job without {v['group']}"


def _adaptive(v: Values) -> str:
    other = v["adaptive_switch"]
    return f"take {other}" if other else "analyse with --routing static"


def _reducing(v: Values) -> str:
    if v["reducing_switch"]:
        return f"take {v['reducing_switch']}"
    return f"analyse without SHARP; no {v['protocol']} switch of the catalog has it"


def _above_bound(v: Values) -> str:
    return (
        f"{v.text('collective').replace('_', '-')}: the predicted {v['busbw_GBps']:.4g} GB/s per "
        f"GPU are above the bound of {v['bound_GBps']:.4g} ({v['of']}): the model leaves out what "
        "limits it, so read the bound as the most that it can reach"
    )


def _minimal_paths(v: Values) -> str:
    return (
        f"minimal paths hold the figure at {v['percent']:.0f} % of the bound: {v['pattern']} put "
        f"{v['cable_share']:.3g} times the load of a NIC's cable on one cable of {v['link']}, "
        f"though the other {v['apart']} have cables to spare; detours use those"
    )


def _marks(v: Values) -> str:
    return " and ".join(f"{key}:" for key in ("down", "slow") if v.texts(key))


def _faults(v: Values) -> str:
    said = []
    for key, words in (("down", "without what is down"), ("slow", "with what is slow")):
        texts = v.texts(key)
        more = f" and {len(texts) - 3} more" if len(texts) > 3 else ""
        said += [f"{words}: {', '.join(texts[:3])}{more}"] if texts else []
    absent = v.count("absent")
    said += [f"without {counted(absent, 'entry')} of absent:"] if absent else []
    return f"the figures are {'; '.join(said)}"


def _racks_by_one_run(v: Values) -> str:
    other = f"; no public result of {v['message']} was found" if v["message"] else ""
    return (
        "of all-reduces over more than two NVL72 racks one public run was found: twenty reach 382 "
        "and 406 GB/s at 8 and 16 GiB, 2 to 4 % below what is predicted of them "
        f"(github.com/coreweave/nccl-tests){other}"
    )


ASSUMPTIONS: tuple[Code, ...] = (
    Code(
        "weakest-node",
        "warning",
        "heterogeneous nodes: the slowest limits",
        "NCCL takes the channels of the weakest node for all",
        "separate jobs for each kind of node",
        text=(
            "its nodes are the weakest: NCCL takes the fewest channels and the slowest speed of "
            "all ranks, so that they hold the others back"
        ),
        figure=lambda v: f"{marked(v, 'with')} GB/s per GPU with them",
        fix=_without_them,
    ),
    Code(
        "mixed-nic-speeds",
        "warning",
        "node groups with different network speeds",
        "a collective over all runs at the speed of the slowest node's NICs",
        "equal NICs",
        text=(
            "its NICs carry {rate_GBps:.3g} GB/s per GPU, those of other nodes up to "
            "{fastest_GBps:.3g}: a collective over all runs at the slower speed"
        ),
        figure="{percent:.0f}% of the others",
        fix="NICs and cables for {fastest_GBps:.3g} GB/s per GPU, or jobs of their own",
        measure=Measure("percent", "%", "less"),
    ),
    Code(
        "tcp-sockets",
        "warning",
        "TCP sockets",
        "NCCL finds no RDMA, or was told not to use it, and takes kernel sockets",
        "a NIC with RDMA, or without tcp",
        text="NCCL goes over TCP sockets here, and the CPU copies all data: {source}",
    ),
    Code(
        "no-sharp",
        "warning",
        "SHARP assumed but absent",
        "not every switch can reduce",
        "switches with SHARP",
        text="SHARP is requested, but not every switch of the compute network can reduce",
        figure="{switches:,} switches without SHARP",
        fix=_reducing,
    ),
    Code(
        "sharp-of-one-system",
        "info",
        "SHARP's rate is of one system",
        "what SHARP reaches of the NICs' rate rests on one published system",
        "measure with SHARP before you decide for or against it",
        text=(
            "what SHARP reaches of the NICs is of one published system, 62 % with NCCL 2.12 and "
            "86 % with 2.16 (github.com/coreweave/nccl-tests); the figure takes 86 %, and NCCL's "
            "maintainers count on 80 % (NVIDIA/nccl issue 320)"
        ),
    ),
    Code(
        "sharp-not-chosen",
        "info",
        "SHARP requested and not used",
        "an algorithm without it is faster here",
        "larger messages, or none",
        text="SHARP is requested, but {algorithm} is faster here: the figure is without it",
    ),
    Code(
        "no-adaptive-routing",
        "warning",
        "adaptive routing assumed but absent",
        "not every switch with a choice of paths is known to route adaptively",
        "switches that do",
        text=lambda v: f"the figures assume adaptive routing; {whether_adaptive(v)}",
        figure="adaptive routing",
        fix=_adaptive,
    ),
    Code(
        "wider-nvlink-domain",
        "warning",
        "NVLink domain wider than a node",
        "traffic between its nodes is taken over the NICs, so that its figures are too low",
        "draw the trays of a rack as the count of a group for every rack, as in per: [rack], "
        "count: 18, alone in the design; until then take the figures for the least that it does",
        text=lambda v: (
            f"its {switches_noun(gpu_links(v))} join {v.with_noun('domain_gpus', 'GPU')}, more "
            f"than one node has, but {v['reason']}; traffic between nodes is taken over their "
            "NICs, so that figures inside such a domain are too low"
        ),
    ),
    Code(
        "nvlink-domain-part-filled",
        "info",
        "NVLink domain filled in part",
        "a rack has fewer trays than its NVLink switches join; its NVLink stays as fast per GPU",
        "say how many trays a rack has as the count of the group",
        text=lambda v: (
            f"{'an' if gpu_links(v) == 'nvlink' else 'a'} {domain_noun(gpu_links(v))} has "
            f"{v['gpus']} of the {v.with_noun('domain_gpus', 'GPU')} that its switches join"
        ),
        figure="{gpus} of {domain_gpus} GPUs",
    ),
    Code(
        "nvlink-racks-by-one-run",
        "info",
        "all-reduces over many NVLink racks are published once",
        "one public run over more than two racks was found; it lies 2 to 12 % below the prediction",
        "measure with nccl-tests before you rely on it",
        text=_racks_by_one_run,
    ),
    Code(
        "minimal-paths-limit",
        "info",
        "minimal paths hold the figure down",
        "what two switches or two groups exchange rests on the few cables between them alone",
        "routing: detour, where the switches of the fabric take other paths under load",
        text=_minimal_paths,
        figure="{percent:.0f}% of the bound",
        fix="routing: detour in the design, or --routing detour",
        measure=Measure("percent", "%", "less"),
    ),
    Code(
        "static-hashing",
        "info",
        "static routing against an ideal split",
        "a collective waits for the cable that most connections were hashed onto",
        "more queue pairs a connection, or adaptive routing",
        text=(
            "by static routing {busbw_GBps:.3g} GB/s, by an ideal split over the same paths "
            "{ideal_GBps:.3g} GB/s (both model): {percent:.0f} % is left while the most loaded of "
            "all hashed cables is waited for, as balls into bins let expect"
        ),
        figure="{busbw_GBps:.3g} of {ideal_GBps:.3g} GB/s",
        fix="more queue pairs a connection (NCCL_IB_QPS_PER_CONNECTION), or adaptive routing",
        measure=Measure("percent", "%", "less"),
    ),
    Code(
        "detours-not-best",
        "info",
        "detours are not split at their best",
        "the fabric has too many paths to look for the best split of traffic over them",
        "take the figure for the least that detours give",
        text="the figure is the least that detours give: {why}",
    ),
    Code(
        "exchange-not-routed",
        "info",
        "an all-to-all that is not routed",
        "faults leave so many kinds of switches that traffic between all of them is not routed",
        "take the figure for the most that the fabric gives",
        text=(
            "{why}: the figure is the most that its cables carry over the distances between "
            "nodes, whichever way traffic goes; apart from the faults there is less"
        ),
    ),
    Code(
        "rccl-not-modelled",
        "info",
        "RCCL is not modelled",
        "AMD GPUs run RCCL; the figures are what NCCL would reach on such links",
        "measure with rccl-tests before you rely on them",
        text=(
            "AMD GPUs run RCCL, which is not modelled: the figures are what NCCL would reach on "
            "such links, without published results to check them"
        ),
    ),
    Code(
        "above-bound",
        "warning",
        "prediction above the bound",
        "no schedule gives what is predicted: the model leaves out what limits it",
        "read the bound as the most that it can reach",
        text=_above_bound,
    ),
    Code(
        "without-gpudirect",
        "info",
        "figures without GPUDirect",
        "requested so: all data go through the CPU's memory",
        "load nvidia-peermem or DMA-BUF, and ask with GPUDirect",
        text=(
            "without GPUDirect a NIC of InfiniBand or RoCE gets 2/3 of its rate (NVIDIA/nccl issue "
            "412, one NIC a node; what the CPU's memory leaves to several is not known), other "
            "networks {source}"
        ),
    ),
    Code(
        "efa-without-gpudirect",
        "warning",
        "EFA without GPUDirect",
        "before A100 all data go through the CPU's memory, which holds large messages back",
        "instances with A100 or later GPUs",
        text=(
            "EFA reaches the memory of GPUs from A100 on; with older ones all data go through "
            "the CPU's: {source}"
        ),
    ),
    Code(
        "efa-gpudirect-unknown",
        "info",
        "GPUDirect over EFA not known",
        "the NICs are taken to reach the memory of GPUs; no source says that they do",
        "measure before you rely on it",
        text=(
            "GPUDirect RDMA over EFA is not known of these nodes, and taken for granted; where "
            "data go through the CPU's memory, large messages get less"
        ),
    ),
    Code(
        "nccl-own-switch",
        "info",
        "NCCL's search of 2.26 to 2.28",
        "it may find one slow channel only",
        "another release",
        text=(
            "every A100 has a PCIe switch to itself: NCCL 2.26 to 2.28 may find one slow "
            "channel only (seen in runs of its search, not on hardware)"
        ),
    ),
    Code(
        "no-algorithm",
        "info",
        "algorithm requested for an exchange",
        "exchanges have no choice of algorithm",
        "leave the algorithm out",
        text="{algorithm} is requested, but exchanges have no choice of algorithm",
    ),
    Code(
        "small-messages",
        "info",
        "small messages",
        "what a NIC spends on a message is not modelled",
        "larger messages",
        text=(
            "each rank sends {share_bytes:,.1f} bytes to each other: what a NIC spends on a "
            "message is not modelled, so that the real figure is lower"
        ),
    ),
    Code(
        "exchange-congestion",
        "info",
        "congestion of an all-to-all is not modelled",
        "with many connections a NIC, packet-level simulations stay below the figure",
        "deep buffers, or measure before you rely on it",
        text=(
            "each NIC keeps {connections:,} connections busy, and congestion is not modelled: "
            "packet-level simulations (uet-htsim, adaptive routing, one bandwidth-delay product of "
            "buffer a port) lost 0 to 6 % of the ideal with up to 47, 13 % with 63, 23 % with 127 "
            "and 27 % with 255; with five times the buffer up to 9 %"
        ),
        figure="{connections:,} connections a NIC",
        measure=Measure("connections", "connections a NIC"),
        fix="measure an all-to-all before you rely on its figure",
    ),
    Code(
        "long-cables",
        "info",
        "what holds data back over long cables is not modelled",
        "from 2 km on senders wait for answers; the figure has the signals' way alone",
        "measure over these cables before you rely on its figure",
        text=(
            "its cables are {length_m:,.0f} m long: an answer takes {round_trip_us:,.0f} µs to be "
            "back, by which time a cable of {speed_gbit} Gb/s has {on_the_way_MB:,.2f} MB on it. "
            "Predictions wait for the signals. They leave out what holds data back: credits of "
            "InfiniBand and headroom of PFC for fewer bytes than that, congestion control over "
            "such a round trip, and the eight buffers that NCCL keeps on the way (4 MiB a channel "
            "by Simple)"
        ),
        figure="{length_m:,.0f} m",
        measure=Measure("length_m", "m"),
        fix="measure over these cables, and ask the maker for the buffer that they need",
    ),
    Code(
        "slow-link",
        "warning",
        "cables that run slow",
        "slow: marks cables that run below the speed of their link",
        "mend them, then remove them from slow:",
        text=lambda v: (
            f"{' and '.join(v.texts('slow'))} Gb/s, where the link runs at {v['speed_gbit']} Gb/s"
        ),
        figure="{cost}",
        fix="mend what runs slow, then remove it from slow:",
        measure=Measure("slowest_percent", "%", worse="less"),
    ),
    Code(
        "slow-gpu",
        "warning",
        "GPUs that run slow",
        "slow: marks GPUs that compute below their rate",
        "mend them, then remove them from slow:",
        text=lambda v: (
            f"{' and '.join(v.texts('slow'))} of the rate: collectives are unchanged, since "
            "NVLink and NICs run as before; a synchronous step waits for the slowest GPU, so that "
            f"its compute takes {100 / v.number('slowest_percent'):.3g} times as long"
        ),
        fix="mend what runs slow, then remove it from slow:",
        measure=Measure("slowest_percent", "%", worse="less"),
    ),
    Code(
        "has-faults",
        "info",
        "figures with faults",
        "down: marks what has failed, slow: what runs slow; absent: is counted, too",
        "remove down: and slow: once it is repaired",
        text=_faults,
        figure=lambda v: counted(v.count("count"), "mark"),
        fix=lambda v: f"remove {_marks(v)} once it is repaired",
        measure=Measure("count", "marks"),
    ),
)
