"""Every export form of a fabric of 131,072 GPUs: seconds, size, and how much memory it takes.

    python -m bench.neighbours [FORM...]

Each form is written to nowhere by a process of its own. Seconds count from the loaded catalog to
the last byte, with the racks and the cables that a form needs; those of the processor stand beside
those of the clock, which other work on the machine slows most.
"""

from __future__ import annotations

import json
import subprocess
import sys

from toposmith.exports.forms import FORMS

INFINIBAND = "b200-131072gpu-fabric-per-rail"
DRAWN = ("html", "svg", "png", "elevations", "elevations-svg", "nccl-xml")
"""Forms for people, or of one node: not measured."""

RUN = """
import json, resource, sys
from time import perf_counter, process_time
from toposmith.catalog import load_catalog
from toposmith.errors import ToposmithError
from toposmith.saved_designs import find_saved
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.forms import FORMS

form, is_ethernet = sys.argv[1], sys.argv[2] == "ethernet"
catalog = load_catalog()
text = find_saved("b200-131072gpu-fabric-per-rail").path.read_text()
if is_ethernet:
    fitted = "nics: {compute: {part: connectx-7-ndr, count: 8}}, "
    text = text.replace("part: dgx-b200, ", "part: hgx-b200-8, " + fitted)
    text = text.replace("part: qm9700, ", "part: sn5610, ")
design = EvaluatedDesign(parse_design(text, "bench"), catalog)
start, before = perf_counter(), process_time()
told = {"bytes": 0, "refused": ""}
try:
    made = FORMS[form].make(design, None, None)
    for pieces in [made.pieces] if made.files is None else (pieces for _, pieces in made.files):
        for piece in pieces:
            told["bytes"] += len(piece)
except ToposmithError as refused:
    told["refused"] = str(refused)
told |= {
    "seconds": perf_counter() - start,
    "processor_s": process_time() - before,
    "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}
print(json.dumps(told))
"""
ETHERNET = ("ptm", "sonic")


def measured(form: str) -> dict[str, float | str]:
    """What one process took."""
    network = "ethernet" if form in ETHERNET else "infiniband"
    run = subprocess.run(
        [sys.executable, "-c", RUN, form, network], check=True, capture_output=True, text=True
    )
    figures: dict[str, float | str] = json.loads(run.stdout)
    return figures


def main() -> None:
    forms = sys.argv[1:] or [name for name in FORMS if name not in DRAWN]
    print("form             seconds  processor s        MB  peak MiB")
    for form in forms:
        f = measured(form)
        print(
            f"{form:<15}  {f['seconds']:>7.1f}  {f['processor_s']:>11.1f}  "
            f"{float(f['bytes']) / 1e6:>8.1f}  {f['peak_mib']:>8.0f}  {f['refused']}",
            flush=True,
        )


if __name__ == "__main__":
    main()
