"""Where times of services fell; ``python -m bench.workloads.service_bands --write``."""

from __future__ import annotations

BANDS: dict[str, tuple[float, float, float, int, float, tuple[str, ...]]] = {
    "concurrency, B200, GB200 and like, tpot mean": (
        0.98,
        1.18,
        1.1,
        12,
        0,
        ("ai-dynamo/aiconfigurator, b200",),
    ),
    "concurrency, B200, GB200 and like, ttft mean": (
        0.85,
        1.18,
        0.99,
        12,
        0,
        ("ai-dynamo/aiconfigurator, b200",),
    ),
    "concurrency, H100, H200, tpot mean": (
        0.85,
        1.32,
        1.08,
        62,
        0.88,
        (
            "ai-dynamo/aiconfigurator, h100",
            "ai-dynamo/aiconfigurator, h200",
        ),
    ),
    "concurrency, H100, H200, ttft mean": (
        0.74,
        3.59,
        1.1,
        62,
        0.96,
        (
            "ai-dynamo/aiconfigurator, h100",
            "ai-dynamo/aiconfigurator, h200",
        ),
    ),
    "rate, B200, GB200 and like, tpot p50": (
        1.37,
        8.28,
        2.79,
        10,
        0.73,
        (
            "MLPerf, NVIDIA, b200",
            "MLPerf, NVIDIA, gb200",
            "MLPerf, NVIDIA, gb300",
        ),
    ),
    "rate, B200, GB200 and like, tpot p99": (
        1.16,
        8.37,
        2.68,
        10,
        0.73,
        (
            "MLPerf, NVIDIA, b200",
            "MLPerf, NVIDIA, gb200",
            "MLPerf, NVIDIA, gb300",
        ),
    ),
    "rate, B200, GB200 and like, ttft p50": (
        0.95,
        38.88,
        2.15,
        10,
        0.73,
        (
            "MLPerf, NVIDIA, b200",
            "MLPerf, NVIDIA, gb200",
            "MLPerf, NVIDIA, gb300",
        ),
    ),
    "rate, B200, GB200 and like, ttft p99": (
        1.11,
        85.82,
        4.33,
        10,
        0.73,
        (
            "MLPerf, NVIDIA, b200",
            "MLPerf, NVIDIA, gb200",
            "MLPerf, NVIDIA, gb300",
        ),
    ),
    "rate, H100, H200, tpot p50": (
        0.57,
        1.2,
        1.05,
        5,
        0.5,
        (
            "MLPerf, HPE, h200",
            "MLPerf, Nebius, h200",
            "MLPerf, Quanta Cloud Technology, h200",
        ),
    ),
    "rate, H100, H200, tpot p99": (
        0.47,
        1.07,
        0.82,
        5,
        0.67,
        (
            "MLPerf, HPE, h200",
            "MLPerf, Nebius, h200",
            "MLPerf, Quanta Cloud Technology, h200",
        ),
    ),
    "rate, H100, H200, ttft p50": (
        0.68,
        0.96,
        0.86,
        5,
        0.67,
        (
            "MLPerf, HPE, h200",
            "MLPerf, Nebius, h200",
            "MLPerf, Quanta Cloud Technology, h200",
        ),
    ),
    "rate, H100, H200, ttft p99": (
        0.61,
        1.95,
        0.89,
        5,
        0.33,
        (
            "MLPerf, HPE, h200",
            "MLPerf, Nebius, h200",
            "MLPerf, Quanta Cloud Technology, h200",
        ),
    ),
}
"""By kind: least, most and median of published over predicted time, figures, share of
the figures of systems left out that lie inside, and the systems."""
