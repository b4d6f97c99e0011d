"""Where a layout's groups lie among the ranks, as layouts of the communicator."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.analysis.jobs.parallel_layout import Layout
from toposmith.workloads.block import Dimension, LayoutBlock


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
