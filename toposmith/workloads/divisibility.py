"""Whether a layout divides its model, its batch and the cluster; else the nearest that does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import gcd

from toposmith.analysis.jobs.parallel_layout import Layout
from toposmith.analysis.jobs.world import gpus_of, world
from toposmith.fabric.plan import Plan
from toposmith.text import counted
from toposmith.workloads.block import Dimension, LayoutBlock, TrainingBlock
from toposmith.workloads.model import Model, WorkloadError

DIMENSIONS: tuple[Dimension, ...] = ("tp", "cp", "ep", "dp", "pp")


@dataclass(frozen=True)
class ParallelSizes:
    """A layout with every size known.

    The number of ranks has no factor ``ep``: expert parallelism divides cp x dp, as in Megatron-LM,
    or tp x cp x dp where experts are split over fewer tp ranks than the rest of the model (folded:
    arXiv 2504.14960). In the layout of a :meth:`communicator` every size is a factor: dp there is
    what remains beside ep.

    Parameters
    ----------
    block : LayoutBlock
        As it was written.
    dp : int
        Copies of the model.
    """

    block: LayoutBlock
    dp: int

    def __str__(self) -> str:
        sizes = {"tp": self.tp, "cp": self.cp, "dp": self.dp, "pp": self.pp}
        words = [f"{axis}={sizes[axis]}" for axis in self.block.order if sizes[axis] > 1]
        told = ",".join(words) or "dp=1"
        if self.ep == 1:
            return told
        folded = f", expert_tp={self.expert_tp}" if self.expert_tp != self.tp else ""
        return f"{told} (ep={self.ep}{folded} inside)"

    @property
    def tp(self) -> int:
        """Ranks that share every layer."""
        return self.block.tp

    @property
    def cp(self) -> int:
        """Ranks that share a sequence."""
        return self.block.cp

    @property
    def pp(self) -> int:
        """Pipeline stages."""
        return self.block.pp

    @property
    def ep(self) -> int:
        """Ranks that share the experts."""
        return self.block.ep

    @property
    def gpus(self) -> int:
        """GPUs that the layout takes."""
        return self.tp * self.cp * self.pp * self.dp

    @property
    def gradient_ranks(self) -> int:
        """Ranks that reduce a dense gradient: context-parallel ones hold the same weights."""
        return self.cp * self.dp

    @property
    def expert_tp(self) -> int:
        """Ranks that share each expert's matrices."""
        return self.block.expert_tp or self.tp

    @property
    def expert_ranks(self) -> int:
        """Ranks, or sets of ``expert_tp``, over which the experts and their copies spread."""
        return self.tp * self.cp * self.dp // self.expert_tp

    @property
    def expert_gradient_ranks(self) -> int:
        """Ranks that hold the same experts."""
        return self.expert_ranks // self.ep

    @property
    def shard_ranks(self) -> int:
        """Ranks that ZeRO shards dense states over."""
        return min(self.block.shard or self.gradient_ranks, self.gradient_ranks)

    @property
    def expert_shard_ranks(self) -> int:
        """Ranks that ZeRO shards the experts' states over."""
        return gcd(self.block.shard or 0, self.expert_gradient_ranks)

    def communicator(self, dimension: Dimension) -> Layout:
        """The layout whose groups of the kind ``dimension`` run a communication.

        Data-parallel groups take the context-parallel ranks in; ``ep`` stands for the experts'
        exchange, whose groups are the nearest ranks of those.
        """
        sizes = {"tp": self.expert_tp if dimension == "ep" else self.tp, "pp": self.pp}
        found: list[tuple[str, int]] = []
        for axis in self.block.order:
            if axis in sizes:
                found.append((axis, sizes[axis]))
            elif dimension == "cp":
                found.append((axis, self.cp if axis == "cp" else self.dp))
            elif axis == "dp":
                if dimension == "ep":
                    found.append(("ep", self.ep))
                    found.append(("dp", self.expert_gradient_ranks))
                else:
                    found.append(("dp", self.gradient_ranks))
        return Layout(tuple(found))

    @property
    def expert_gradients(self) -> Layout:
        """The layout whose data-parallel groups reduce the gradients of experts."""
        return self.communicator("ep")


def split_of(block: LayoutBlock, gpus: int) -> ParallelSizes:
    """A layout on so many GPUs; data parallel takes what the others leave, where it is open."""
    others = block.tp * block.cp * block.pp
    return ParallelSizes(block, block.dp if block.dp is not None else gpus // others)


def divisors(number: int) -> list[int]:
    """All divisors, the smallest first."""
    small = [n for n in range(1, int(number**0.5) + 1) if number % n == 0]
    return sorted({*small, *(number // n for n in small)})


def nearest(wanted: int, working: Iterable[int]) -> str:
    """The working values on both sides of the one wanted, in words."""
    values = sorted(set(working))
    below = [value for value in values if value < wanted][-1:]
    above = [value for value in values if value > wanted][:1]
    return " or ".join(f"{value:,}" for value in (*below, *above)) or "no other value"


def tensor_sizes(model: Model, *, experts: bool = True) -> list[int]:
    """Tensor-parallel sizes that split heads, feed-forward layers and KV heads evenly.

    Those of experts count unless they are split by a size of their own.
    """
    widths = [model.ffn, *([model.experts.ffn] if model.experts and experts else [])]
    keys = model.key_heads
    return [
        size
        for size in divisors(model.heads)
        if all(width % size == 0 for width in widths) and (keys % size == 0 or size % keys == 0)
    ]


def stage_counts(model: Model) -> list[int]:
    """Stages that layers divide over, alone or with embedding and output in a layer's place.

    Llama 3 405B has 126 layers on 16 stages so (arXiv 2407.21783, section 3.3.2).
    """
    layers = model.all_layers
    both = {*divisors(layers), *divisors(layers + 2)}
    return sorted(stages for stages in both if stages <= layers)


def model_problems(model: Model, block: LayoutBlock) -> list[str]:
    """What of a layout does not divide the model."""
    found = []
    if block.tp not in (sizes := tensor_sizes(model, experts=block.expert_tp is None)):
        found.append(
            f"layout.tp: {block.tp} does not split {model.heads} heads, {model.key_heads} KV heads "
            f"and an inner width of {model.ffn:,} evenly; {nearest(block.tp, sizes)} works"
        )
    stages = block.pp * block.interleave
    if block.uneven_stages and stages > model.all_layers:
        found.append(
            f"layout.pp: {block.pp} stages of {block.interleave} chunks are more than the "
            f"{model.all_layers} layers; pp x interleave of at most {model.all_layers} works"
        )
    elif not block.uneven_stages and stages not in (counts := stage_counts(model)):
        working = [n // block.interleave for n in counts if n % block.interleave == 0]
        chunks = f" of {block.interleave} chunks" if block.interleave > 1 else ""
        found.append(
            f"layout.pp: {counted(model.all_layers, 'layer', 'do')} not divide over "
            f"{counted(block.pp, 'stage')}{chunks}; "
            f"{nearest(block.pp, working)} works, or uneven_stages: true"
        )
    if block.interleave > 1 and block.pp == 1:
        found.append("layout.interleave: one stage has nothing to interleave; 1 works")
    return found + _expert_problems(model, block)


def _expert_problems(model: Model, block: LayoutBlock) -> list[str]:
    if model.experts is None:
        if block.ep == 1:
            return []
        return [f"layout.ep: {model.name or 'the model'} has no experts to split; 1 works"]
    if model.experts.active > model.experts.count:
        text = f"model.experts.active: {model.experts.active} of {model.experts.count} experts"
        return [f"{text}; at most {model.experts.count} works"]
    if block.expert_tp and model.experts.ffn % block.expert_tp:
        words = nearest(block.expert_tp, divisors(model.experts.ffn))
        text = f"layout.expert_tp: {block.expert_tp} does not split an expert of width"
        return [f"{text} {model.experts.ffn:,} evenly; {words} works"]
    if model.experts.count % block.ep:
        what = "is more than" if block.ep > model.experts.count else "does not divide"
        words = nearest(block.ep, divisors(model.experts.count))
        more = -model.experts.count % block.ep
        return [
            f"layout.ep: {block.ep} {what} the {counted(model.experts.count, 'expert')}; "
            f"{words} works, or of a service {more} more redundant_experts"
        ]
    return []


def node_gpus(plan: Plan) -> int:
    """GPUs of a node; raises WorkloadError where nodes differ or there are none."""
    counts = sorted({gpus_of(group) for group in world(plan).groups})
    if not counts:
        raise WorkloadError(["design: no node with GPUs, so nothing to run a model on"])
    if len(counts) > 1:
        words = " and ".join(map(str, counts))
        raise WorkloadError([f"design: nodes have {words} GPUs; a layout needs as many in each"])
    return counts[0]


def cluster_problems(split: ParallelSizes, gpus: int, per_node: int) -> list[str]:
    """What of a layout does not fit the cluster."""
    others = split.tp * split.cp * split.pp
    if split.dp < 1:
        text = (
            f"layout: tp={split.tp} x cp={split.cp} x pp={split.pp} takes {counted(others, 'GPU')}"
        )
        return [f"{text}, there are {gpus:,}; smaller tp, cp or pp work"]
    if split.gpus > gpus:
        most = gpus // others
        right = f"dp={most} takes {most * others:,}" if most else "smaller tp, cp or pp work"
        return [
            f"layout.dp: {split} takes {counted(split.gpus, 'GPU')}, there are {gpus:,}; {right}"
        ]
    found = []
    if split.gpus % per_node:
        working = [d for d in range(1, gpus // others + 1) if d * others % per_node == 0]
        found.append(
            f"layout.dp: {split} takes {counted(split.gpus, 'GPU')}, not a multiple of the "
            f"{per_node} of a node; dp={nearest(split.dp, working)} works"
        )
    if split.expert_ranks % split.ep:
        found.append(expert_ranks_problem(split))
    if split.gradient_ranks % split.shard_ranks:
        works = nearest(split.shard_ranks, divisors(split.gradient_ranks))
        text = (
            f"layout.shard: {split.shard_ranks} does not divide cp x dp = {split.gradient_ranks:,}"
        )
        found.append(f"{text}; {works} works")
    return found


def expert_ranks_problem(split: ParallelSizes) -> str:
    """That experts do not spread evenly over their ranks, and what would."""
    of = "cp x dp" if split.expert_tp == split.tp else "tp x cp x dp / expert_tp"
    words = f"layout.ep: {split.ep} does not divide {of} = {split.expert_ranks:,}"
    works = f"{nearest(split.ep, divisors(split.expert_ranks))} works"
    if split.expert_tp > 1 and split.tp * split.gradient_ranks % split.ep == 0:
        works += ", or expert_tp: 1, which folds tp in"
    return f"{words}; {works}"


def batch_problems(split: ParallelSizes, training: TrainingBlock) -> list[str]:
    """What of a batch does not divide over the layout."""
    found = []
    block = split.block
    share = split.dp * block.micro_batch
    if training.batch % share:
        below, above = training.batch // share * share, -(-training.batch // share) * share
        words = " or ".join(f"{value:,}" for value in (below, above) if value)
        found.append(
            f"training.batch: {counted(training.batch, 'sequence', 'do')} not divide over "
            f"dp={split.dp:,} with "
            f"micro_batch={block.micro_batch}; {words} works"
        )
    elif block.interleave > 1 and training.batch // share % split.pp:
        found.append(
            f"layout.interleave: {training.batch // share} micro-batches are no multiple of "
            f"pp={split.pp}, which interleaving needs; interleave=1 works"
        )
    if training.sequence % split.cp:
        words = nearest(split.cp, divisors(training.sequence))
        found.append(
            f"layout.cp: {training.sequence:,} tokens do not divide by {split.cp}; {words} works"
        )
    return found


def even_dp(split: ParallelSizes, gpus: int, per_node: int, batch: int) -> int:
    """The most copies that take whole nodes, share the experts evenly and divide the batch.

    Of those the most whose groups lie evenly in the nodes; where none do, the most.
    """
    others = split.tp * split.cp * split.pp
    most = gpus // others
    even = [
        dp
        for dp in range(most, 0, -1)
        if dp * others % per_node == 0 and replace(split, dp=dp).expert_ranks % split.ep == 0
    ]
    dividing = [dp for dp in even if batch % (dp * split.block.micro_batch) == 0] or even
    whole = (dp for dp in dividing if lie_evenly(replace(split, dp=dp), per_node))
    return next(whole, dividing[0] if dividing else most)


def lie_evenly(split: ParallelSizes, size: int) -> bool:
    """Whether all groups fit into nodes, or have as many ranks in each of several, of one size."""
    layouts = [(kind, split.communicator(kind)) for kind in DIMENSIONS]
    return all(
        _lies_evenly(layout.size(kind), layout.stride(kind), size)
        for kind, layout in layouts
        if kind in dict(layout.sizes)
    )


def _lies_evenly(ranks: int, stride: int, size: int) -> bool:
    """Whether groups fit into segments, have a rank in each, or as many in each of several."""
    span = ranks * stride
    return size % span == 0 or stride % size == 0 or (size % stride == 0 and span % size == 0)
