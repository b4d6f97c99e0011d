"""Who sends to whom in a collective, and what that loads over all shortest paths.

A device divides what it sends towards a NIC over the next devices that are one hop closer, by the
capacity of its cables to each or by what remains beyond it, whichever is less; what has lost
cables gets less in proportion (weighted-cost multipathing, Zhou et al., EuroSys 2014).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from math import inf

from toposmith_check.network import Network, Sets
from toposmith_check.reading import item, need, rows

MOST_STEPS = 300_000_000
MOST_EXCHANGING = 2048
"""GPUs whose all-to-all is routed again; of more its traffic over a cut is summed."""

APART = "two nodes that no path joins exchange data"


class Routes:
    """The cables between any two switches and NICs, and their load.

    ``like`` has for each NIC the first that is cabled to the same switches as it is.
    """

    def __init__(self, network: Network) -> None:
        self.network, self.steps = network, 0
        self.peers: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        self.load: dict[tuple[int, int], float] = defaultdict(float)
        for table in (table for table in network.tables if table.carries):
            switched = not (table.ends[0].owner and table.ends[1].owner)
            need(switched, "cables from node to node are not routed")
            for a, b, many in table.rows:
                self.peers[a][b] += many * table.GBps
                self.peers[b][a] += many * table.GBps
        self.dealt: dict[tuple[str, str], float] = defaultdict(float)
        self.nics: dict[int, dict[int, int]] = defaultdict(dict)
        self.like, known = dict[int, int](), dict[object, int]()
        for at in sorted(self.peers):
            group, others = network.group_of[at], self.peers[at]
            if group.owner:
                self.nics[network.device_of(at)][(at - group.first) % group.each] = at
                self.like[at] = known.setdefault(tuple(sorted(others.items())), at)
            for peer, GBps in others.items():
                names = group.name, network.group_of[peer].name
                self.dealt[names] = max(self.dealt[names], GBps)

    def work(self, steps: int) -> None:
        """Count what is done; Wrong where it is too much."""
        self.steps += steps
        need(self.steps <= MOST_STEPS, "its traffic takes too long to be routed again")

    def send(self, flows: Iterable[tuple[int, int, float]]) -> None:
        """Add the load of flows between NICs, each of so much."""
        between: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        leaving, coming = (defaultdict[tuple[int, int], float](float) for _ in range(2))
        for nic, target, amount in flows:
            self.work(1)
            source, end = self.like[nic], self.like[target]
            between[end][source] += amount
            leaving[nic, end] += amount
            coming[source, target] += amount
        first, last = {}, {}
        for end, amounts in between.items():
            way = Way(self, end, amounts)
            for source, amount in amounts.items():
                shares = first[source, end] = way.onwards(source)[0]
                last[source, end] = way.send({s: amount * part for s, part in shares.items()})
        for (nic, end), amount in leaving.items():
            for switch, share in first[self.like[nic], end].items():
                self.load[nic, switch] += amount * share
        for (source, target), amount in coming.items():
            arrived = last[source, self.like[target]]
            for switch, part in arrived.items():
                self.load[switch, target] += amount * part / sum(arrived.values())

    def worst(self) -> dict[int, float]:
        """By number of its table, the load of the most loaded cable in its busier direction."""
        found: dict[int, float] = {}
        for number, table in enumerate(self.network.tables):
            for a, b, _ in table.rows if table.carries else ():
                load = max(self.load.get((a, b), 0.0), self.load.get((b, a), 0.0))
                found[number] = max(found.get(number, 0.0), load * table.GBps / self.peers[a][b])
        return found


class Way:
    """The shortest paths to NICs that are cabled as one is, as far out as the sources are."""

    def __init__(self, routes: Routes, end: int, sources: Iterable[int]) -> None:
        self.routes, self.known = routes, dict[int, tuple[dict[int, float], float]]()
        self.far, waiting = dict.fromkeys(routes.peers[end], 1), list(sources)
        level = list(self.far)
        while level and waiting:
            waiting = [s for s in waiting if self.far.keys().isdisjoint(routes.peers[s])]
            level, last = [], level if waiting else []
            for switch in last:
                routes.work(len(routes.peers[switch]))
                for peer in routes.peers[switch]:
                    if peer not in self.far and not routes.network.group_of[peer].owner:
                        self.far[peer] = self.far[switch] + 1
                        level.append(peer)

    def distance(self, nic: int) -> float:
        """Hops from a NIC to those of the end; without limit where no path joins them."""
        return 1 + min(self.far.get(switch, inf) for switch in self.routes.peers[nic])

    def onwards(self, at: int) -> tuple[dict[int, float], float]:
        """The share of each next switch in what a device sends on; and all that it can, GB/s."""
        if at not in self.known:
            hops = self.far[at] if at in self.far else self.distance(at)
            need(hops < inf, APART)
            self.routes.work(len(self.routes.peers[at]))
            ahead = {p: g for p, g in self.routes.peers[at].items() if self.far.get(p) == hops - 1}
            self.known[at] = self._divided(at, ahead)
        return self.known[at]

    def _divided(self, at: int, bundles: dict[int, float]) -> tuple[dict[int, float], float]:
        group_of = self.routes.network.group_of
        beyond = {p: inf if self.far[p] == 1 else self.onwards(p)[1] for p in bundles}
        widest, best, weights = dict[str, float](), dict[str, float](), dict[int, float]()
        for peer, GBps in bundles.items():
            name = group_of[peer].name
            dealt = 0.0 if group_of[at].owner else self.routes.dealt[group_of[at].name, name]
            widest[name] = max(widest.get(name, 0.0), GBps, dealt)
            best[name] = max(best.get(name, 0.0), beyond[peer])
        for peer, GBps in bundles.items():
            whole, most = widest[group_of[peer].name], best[group_of[peer].name]
            kept = GBps / whole if most == inf else min(GBps / whole, beyond[peer] / most)
            weights[peer] = min(whole, most) * kept
        through = sum(weights.values())
        return {peer: weight / through for peer, weight in weights.items()}, through

    def send(self, amounts: dict[int, float]) -> dict[int, float]:
        """Send amounts from switches; what arrives over each switch of the end."""
        waiting: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for switch, amount in amounts.items():
            waiting[self.far[switch]][switch] += amount
        for hops in range(max(waiting), 1, -1):
            for switch, amount in waiting[hops].items():
                self.routes.work(len(self.onwards(switch)[0]))
                for peer, share in self.onwards(switch)[0].items():
                    self.routes.load[switch, peer] += amount * share
                    waiting[hops - 1][peer] += amount * share
        return waiting[1]


def routed(collective: str, traffic: object, network: Network) -> tuple[str, dict[int, float]]:
    """The pattern, and by table the load of its most loaded cable per GB/s of algbw."""
    pattern = item(traffic, "pattern", str)
    known = {"all_reduce": ("ring", "trees"), "all_to_all": ("pairs", "cut")}[collective]
    need(pattern in known, f"pattern: {pattern[:40]!r} is none of {collective}")
    if pattern == "cut":
        sets = Sets(network, traffic)
        need(len(sets.cut) == 1, "sets: the cut is not of one kind of cables")
        # the mean of all its cables: one of them carries no less
        pairs = sum(gpus * (network.gpus - gpus) for gpus in sets.gpus.values())
        return pattern, {at: pairs / network.gpus / many for at, many in sets.crossing.items()}
    routes = Routes(network)
    routes.send(_exchange(routes) if pattern == "pairs" else _hops(routes, traffic, pattern))
    return pattern, routes.worst()


def _hops(routes: Routes, traffic: object, pattern: str) -> Iterator[tuple[int, int, float]]:
    """Flows from node to node: around a ring, or up and down both trees with half of the data."""
    network, (order, trays) = routes.network, _order(traffic, routes.network)
    nics = min(len(routes.nics[node]) for node in network.nodes)
    need(nics, "a node has no cable")
    hops, unit = [(at - 1, at) for at in range(len(order))], 2 - 2 / network.gpus
    if pattern == "trees":
        hops, unit = _tree_hops(rows(traffic, "trees", len(order))), 0.5
    for one, other in hops:
        for tray in range(trays):
            source, target = routes.nics[order[one] + tray], routes.nics[order[other] + tray]
            # equal numbers first, then what is left
            common = [nic for nic in source if nic in target]
            left = ([nic for nic in of if nic not in common] for of in (source, target))
            for nic, peer in [*zip(common, common, strict=True), *zip(*left, strict=False)][:nics]:
                yield source[nic], target[peer], unit / (nics * trays)


def _order(traffic: object, network: Network) -> tuple[list[int], int]:
    """The first node of each NVLink domain in the order of ranks, and the nodes that each has."""
    order: list[int] = []
    for group, start, many, step in rows(traffic, "order", 4):
        need(step > 0 and many > 0 and len(order) < len(network.nodes), "order: no such nodes")
        order += network.run(group, start, (many - 1) * step + 1)[::step]
    domains, nodes = Counter(map(network.domain_of, network.nodes)), set(network.nodes)
    trays = min(domains.values())
    whole = all(first + tray in nodes for first in order for tray in range(trays))
    once = whole and sorted(map(network.domain_of, order)) == sorted(domains) and len(order) > 1
    need(once, "order: it does not have each node once")
    return order, trays


def _tree_hops(trees: list[list[int]]) -> list[tuple[int, int]]:
    """Both ways along every edge of two trees, given by the parent of each place in the order."""
    need(len(trees) == 2, "trees: they are not two")
    hops: list[tuple[int, int]] = []
    for parents in trees:
        roots = [at for at, up in enumerate(parents) if up < 0]
        need(len(roots) == 1 and max(parents) < len(parents), "trees: one has not one root")
        above = [roots[0] if up < 0 else up for up in parents]
        for _ in range(len(parents).bit_length()):
            above = [above[up] for up in above]
        need(set(above) == set(roots), "trees: one has a circle")
        hops += [pair for at, up in enumerate(parents) if up >= 0 for pair in ((at, up), (up, at))]
    return hops


def _exchange(routes: Routes) -> Iterator[tuple[int, int, float]]:
    """Flows of an all-to-all in which every GPU sends 1, of which each GPU gets its part.

    What goes to a node comes evenly to its NICs that are reached. It leaves by the NIC of the same
    number and all that are as far away, or by the nearest where that one does not reach it, or
    from nodes of another group.
    """
    network, ways = routes.network, dict[int, Way]()
    need(network.gpus <= MOST_EXCHANGING, "pairs: that of so many GPUs is not routed again")
    for target in network.nodes:
        own_domain = network.domain_of(target)
        for node in (at for at in network.nodes if network.domain_of(at) != own_domain):
            into, of = network.group_of[target], network.group_of[node]
            reached: list[tuple[int, list[int]]] = []
            for number, nic in routes.nics[target].items():
                end = routes.like[nic]
                way = ways.get(end) or ways.setdefault(end, Way(routes, end, routes.like.values()))
                far = {own: way.distance(own) for own in routes.nics[node].values()}
                same = far.get(routes.nics[node].get(number, -1), inf) if of is into else inf
                used = same if same < inf else min(far.values(), default=inf)
                if used < inf:
                    reached.append((nic, [own for own, hops in far.items() if hops == used]))
            need(reached, APART)
            for nic, owned in reached:
                amount = of.gpus * into.gpus / network.gpus / len(reached) / len(owned)
                for own in owned:
                    yield own, nic, amount
