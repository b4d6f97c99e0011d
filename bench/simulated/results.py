"""Results of packet-level simulations: which fabric, traffic and routing, and how long it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml

RESULTS = Path(__file__).parent / "results.yaml"

TRAFFIC = ("ring", "all_to_all", "incast", "bystander")
PLACEMENTS = ("packed", "striped", "scattered")
ROUTINGS = ("static", "adaptive", "spray", "oblivious")


@dataclass(frozen=True)
class Simulator:
    """A simulator as it was run.

    Parameters
    ----------
    name, source, commit : str
        Which one.
    transport : str
        What its NICs and switches do.
    parameters : mapping
        What it was told, by option.
    routings : mapping of str to mapping
        What it was told for each routing.
    alone : mapping of int to float
        By ``bytes_per_nic``, the share of the ideal that a permutation of 32 NICs inside one switch
        reaches: start-up and acknowledgements, nothing of the fabric.
    """

    name: str
    source: str
    commit: str
    transport: str
    parameters: Mapping[str, Any]
    routings: Mapping[str, Mapping[str, Any]]
    alone: Mapping[int, float]


@dataclass(frozen=True)
class Fabric:
    """A fabric, and what it is in a design file."""

    name: str
    what: str
    design: str


@dataclass(frozen=True)
class Result:
    """One traffic on one fabric, simulated under several seeds.

    Parameters
    ----------
    fabric : Fabric
        Where.
    traffic : str
        ``ring``: every NIC sends to that of the same number in the next node; ``all_to_all``: to
        those of the same number in all other nodes; ``incast``: so many NICs to one;
        ``bystander``: one flow during an incast, from a leaf of senders to the NIC beside theirs.
    placement : str
        The order of the ring's nodes, as a job has it.
    routing : str
        ``static``: each connection hashed onto one path; ``adaptive``: every switch sends each
        packet to its shortest queue; ``spray``: the sender varies the path of each packet and
        avoids congested ones; ``oblivious``: it varies the path without looking.
    queue_pairs : int
        Connections that every flow is cut into.
    at_once : int
        Flows of a NIC that run at a time, the next when one is done; 0 for all of them.
    senders : int
        Of an incast, or of that which a bystander meets.
    simulator : Simulator
        Who says so.
    bytes_per_nic : int
        What the busiest NIC sends, or receives.
    nics_us, ideal_us : float
        What its NICs, and what the fullest of all links takes at line rate, with even shares of
        all shortest paths.
    times_us : tuple of float
        When the last flow was done, by seed.
    most_us : tuple of float
        When 99 % of the flows were done; recorded of all-to-alls, empty otherwise. What comes after
        is a few flows that wait for a timeout: a time, not a share, which larger messages hide.
    """

    fabric: Fabric
    traffic: str
    placement: str
    routing: str
    queue_pairs: int
    at_once: int
    senders: int
    simulator: Simulator
    bytes_per_nic: int
    nics_us: float
    ideal_us: float
    times_us: tuple[float, ...]
    most_us: tuple[float, ...] = ()

    @property
    def share(self) -> float:
        """What is reached of the fluid ideal, beside what one switch alone reaches."""
        return self._share(self.times_us)

    @property
    def share_of_most(self) -> float:
        """The same until 99 % of the flows were done; until the last where that is not recorded."""
        return self._share(self.most_us or self.times_us)

    def _share(self, times_us: tuple[float, ...]) -> float:
        alone = self.simulator.alone[self.bytes_per_nic]
        return self.ideal_us / fmean(times_us) / alone

    @property
    def words(self) -> str:
        """The traffic in a few words."""
        if self.traffic == "ring":
            return f"ring, {self.placement}"
        if self.senders:
            return f"{self.traffic} {self.senders}:1"
        return f"all-to-all, {self.at_once} at once" if self.at_once else "all-to-all"

    @property
    def how(self) -> str:
        """The routing in a few words."""
        return self.routing + (f", {self.queue_pairs} QPs" if self.queue_pairs > 1 else "")


def read_results(path: Path = RESULTS) -> list[Result]:
    """Read simulators, fabrics and results.

    Raises
    ------
    ValueError
        Says which entry is not well-formed, and why.
    """
    loaded = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    simulators = {key: Simulator(**value) for key, value in loaded["simulators"].items()}
    fabrics = {key: Fabric(name=key, **value) for key, value in loaded["fabrics"].items()}
    found: list[Result] = []
    for number, entry in enumerate(loaded["results"], start=1):
        try:
            found.append(_result(entry, simulators, fabrics))
        except (KeyError, TypeError, ValueError) as reason:
            raise ValueError(f"{path.name}: result {number}: {reason!r} in {entry}") from reason
    return found


def _result(
    entry: Mapping[str, Any], simulators: Mapping[str, Simulator], fabrics: Mapping[str, Fabric]
) -> Result:
    result = Result(
        fabric=fabrics[entry["fabric"]],
        traffic=entry["traffic"],
        placement=entry.get("placement", "packed"),
        routing=entry["routing"],
        queue_pairs=entry.get("queue_pairs", 1),
        at_once=entry.get("at_once", 0),
        senders=entry.get("senders", 0),
        simulator=simulators[entry["simulator"]],
        bytes_per_nic=entry["bytes_per_nic"],
        nics_us=entry["nics_us"],
        ideal_us=entry["ideal_us"],
        times_us=tuple(entry["times_us"]),
        most_us=tuple(entry.get("most_us", ())),
    )
    known = (
        (result.traffic, TRAFFIC),
        (result.placement, PLACEMENTS),
        (result.routing, tuple(result.simulator.routings)),
    )
    for value, among in known:
        if value not in among:
            raise ValueError(f"{value!r} is not one of {', '.join(among)}")
    if (result.traffic in ("incast", "bystander")) != (result.senders > 0):
        raise ValueError(f"{result.senders} senders of {result.traffic}")
    if not 0 < result.nics_us <= result.ideal_us <= min(result.times_us, default=0.0):
        raise ValueError("nics_us, ideal_us and times_us must grow in this order")
    if any(most > last for most, last in zip(result.most_us, result.times_us, strict=False)):
        raise ValueError("most_us must not be after times_us")
    if result.bytes_per_nic not in result.simulator.alone:
        raise ValueError(f"nothing says what {result.bytes_per_nic} bytes take on one switch alone")
    return result
