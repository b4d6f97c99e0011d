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
        1.07,
        62,
        0.77,
        (
            "ai-dynamo/aiconfigurator, h100",
            "ai-dynamo/aiconfigurator, h200",
        ),
    ),
    "concurrency, H100, H200, ttft mean": (
        0.74,
        3.56,
        1.11,
        62,
        0.96,
        (
            "ai-dynamo/aiconfigurator, h100",
            "ai-dynamo/aiconfigurator, h200",
        ),
    ),
    "rate, B200, GB200 and like, tpot p50": (
        1.43,
        9.32,
        1.76,
        10,
        0.57,
        (
            "MLPerf, NVIDIA, b200",
            "MLPerf, NVIDIA, gb200",
            "MLPerf, NVIDIA, gb300",
        ),
    ),
    "rate, B200, GB200 and like, tpot p99": (
        1.27,
        9.99,
        1.82,
        10,
        0.67,
        (
            "MLPerf, NVIDIA, b200",
            "MLPerf, NVIDIA, gb200",
            "MLPerf, NVIDIA, gb300",
        ),
    ),
    "rate, B200, GB200 and like, ttft p50": (
        1.21,
        47.02,
        3.78,
        10,
        0.73,
        (
            "MLPerf, NVIDIA, b200",
            "MLPerf, NVIDIA, gb200",
            "MLPerf, NVIDIA, gb300",
        ),
    ),
    "rate, B200, GB200 and like, ttft p99": (
        1.32,
        99.96,
        7.05,
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
        1.08,
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
        0.71,
        1.0,
        0.86,
        5,
        0.5,
        (
            "MLPerf, HPE, h200",
            "MLPerf, Nebius, h200",
            "MLPerf, Quanta Cloud Technology, h200",
        ),
    ),
    "rate, H100, H200, ttft p99": (
        0.7,
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
