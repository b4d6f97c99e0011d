"""Each mistake with the finding that it must give, and its corrected twin."""

from __future__ import annotations

from dataclasses import dataclass

RAILS = """\
axes: {rail: 8}
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [leaf, spine], cables: 2, length: 20}
"""
"""Four DGX H100 on eight rails, two spines, non-blocking: nothing is wrong with it."""

OPEN = RAILS.replace(
    "part: dgx-h100, count: 4",
    "part: hgx-h100-8, count: 4, nics: {compute: {part: connectx-7-ndr, count: 8}}",
)
"""The same with nodes whose slots are open."""

HDR = OPEN.replace("hgx-h100-8", "hgx-a100-8").replace("connectx-7-ndr", "connectx-6-hdr")
HDR = HDR.replace("qm9700", "qm8700")
"""The same with A100, HDR and 40-port switches."""

ROCE = HDR.replace("connectx-6-hdr", "connectx-6-200gbe").replace("qm8700", "sn4600")
"""The same over Ethernet, with switches that route adaptively."""

STORAGE = RAILS.replace(
    "  spine:", "  store-leaf: {part: qm9700}\n  store: {part: ddn-ai400x2, count: 2}\n  spine:"
)
STORAGE += "  - {between: [node.storage, store-leaf], length: 20}\n"
STORAGE += "  - {between: [store.storage, store-leaf], length: 20}\n"
"""The same with a storage network that hangs on one leaf."""

HALF_LANES = (
    ROCE.replace("connectx-6-200gbe", "connectx-6-dx-100gbe")
    .replace("sn4600", "ds4000")
    .replace("leaf], length", "leaf], speed: 50, length")
    .replace("cables: 2", "cables: 1")
)
"""100GbE NICs at half their lanes, eight to a cage of a switch that limits breakouts."""

TWO_KINDS = """\
axes: {rail: 8}
groups:
  a: {part: dgx-h100, count: 2}
  b: {part: dgx-h100, count: 2}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [a.compute, leaf], length: 20}
  - {between: [b.compute, leaf], length: 20}
  - {between: [leaf, spine], cables: 2, length: 20}
"""

TWO_LEAF_GROUPS = """\
groups:
  a: {part: dgx-h100, count: 2}
  b: {part: dgx-h100, count: 2}
  left: {part: qm9700}
  right: {part: qm9700}
  spine: {part: qm9700, count: 2}
links:
  - {between: [a.compute, left], cables: 4, length: 20}
  - {between: [a.compute, right], cables: 4, length: 20}
  - {between: [b.compute, left], cables: 4, length: 20}
  - {between: [b.compute, right], cables: 4, length: 20}
  - {between: [left, spine], cables: 8, length: 20}
  - {between: [right, spine], cables: 8, length: 20}
"""
"""Four DGX H100, half of their ports on a leaf of one group, half on one of another."""

SPLIT_RAILS = TWO_KINDS.replace(
    "  spine: {part: qm9700, count: 2}\n",
    "  spine: {part: qm9700, count: 2}\n  extra: {part: qm9700}\n",
).replace("rail: 8", "rail: 7")

THREE_TIERS = """\
axes: {pod: 2, rail: 8, plane: 2}
groups:
  node: {part: dgx-h100, per: [pod], count: 4}
  leaf: {part: qm9700, per: [pod, rail]}
  spine: {part: qm9700, per: [pod, plane]}
  core: {part: qm9700, per: [plane], count: 2}
links:
  - {between: [node.compute, leaf], length: 20}
  - {between: [leaf, spine], cables: 2, length: 20}
  - {between: [spine, core], cables: 8, length: 40}
"""


@dataclass(frozen=True)
class Mistake:
    """A wrong design, the code that it must give, where, and the design put right.

    ``policy`` is of both; without ``right`` in it, the twin is judged by the policy, too.
    """

    name: str
    code: str
    where: str
    wrong: str
    right: str = RAILS
    policy: str = ""


def but(text: str, *changes: tuple[str, str]) -> str:
    """A design with words replaced, each of which must be there."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


_SPINES = "cables: 2, length: 20"
_HGX_ROCE = "part: hgx-a100-8, count: 4, nics: {compute: {part: connectx-6-200gbe, count: 8}}"
_THREE_SPINES = ("part: qm9700, count: 2", "part: qm9700, count: 3")
_ONE_SPINE = ("part: qm9700, count: 2", "part: qm9700, count: 1")
_NODES_8 = ("count: 4, nics", "count: 8, nics")
_NICS = "connectx-7-ndr, count: 8"

MISTAKES = (
    Mistake("the catalog moved on", "unknown-part", "node", but(RAILS, ("dgx-h100", "dgx-h900"))),
    Mistake(
        "a NIC misspelt", "unknown-part", "node.compute", but(OPEN, ("connectx-7-ndr", "cx7")), OPEN
    ),
    Mistake(
        "a NIC as a leaf",
        "not-a-device",
        "leaf",
        but(RAILS, ("leaf: {part: qm9700", "leaf: {part: connectx-7-ndr")),
    ),
    Mistake(
        "NICs in a switch",
        "not-a-node",
        "leaf",
        but(
            RAILS,
            ("per: [rail]}", "per: [rail], nics: {compute: {part: connectx-7-ndr, count: 1}}}"),
        ),
    ),
    Mistake(
        "slots that the chassis has not",
        "unknown-slots",
        "node",
        but(OPEN, ("nics: {compute:", "nics: {front: {part: connectx-7-ndr, count: 1}, compute:")),
        OPEN,
    ),
    Mistake(
        "a link to slots that are not there",
        "unknown-slots",
        "links[0] node.front - leaf",
        but(RAILS, ("node.compute", "node.front")),
    ),
    Mistake(
        "ports not named",
        "which-slots",
        "links[0] node - leaf",
        but(RAILS, ("node.compute", "node")),
    ),
    Mistake(
        "NICs forgotten",
        "no-nic",
        "links[0] node.compute - leaf",
        but(OPEN, (f", nics: {{compute: {{part: {_NICS}}}}}", "")),
        OPEN,
    ),
    Mistake(
        "nine NICs in eight slots",
        "slots-overfilled",
        "node.compute",
        but(OPEN, (_NICS, "connectx-7-ndr, count: 9")),
        OPEN,
    ),
    Mistake(
        "more nodes than a leaf has ports",
        "ports-overused",
        "leaf",
        but(RAILS, ("count: 4", "count: 62")),
        but(RAILS, ("count: 4", "count: 8"), ("cables: 2", "cables: 4")),
    ),
    Mistake(
        "a spine with too few ports",
        "ports-overused",
        "spine",
        but(RAILS, ("count: 4", "count: 20"), ("cables: 2", "cables: 10")),
        but(
            RAILS,
            ("count: 4", "count: 20"),
            ("part: qm9700, count: 2", "part: qm9700, count: 4"),
            ("cables: 2", "cables: 5"),
        ),
    ),
    Mistake(
        "node ports given to two fabrics",
        "ports-overused",
        "node.compute",
        RAILS + "  - {between: [node.compute, spine], cables: 1, length: 20}\n",
    ),
    Mistake(
        "InfiniBand NICs on Ethernet leaves",
        "protocol-mismatch",
        "links[0] node.compute - leaf",
        but(ROCE, ("connectx-6-200gbe", "connectx-6-de-hdr")),
        ROCE,
    ),
    Mistake(
        "an Ethernet spine over InfiniBand leaves",
        "protocol-mismatch",
        "links[1] leaf - spine",
        but(RAILS, ("spine: {part: qm9700", "spine: {part: sn5600")),
    ),
    Mistake(
        "a speed that nobody runs",
        "speed-mismatch",
        "links[0] node.compute - leaf",
        but(RAILS, ("leaf], length: 20}", "leaf], length: 20, speed: 100}")),
    ),
    Mistake(
        "HDR100 NICs on NDR switches",
        "speed-mismatch",
        "links[0] node.compute - leaf",
        but(HDR, ("connectx-6-hdr", "connectx-6-hdr100"), ("qm8700", "qm9700")),
        HDR,
    ),
    Mistake(
        "NDR NICs on HDR switches",
        "nic-slowed",
        "links[0] node.compute - leaf",
        but(OPEN, ("qm9700", "qm8700")),
        OPEN,
    ),
    Mistake(
        "spine links left at half speed",
        "speed-lowered",
        "links[1] leaf - spine",
        but(RAILS, (_SPINES, "cables: 4, speed: 200, length: 20")),
    ),
    Mistake(
        "a cloud node in a fabric of one's own",
        "provider-nic",
        "node.compute",
        but(
            ROCE,
            (
                _HGX_ROCE,
                "part: p6-b200-48xlarge, count: 4",
            ),
            ("sn4600", "sn5400"),
        ),
        ROCE,
    ),
    Mistake(
        "a link written twice",
        "links-repeated",
        "links[1] leaf - spine",
        RAILS + f"  - {{between: [leaf, spine], {_SPINES}}}\n",
    ),
    Mistake(
        "four NICs for eight rails",
        "too-few-ports",
        "links[0] node.compute - leaf",
        but(OPEN, (_NICS, "connectx-7-ndr, count: 4")),
        OPEN,
    ),
    Mistake(
        "rails that do not divide the ports",
        "uneven-ports",
        "links[0] node.compute - leaf",
        but(RAILS, ("rail: 8", "rail: 3")),
    ),
    Mistake(
        "nodes cabled to nodes",
        "nodes-meshed",
        "links[0] a.compute - b.compute",
        "groups: {a: {part: dgx-h100, count: 2}, b: {part: dgx-h100, count: 2}}\n"
        "links: [{between: [a.compute, b.compute], length: 2}]\n",
    ),
    Mistake(
        "an absence of what is not there",
        "bad-selector",
        "absent[0]",
        RAILS + 'absent: ["node[node=9]"]\n',
        RAILS + 'absent: ["node[node=3]"]\n',
    ),
    Mistake(
        "a group marked absent as a whole",
        "group-absent",
        "b",
        TWO_KINDS + 'absent: ["b"]\n',
        TWO_KINDS,
    ),
    Mistake(
        "an axis that nothing repeats over",
        "axis-unused",
        "plane",
        but(RAILS, ("rail: 8", "rail: 8, plane: 2")),
    ),
    Mistake(
        "a switch bought and not wired",
        "unwired",
        "spare",
        but(RAILS, ("links:", "  spare: {part: qm9700}\nlinks:")),
    ),
    Mistake(
        "half the NICs",
        "fewer-nics-than-gpus",
        "node.compute",
        but(OPEN, (_NICS, "connectx-7-ndr, count: 4"), ("rail: 8", "rail: 4")),
        OPEN,
    ),
    Mistake(
        "three NICs for eight GPUs",
        "nics-uneven",
        "node.compute",
        but(OPEN, (_NICS, "connectx-7-ndr, count: 3"), ("rail: 8", "rail: 3")),
        OPEN,
    ),
    Mistake(
        "all NICs below the first socket",
        "nic-far-socket",
        "node.compute",
        but(OPEN, (_NICS, "connectx-7-ndr, count: 4"), ("rail: 8", "rail: 4")),
        OPEN,
    ),
    Mistake(
        "NICs without cables",
        "nics-idle",
        "node.compute",
        but(RAILS, ("rail: 8", "rail: 4"), ("leaf], length", "leaf], cables: 1, length")),
    ),
    Mistake(
        "NDR NICs in PCIe 4 slots",
        "slot-slower-than-nic",
        "node.compute",
        but(OPEN, ("hgx-h100-8", "hgx-a100-8")),
        OPEN,
    ),
    Mistake(
        "the first port taken by another link",
        "rails-crossed",
        "b.compute",
        but(
            SPLIT_RAILS,
            (
                "  - {between: [a.compute, leaf], length: 20}\n"
                "  - {between: [b.compute, leaf], length: 20}\n",
                "  - {between: [a.compute, leaf], cables: 1, length: 20}\n"
                "  - {between: [a.compute, extra], cables: 1, length: 20}\n"
                "  - {between: [b.compute, extra], cables: 1, length: 20}\n"
                "  - {between: [b.compute, leaf], cables: 1, length: 20}\n",
            ),
        ),
        TWO_KINDS,
    ),
    Mistake(
        "rails of two leaf groups exchanged",
        "rails-crossed",
        "b.compute",
        but(
            TWO_LEAF_GROUPS,
            (
                "  - {between: [b.compute, left], cables: 4, length: 20}\n"
                "  - {between: [b.compute, right], cables: 4, length: 20}\n",
                "  - {between: [b.compute, right], cables: 4, length: 20}\n"
                "  - {between: [b.compute, left], cables: 4, length: 20}\n",
            ),
        ),
        TWO_LEAF_GROUPS,
    ),
    Mistake(
        "a rail that one node lacks",
        "rails-uneven",
        "node.compute",
        RAILS + 'absent: ["node[node=1].compute[3]"]\n',
        RAILS,
    ),
    Mistake(
        "half the uplinks",
        "oversubscribed",
        "leaf",
        but(RAILS, ("cables: 2", "cables: 1")),
    ),
    Mistake(
        "a thin core",
        "oversubscribed",
        "spine",
        but(THREE_TIERS, ("cables: 8", "cables: 4")),
        THREE_TIERS,
    ),
    Mistake(
        "more than the policy's 2:1",
        "oversubscribed",
        "leaf",
        but(RAILS, ("count: 4", "count: 6"), ("cables: 2", "cables: 1")),
        but(RAILS, ("cables: 2", "cables: 1")),
        policy="limits: {oversubscription: {leaf: 2}}\n",
    ),
    Mistake(
        "uplinks that three spines cannot share",
        "uneven-uplinks",
        "leaf",
        but(RAILS, _THREE_SPINES, ("cables: 2", "cables: 1")),
        policy="limits: {oversubscription: {leaf: 2}}\n",
    ),
    Mistake(
        "spines with unlike numbers of cables",
        "uneven-uplinks",
        "leaf",
        but(
            RAILS,
            ("links:", "  other: {part: qm9700, count: 2}\nlinks:"),
        )
        + "  - {between: [leaf, other], cables: 1, length: 20}\n",
        but(
            RAILS,
            ("links:", "  other: {part: qm9700, count: 2}\nlinks:"),
            ("cables: 2", "cables: 1"),
        )
        + "  - {between: [leaf, other], cables: 1, length: 20}\n",
    ),
    Mistake(
        "uplinks of one leaf left out",
        "uplinks-missing",
        "leaf",
        RAILS + 'absent: ["leaf[rail=0] - spine[spine=1]"]\n',
    ),
    Mistake(
        "static ECMP over few uplinks",
        "ecmp-overload",
        "leaf",
        but(
            ROCE,
            ("sn4600", "sn3700"),
            _NODES_8,
            ("cables: 2", "cables: 4"),
        ),
        but(ROCE, _NODES_8, ("cables: 2", "cables: 4")),
    ),
    Mistake(
        "adaptive routing assumed",
        "no-adaptive-routing",
        "leaf",
        but(ROCE, ("sn4600", "sn3700")),
        ROCE,
        policy="assume: {routing: adaptive}\n",
    ),
    Mistake(
        "SHARP assumed over Ethernet",
        "no-sharp",
        "network",
        ROCE,
        HDR,
        policy="assume: {sharp: true}\n",
    ),
    Mistake(
        "all nodes on one switch",
        "single-leaf",
        "node.compute",
        "groups: {node: {part: dgx-h100, count: 4}, leaf: {part: qm9700}}\n"
        "links: [{between: [node.compute, leaf], length: 20}]\n",
    ),
    Mistake(
        "one cable a node",
        "single-nic",
        "node.compute",
        but(OPEN, (_NICS, "connectx-7-ndr, count: 1"), ("rail: 8", "rail: 1")),
        OPEN,
    ),
    Mistake(
        "one spine for all",
        "single-spine",
        "leaf",
        but(RAILS, _ONE_SPINE, ("cables: 2", "cables: 4")),
    ),
    Mistake(
        "spines in the next town",
        "no-cable",
        "links[1] leaf - spine",
        but(RAILS, (_SPINES, "cables: 2, length: 5000")),
    ),
    Mistake(
        "A100 nodes among H100",
        "weakest-node",
        "b",
        but(TWO_KINDS, ("b: {part: dgx-h100, count: 2}", "b: {part: dgx-a100, count: 2}")),
        TWO_KINDS,
    ),
    Mistake(
        "nodes of half the network",
        "mixed-nic-speeds",
        "b",
        but(TWO_KINDS, ("[b.compute, leaf], length", "[b.compute, leaf], speed: 200, length")),
        TWO_KINDS,
    ),
    Mistake(
        "NICs without RDMA",
        "tcp-sockets",
        "network",
        but(ROCE, ("connectx-6-200gbe", "chelsio-t62100"), ("sn4600", "sn4600c")),
        ROCE,
    ),
    Mistake(
        "groups of seven on eight GPUs",
        "communicator-does-not-fit",
        "communicator",
        RAILS + "communicator: {layout: tp=7}\n",
        RAILS + "communicator: {layout: tp=8}\n",
    ),
    Mistake(
        "two islands",
        "unreachable",
        "a",
        "groups: {a: {part: dgx-h100, count: 2}, b: {part: dgx-h100, count: 2},"
        " left: {part: qm9700, count: 2}, right: {part: qm9700, count: 2}}\n"
        "links: [{between: [a.compute, left], length: 20},"
        " {between: [b.compute, right], length: 20}]\n",
        TWO_KINDS,
    ),
    Mistake(
        "NICs fitted and no link at all",
        "unreachable",
        "node",
        "groups: {node: {part: dgx-h100, count: 2}}\n",
    ),
    Mistake(
        "breakouts beyond the chip",
        "breakout-limit",
        "leaf",
        but(HALF_LANES, ("count: 4, nics", "count: 150, nics")),
        HALF_LANES,
        policy="severities: {no-cable: off, ecmp-overload: off}\n",
    ),
    Mistake(
        "less than the policy asks for",
        "below-required",
        "design",
        HDR,
        RAILS,
        policy="limits: {busbw_GBps: 300}\n",
    ),
    Mistake(
        "more power than the hall has",
        "power-over-policy",
        "design",
        but(RAILS, ("count: 4", "count: 8"), ("cables: 2", "cables: 4")),
        RAILS,
        policy="limits: {power_kw: 70}\n",
    ),
    Mistake(
        "a waiver past its day",
        "waiver-expired",
        "waivers[0]",
        but(RAILS, ("cables: 2", "cables: 1"))
        + 'waivers: [{code: oversubscribed, reason: soon more, date: "2026-01-01",'
        ' until: "2026-02-01"}]\n',
        but(RAILS, ("cables: 2", "cables: 1"))
        + 'waivers: [{code: oversubscribed, reason: soon more, date: "2026-01-01",'
        ' until: "2026-12-31"}]\n',
    ),
    Mistake(
        "one storage leaf for all nodes",
        "network-single-switch",
        "store-leaf",
        STORAGE,
        but(STORAGE, ("store-leaf: {part: qm9700}", "store-leaf: {part: qm9700, count: 2}")),
    ),
    Mistake(
        "storage that no node has a cable to",
        "network-unreached",
        "store",
        but(
            STORAGE,
            ("store-leaf: {part: qm9700}", "store-leaf: {part: qm9700, count: 2}"),
            ("  - {between: [node.storage, store-leaf], length: 20}\n", ""),
        ),
        but(STORAGE, ("store-leaf: {part: qm9700}", "store-leaf: {part: qm9700, count: 2}")),
    ),
    Mistake(
        "a waiver of a code that is none",
        "waiver-unknown-code",
        "waivers[0]",
        RAILS + 'waivers: [{code: oversubscription, reason: meant, date: "2026-01-01"}]\n',
    ),
)
