"""What fixes and spares say of random designs, against the same designs analysed anew.

Every proposal is written as a file, read again and analysed; its figure has to be the one that
was said, to the digit.

python -m bench.proposals 1000
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator

from toposmith.analysis.request import Collective, Request
from toposmith.catalog import load_catalog
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.design.writer import design_text
from toposmith.errors import EditError
from toposmith.evaluation import EvaluatedDesign
from toposmith.labels import Labelled
from toposmith.synthesis.left_out import what_can_be_left_out
from toposmith.synthesis.ranked_fixes import ranked_fixes
from toposmith.templates import new_design

CATALOG = load_catalog()
COLLECTIVES: tuple[Collective, ...] = ("all_reduce", "all_to_all", "all_gather", "broadcast")
SEED = 19
NODES = ("dgx-h100", "dgx-b200", "dgx-a100")
SWITCHES = {"dgx-h100": ("qm9700", "qm9790"), "dgx-b200": ("qm9700", "qm9790"),
            "dgx-a100": ("qm8700", "qm8790")}  # fmt: skip
Said = tuple[str, Design, Request, Labelled]


def random_design(draw: random.Random) -> Design:
    """A design of a template with settings drawn at random, with some of its cables taken out."""
    template = draw.choice(("leaf-spine", "top-of-rack", "rail-only", "dual-plane", "three-tier"))
    node = draw.choice(NODES)
    settings: dict[str, int | str] = {"node": node}
    unit = "racks" if template == "top-of-rack" else "su"
    settings[unit] = draw.choice((2, 3, 4, 6))
    settings["nodes"] = draw.choice((2, 3, 4, 8))
    part = draw.choice(SWITCHES[node])
    settings |= {"leaf": part, "spine": draw.choice((part, *SWITCHES[node]))}
    if template == "three-tier":
        settings["su"], settings["su_per_pod"] = draw.choice(((4, 2), (6, 3), (6, 2)))
    if draw.random() < 0.4:
        settings["oversubscription"] = draw.choice((2, 3, 4))
    made = new_design(template, settings, catalog=CATALOG)
    links = list(made.links)
    at = draw.randrange(len(links))
    cables = links[at].cables
    if cables and cables > 1 and draw.random() < 0.5:
        links[at] = links[at].model_copy(update={"cables": draw.randrange(1, cables + 1)})
    absent = made.absent
    if draw.random() < 0.3:
        axis = made.groups["node"].per
        where = ",".join((*(f"{one}=0" for one in axis), "node=0"))
        absent = (*absent, f"node[{where}]")
    return made.model_copy(update={"links": tuple(links), "absent": absent})


def said_of(design: Design, collective: Collective) -> Iterator[Said]:
    """Every figure that fixes and spares say, with the design that has it."""
    of = EvaluatedDesign(design, CATALOG, Request(collective=collective))
    for fix in ranked_fixes(of).fixes:
        yield "fix", fix.design, fix.request, fix.after
    for left in what_can_be_left_out(of, failures=False).left_out:
        for pair in left.figures:
            yield "spare", left.design, Request(collective=pair.collective), pair.after


def main() -> None:
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    draw = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else SEED)
    compared: Counter[str] = Counter()
    differ: Counter[str] = Counter()
    designs = 0
    while designs < many:
        try:
            design = random_design(draw)
        except (EditError, ValueError):
            continue
        if any(one.severity == "error" for one in EvaluatedDesign(design, CATALOG).findings):
            continue
        designs += 1
        for kind, changed, request, said in said_of(design, draw.choice(COLLECTIVES)):
            anew = parse_design(design_text(changed), kind)
            value = EvaluatedDesign(anew, CATALOG, request).analysis.busbw_GBps
            compared[kind] += 1
            if said.value != value:
                differ[kind] += 1
                print(f"design {designs}, {kind}: {said.value} said, {value} analysed anew")
                print(design_text(changed))
        if designs == many or designs % 50 == 0:
            counts = (f"{kind} {number:,}" for kind, number in sorted(compared.items()))
            print(
                f"{designs:,} designs; figures analysed anew: {', '.join(counts)}; "
                f"{sum(differ.values())} differ",
                flush=True,
            )


if __name__ == "__main__":
    main()
