"""Formulas of storage, service and tensor parallelism, shown beside figures of the model.

Each has its sources.
"""

from __future__ import annotations

from math import sqrt

BF16_BYTES = 2
WEIGHT_BYTES = 2
"""Bytes of a weight in a checkpoint, beside 12 of the optimiser as usual: fp32 master copy 4,
Adam's moments 8. Equals the sizes of MLPerf Storage (mlcommons/storage,
Submission_guidelines.md) where those are GiB."""


def textbook_tensor_GBps(model_bytes: float, ranks: int, passes_per_s: float) -> float:
    """The simple estimate for tensor parallelism: M / N bytes a GPU and pass, times throughput.

    It is shown beside the exact figure because buyers know it; it has no term for activations, so
    it is far off where batches are small or large.
    """
    return model_bytes / ranks * passes_per_s / 1e9


def checkpoint_bytes(parameters: float, optimiser_bytes: float = 12) -> float:
    """Bytes of a checkpoint that training can go on from."""
    return (WEIGHT_BYTES + optimiser_bytes) * parameters


def young_daly_s(checkpoint_s: float, mtbf_s: float) -> float:
    """The interval between checkpoints that loses least time, sqrt(2 d MTBF).

    Young 1974 (CACM 17, 9), Daly 2006 (FGCS 22, 3), first order: good while d is far below MTBF.
    """
    return sqrt(2 * checkpoint_s * mtbf_s)


def in_flight(rate_per_s: float, time_s: float) -> float:
    """Little's law: what is under way is the rate times the time that each takes."""
    return rate_per_s * time_s
