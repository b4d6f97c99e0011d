"""What the published results say of a design's kind, counted by system and not by result.

Classes are made here: how payload travels between nodes, whether there are two of them, what joins
the GPUs inside one, whether a node has one GPU. Forced, SHARP, AMD and rack-scale NVLink runs count
for none.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

from bench.measured.records import PUBLISHED, read_curves
from bench.measured.score import Scored, scored
from tests.labels.facts import Facts
from tests.oracle.parts import parts

Kind = tuple[str, str, bool]
"""Transport, what joins the GPUs of a node, whether there are several in one."""

_EDGES = (0, 32 * 2**10, 2**20, 64 * 2**20, 2**30, 2**60)


def kind_of(facts: Facts) -> Kind | None:
    """The class of a design; None where nothing was published of its like."""
    nodes = facts.nodes
    if facts.is_amd or facts.has_trays or not nodes or not all(g.part for g in nodes):
        return None
    shapes = {str((group.part.get("nvlink") or {}).get("shape", "none")) for group in nodes}
    shape = shapes.pop() if len(shapes) == 1 else "mixed"
    several = min(group.gpus for group in nodes) > 1
    if sum(group.bought for group in nodes) == 1:
        return "inside", shape, several
    ways = {_way(group.said, group.part, facts.collectives_slots) for group in nodes}
    way = ways.pop() if len(ways) == 1 else "mixed"
    return _pair(way, sum(group.bought for group in nodes)), shape, several


def _pair(way: str, nodes: int) -> str:
    return "rdma between two" if (way, nodes) == ("rdma", 2) else way


def _way(said: dict, part: dict, slots: str) -> str:
    fitted = said.get("nics", {}).get(slots)
    nic = fitted["part"] if fitted else part.get("slots", {}).get(slots, {}).get("nic", "")
    card = parts().get(nic, {})
    ways = card.get("transports") or card.get("protocols", ())  # usual ones: RDMA over either
    if {"infiniband", "roce", "ethernet"} & set(ways):
        return "rdma"
    return str(ways[0]) if ways else "unknown"


def systems_behind(facts: Facts, size_bytes: int) -> int:
    """How many systems of its kind were published at such sizes."""
    kind = kind_of(facts)
    return len(_errors().get((kind, _range(size_bytes)), {})) if kind else 0


@cache
def held_by_left_out(facts: Facts, size_bytes: int) -> float | None:
    """The share of results in the band of all other systems, every system of the same weight."""
    kind = kind_of(facts)
    return _held(kind, _range(size_bytes)) if kind else None


@cache
def _held(kind: Kind, at: int) -> float | None:
    systems = _errors().get((kind, at), {})
    if len(systems) < 2:
        return None
    shares = []
    for name, results in systems.items():
        low, high = _tenths([each for other, each in systems.items() if other != name])
        shares.append(sum(low <= one <= high for one in results) / len(results))
    return sum(shares) / len(shares)


def _tenths(systems: list[list[float]]) -> tuple[float, float]:
    """10th and 90th percentile of results, every system of the same weight."""
    weighted = sorted((one, 1 / len(each)) for each in systems for one in each)
    low = high = weighted[0][0]
    done = 0.0
    for value, weight in weighted:
        if done <= 0.1 * len(systems):
            low = value
        if done <= 0.9 * len(systems):
            high = value
        done += weight
    return low, high


@cache
def _errors() -> dict[tuple[Kind, int], dict[str, list[float]]]:
    """Measured over predicted busbw, less one, by class and size range, then by system."""
    found: dict[tuple[Kind, int], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for result in _results():
        kind = _published_kind(result)
        if kind is not None:
            at = _range(result.point.message_bytes)
            error = result.point.busbw_GBps / result.predicted - 1
            found[kind, at][result.curve.text("system")].append(error)
    return found


def _results() -> list[Scored]:
    """All that bands are of."""
    files = (None, PUBLISHED.parent / "held_out.yaml", PUBLISHED.parent / "further.yaml")
    return [result for file in files for result in scored(read_curves(file))[0]]


def _published_kind(result: Scored) -> Kind | None:
    curve = result.curve
    said = curve.text("transport")
    forced = curve.forced or "sharp" in said or "mnnvl" in said
    if forced or curve.text("gpu").startswith("MI") or curve.text("suite") == "rccl-tests":
        return None
    alone = curve.number("nodes") == 1
    way = (
        "inside"
        if alone
        else next((w for w in ("efa", "tcp", "ib", "roce", "rdma") if w in said), "unknown")
    )
    way = "rdma" if way in ("ib", "roce", "rdma") and "/tcp" not in said else way
    way = _pair(way, curve.number("nodes"))
    shapes = {"nvlink-mesh": "mesh", "pcie": "none", "nvlink-bridge": "bridge"}
    shape = curve.text("intra_node")
    return way, shapes.get(shape, shape), curve.number("gpus_used_per_node") != 1


def _range(size_bytes: int) -> int:
    return next(at for at, most in enumerate(_EDGES[1:]) if size_bytes < most)
