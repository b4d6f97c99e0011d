"""Every code that a finding can have: its title, how bad it is, what it means, the usual way out.

``docs/findings.md`` is this table for people; a test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass

from topology.fabric.plan import Severity


@dataclass(frozen=True)
class Code:
    """One kind of finding."""

    code: str
    severity: Severity
    title: str
    meaning: str
    remedy: str


_E: Severity = "error"
_W: Severity = "warning"
_I: Severity = "info"

_ALL = (
    # parts
    Code(
        "unknown-part",
        _E,
        "part not in the catalog",
        "the catalog has no such part (any more), so that its ports and every figure that"
        " rests on it are unknown",
        "name a part of the catalog, or give its part file with --catalog",
    ),
    Code(
        "not-a-device",
        _E,
        "part is no device",
        "a group is of nodes, switches or storage; NICs go into slots, the bill chooses cables",
        "name a node, a switch or storage",
    ),
    Code(
        "not-a-node",
        _E,
        "NICs fitted into a switch",
        "a switch has no slots for NICs",
        "remove nics from the group",
    ),
    Code(
        "unknown-slots",
        _E,
        "slots that the part has not",
        "the part has no slots of that name",
        "name slots that the part has",
    ),
    Code(
        "part-file",
        _W,
        "part file at fault",
        "a part was left out because its file has faults",
        "mend the file at the line that is named",
    ),
    Code(
        "part-note",
        _I,
        "remark about part files",
        "such as a part that replaces another",
        "nothing, if it is meant",
    ),
    Code(
        "unknown-fact",
        _I,
        "unknown catalog fact",
        "a figure rests on a fact of a part that nobody published, so that it is "
        "incomplete or a bound",
        "ask the vendor, and put the fact into a part file of your own",
    ),
    Code(
        "unverified-fact",
        _I,
        "unverified catalog fact",
        "a fact that a result rests on was found only in a place that may be wrong",
        "hold it against the vendor's data sheet",
    ),
    Code(
        "policy-file",
        _W,
        "policy file at fault",
        "the user's policy cannot be read, so that the built-in one judges in the app",
        "mend the file at the line that is named",
    ),
    Code(
        "bad-view",
        _W,
        "position on the canvas that cannot be read",
        "view: moves a group that is none, or not by a whole number of columns",
        "correct it, or remove it: the layout places the group",
    ),
    # ports
    Code(
        "ports-overused",
        _E,
        "more cables than ports",
        "links ask for more cages than each device has",
        "fewer cables, or a larger switch",
    ),
    Code(
        "breakout-limit",
        _E,
        "more logical ports than the chip runs",
        "cages suffice, but the switch cannot run so many ports in breakout",
        "fewer or faster ports",
    ),
    Code(
        "links-repeated",
        _W,
        "two links between the same ends",
        "a link stands twice; the ports are used twice, which is rarely meant",
        "one link with cables: of both, or remove one",
    ),
    Code(
        "too-few-ports",
        _E,
        "fewer ports than peers",
        "not every peer gets a cable",
        "fit more NICs, or reach fewer peers",
    ),
    Code(
        "uneven-ports",
        _E,
        "axes that do not divide",
        "a node's ports cannot be dealt evenly over the switches that it reaches",
        "a number of peers that divides the ports",
    ),
    Code(
        "which-slots",
        _E,
        "ports not named",
        "the node has several kinds of ports",
        "say which",
    ),
    Code(
        "nodes-meshed",
        _E,
        "nodes cabled to each other",
        "nodes are cabled to each other only in pairs",
        "put a switch between",
    ),
    Code(
        "bad-selector",
        _E,
        "absent: or down: names nothing",
        "a selector cannot be read, or selects what the design has not",
        "correct the selector",
    ),
    Code(
        "group-absent",
        _W,
        "group wholly absent",
        "every device of a group is marked absent",
        "remove the group, or the mark",
    ),
    Code(
        "axis-unused",
        _W,
        "axis that nothing repeats over",
        "an axis is declared, but no group names it in per:",
        "name it in per:, or remove it",
    ),
    Code(
        "unwired",
        _W,
        "switch without cables",
        "a switch is bought, but not wired to anything",
        "wire it, or remove it",
    ),
    # protocols and speeds
    Code(
        "protocol-mismatch",
        _E,
        "InfiniBand to Ethernet",
        "the two ends share no protocol",
        "a NIC or a switch of the other's protocol",
    ),
    Code(
        "speed-mismatch",
        _E,
        "no common speed",
        "the two ends share no speed, or not the one asked for",
        "a NIC or a switch of the other's speed",
    ),
    Code(
        "nic-slowed",
        _W,
        "NIC below its speed",
        "the switch runs slower ports than the NIC has",
        "a faster switch, or say speed: if it is meant",
    ),
    Code(
        "speed-lowered",
        _W,
        "link set below what both ends run",
        "speed: holds a link below the fastest common speed, and does not split cages to reach "
        "more switches",
        "leave speed: out",
    ),
    Code(
        "provider-nic",
        _W,
        "NIC of a cloud provider in a drawn fabric",
        "what is behind the NIC belongs to the provider and cannot be cabled by others",
        "a node with NICs that have cages",
    ),
    # NICs
    Code(
        "no-nic",
        _E,
        "slots without a NIC",
        "a link ends at slots in which no NIC is fitted",
        "fit NICs",
    ),
    Code(
        "slots-overfilled",
        _E,
        "more NICs than slots",
        "the node has fewer slots",
        "fit as many as there are slots",
    ),
    Code(
        "fewer-nics-than-gpus",
        _W,
        "fewer NICs than GPUs",
        "GPUs share NICs, and so their bandwidth",
        "fit one for each GPU where slots are free",
    ),
    Code(
        "nics-uneven",
        _W,
        "NICs that GPUs do not divide over",
        "some NICs serve more GPUs than others, and the fullest decides",
        "a count that divides",
    ),
    Code(
        "nic-far-socket",
        _W,
        "NICs on the wrong socket",
        "GPUs below one socket have no NIC there, so that their traffic crosses the sockets' link",
        "NICs below every socket with GPUs",
    ),
    Code(
        "nics-idle",
        _W,
        "NIC ports fitted and not cabled",
        "ports are bought and carry nothing",
        "cable them, or fit fewer",
    ),
    Code(
        "slot-slower-than-nic",
        _W,
        "NIC faster than its PCIe slot",
        "the slot feeds less than the NIC's line rate",
        "the NIC that the slot can feed",
    ),
    # rails
    Code(
        "rails-crossed",
        _W,
        "rails crossed",
        "NICs of one number of two node groups end at different leaves",
        "cable the same ports of both groups, in the same order",
    ),
    Code(
        "rails-uneven",
        _W,
        "rails uneven",
        "nodes of one group have unlike numbers of cabled NICs",
        "cable the missing ports",
    ),
    # tiers and uplinks
    Code(
        "oversubscribed",
        _W,
        "oversubscription above policy",
        "a tier has more capacity down than up, beyond what the policy allows",
        "more uplinks",
    ),
    Code(
        "uneven-uplinks",
        _W,
        "uplinks not a whole number per spine",
        "a switch's uplinks do not divide over the switches above, so that ports stay "
        "idle or some get more",
        "a count of spines that divides the uplinks",
    ),
    Code(
        "uplinks-missing",
        _W,
        "switches with fewer uplinks than their likes",
        "absent cables or spines leave some switches thinner; traffic over them is slower",
        "cable what is absent",
    ),
    Code(
        "overbuilt-uplinks",
        _I,
        "more uplinks than downlinks",
        "a tier has at least twice the capacity up than down",
        "fewer cables or spines",
    ),
    Code(
        "ecmp-overload",
        _W,
        "static ECMP overloads uplinks",
        "switches hash connections onto uplinks, and the fullest gets a multiple of its share",
        "adaptive routing, or queue pairs",
    ),
    # single points of failure
    Code(
        "single-leaf",
        _W,
        "nodes on one switch",
        "all ports of a node end at one switch: it fails, they are cut off",
        "a second switch",
    ),
    Code(
        "single-nic",
        _W,
        "nodes on one cable",
        "a node has one cabled port: it fails, its GPUs are cut off",
        "a second NIC",
    ),
    Code(
        "single-spine",
        _W,
        "leaves joined by one switch",
        "one switch joins all others: it fails, the cluster falls apart",
        "a second spine",
    ),
    Code(
        "no-spare-supply",
        _W,
        "no spare power supply",
        "one power supply or feed fails, the device is off",
        "a device with a spare supply",
    ),
    # cabling
    Code(
        "no-cable",
        _W,
        "no cable reaches or fits",
        "a link is beyond the reach of every part that fits, or nothing fits its cages",
        "a shorter way, or other parts",
    ),
    Code(
        "no-nvlink-switches",
        _W,
        "NVLink switch trays not on the bill",
        "the trays that join the nodes of a rack are no parts of the catalog; the bill lacks them",
        "order whole racks, or the trays with them",
    ),
    Code(
        "heat-sink",
        _W,
        "module with the wrong heat sink",
        "the cage takes another version of the module",
        "order the version that is named",
    ),
    Code(
        "length-unknown",
        _I,
        "length not known",
        "neither the link nor its racks say a length; the bill takes optics",
        "say length: on the link",
    ),
    Code(
        "length-assumed",
        _I,
        "length along assumed racks",
        "the design says neither lengths nor how its devices stand; cables are measured along"
        " racks filled by default",
        "say length: on the link, or placement: in the design",
    ),
    Code(
        "mixed-parts",
        _I,
        "cables of one cage built differently",
        "ports of one cage have cables of unlike lengths and parts; the fewest kinds are counted",
        "lengths that one part can build",
    ),
    Code(
        "price-list",
        _W,
        "price list at fault",
        "a line of a price list was left out because it has faults",
        "mend the line that is named",
    ),
    # racks
    Code(
        "rack-over-height",
        _E,
        "device beyond the rack's top",
        "a device that the design places sticks out of its rack",
        "a lower unit, or another rack",
    ),
    Code(
        "rack-unit-taken",
        _E,
        "two devices in one U",
        "the design places two devices in the same U",
        "another unit or rack for one of them",
    ),
    Code(
        "rack-over-power",
        _W,
        "rack power exceeded",
        "a rack draws more than its limit; an error where design or part state the limit",
        "fewer nodes in a rack, or racks with more power",
    ),
    Code(
        "rack-over-weight",
        _W,
        "rack overloaded",
        "its devices weigh more than the rack carries",
        "fewer devices in a rack, or a stronger rack",
    ),
    Code(
        "rack-feed-unknown",
        _W,
        "feeds of unknown rating",
        "what the feeds deliver is not known; an error where the part is no PDU",
        "name a PDU of the catalog with a rating",
    ),
    Code(
        "rack-feed-short",
        _E,
        "feeds too weak",
        "a rack draws more than all its feeds deliver",
        "more feeds, or fewer devices in a rack",
    ),
    Code(
        "rack-feed-not-redundant",
        _W,
        "no feed may fail",
        "a rack draws more than its feeds deliver once one of them is lost",
        "one feed more, or fewer devices in a rack",
    ),
    Code(
        "rack-too-tall",
        _E,
        "device taller than the rack",
        "the device takes more U than a rack has, and stands nowhere",
        "a taller rack",
    ),
    Code(
        "rack-height-unknown",
        _W,
        "height of a device not known",
        "nobody says it; racks and lengths assume the most U of its kind, and are incomplete",
        "say heights: under placement:",
    ),
    Code(
        "rack-too-many",
        _W,
        "more devices than are put into racks",
        "devices are looked at one by one up to 250,000, cables up to 5,000,000; lengths along "
        "racks are unknown",
        "fewer devices, or say length: on each link",
    ),
    Code(
        "rack-height-published",
        _W,
        "height given for a part that states its own",
        "heights: is for parts that do not say theirs; the published height is taken",
        "remove it from heights:",
    ),
    Code(
        "rack-power-unknown",
        _I,
        "power of a device not known",
        "the power of its racks is incomplete",
        "ask the vendor, and put it into a part file of your own",
    ),
    Code(
        "rack-units-unknown",
        _W,
        "height of the rack not known",
        "racks of 42 U are assumed",
        "say units: under placement:",
    ),
    Code(
        "rack-part-unknown",
        _E,
        "rack not in the catalog",
        "the catalog has no such rack",
        "name a rack of the catalog, or leave rack: out",
    ),
    Code(
        "rack-unknown-group",
        _E,
        "height for a group that is none",
        "heights: names a group that the design has not",
        "name a group of the design",
    ),
    Code(
        "rack-bad-selector",
        _E,
        "placed device that is none",
        "a selector under devices: cannot be read, or names a port or cable",
        "name devices of the design",
    ),
    Code(
        "rack-beyond-row",
        _E,
        "rack beyond the end of its row",
        "devices: names a rack that a row of racks_per_row: racks has not",
        "another rack, or more racks_per_row:",
    ),
    Code(
        "rack-placed-twice",
        _W,
        "device placed twice",
        "two lines under devices: place the same device; the later one is taken",
        "remove one of them",
    ),
    Code(
        "rack-switches-moved",
        _I,
        "switches in racks of their own",
        "switches: top-of-rack, and the racks of the nodes have no room",
        "fewer nodes in a rack, or nothing",
    ),
    # assumptions
    Code(
        "weakest-node",
        _W,
        "node mix that drags all down",
        "NCCL takes the channels of the weakest node for all",
        "jobs of their own for unlike nodes",
    ),
    Code(
        "mixed-nic-speeds",
        _W,
        "node groups with unlike network speeds",
        "a collective over all runs at the speed of the slowest node's NICs",
        "equal NICs",
    ),
    Code(
        "tcp-sockets",
        _W,
        "TCP sockets",
        "NCCL finds no RDMA and takes kernel sockets",
        "a NIC with RDMA",
    ),
    Code(
        "no-sharp",
        _W,
        "SHARP assumed but absent",
        "not every switch can reduce",
        "switches with SHARP",
    ),
    Code(
        "no-adaptive-routing",
        _W,
        "adaptive routing assumed but absent",
        "not every switch with a choice of paths is known to route adaptively",
        "switches that do",
    ),
    Code(
        "wider-nvlink-domain",
        _W,
        "NVLink domain wider than a node",
        "traffic inside it is taken over the NICs, so that its figures are too low",
        "take them for the least that it does",
    ),
    Code(
        "rccl-not-modelled",
        _I,
        "RCCL is not modelled",
        "AMD GPUs run RCCL; the figures are what NCCL would reach on such links",
        "measure with rccl-tests before you rely on them",
    ),
    Code(
        "nccl-own-switch",
        _I,
        "NCCL's search of 2.26 to 2.28",
        "it may find one slow channel only",
        "another release",
    ),
    Code(
        "no-algorithm",
        _I,
        "algorithm asked of an exchange",
        "exchanges have none to choose",
        "ask for none",
    ),
    Code(
        "small-messages",
        _I,
        "small messages",
        "what a NIC spends on a message is not modelled",
        "larger messages",
    ),
    Code(
        "has-faults",
        _I,
        "figures with faults",
        "down: marks what has failed; the figures are without it",
        "remove down: once it is repaired",
    ),
    # jobs and figures
    Code(
        "bad-communicator",
        _E,
        "communicator: cannot be read",
        "the block is wrong",
        "correct it",
    ),
    Code(
        "communicator-does-not-fit",
        _E,
        "layout that does not fit",
        "the layout does not divide the GPUs",
        "a layout that does",
    ),
    Code(
        "bad-workload",
        _E,
        "workload: cannot run",
        "the block is wrong, or does not divide model, batch or cluster",
        "correct it",
    ),
    Code(
        "group-of-one",
        _I,
        "groups of one rank",
        "nothing to exchange",
        "another kind of group",
    ),
    Code(
        "no-gpus",
        _I,
        "no GPUs",
        "no collective to run",
        "add nodes",
    ),
    Code(
        "one-gpu",
        _I,
        "one GPU",
        "no collective to run",
        "add nodes",
    ),
    Code(
        "unreachable",
        _E,
        "GPUs cut off",
        "there is no path between some nodes",
        "wire them",
    ),
    Code(
        "no-channels",
        _E,
        "NCCL finds no channels",
        "its search gives nothing between the GPUs",
        "another node",
    ),
    Code(
        "cannot-run",
        _E,
        "what is asked cannot run",
        "the algorithm or protocol does not exist here",
        "ask for another",
    ),
    Code(
        "too-large",
        _E,
        "out of proportion",
        "figures would take too long",
        "fewer axes",
    ),
    Code(
        "below-required",
        _W,
        "busbw below policy",
        "the predicted busbw is below what the policy requires",
        "lift the links that limit",
    ),
    Code(
        "far-from-bound",
        _W,
        "far below the bound",
        "the prediction is below the policy's share of the bound",
        "see what limits it",
    ),
    Code(
        "power-over-policy",
        _W,
        "power above policy",
        "the parts draw more than the policy allows",
        "fewer parts",
    ),
    # waivers
    Code(
        "waiver-unused",
        _I,
        "waiver without its finding",
        "what was waived does not occur (any more)",
        "remove the waiver",
    ),
    Code(
        "waiver-expired",
        _W,
        "waiver past its date",
        "its until: has passed; the finding counts again",
        "mend it, or waive anew",
    ),
    Code(
        "waiver-not-begun",
        _W,
        "waiver of a day to come",
        "its date: has not come yet; the finding counts until then",
        "correct its date:",
    ),
    Code(
        "waiver-unknown-code",
        _W,
        "waiver of an unknown code",
        "no finding has that code",
        "name a code of docs/findings.md",
    ),
)

CODES: dict[str, Code] = {one.code: one for one in _ALL}
"""Every code, in the order of the page."""
