"""All-reduce in ASTRA-sim's analytical back end, on networks that this program writes for it.

    TOPOSMITH_ASTRA_SIM=.../AstraSim_Analytical_Congestion_Unaware python -m bench.astra_sim

Runs a program that was built elsewhere (github.com/astra-sim/astra-sim); nothing of it is here.
Every GPU takes part in one all-reduce of 1 GiB, rings in every dimension, with the message whole
and in 64 chunks of which one is under way in each dimension. What ASTRA-sim adds of its own is
switched off as far as it can be: memory takes no time, and the delay at the ends is 1 ns, since it
stops at 0. Beside it stand the bound and the prediction of ``toposmith analyze``.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import NamedTuple

import yaml

import toposmith
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.forms import FORMS

PROGRAM = "TOPOSMITH_ASTRA_SIM"
MESSAGE_BYTES = 2**30
CHUNKS = 64
_PATIENCE_S = 600
_COLLECTIVE_NODE, _ALL_REDUCE = 7, 0
_BOOL, _INT64 = 31, 9


class Network(NamedTuple):
    """A network file as ASTRA-sim reads it: GPUs and GB/s of one GPU, dimension by dimension."""

    text: str
    counts: list[int]
    GBps: list[float]

    @property
    def gpus(self) -> int:
        """GPUs of all dimensions."""
        return prod(self.counts)

    def busbw_GBps(self, nanoseconds: float) -> float:
        """Bus bandwidth of an all-reduce that took so long (nccl-tests, PERFORMANCE.md)."""
        return 2 * (self.gpus - 1) / self.gpus * MESSAGE_BYTES / nanoseconds


def network_of(design: EvaluatedDesign) -> Network:
    """The network file that is written of a design."""
    text = b"".join(FORMS["astra-sim"].make(design, None, None).pieces).decode()
    data = yaml.safe_load(text)
    return Network(text, data["npus_count"], [one * 2**30 / 1e9 for one in data["bandwidth"]])


def all_reduce_ns(network: Network, program: str, chunks: int) -> int:
    """Nanoseconds of one all-reduce of all GPUs in ASTRA-sim.

    Raises
    ------
    RuntimeError
        Where the program ends without a time for every GPU.
    """
    rings = ["ring"] * len(network.counts)
    system = {
        "scheduling-policy": "LIFO",
        "endpoint-delay": 1,
        "active-chunks-per-dimension": 1,
        "preferred-dataset-splits": chunks,
        "collective-optimization": "localBWAware",
        "local-mem-bw": 10**9,
        "boost-mode": 0,
    } | {
        f"{name}-implementation": rings
        for name in ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")
    }
    with tempfile.TemporaryDirectory() as held:
        folder = Path(held)
        (folder / "network.yml").write_text(network.text)
        (folder / "system.json").write_text(json.dumps(system))
        (folder / "memory.json").write_text('{"memory-type": "NO_MEMORY_EXPANSION"}')
        for gpu in range(network.gpus):
            (folder / f"workload.{gpu}.et").write_bytes(_workload(MESSAGE_BYTES))
        run = subprocess.run(
            [
                program,
                "--workload-configuration=workload",
                "--system-configuration=system.json",
                "--remote-memory-configuration=memory.json",
                "--network-configuration=network.yml",
            ],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_S,
            check=False,
        )
    cycles = [int(one) for one in re.findall(r"finished, (\d+) cycles", run.stdout)]
    if len(cycles) != network.gpus:
        raise RuntimeError(f"ASTRA-sim ended with {run.returncode}: {run.stderr[-300:]}")
    return max(cycles)


def _workload(size: int) -> bytes:
    """One all-reduce as a Chakra execution trace: length-prefixed protobuf messages."""
    attributes = (("is_cpu_op", _BOOL, 0), ("comm_type", _INT64, _ALL_REDUCE),
                  ("comm_size", _INT64, size))  # fmt: skip
    node = _number(1, 1) + _bytes(2, b"all-reduce") + _number(3, _COLLECTIVE_NODE)
    for name, kind, value in attributes:
        node += _bytes(10, _bytes(1, name.encode()) + _number(kind, value))
    return b"".join(_varint(len(one)) + one for one in (_bytes(1, b"0.0.4"), node))


def _varint(number: int) -> bytes:
    held = bytearray()
    while number > 0x7F:
        held.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*held, number])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def designs() -> Iterator[tuple[str, EvaluatedDesign]]:
    """Saved designs and templates that ASTRA-sim's regular dimensions can hold."""
    for name in ("dgx-a100-su", "dgx-h100-superpod-1su", "hgx-a100-64gpu-roce-2to1"):
        yield name, toposmith.evaluate(toposmith.load(name), size=MESSAGE_BYTES)
    for template, settings in (
        ("leaf-spine", {"su": 2, "nodes": 16, "oversubscription": 4}),
        ("nvlink-racks", {}),
    ):
        shown = " ".join([f"template {template}", *(f"{k}={v}" for k, v in settings.items())])
        design = toposmith.new(template, **settings)
        yield shown, toposmith.evaluate(design, size=MESSAGE_BYTES)


def main() -> int:
    """Print one line for each design."""
    program = os.environ.get(PROGRAM, "")
    if not program:
        print(f"{PROGRAM} names no program", file=sys.stderr)
        return 2
    print("design | dimensions | whole, ns | chunks, ns | busbw: whole, chunks | bound, prediction")
    for name, design in designs():
        network = network_of(design)
        took = [all_reduce_ns(network, program, chunks) for chunks in (1, CHUNKS)]
        whole, split = (network.busbw_GBps(one) for one in took)
        print(
            f"{name} | {' x '.join(map(str, network.counts))} | {took[0]:,} | {took[1]:,} | "
            f"{whole:.1f}, {split:.1f} | {design.analysis.bound_busbw_GBps:.1f}, "
            f"{design.analysis.busbw_GBps:.1f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
