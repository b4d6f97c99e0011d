"""Planted changes of certificates, all digests made anew: which does the checker not catch?

    python -m bench.proof [--changes 1000] [--seed 1] [--large]

Each changes one figure, cable, set, flow or line so that something is no longer true, and is
checked as a file of its own. ``--large`` writes the certificate of 131,072 GPUs and says how long
its check takes, in seconds of the processor.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from random import Random
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

from toposmith.errors import ToposmithError
from toposmith.exports.forms import FORMS
from toposmith.library import evaluate
from toposmith_check.claims import verdicts
from toposmith_check.reading import Wrong, digest

DESIGNS = (
    "a100-rack-1x100gbe",
    "dgx-a100-su",
    "dgx-h100-superpod-1su",
    "gb200-nvl36x2-pair",
    "gb200-nvl72-8-racks-ndr",
    "gb200-nvl72-rack",
    "hgx-a100-64gpu-roce-2to1",
)
LARGE = "b200-131072gpu-fabric-per-rail"

Value = dict[str, Any]
Change = Callable[[Value, Random], bool]
"""Plants a change; False where the certificate has nothing of its kind."""

_FREE = {"toposmith_proof", "sets", "rows"}
"""Changed by kinds of their own: other numbers of sets are the same sets."""


def certificate(name: str) -> Value:
    """The certificate of a design, with the indicative prices."""
    design = evaluate(name, prices=["indicative"])
    made = FORMS["proof"].make(design, None, None)
    value: Value = json.loads(b"".join(made.pieces))
    return value


def caught(value: Value) -> str:
    """What the checker says is wrong, after the digest was made anew; empty if nothing is."""
    body = {key: of for key, of in value.items() if key != "sha256"}
    try:
        wrong = [words for holds, words in verdicts({**body, "sha256": digest(body)}) if not holds]
    except Wrong as why:
        return str(why) or "wrong"
    return "; ".join(wrong)


def _more(number: float, draw: Random) -> float:
    """Another number: a little less or more, at least by one of whole ones."""
    if isinstance(number, bool):
        return not number
    if isinstance(number, int) and number < 1_000_000:
        return max(0, number + draw.choice((-1, 1, 2, 7))) if number else draw.randint(1, 3)
    # a byte more of a message of 8 GiB changes no figure that anybody can read
    return type(number)(number * draw.choice((0.5, 0.98, 0.9999, 1.0001, 1.02, 2)) or 0.25)


def _row(value: Value, draw: Random) -> tuple[Value, list[int]] | None:
    tables = [table for table in value["cables"] if table["rows"]]
    if not tables:
        return None
    table = draw.choice(tables)
    return table, draw.choice(table["rows"])


def _cable_moved(value: Value, draw: Random) -> bool:
    found = _row(value, draw)
    if found is None:
        return False
    table, row = found
    end = draw.choice((0, 1))
    many = next(of["count"] for of in value["groups"] if of["name"] == table["ends"][end])
    others = [at for at in range(many) if at != row[end]]
    if not others:
        return False
    row[end] = draw.choice(others)
    return True


def _cable_counted_otherwise(value: Value, draw: Random) -> bool:
    found = _row(value, draw)
    if found is None:
        return False
    if draw.random() < 0.5:
        found[0]["rows"].remove(found[1])
    else:
        found[1][2] += 1
    return True


def _field(path: tuple[str, ...], names: tuple[str, ...]) -> Change:
    """A change of one number among some fields of the objects at a path."""

    def change(value: Value, draw: Random) -> bool:
        found: list[Any] = [value]
        for key in path:
            found = [of.get(key) for of in found if isinstance(of, dict)]
            found = [
                of for some in found if some for of in (some if type(some) is list else [some])
            ]
        held = [(of, key) for of in found for key in names if isinstance(of.get(key), int | float)]
        if not held:
            return False
        of, key = draw.choice(held)
        before = of[key]
        of[key] = _more(before, draw)
        return bool(of[key] != before)

    return change


def _set_of_a_device(value: Value, draw: Random) -> bool:
    bounds = [claim["bound"] for claim in value["claims"] if claim["bound"].get("sets")]
    if not bounds:
        return False
    sets = draw.choice(bounds)["sets"]
    run = draw.choice(sets)
    match draw.randrange(3):
        case 0:
            sets.remove(run)
        case 1 if run[2] > 1:
            run[2] -= 1
        case _ if run[4]:
            run[4] = 0
        case _:
            run[3] += draw.choice((1, 2))
            run[4] = 1
    return True


def _flow(value: Value, draw: Random) -> bool:
    traffics = [claim["traffic"] for claim in value["claims"] if claim["traffic"].get("order")]
    if not traffics:
        return False
    traffic = draw.choice(traffics)
    if draw.random() < 0.1:
        traffic["trees" if "trees" in traffic else "order"] = []
        return True
    if "trees" in traffic and draw.random() < 0.7:
        parents = draw.choice(traffic["trees"])
        at = draw.randrange(len(parents))
        if parents[at] < 0:
            parents[at] = draw.randrange(len(parents))
        else:
            parents[at] = draw.choice((-1, at))
        return True
    run = draw.choice(traffic["order"])
    if draw.random() < 0.5:
        traffic["order"].append(list(run))
    else:
        run[2] -= 1
    return True


def _pattern(value: Value, draw: Random) -> bool:
    claims = [claim for claim in value["claims"] if claim["traffic"].get("links")]
    if not claims:
        return False
    claim = draw.choice(claims)
    if draw.random() < 0.5:
        claim["collective"] = "all_gather" if draw.random() < 0.5 else "all_to_all"
        others = [of for of in value["claims"] if of is not claim]
        if claim["collective"] == "all_to_all" and claim["traffic"]["pattern"] == "pairs":
            claim["collective"] = "all_reduce"
        return bool(others)
    claim["traffic"]["links"].pop(draw.randrange(len(claim["traffic"]["links"])))
    return True


def _money(value: Value, draw: Random) -> bool:
    lines = [line for line in value["bill"]["lines"] if line["unit_price"] is not None]
    if not lines:
        return False
    line, totals = draw.choice(lines), value["bill"]["price"]
    of, key = draw.choice([(line, "unit_price"), (line, "price"), (totals, draw.choice([*totals]))])
    of[key] = f"{float(of[key]) * draw.choice((0.9, 1.01, 2)):.2f}"
    return True


def _part(value: Value, draw: Random) -> bool:
    parts, group = value["parts"], draw.choice([of for of in value["groups"] if "part" in of])
    if draw.random() < 0.5:
        del parts[draw.choice([*parts])]
    else:
        group["part"] += "-b"
    return True


def _any_figure(value: Value, draw: Random) -> bool:
    """One number anywhere, but of sets and rows, which have kinds of their own."""
    held: list[tuple[Any, Any]] = []

    def walk(of: Any) -> None:
        for key, each in of.items() if isinstance(of, dict) else enumerate(of):
            if key in _FREE:
                continue
            if isinstance(each, dict | list):
                walk(each)
            elif isinstance(each, int | float):
                held.append((of, key))

    walk(value)
    of, key = draw.choice(held)
    before = of[key]
    of[key] = _more(before, draw)
    return bool(of[key] != before)


PLANTED: dict[str, Change] = {
    "a cable leads to another device": _cable_moved,
    "a cable more, or fewer": _cable_counted_otherwise,
    "cables run at another speed": _field(("cables",), ("gbit",)),
    "counts of devices, GPUs and nodes of a domain": _field(
        ("groups",), ("there", "down", "gpus", "each", "count")
    ),
    "counts of cables": _field(("cables",), ("cables",)),
    "a device is in another set": _set_of_a_device,
    "the capacity of the cut": _field(("claims", "bound"), ("GBps", "count")),
    "the bound": _field(("claims", "bound"), ("busbw_GBps",)),
    "a flow is dropped or turned": _flow,
    "flows of another collective, or a load left out": _pattern,
    "loads of links": _field(
        ("claims", "traffic", "links"), ("per_algbw", "load_GBps", "use", "limits")
    ),
    "rates and times": _field(
        ("claims", "figures"),
        ("latency_us", "time_us", "rate_GBps", "algbw_GBps", "busbw_GBps", "message_bytes"),
    ),
    "the share of the bound": _field(("claims", "figures"), ("share_of_bound",)),
    "the share of payload": _field(("claims", "traffic"), ("payload",)),
    "pieces of the bill": _field(("bill", "lines"), ("quantity",)),
    "prices and their sums": _money,
    "cages and cables of the bill": _field(("cables",), ("link",)),
    "parts without a digest": _part,
    "any figure": _any_figure,
}


def planted(
    kinds: dict[str, Change], values: list[Value], changes: int, draw: Random
) -> tuple[Counter[str], list[tuple[str, Value]]]:
    """So many changes, in turn of each kind: how many of each, and those that were not caught."""
    counted: Counter[str] = Counter()
    missed: list[tuple[str, Value]] = []
    names = list(kinds)
    while counted.total() < changes:
        name = names[counted.total() % len(names)]
        value = deepcopy(draw.choice(values))
        if kinds[name](value, draw):
            counted[name] += 1
            if not caught(value):
                missed.append((name, value))
    return counted, missed


def large() -> None:
    """Write and check the certificate of 131,072 GPUs."""
    with tempfile.TemporaryDirectory() as folder:
        file = str(Path(folder, "proof.json"))
        for command in (
            [sys.executable, "-m", "toposmith", "export", LARGE, "--to", "proof", "-o", file],
            [sys.executable, "-m", "toposmith_check", file],
        ):
            before = getrusage(RUSAGE_CHILDREN).ru_utime
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            took = getrusage(RUSAGE_CHILDREN).ru_utime - before
            print(f"{command[2]}: {took:.1f} s of the processor")
        print(f"{Path(file).stat().st_size / 1e6:.1f} MB")


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__)
    reader.add_argument("--changes", type=int, default=1000)
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--large", action="store_true")
    asked = reader.parse_args()
    if asked.large:
        large()
        return
    values = [certificate(name) for name in DESIGNS]
    for name, value in zip(DESIGNS, values, strict=True):
        if words := caught(value):
            raise ToposmithError(f"{name}: {words}")
    counted, missed = planted(PLANTED, values, asked.changes, Random(asked.seed))
    wrong = Counter(name for name, _ in missed)
    for name, many in counted.items():
        print(f"{many - wrong[name]:4} of {many:4} caught: {name}")
    for name, value in missed:
        print(f"missed: {name} of {value['design']}")
    print(f"{counted.total() - len(missed)} of {counted.total()} caught")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
