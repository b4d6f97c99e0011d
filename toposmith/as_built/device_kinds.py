"""Hosts and switches told by the names of their ports."""

from __future__ import annotations

import re
from collections import defaultdict

from toposmith.as_built.cable_list import Cabling

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
