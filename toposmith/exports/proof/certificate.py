"""What a certificate says: devices, cables by their ends, the bill, and claims about collectives.

The format is that of ``docs/proof.md``. A claim that the checker does not confirm is left out, and
named among what the form does not carry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import prod
from typing import Any

import numpy as np

from toposmith.analysis.jobs.world import gpus_of
from toposmith.bill.bill_lines import BillLine
from toposmith.bill.link_cages import socket_of
from toposmith.bill.terms import part_digest
from toposmith.errors import ExportError
from toposmith.evaluation import EvaluatedDesign
from toposmith.evaluation.evaluated import COLLECTIVES
from toposmith.exports.neighbours.device_inventory import DeviceInventory
from toposmith.exports.proof.collective_claims import Claims
from toposmith.fabric.nvlink_domains import outside
from toposmith.fabric.plan import GroupPlan, LinkEnd, LinkPlan
from toposmith.fabric.rows import Numbers, fabric_rows
from toposmith.leaving_text import json_text
from toposmith.racks.connections import absent_instances
from toposmith.version import program_version
from toposmith_check.claims import VERSION, Verdict, bill_verdicts, claim_verdicts
from toposmith_check.network import Network
from toposmith_check.reading import Wrong, digest

Json = dict[str, Any]


def proof(inventory: DeviceInventory) -> Iterator[str]:
    """The text of a certificate, a line for each of its entries.

    Raises
    ------
    ExportError
        Where parts are unknown, so that nothing is known of the devices.
    """
    made = _Certificate(inventory.design)
    value = made.value()
    for words in made.lost:
        inventory.lose(words)
    joint = "{\n"
    for key, part in value.items():
        yield f"{joint}{json_text(key)}: {json_text(part, separators=(',', ':'))}"
        joint = ",\n"
    yield "\n}\n"


class _Certificate:
    """The certificate of one design; ``lost`` has what it does not prove, once it is made."""

    def __init__(self, design: EvaluatedDesign) -> None:
        unknown = [name for name, of in design.plan.groups.items() if of.part is None]
        if unknown:
            raise ExportError(f"nothing is proven of unknown parts: {', '.join(unknown)}")
        self._design, self._plan = design, design.plan
        self._rows = fabric_rows(design.plan)
        self.lost: list[str] = []

    def value(self) -> Json:
        """All of it."""
        design, cables = self._design, self._rows.cables
        keys = sorted({*zip(cables.link.tolist(), cables.gbit.tolist(), strict=True)})
        carried = cables[np.isin(cables.link, list(self._carrying()))]
        claims = Claims(design, self._rows, carried, keys)
        several = design.network.world.gpus > 1
        made = [claims.claim(collective) for collective in COLLECTIVES if several]
        of_gpus = any(claim["bound"] and not claim["bound"]["sets"] for claim in made)
        links = claims.gpu_links if of_gpus else []
        groups = self._plan.groups.items()
        value: Json = {
            "toposmith_proof": VERSION,
            "design": design.design.name,
            "design_sha256": design.digest,
            "program": program_version(),
            "gpus": design.network.world.gpus,
            "groups": [
                *(self._group(name, of, links if gpus_of(of) else []) for name, of in groups),
                *(self._nics(*end.split(".")) for end in dict.fromkeys(self._nic_ends())),
            ],
            "parts": {of.part.id: part_digest(of.part) for _, of in groups if of.part},
            "cables": [self._table(*key) for key in keys],
            "bill": self._bill(),
            "claims": made,
        }
        self.lost += claims.lost
        network = Network(value)
        self._confirm(
            value["bill"], lambda: bill_verdicts(value["bill"], network), ["ends"], "bill"
        )
        for claim in made:
            keys_of = ["traffic", "bound", "figures"]
            self._confirm(claim, lambda c=claim: claim_verdicts(c, network), keys_of,  # type: ignore[misc]
                          claim["collective"])  # fmt: skip
        value["sha256"] = digest(value)
        return value

    def _confirm(
        self, of: Json, verdicts: Callable[[], Iterable[Verdict]], keys: list[str], name: str
    ) -> None:
        """Empty some of what is claimed, in this order, until the checker confirms the rest."""
        for key in (*keys, None):
            try:
                if all(holds for holds, _ in verdicts()):
                    return
            except Wrong:
                pass
            if key is None:
                raise ExportError(f"{name}: the checker does not confirm the certificate")
            self.lost.append(f"{name}: its {key}, which the checker counts otherwise")
            of[key] = {}

    def _carrying(self) -> Iterator[int]:
        """The links whose cables collectives use: between switches, and at the NICs in use."""
        slots = self._design.network.slots
        for link in self._plan.every_link:
            used = all(not end.ports or slots.get(end.group) == end.ports for end in link.ends)
            if used and link.index not in self._plan.nvlink_trunks:
                yield link.index

    def _group(self, name: str, group: GroupPlan, gpu_links: list[Json]) -> Json:
        first, absent = self._rows.first[name], absent_instances(self._plan)[name]
        there = self._rows.there[first : first + group.instances]
        gone = np.flatnonzero(~there)
        breaks = np.flatnonzero(np.diff(gone) > 1) + 1
        joined = self._design.network.world.joined and gpus_of(group)
        return {
            "name": name,
            "part": group.spec.part,
            "count": group.instances,
            "missing": [[int(run[0]), len(run)] for run in np.split(gone, breaks) if len(run)],
            "there": int(there.sum()),
            "down": group.instances - len(absent) - int(there.sum()),
            "gpus": gpus_of(group),
            "each": prod(group.sizes[outside(group) :]) if joined else 1,
            "gpu_links": gpu_links,
        }

    def _table(self, index: int, gbit: float) -> Json:
        """The cables of a link at one speed, and how many devices, pairs and NICs have how many."""
        link, cables = self._plan.link(index), self._rows.cables
        some = cables[(cables.link == index) & (cables.gbit == gbit)]
        a, b = self._at(link.a, some.a, some.port_a), self._at(link.b, some.b, some.port_b)
        rows = np.stack([a, b, some.count], axis=1).tolist()
        return {
            "link": index,
            "label": link.label,
            "ends": [end.label for end in (link.a, link.b)],
            "per_cage": [socket_of(self._plan, end).ports for end in (link.a, link.b)],
            "gbit": gbit,
            "carries": index in set(self._carrying()),
            "cables": int(some.count.sum()),
            "GBps": int(some.count.sum()) * gbit / 8,
            "spread": self._spread(link, rows),
            "rows": rows,
        }

    def _nic_ends(self) -> Iterator[str]:
        """The ends of links at NICs, by their names."""
        for link in self._plan.every_link:
            yield from (end.label for end in link.ends if end.ports)

    def _nics(self, group: str, ports: str) -> Json:
        each = self._plan.groups[group].port_groups[ports].nics
        many = each * self._plan.groups[group].instances
        return {"name": f"{group}.{ports}", "of": group, "count": many, "each": each}

    def _at(self, end: LinkEnd, devices: Numbers, ports: Numbers) -> Numbers:
        """The numbers in their group of the devices, or NICs, at the end of cables."""
        own = devices - self._rows.first[end.group]
        if not end.ports:
            return own
        held = self._plan.groups[end.group].port_groups[end.ports]
        known, which = np.unique(ports, return_inverse=True)
        return own * held.nics + np.array([held.nic_of(p) for p in known.tolist()], np.int64)[which]

    def _spread(self, link: LinkPlan, rows: list[list[int]]) -> list[list[list[int]]]:
        """How many devices at either end, pairs of devices, and NICs have how many cables."""
        at: list[Counter[object]] = [Counter(), Counter(), Counter(), Counter()]
        each = [self._plan.groups[end.group].port_groups[end.ports].nics if end.ports else 1
                for end in (link.a, link.b)]  # fmt: skip
        for a, b, many in rows:
            one, other = a // each[0], b // each[1]
            nic = (a, not link.a.ports)
            for counted, key in zip(at, (one, other, (one, other), nic), strict=True):
                counted[key] += many
        return [sorted([*pair] for pair in Counter(of.values()).items()) for of in at]

    def _bill(self) -> Json:
        bill = self._design.bill
        pieces: Counter[str] = Counter()
        for line in bill.lines:
            pieces[line.kind] += line.quantity
        indices = {link.label: link.index for link in self._plan.every_link}
        known = all(of.cables is not None and of.link in indices for of in bill.links)
        if not known:
            self.lost.append("bill: its cages, as the catalog lacks cables")
        ends = {
            of.end: {"cages": of.cages, "modules": of.modules, "most": of.most_cages}
            for of in bill.ends
        }
        return {
            "lines": [self._line(line) for line in bill.lines],
            "pieces": dict(pieces),
            "price": {currency: f"{amount:f}" for currency, amount in bill.price.known.items()},
            "links": [[indices[of.link], of.connections, of.cables] for of in bill.links if known],
            "ends": ends if known else {},
        }

    def _line(self, line: BillLine) -> Json:
        price = line.price
        return {
            "part": line.part,
            "kind": line.kind,
            "quantity": line.quantity,
            "each": self._each(line),
            "unit_price": None if price is None else f"{price.amount:f}",
            "price": None if price is None else f"{price.amount * line.quantity:f}",
            "currency": None if price is None else price.currency,
        }

    def _each(self, line: BillLine) -> dict[str, int]:
        """By group, or NICs of one, the pieces for each device; of racks the devices in each."""
        each, bought = dict[str, int](), dict[str, int]()
        for end in line.used_by:
            name, _, ports = end.partition(".")
            group = self._plan.groups.get(name)
            if group is None or (ports and ports not in group.port_groups):
                return {}
            bought[end] = group.instances - len(absent_instances(self._plan)[name])
            if ports:
                each[end] = group.port_groups[ports].nics
            else:
                racks = line.kind == "rack-system"
                each[end] = bought[end] // line.quantity if racks else 1
        if line.kind == "rack-system":
            known = all(bought[end] == many * line.quantity for end, many in each.items())
        else:
            known = sum(bought[end] * many for end, many in each.items()) == line.quantity
        return each if known else {}
