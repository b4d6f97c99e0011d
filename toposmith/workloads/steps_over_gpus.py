"""A step on one node, two, four, up to all GPUs of a run: what it waits for as copies are added."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from math import lcm

from toposmith.analysis.request import Request
from toposmith.catalog import Catalog
from toposmith.documents.table import Cell, Column, Note, Row, Table, Tone
from toposmith.fabric.plan import Plan
from toposmith.text import duration, percent
from toposmith.workloads.accelerator import accelerator
from toposmith.workloads.assess import Assessment
from toposmith.workloads.divisibility import ParallelSizes, node_gpus
from toposmith.workloads.model import WorkloadError
from toposmith.workloads.runnable import even_gpus, segmented, split_problems
from toposmith.workloads.service_targets import times_on
from toposmith.workloads.training import TrainingStep, training_step

_COLUMNS = (
    Column("GPUs", right=True),
    Column("batch", rank=4, right=True),
    Column("step", rank=2, right=True),
    Column("tokens/s", rank=2, right=True),
    Column("of even growth", rank=3, right=True),
    Column("waits for the network", right=True),
    Column("inside nodes", rank=5, right=True),
    Column("bubble", rank=6, right=True),
    Column("first", rank=4),
)


@dataclass(frozen=True)
class StepsOverGpus:
    """The same layout with ever more copies, the fewest GPUs first.

    Parameters
    ----------
    steps : tuple of TrainingStep
        Each on the first nodes of the design; sizes that do not divide the run are left out.
    batch_held : bool
        Whether all have the batch that was asked for; else every copy keeps its sequences.
    """

    steps: tuple[TrainingStep, ...]
    batch_held: bool

    def of_even_growth(self, step: TrainingStep) -> float:
        """The rate of a GPU, over that where GPUs are fewest."""
        first = self.steps[0]
        return (step.tokens_per_s / step.split.gpus) / (first.tokens_per_s / first.split.gpus)

    @property
    def words(self) -> str:
        """How the share that waits grows, in one sentence."""
        first, last = self.steps[0], self.steps[-1]
        low, high = (percent(each.exposed_share(inside_node=False)) for each in (first, last))
        return (
            f"on {first.split.gpus:,} GPUs {low} of a step waits for the network, on "
            f"{last.split.gpus:,} {high}; a GPU does {percent(self.of_even_growth(last))} of what "
            "it does there"
        )


def steps_over_gpus(
    plan: Plan, catalog: Catalog, found: Assessment, request: Request | None = None
) -> StepsOverGpus:
    """The step of an assessment on a part of its nodes, doubled up to all that it takes.

    tp, cp, pp and ep stay; data parallelism grows. A batch that was named is the same for all, so
    that each copy has less to compute (strong scaling); otherwise each copy keeps its sequences.

    Raises
    ------
    WorkloadError
        Where nothing is trained.
    """
    workload, training, whole = found.workload, found.workload.training, found.split
    if training is None:
        raise WorkloadError(["training: a step over GPUs is of a model that is trained"])
    plan = segmented(plan, workload)
    held = "batch" in training.model_fields_set
    steps = []
    for dp in _copies(whole, even_gpus(plan)):
        split = replace(whole, dp=dp, block=whole.block.model_copy(update={"dp": dp}))
        batch = training.batch if held else training.batch // whole.dp * dp
        run = training.model_copy(update={"batch": batch})
        tried = workload.model_copy(update={"layout": split.block, "training": run})
        if split_problems(plan, tried, split):
            continue
        times = times_on(plan, catalog, tried, request, split.gpus // node_gpus(plan))
        with suppress(WorkloadError):  # groups that straddle nodes unevenly
            gpu = accelerator(times.plan, catalog)
            steps.append(training_step(workload.model, split, run, gpu, times))
    return StepsOverGpus(tuple(steps), held)


def _copies(whole: ParallelSizes, node: int) -> Iterator[int]:
    """Copies that fill one node, or as many as one copy takes, twice as many, up to all."""
    copy = whole.gpus // whole.dp
    copies = lcm(copy, node) // copy
    while copies < whole.dp:
        yield copies
        copies *= 2
    yield whole.dp


def over_gpus_table(found: StepsOverGpus) -> Table:
    """A row for each number of GPUs."""
    batch = "the batch stays" if found.batch_held else "every copy keeps its sequences"
    head = (Note(found.words), Note(f"the first nodes of the design; {batch}", Tone.QUIET))
    return Table(_COLUMNS, tuple(_row(found, each) for each in found.steps), head)


def _row(found: StepsOverGpus, step: TrainingStep) -> Row:
    gpus, blamed = step.split.gpus, step.blamed
    share, inside = (step.exposed_share(inside_node=at) for at in (False, True))
    bubble, even = step.bubble_s / step.step_s, found.of_even_growth(step)
    first = ""
    if blamed is not None:
        first = f"{step.dimension_of(blamed)} {blamed.what} over {blamed.link or blamed.fullest}"
    cells = (
        Cell(f"{gpus:,}", gpus, Tone.PLAIN if step.fits else Tone.BAD),
        Cell(f"{step.batch:,}", step.batch),
        Cell(step.times_label.marked(duration(step.step_s)), step.step_s),
        Cell(f"{step.tokens_per_s:,.0f}", step.tokens_per_s),
        Cell(percent(even), even),
        Cell(percent(share), share),
        Cell(percent(inside), inside),
        Cell(percent(bubble), bubble),
        Cell(first if step.fits else f"does not fit; {first}"),
    )
    return Row(str(gpus), cells, of=step)
