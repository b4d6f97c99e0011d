"""Output of nccl-tests as its programs print it, with figures by size."""

from __future__ import annotations

from collections.abc import Iterable

HEADER = """\
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""  # noqa: E501


def log(
    rows: Iterable[tuple[int, float]],
    *,
    program: str = "all_reduce_perf",
    nodes: int = 2,
    gpus: int = 8,
    before: str = "",
    redop: str = "sum",
    factor: float = 0.0,
    root: int = -1,
    wrong: tuple[str, str] = ("0", "0"),
) -> str:
    """A log of one run: sizes with their busbw, GB/s, and busbw over algbw: a ring's by itself."""
    ranks = nodes * gpus
    if not factor:
        whole = 2 if redop == "sum" and not program.startswith("reduce_scatter") else 1
        factor = whole * (ranks - 1) / ranks
    devices = "".join(
        f"#  Rank {rank:2} Group  0 Pid   {1000 + rank} on host-{rank // gpus} device "
        f"{rank % gpus:2} "
        "[0000:1b:00] NVIDIA H100 80GB HBM3\n"
        for rank in range(ranks)
    )
    table = "".join(
        f"{size:12}  {size // 4:12}     float  {redop:>6}  {root:>6}  "
        f"{size / (busbw * 1e3) * factor:7.1f}  {busbw / factor:6.2f}  {busbw:6.2f}  "
        f"{wrong[0]:>5}"
        f"  {size / (busbw * 1e3) * factor / 0.99:7.1f}  {busbw / factor * 0.99:6.2f}  "
        f"{busbw * 0.99:6.2f}  {wrong[1]:>5}\n"
        for size, busbw in rows
    )
    start = f"# Collective test starting: {program}\n" if program else ""
    return (
        f"{start}# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor)\n"
        f"# Using devices\n{devices}{before}{HEADER}{table}"
        "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 100\n#\n"
    )
