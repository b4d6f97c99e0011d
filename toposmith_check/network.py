"""The devices and cables that a certificate lists, and what is counted over them."""

from __future__ import annotations

from collections import Counter, defaultdict

from toposmith_check.reading import Wrong, item, need, rows

MOST = 1 << 22


class Group:
    """Devices of one kind, or the NICs of some, numbered from ``first`` on.

    Of NICs ``owner`` has them, so many each; of nodes with GPUs, so many are one NVLink domain.
    """

    def __init__(self, data: object, first: int, owner: Group | None) -> None:
        self.name: str = item(data, "name", str)[:80]
        self.first, self.owner = first, owner
        self.count, self.each = item(data, "count", int), item(data, "each", int)
        need(first + self.count <= MOST, f"{self.name}: more than {MOST:,} devices are not read")
        if owner:
            owned = self.count == owner.count * self.each and not owner.owner
            need(owned, f"{self.name}: {owner.name} has not so many NICs")
            return
        self.part, links = item(data, "part", str), item(data, "gpu_links", list)
        self.gpus, self.devices, self.down = (item(data, k, int) for k in ("gpus", "there", "down"))
        whole = self.each and not self.count % self.each and (self.each == 1 or self.gpus)
        need(whole, f"{self.name}: no domains of {self.each:,} nodes")
        self.gpu_GBps = sum(item(of, "links", int) * item(of, "GBps", float) for of in links)
        runs = rows(data, "missing", 2)
        need(sum(run[1] for run in runs) <= self.count, f"{self.name}: more than all are missing")
        self.missing = {at for run in runs for at in self.run(*run)}

    def run(self, start: int, many: int) -> range:
        """The numbers of devices in a row; Wrong where the group has not so many."""
        if not (start >= 0 and many > 0 and start + many <= self.count):
            raise Wrong(f"{self.name}: there are no devices {start} to {start + many - 1}")
        return range(self.first + start, self.first + start + many)


class Table:
    """The cables of one link at one speed: by row two devices or NICs, and how many."""

    def __init__(self, data: object, network: Network) -> None:
        self.data, self.label = data, item(data, "label", str)[:80]
        self.link, self.GBps = item(data, "link", int), item(data, "gbit", float) / 8
        self.carries: bool = item(data, "carries", bool)
        self.ends = [network.group(end) for end in item(data, "ends", list)]
        self.per_cage = rows({"per_cage": [item(data, "per_cage", list)]}, "per_cage", 2)[0]
        need(len(self.ends) == 2 and min(self.per_cage) > 0, f"{self.label}: no two ends in cages")
        self.rows: list[tuple[int, int, int]] = []
        for a, b, many in rows(data, "rows", 3):
            one, other = (end.run(at, 1)[0] for end, at in zip(self.ends, (a, b), strict=True))
            if many < 1 or not network.is_there(one) or not network.is_there(other):
                raise Wrong(f"{self.label}: no cable from {a} to {b}: one of them is not there")
            self.rows.append((one, other, many))

    def spread(self, network: Network) -> list[list[list[int]]]:
        """How many devices at either end, pairs of devices, and NICs have how many cables."""
        counted: list[Counter[object]] = [Counter(), Counter(), Counter(), Counter()]
        for a, b, many in self.rows:
            one, other = network.device_of(a), network.device_of(b)
            for of, key in zip(counted, (one, other, (one, other), (a, one == a)), strict=True):
                of[key] += many
        return [sorted([*pair] for pair in Counter(of.values()).items()) for of in counted]


class Network:
    """All of it."""

    def __init__(self, data: object) -> None:
        self.groups: dict[str, Group] = {}
        self.group_of: list[Group] = []
        for of in item(data, "groups", list):
            owner = self.group(of["of"]) if isinstance(of, dict) and of.get("of") else None
            group = Group(of, len(self.group_of), owner)
            need(self.groups.setdefault(group.name, group) is group, f"two groups {group.name}")
            self.group_of += [group] * group.count
        self.drawn = [group for group in self.groups.values() if not group.owner]
        devices = (at for group in self.drawn if group.gpus for at in group.run(0, group.count))
        self.nodes = [at for at in devices if self.is_there(at)]
        self.gpus = sum(self.group_of[node].gpus for node in self.nodes)
        self.tables = [Table(each, self) for each in item(data, "cables", list)]

    def group(self, name: object) -> Group:
        """A group by its name."""
        need(isinstance(name, str) and name in self.groups, f"no group {str(name)[:40]!r} is there")
        return self.groups[str(name)]

    def run(self, group: int, start: int, many: int) -> range:
        """The numbers of devices in a row, by the number of their group."""
        need(0 <= group < len(self.drawn), f"there is no group {group}")
        return self.drawn[group].run(start, many)

    def device_of(self, at: int) -> int:
        """The device that a NIC is in; of others themselves."""
        group = self.group_of[at]
        return group.owner.first + (at - group.first) // group.each if group.owner else at

    def is_there(self, at: int) -> bool:
        """Whether a device, or that of a NIC, is there."""
        device = self.device_of(at)
        return device not in self.group_of[device].missing

    def domain_of(self, node: int) -> tuple[str, int]:
        """The NVLink domain of a node: itself, or as many nodes as its group says."""
        group = self.group_of[node]
        return group.name, (node - group.first) // max(1, group.each)

    def cages(self) -> dict[str, list[int]]:
        """By end the cages that its cables fill, each link its own, and the most at one device."""
        used, whole = Counter[tuple[Group, int, int, int]](), dict[str, list[int]]()
        for table in self.tables:
            for a, b, many in table.rows:
                for at, end, size in zip((a, b), table.ends, table.per_cage, strict=True):
                    used[end, self.device_of(at), table.link, size] += many
        filled: Counter[tuple[Group, int]] = Counter()
        for (end, device, _, size), many in used.items():
            filled[end, device] += -(-many // size)
        for (end, _), many in filled.items():
            cages, most = whole.get(end.name, [0, 0])
            # the bill has the most of one switch alone
            whole[end.name] = [cages + many, 0 if end.owner else max(most, many)]
        return whole


class Sets:
    """Disjoint sets of devices, their GPUs, and the cables and GB/s that enter each."""

    def __init__(self, network: Network, data: object) -> None:
        of: dict[int, int] = {}
        for group, start, many, first, step in rows(data, "sets", 5):
            need(step in (0, 1) and first >= 0, "sets: no such set or step")
            for place, device in enumerate(network.run(group, start, many)):
                need(device not in of, "sets: one device is in two")
                of[device] = first + place * step
        self.gpus, domains = Counter[int](), dict[tuple[str, int], int]()
        for node in network.nodes:
            own = of.get(node, -1)
            need(domains.setdefault(network.domain_of(node), own) == own, "sets: one cuts a domain")
            self.gpus[own] += network.group_of[node].gpus
        self.outside = self.gpus.pop(-1, 0)
        self.GBps: dict[int, float] = defaultdict(float)
        self.cut, self.crossing = Counter[int](), Counter[int]()
        for number, table in enumerate(network.tables):
            for a, b, many in table.rows if table.carries else ():
                ends = {of.get(network.device_of(a), -1), of.get(network.device_of(b), -1)}
                if len(ends) == 2:
                    self.cut[number] += many
                    for entered in ends - {-1}:
                        self.GBps[entered] += many * table.GBps
                        self.crossing[number] += many
        need(self.gpus and self.gpus.keys() >= set(of.values()), "sets: one has no GPU")
