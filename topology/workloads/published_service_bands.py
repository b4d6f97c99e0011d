"""Where times of services fell; ``python -m bench.workloads.service_bands --write``."""

from __future__ import annotations

BANDS: dict[str, tuple[float, float, float, int, float, tuple[str, ...]]] = {
    "concurrency, B200, GB200 and like, tpot mean": (
        0.95,
        1.18,
        1.06,
        12,
        0,
        ("ai-dynamo/aiconfigurator, b200",),
    ),
    "concurrency, B200, GB200 and like, ttft mean": (
        0.88,
        4.24,
        1.48,
        12,
        0,
        ("ai-dynamo/aiconfigurator, b200",),
    ),
    "concurrency, H100, H200, tpot mean": (
        0.83,
        1.32,
        1.08,
        62,
        0.87,
        (
            "ai-dynamo/aiconfigurator, h100",
            "ai-dynamo/aiconfigurator, h200",
        ),
    ),
    "concurrency, H100, H200, ttft mean": (
        0.76,
        6.65,
        1.31,
        62,
        0.88,
        (
            "ai-dynamo/aiconfigurator, h100",
            "ai-dynamo/aiconfigurator, h200",
        ),
    ),
    "rate, B200, GB200 and like, tpot p50": (
        1.56,
        9.27,
        1.79,
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
        9.49,
        1.86,
        10,
        0.67,
        (
            "MLPerf, NVIDIA, b200",
            "MLPerf, NVIDIA, gb200",
            "MLPerf, NVIDIA, gb300",
        ),
    ),
    "rate, B200, GB200 and like, ttft p50": (
        1.26,
        83.64,
        8.29,
        10,
        0.73,
        (
            "MLPerf, NVIDIA, b200",
            "MLPerf, NVIDIA, gb200",
            "MLPerf, NVIDIA, gb300",
        ),
    ),
    "rate, B200, GB200 and like, ttft p99": (
        1.35,
        149.48,
        11.74,
        10,
        0.8,
        (
            "MLPerf, NVIDIA, b200",
            "MLPerf, NVIDIA, gb200",
            "MLPerf, NVIDIA, gb300",
        ),
    ),
    "rate, H100, H200, tpot p50": (
        0.78,
        1.22,
        1.09,
        6,
        0.5,
        (
            "MLPerf, HPE, h200",
            "MLPerf, Nebius, h200",
            "MLPerf, Quanta Cloud Technology, h200",
        ),
    ),
    "rate, H100, H200, tpot p99": (
        0.59,
        1.19,
        0.99,
        6,
        0.67,
        (
            "MLPerf, HPE, h200",
            "MLPerf, Nebius, h200",
            "MLPerf, Quanta Cloud Technology, h200",
        ),
    ),
    "rate, H100, H200, ttft p50": (
        0.78,
        2.14,
        1.57,
        6,
        0.5,
        (
            "MLPerf, HPE, h200",
            "MLPerf, Nebius, h200",
            "MLPerf, Quanta Cloud Technology, h200",
        ),
    ),
    "rate, H100, H200, ttft p99": (
        0.7,
        3.96,
        1.78,
        6,
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
