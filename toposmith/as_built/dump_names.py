"""Names of devices and labels of ports in dumps; hosts and switches told by their ports."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache

from toposmith.as_built.cable_list import Cabling
from toposmith.foreign_values import whole_number
from toposmith.plain_text import visible

Numbers = tuple[int, ...]

# Node descriptions that drivers and firmware set until the host gets a name.
_GENERIC = re.compile(
    r"^$|mellanox technologies|mellanox hca|^mt\d+\b|^localhost\b|^ubuntu\b|infiniscale|voltaire"
    r"|^\(none\)|^unknown|^connectx|^quantum\b|^switch$|nodeinfo|qlogic|^omnipath|^dhcp\b",
    re.I,
)
AGGREGATION = re.compile(r"aggregation node", re.I)
_MANAGED = re.compile(r"^MF\d+;\s*(.+?):([\w.-]+)((?:/[A-Z]+\d+)+)\s*$")
_DIGITS = re.compile(r"\d+")
_MANAGEMENT = re.compile(r"^(mgmt|ma|management|me0|em0|fxp0|eth0|oob|bmc|ipmi|idrac)", re.I)


def is_generic(description: str) -> bool:
    """Whether a node description is a default that several devices may have."""
    return bool(_GENERIC.search(description.strip()))


def is_management(port: str) -> bool:
    """Whether a port is one of the management network, which no plan of the fabric holds."""
    return bool(_MANAGEMENT.match(port.strip()))


def key_of(name: str) -> str:
    """The key of a device by its name: upper and lower case, and blanks around it, are one."""
    return visible(name).strip().casefold()


def short_name(name: str) -> str:
    """The name without its domain and without a serial number in brackets behind it."""
    bare = re.sub(r"\([^()]*\)$", "", name.strip())
    if re.fullmatch(r"[\d.:]+", bare):
        return bare
    first, dot, rest = bare.partition(".")
    return first if dot and not rest[:1].isdigit() and first else bare


def switch_of(description: str) -> tuple[str, str]:
    """The switch of a description, and which chip of its chassis it is (empty for a lone one).

    ``MF0;core1:MCS8500/L16/U2`` is chip ``L16/U2`` of ``core1``; ``MF0;leaf1:MQM8700/U1`` has one.
    """
    found = _MANAGED.match(description.strip())
    if not found:
        return description.strip(), ""
    units = found.group(3).strip("/").split("/")
    return found.group(1), "/".join(units) if len(units) > 1 else ""


def host_of(description: str) -> tuple[str, str]:
    """The host of a description and the label of its adapter, ``mlx5_0`` of ``node1 mlx5_0``."""
    words = description.split()
    if len(words) < 2:
        return description.strip(), ""
    return " ".join(words[:-1]), words[-1]


@lru_cache(maxsize=65536)
def numbers_of(label: str) -> Numbers:
    """The numbers in a label, in order: ``Blade 16_Port 2/20`` and ``L16/U2/20`` are alike."""
    return tuple(whole_number(found) for found in _DIGITS.findall(label))


def adapter_label(device: str, port: str) -> str:
    """The label of a host's port without the host's own name before it."""
    label, name = port.strip(), device.strip()
    if label.casefold().startswith(name.casefold()):
        label = label[len(name) :].strip(" -_:")
    return label


_HOST_PORT = re.compile(r"^(en|eth\d|ib|mlx|hca|compute|storage|osfp\d+ p|p\d)", re.I)


def know_kinds(cabling: Cabling) -> None:
    """Infer the kind of devices from their port names, where the file does not state it."""
    ports: dict[str, list[str]] = defaultdict(list)
    for cable in cabling.cables:
        for end in (cable.a, cable.z):
            if cabling.devices[end.device].kind == "unknown":
                ports[end.device].append(end.port)
    for key, labels in ports.items():
        hosts = sum(
            bool(_HOST_PORT.match(label)) and not label.startswith("Ethernet") for label in labels
        )
        cabling.devices[key].kind = "host" if 2 * hosts > len(labels) else "switch"
