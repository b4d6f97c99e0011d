"""The claims of a certificate, each held against the devices and cables that it lists."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from toposmith_check.network import Network, Sets
from toposmith_check.reading import digest, item, need, rows, same
from toposmith_check.routing import routed

VERSION = 1
FACTORS = {"all_reduce": 2, "all_to_all": 1}
"""Busbw over algbw, in units of (N - 1) / N (nccl-tests, doc/PERFORMANCE.md)."""

Verdict = tuple[bool, str]


def verdicts(data: dict[str, Any]) -> Iterator[Verdict]:
    """Whether each claim holds, and the claim in words; Wrong where one cannot be read."""
    need(item(data, "toposmith_proof", int) == VERSION, f"this checks form {VERSION} alone")
    body = digest({key: value for key, value in data.items() if key != "sha256"})
    yield body == item(data, "sha256", str), "the digest is that of the certificate"
    network = Network(data)
    yield from _counts(data, network)
    yield from bill_verdicts(item(data, "bill", dict), network)
    for claim in item(data, "claims", list):
        yield from claim_verdicts(claim, network)


def _counts(data: dict[str, Any], network: Network) -> Iterator[Verdict]:
    for group in network.drawn:
        there = group.count - len(group.missing)
        yield group.devices == there, f"{there:,} x {group.name} of {group.count:,} are there"
    yield item(data, "gpus", int) == network.gpus, f"{network.gpus:,} GPUs"
    parts, used = item(data, "parts", dict), {group.part for group in network.drawn}
    named = set(parts) == used and all(len(item(parts, part, str)) == 64 for part in parts)
    yield named, f"the parts of all devices have digests, {len(used)} in all"
    for table in network.tables:
        many = sum(row[2] for row in table.rows)
        spread = item(table.data, "spread", list) == table.spread(network)
        claimed = spread and item(table.data, "cables", int) == many
        claimed = claimed and same(item(table.data, "GBps", float), many * table.GBps)
        yield claimed, f"{many:,} cables of {table.label} at {table.GBps:g} GB/s, spread as claimed"


def bill_verdicts(bill: Any, network: Network) -> Iterator[Verdict]:
    """The sums of a bill, and its pieces against what is drawn."""
    pieces, sums = Counter[str](), dict[str, Decimal]()
    for line in item(bill, "lines", list):
        part, quantity = item(line, "part", str)[:80], item(line, "quantity", int)
        pieces[item(line, "kind", str)] += quantity
        if item(line, "each", dict):
            yield _devices(line, network), f"{quantity:,} x {part} are for the devices drawn"
        if line.get("unit_price") is not None:
            price, currency = quantity * _money(line, "unit_price"), item(line, "currency", str)
            sums[currency] = sums.get(currency, Decimal(0)) + price
            yield _money(line, "price") == price, f"{quantity:,} x {part} come to {price}"
    yield item(bill, "pieces", dict) == dict(pieces), "the pieces of each kind add up"
    totals = {each: _money(bill["price"], each) for each in item(bill, "price", dict)}
    yield totals == sums, f"prices add up: {', '.join(f'{v} {k[:9]}' for k, v in sums.items())}"
    if item(bill, "ends", dict):
        yield from _cabling(bill, network, pieces)


def _money(of: object, key: str) -> Decimal:
    text: str = item(of, key, str)
    sound = len(text) <= 20 and text.isascii() and text.replace(".", "", 1).isdecimal()
    need(sound, f"{key[:40]}: found {text[:40]!r}, no amount of money")
    return Decimal(text)


def _devices(line: object, network: Network) -> bool:
    """Whether a line has as many pieces as the devices of its groups take."""
    quantity, each = item(line, "quantity", int), item(line, "each", dict)
    groups = [(network.group(name), item(each, name, int)) for name in each]
    bought = [((of.owner or of).devices + (of.owner or of).down, held) for of, held in groups]
    if item(line, "kind", str) == "rack-system":
        return all(quantity * held == devices for devices, held in bought)
    return bool(quantity == sum(devices * held for devices, held in bought))


def _cabling(bill: object, network: Network, pieces: Counter[str]) -> Iterator[Verdict]:
    """Cables, cages and transceivers of the bill, against the cables by their ends."""
    drawn, modules, ends = Counter[int](), 0, item(bill, "ends", dict)
    for table in network.tables:
        drawn[table.link] += sum(row[2] for row in table.rows)
    links, joined = rows(bill, "links", 3), pieces["cable"] + pieces["fibre"]
    claimed = {link: many for link, many, _ in links} == drawn and len(links) == len(drawn)
    claimed = claimed and sum(cables for _, _, cables in links) == joined
    yield claimed, f"{drawn.total():,} connections are made by {joined:,} cables and fibres"
    cages = network.cages()
    for name in ends:
        *counted, filled = (item(ends[name], key, int) for key in ("cages", "most", "modules"))
        used, modules = cages.get(name, [0, 0]), modules + filled
        right = counted == used and filled <= used[0]
        yield right, f"{used[0]:,} cages of {name[:80]} are in use, {filled:,} with a transceiver"
    right = set(ends) == set(cages) and modules == pieces["transceiver"]
    yield right, f"{modules:,} transceivers are in the cages of all links"


def claim_verdicts(claim: object, network: Network) -> Iterator[Verdict]:
    """A collective over all GPUs: its bound, its rate, and the load of the cables at that rate."""
    collective, ranks = item(claim, "collective", str), network.gpus
    need(collective in FACTORS and ranks > 1, f"{collective[:40]!r}, {ranks} ranks: not known here")
    factor = FACTORS[collective] * (ranks - 1) / ranks
    bound, figures = item(claim, "bound", dict), item(claim, "figures", dict)
    if bound:
        most, words = _most(collective, bound, network)
        claimed = item(bound, "busbw_GBps", float)
        yield same(claimed, most), f"{collective}: at most {most:g} GB/s of busbw, as {words}"
    if figures:
        yield from _figures(claim, factor)
        if item(claim, "traffic", dict):
            yield from _traffic(claim, network)


def _most(collective: str, bound: object, network: Network) -> tuple[float, str]:
    """What no schedule exceeds: data that must enter sets of GPUs, over what their cables carry.

    Without reduction on the way every element of an all-reduce takes 2 (m - 1) receptions by whole
    sets, of m that have all GPUs (Patarasuk and Yuan 2009, with sets for processes).
    """
    ranks, whole = network.gpus, item(bound, "GBps", float)
    if not item(bound, "sets", list):
        into = {group.gpu_GBps for group in network.drawn if group.gpus}
        need(into == {whole}, f"bound: {whole:g} GB/s are not what the links of each GPU carry")
        return whole, "no more enters a GPU"
    sets = Sets(network, bound)
    many, summed = len(sets.gpus), sum(sets.GBps.values())
    cut = sorted([*pair] for pair in sets.cut.items())
    said = rows(bound, "cut", 2) == cut and item(bound, "count", int) == many
    need(said and same(whole, summed), f"bound: {summed:g} GB/s enter {many:,} sets, not {whole:g}")
    words = f"{sets.cut.total():,} cables with {summed:g} GB/s enter {many:,} sets of GPUs"
    if collective == "all_to_all":
        pairs = sum(gpus * (ranks - gpus) for gpus in sets.gpus.values())
        return summed * (ranks - 1) / pairs if pairs else 0.0, words
    need(many > 1 and not sets.outside, "bound: sets of an all-reduce are two or more of all GPUs")
    return summed / (many - 1) * (ranks - 1) / ranks, words


def _figures(claim: Any, factor: float) -> Iterator[Verdict]:
    """Busbw from latency and rate, and its share of the bound."""
    collective, bound, figures = claim["collective"], claim["bound"], claim["figures"]
    names = ("message_bytes", "latency_us", "time_us", "rate_GBps", "algbw_GBps", "busbw_GBps")
    size, latency, time, rate, algbw, busbw = (item(figures, name, float) for name in names)
    right = same(time, latency + size / (1000 * rate)) and same(algbw, size / (1000 * time))
    yield right and same(busbw, algbw * factor), f"{collective}: {busbw:g} GB/s of busbw follow"
    if bound and figures.get("share_of_bound") is not None:
        share = item(figures, "share_of_bound", float)
        reached = same(share, busbw / max(item(bound, "busbw_GBps", float), 1e-9))
        yield reached and share <= 1, f"{collective}: {share:.1%} of that bound"


def _traffic(claim: Any, network: Network) -> Iterator[Verdict]:
    """The load of the cables from the flows; at the rate no cable carries more than it can."""
    collective, traffic, figures = claim["collective"], claim["traffic"], claim["figures"]
    pattern, worst = routed(collective, traffic, network)
    payload, listed = item(traffic, "payload", float), item(traffic, "links", list)
    algbw, rate = (item(figures, name, float) for name in ("algbw_GBps", "rate_GBps"))
    all_there = [item(load, "table", int) for load in listed] == list(worst) and 0 < payload <= 1
    yield all_there, f"{collective}: {len(worst)} kinds of cables carry its flows ({pattern})"
    for load, (number, each) in zip(listed, worst.items(), strict=False):
        usable = network.tables[number].GBps * payload
        summed = {"per_algbw": each, "load_GBps": each * algbw, "use": each * algbw / usable}
        fills = each * rate >= usable * (1 - 1e-6)
        right = all(same(item(load, key, float), value) for key, value in summed.items())
        right = right and item(load, "limits", bool) == fills and each * rate <= usable * (1 + 1e-9)
        words = f"{each * algbw:.4g} of {usable:g} GB/s{', which limits it,' if fills else ''}"
        yield right, f"{collective}: {words} on a cable of {network.tables[number].label}"
