"""Published throughput and latencies of services beside what is predicted.

    python -m bench.workloads.services

Rows of ``serving_load.yaml``. Nodes are those of `bench.workloads`. The time per output token is
compared with that of a full batch: of a closed system of the requests that are always there, of
Poisson arrivals of as many as the published rate and times have under way by Little's law. Times to
the first token hang on the queue, which is not predicted. What a source does not say of prompt,
precision or layout leaves its row out, by name.
"""

from __future__ import annotations

import statistics
from collections import defaultdict
from typing import Any

from bench.workloads.__main__ import PARTS, fabric, parts, runs
from toposmith.errors import ToposmithError
from toposmith.workloads.assess import assess
from toposmith.workloads.block import workload_of

QUEUE = ("wait_passes", "wait_tokens")
"""Settings of engines that decide how prompts queue, which is not predicted."""

PRECISIONS = {"fp4": "nvfp4"}
"""Of the rows, where the program has another word."""


def predicted_service(row: dict[str, Any]) -> dict[str, float]:
    """The figures of a row as predicted; raises ToposmithError where a fact is missing."""
    told = {name: row["serving"][name] for name in row["serving"] if name not in QUEUE}
    if missing := [name for name in ("prompt", "output", "precision") if not told.get(name)]:
        raise ToposmithError(f"its source does not say {' and '.join(missing)}")
    if "layout" not in row:
        raise ToposmithError("its source does not say the layout")
    if row["gpu"] not in PARTS:
        raise ToposmithError(f"no node of {row['gpu']!r}")
    told["precision"] = PRECISIONS.get(told["precision"], told["precision"])
    layout, load = row["layout"], row["load"]
    node = 4 if "tray" in PARTS[row["gpu"]][0] else 8
    gpus = max(row["gpus"], node)
    part = gpus / row["gpus"]  # of a node that is not filled the others serve as much
    closed = load["arrivals"] == "closed"
    under_way = part * (load["concurrency"] if closed else under_way_of(row))
    copies = gpus / max(layout.get("tp", 1) * layout.get("pp", 1), layout.get("ep", 1))
    told["decode_batch"] = max(1, round(under_way / copies))
    workload = workload_of({"model": row["model"], "layout": layout, "serving": told})
    found = assess(fabric(row["gpu"], gpus), parts(), workload)
    service = found.service
    if service is None or not service.fits:
        raise ToposmithError("does not fit into memory as predicted")
    if found.times_label.kind != "model":
        raise ToposmithError("is known from one side only")
    return {"tpot_ms" if closed else "tpot_p50_ms": service.tpot_s * 1e3}


def under_way_of(row: dict[str, Any]) -> float:
    """Requests under way of a row with a rate, by Little's law from its published times."""
    figures, output = row["figures"], row["serving"]["output"]
    request_ms = figures["ttft_p50_ms"] + (output - 1) * figures["tpot_p50_ms"]
    return float(row["load"]["requests_per_s"] * request_ms / 1e3)


def main() -> None:
    """Print every figure that both have, and medians."""
    errors: dict[str, list[float]] = defaultdict(list)
    refused: dict[str, int] = defaultdict(int)
    for row in runs("serving_load"):
        try:
            found = predicted_service(row)
        except ToposmithError as why:
            refused[str(why).splitlines()[0]] += 1
            continue
        for name, value in found.items():
            if (published := row["figures"].get(name)) is not None:
                error = value / published - 1
                errors[name].append(error)
                print(f"{row['run']:64} {name:12} {published:10.1f} {value:10.1f} {error:+7.1%}")
    for name, some in errors.items():
        apart, lean = statistics.median(map(abs, some)), statistics.median(some)
        print(f"{name:12} {len(some):3} figures, median |error| {apart:.1%}, median {lean:+.1%}")
    for reason, many in sorted(refused.items(), key=lambda one: -one[1]):
        print(f"{many:3} rows left out: {reason}")


if __name__ == "__main__":
    main()
