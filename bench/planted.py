"""Faults planted by hand in every package, each of which changes a figure: which do tests find?

    python -m bench.planted [--only 3]

Beside :mod:`bench.mutants`, which changes operators of the engine at random. Places were drawn at
random from each package by its size, then made faults of meaning: a bound that takes in its end, a
factor left out, a remainder rounded the other way. Each runs in a process of its own, with the
module's text changed as it is imported, and against the tests near it.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType

import pytest

from bench.mutants import FirstFailure

ROOT = Path(__file__).parents[1]
SECONDS = 900
"""After which a fault counts as found: it never ends."""


@dataclass(frozen=True)
class Fault:
    """What stands in a file once, what stands there instead, and the tests near it."""

    path: str
    before: str
    after: str
    tests: str

    @property
    def module(self) -> str:
        """The name that the file is imported by."""
        return self.path.removesuffix(".py").replace("/", ".")

    @property
    def package(self) -> str:
        """The row of the table."""
        return "/".join(Path(self.path).parts[:2])

    def planted(self) -> str:
        """The text of the file with the fault in it."""
        text = (ROOT / self.path).read_text()
        if text.count(self.before) != 1:
            raise SystemExit(
                f"{self.path}: {self.before!r} stands there {text.count(self.before)}x"
            )
        return text.replace(self.before, self.after)


CATALOG, RACKS, BILL = "tests/catalog", "tests/racks", "tests/bill"
PREDICTION, JOBS = "tests/analysis/prediction", "tests/analysis/jobs"
FINDINGS, FAILURES = "tests/review/findings", "tests/review/failures"
WORKLOADS, SYNTHESIS = "tests/workloads", "tests/synthesis"
EXPORTS, AS_BUILT, NCCL = "tests/exports", "tests/as_built", "tests/nccl"
DESIGN, MEASURED = "tests/design", "tests/measured"
COMMAND = "tests/command"
CONTENTION, TEMPLATES = "tests/contention", "tests/test_templates.py"

FAULTS = (
    Fault(
        "toposmith/catalog/nccl_xml.py",
        "pcie_gbit(switch.link) < pcie_gbit(behind)",
        "pcie_gbit(switch.link) > pcie_gbit(behind)",
        f"{CATALOG}/test_nccl_xml.py",
    ),
    Fault(
        "toposmith/catalog/netbox_switches.py",
        'family.type.cage == "rj45" and family.ports <= _FEW',
        'family.type.cage == "rj45" and family.ports < _FEW',
        f"{CATALOG}/test_netbox_switches.py",
    ),
    Fault(
        "toposmith/catalog/prices.py",
        "and ends < begun:",
        "and ends <= begun:",
        f"{CATALOG}/test_prices.py {CATALOG}/test_price_workbooks.py {COMMAND}/test_bom.py",
    ),
    Fault(
        "toposmith/catalog/part_text.py",
        "width=min(first.width, second.width)",
        "width=second.width",
        f"{CATALOG}/test_links.py tests/fabric/test_inside.py",
    ),
    Fault(
        "toposmith/command/options.py",
        "if asked is None and not (block and block.cabling):",
        "if asked is None or not (block and block.cabling):",
        f"tests/command/test_bom.py {BILL}/test_reading_back.py {BILL}/test_verification.py",
    ),
    Fault(
        "toposmith/bill/terms.py",
        "if currency not in CURRENCIES:",
        "if currency in ():",
        f"{BILL} tests/command/test_bom.py",
    ),
    Fault(
        "toposmith/analysis/prediction/payload.py",
        "return payload / (payload + headers)",
        "return payload / (payload + headers + 4)",
        f"{PREDICTION}/test_payload.py {PREDICTION}/test_transports.py",
    ),
    Fault(
        "toposmith/analysis/prediction/calibration.py",
        "EFA_HOP_US[100 if nic.speed_gbit <= 100 else 200]",
        "EFA_HOP_US[100 if nic.speed_gbit < 100 else 200]",
        f"{PREDICTION} tests/analysis/test_published_figures.py",
    ),
    Fault(
        "toposmith/analysis/prediction/demands.py",
        "graphs.ring.count < 2 or self.cluster.groups.nodes == 1:",
        "graphs.ring.count < 3 or self.cluster.groups.nodes == 1:",
        f"{PREDICTION} tests/analysis/test_every_node.py",
    ),
    Fault(
        "toposmith/analysis/prediction/ways.py",
        'tier = "socket" if "socket" in _cut_tiers(graph, side) else "pcie"',
        'tier = "pcie"',
        f"{PREDICTION} tests/analysis/test_every_node.py tests/analysis/test_shared_ports.py",
    ),
    Fault(
        "toposmith/analysis/prediction/path_latency.py",
        "nic_us = sum(us for us, _ in nics) / len(nics)",
        "nic_us = nics[0][0]",
        f"{PREDICTION}/test_path_latency.py",
    ),
    Fault(
        "toposmith/analysis/jobs/world.py",
        "return tuple(sorted({gpus_of(group) for group in self.groups}))",
        "return tuple(sorted({b.nodes * gpus_of(b.group) for b in self.blocks}))",
        f"{JOBS} tests/analysis/test_nvlink_racks.py",
    ),
    Fault(
        "toposmith/review/findings/routing.py",
        "round_trip_ns = 2 * length_m * CABLE_NS_PER_M",
        "round_trip_ns = length_m * CABLE_NS_PER_M",
        f"{FINDINGS}/test_lossless.py",
    ),
    Fault(
        "toposmith/review/findings/protocols.py",
        "if link.speed_gbit < min(fastest, *natives):",
        "if link.speed_gbit < fastest:",
        f"{FINDINGS} tests/review/test_lowered_speeds.py",
    ),
    Fault(
        "toposmith/review/findings/tiers.py",
        "link.cables_per_pair * now * factors[link.index] / count",
        "link.cables_per_pair * factors[link.index] / count",
        f"{FINDINGS}/test_rewiring.py {FINDINGS}/test_remedies.py",
    ),
    Fault(
        "toposmith/review/failures/breakable.py",
        "if at <= high - low:",
        "if at < high - low:",
        FAILURES,
    ),
    Fault(
        "toposmith/review/failures/shared_modules.py",
        "load.most_w is not None and load.most_w <= left",
        "load.least_w <= left",
        f"{FAILURES}/test_feeds.py",
    ),
    Fault(
        "toposmith/workloads/required_bandwidth.py",
        "ceil(needed * groups.sharing / rate * (1 - 1e-9))",
        "ceil(needed / rate * (1 - 1e-9))",
        f"{WORKLOADS}/test_required_bandwidth.py tests/command/test_workload.py",
    ),
    Fault(
        "toposmith/workloads/training.py",
        "bubble = filling * (forward + backward + waiting)",
        "bubble = filling * (forward + backward)",
        f"{WORKLOADS}/test_training.py {WORKLOADS}/test_published_runs.py",
    ),
    Fault(
        "toposmith/workloads/model.py",
        "return (2 if self.gated else 13) * self.hidden",
        "return (2 if self.gated else 12) * self.hidden",
        f"{WORKLOADS}/test_models.py",
    ),
    Fault(
        "toposmith/workloads/memory.py",
        'split.gradient_ranks > 1 and (piped or "gradients"',
        'split.gradient_ranks > 1 and ("gradients"',
        f"{WORKLOADS}/test_memory.py {WORKLOADS}/test_published_memory.py",
    ),
    Fault(
        "toposmith/workloads/serving.py",
        "return self.copy_gpus // (self.split.tp * self.split.pp)",
        "return self.copy_gpus // self.split.tp",
        f"{WORKLOADS}/test_serving.py {WORKLOADS}/test_published_serving.py",
    ),
    Fault(
        "toposmith/workloads/layout_search.py",
        "if tp * pp * cp > gpus:",
        "if tp * pp * cp >= gpus:",
        f"{WORKLOADS}/test_layout_search.py",
    ),
    Fault(
        "toposmith/synthesis/wiring_ways.py",
        "return max(0, (cages - taken) * end.breakout - alike)",
        "return max(0, cages - taken - alike // end.breakout) * end.breakout",
        f"{SYNTHESIS}/test_taper.py {SYNTHESIS}/test_fixes.py",
    ),
    Fault(
        "toposmith/synthesis/fabrics.py",
        "bundle = min(self.bundle, self.ports.spine_ports // joined)",
        "bundle = self.bundle",
        f"{SYNTHESIS}/test_fabrics.py {SYNTHESIS}/test_purchases.py {COMMAND}/test_synthesis.py",
    ),
    Fault(
        "toposmith/synthesis/raising_moves.py",
        "carrying = ceil(brought_gbit / link.speed_gbit / peers)",
        "carrying = ceil(brought_gbit / peers)",
        f"{SYNTHESIS}/test_raising_moves.py {SYNTHESIS}/test_fixes.py",
    ),
    Fault(
        "toposmith/workloads/runnable.py",
        "if size % copy and copy % size:",
        "if size % copy:",
        "tests/workloads/test_segments.py",
    ),
    Fault(
        "toposmith/lock/locked_wiring.py",
        "(wiring.leg, leg),",
        "(wiring.leg, 0 * leg),",
        "tests/lock",
    ),
    Fault(
        "toposmith/bill/numbered_connections.py",
        "before - (-many // mode[1]) for",
        "before + many // mode[1] for",
        f"{EXPORTS}/test_cable_schedule.py tests/oracle",
    ),
    Fault(
        "toposmith/exports/neighbours/ethernet.py",
        "cage_lane = own.place // own.breakout * lanes",
        "cage_lane = own.place * lanes",
        f"{EXPORTS} tests/command/test_export.py",
    ),
    Fault(
        "toposmith/exports/neighbours/simulators.py",
        "if len(sizes) > 1 and thinner:",
        "if len(sizes) > 2 and thinner:",
        f"{EXPORTS} tests/command/test_export.py tests/test_simulated.py",
    ),
    Fault(
        "toposmith/as_built/brown_field.py",
        "abs(link.speed_gbit - speed) < 0.03 * speed",
        "abs(link.speed_gbit - speed) < 1.5 * speed",
        f"{AS_BUILT}/test_brown_field.py {AS_BUILT}/test_real_dumps.py {COMMAND}/test_as_built.py",
    ),
    Fault(
        "toposmith/as_built/check_list.py",
        "-(block[0].per_step_GBps or 0.0),",
        "(block[0].per_step_GBps or 0.0),",
        f"{AS_BUILT}/test_check_list.py tests/command/test_as_built.py",
    ),
    Fault(
        "toposmith/bill/cable_lots.py",
        "taken = cables * min(recipe.carried, ports)",
        "taken = cables * (min(recipe.carried, ports) - 1)",
        f"{BILL}/test_short_cages.py {BILL}/test_schedule_agrees.py",
    ),
    Fault(
        "toposmith/bill/recipes.py",
        "carried != leg * cable.b.plugs or cable.a.plugs != 1",
        "carried < leg * cable.b.plugs or cable.a.plugs != 1",
        BILL,
    ),
    Fault(
        "toposmith/bill/cable_lots.py",
        "self.counted.modules[end.label, module.id] += share.devices * more",
        "self.counted.modules[end.label, module.id] += share.devices * connections",
        BILL,
    ),
    Fault(
        "toposmith/bill/totals.py",
        "if not self.complete or len(self.known) != 1:",
        "if len(self.known) != 1:",
        f"{BILL} tests/command/test_bom.py",
    ),
    Fault(
        "toposmith/bill/link_parts.py",
        "if len(currencies) > 1:",
        "if len(currencies) > 2:",
        f"{BILL}/test_policies.py {BILL}/test_link_parts.py {BILL}/test_counted.py",
    ),
    Fault(
        "toposmith/design/edits/edit.py",
        "each = before.links[index].cables or 1",
        "each = before.links[index].cables or 2",
        DESIGN,
    ),
    Fault(
        "toposmith/nccl/bandwidth.py",
        "return channels.count * min(others * channels.intra_GBps, nic)",
        "return channels.count * others * channels.intra_GBps",
        f"{NCCL} {PREDICTION} tests/test_measured.py",
    ),
    Fault(
        "toposmith/nccl/closed_form.py",
        "return (per_pair - 1) * (node.gpus - 1) + node.gpus - 2",
        "return per_pair * (node.gpus - 1) - 2",
        f"{NCCL} {PREDICTION}",
    ),
    Fault(
        "toposmith/nccl/latency.py",
        "return 2 * around + tables.ring_all_reduce_extra_hops",
        "return 2 * around",
        f"{NCCL} {PREDICTION}/test_predictor.py",
    ),
    Fault(
        "toposmith/racks/lengths.py",
        "return -(-length // step) * step / METRE",
        "return (length // step + 1) * step / METRE",
        f"{RACKS}/test_lengths.py",
    ),
    Fault(
        "toposmith/racks/filling.py",
        "half = (len(block.racks) + 1) // 2",
        "half = len(block.racks) // 2",
        RACKS,
    ),
    Fault(
        "toposmith/racks/lengths.py",
        "middle = (2 * (unit - 1) + placement.devices[name].units) * UNIT // 2",
        "middle = (2 * unit + placement.devices[name].units) * UNIT // 2",
        f"{RACKS}/test_lengths.py",
    ),
    Fault(
        "toposmith/measured/against.py",
        "return sum(logs) / len(logs)",
        "return max(logs)",
        f"{MEASURED} tests/command/test_measured.py",
    ),
    Fault(
        "toposmith/templates/shapes.py",
        "ceil(down_ports / down.b.breakout) + ceil(way.uplinks / up.a.breakout)",
        "ceil(down_ports / down.b.breakout + way.uplinks / up.a.breakout)",
        f"{TEMPLATES} tests/test_storage_and_management.py",
    ),
    Fault(
        "toposmith/templates/storage_and_management.py",
        "if each.axes == own and each.free >= need]",
        "if each.axes == own and each.free > need]",
        f"{TEMPLATES} tests/test_storage_and_management.py",
    ),
    Fault(
        "toposmith/contention/cable_loads.py",
        "found[cable] += connection.load / self.queue_pairs",
        "found[cable] = connection.load / self.queue_pairs",
        CONTENTION,
    ),
    Fault(
        "toposmith/tui/parts/suggestions.py",
        "if not plan.links_of(name)) or tuple(found)",
        "if plan.links_of(name)) or tuple(found)",
        "tests/tui/parts tests/tui/test_building.py",
    ),
)
"""Places drawn at random from each package, none looked up in the tests before.

Four that were drawn changed nothing, and others of their files stand in their place: ``n <=
per_node`` in ``layout_candidates.py`` lets layouts through that are refused later, as their groups
do not lie evenly in nodes; ``rate = value / len(nics)`` in ``ways.py`` is the same limit, only
reached in more rounds; ``length < upto`` in ``lengths.py`` takes the next step at 5 and 30 m,
which are whole numbers of both; without ``name != source`` in ``suggestions.py`` the edit itself
refuses to join a group to itself.
"""


class _Planting(MetaPathFinder):
    """Imports one module with the fault in it."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: object = None
    ) -> ModuleSpec | None:
        if name != self.fault.module:
            return None
        where = ROOT / self.fault.path
        return spec_from_file_location(name, where, loader=_Loader(name, where, self.fault))


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: Path, fault: Fault) -> None:
        super().__init__(name, str(path))
        self.fault = fault

    def get_code(self, fullname: str) -> CodeType:
        return compile(self.fault.planted(), self.path, "exec")


def _try(fault: Fault) -> int:
    """Run in a process of its own; the last line printed is the first test that failed."""
    sys.meta_path.insert(0, _Planting(fault))
    first = FirstFailure()
    options = ("-x", "-q", "-n", "0", "--hypothesis-seed=0", "-p", "no:cacheprovider", "--tb=no")
    ended = int(pytest.main([*options, *fault.tests.split()], plugins=[first]))
    if fault.module not in sys.modules:
        raise SystemExit(f"{fault.tests} import no {fault.module}")
    print(first.found or ("" if ended == 0 else f"pytest ends with {ended}"))
    return ended


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.planted", description=__doc__)
    parser.add_argument("--only", type=int, action="append", help="this one; may be repeated")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    os.chdir(ROOT)
    if asked.one:
        return _try(FAULTS[asked.one - 1])
    print("| | where | was | is | found by |\n|---:|---|---|---|---|", flush=True)
    tried, found = Counter[str](), Counter[str]()
    for number in asked.only or range(1, len(FAULTS) + 1):
        fault = FAULTS[number - 1]
        command = [sys.executable, "-m", "bench.planted", "--one", str(number)]
        try:
            ended = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
            killer = (ended.stdout.splitlines() or [ended.stderr[-200:]])[-1]
            killer *= bool(ended.returncode)  # all tests passed: it lives
        except subprocess.TimeoutExpired:
            killer = "does not end"
        tried[fault.package] += 1
        found[fault.package] += bool(killer)
        was, now = (" ".join(text.split()) for text in (fault.before, fault.after))
        row = f"| {number} | {fault.path} | {was} | {now} | {killer or 'LIVES'} |"
        print(row, flush=True)
    print("\n| package | found | of |\n|---|---:|---:|")
    for package in sorted(tried):
        print(f"| {package} | {found[package]} | {tried[package]} |")
    print(f"\n{found.total()} of {tried.total()} found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
