"""Where published runs fell; written by ``python -m bench.workloads.bands --write``."""

from __future__ import annotations

BANDS: dict[str, tuple[float, float, float, int, float, tuple[str, ...]]] = {
    "dense models, NVIDIA's stack": (
        -0.15,
        0.08,
        -0.02,
        112,
        0.85,
        (
            "Jiang et al. 2024",
            "MLPerf, Azure+NVIDIA",
            "MLPerf, Cisco",
            "MLPerf, IBM+CoreWeave+NVIDIA",
            "MLPerf, NVIDIA",
            "MLPerf, Nebius",
            "MLPerf, Oracle",
            "MLPerf, University-of-Florida",
            "MLPerf, Verda",
            "NVIDIA-NeMo/Megatron-Bridge",
            "NVIDIA/NeMo",
            "NVIDIA/dgxc-benchmarking",
        ),
    ),
    "dense models, plain FSDP, A100": (
        -0.2,
        0.18,
        0.05,
        33,
        0.9,
        (
            "foundation-model-stack/fms-fsdp",
            "mosaicml/llm-foundry",
            "pytorch/torchtitan",
        ),
    ),
    "dense models, plain FSDP, H100, H200": (
        -0.28,
        0.04,
        -0.09,
        60,
        0.95,
        (
            "KempnerInstitute/KempnerForge",
            "foundation-model-stack/fms-fsdp",
            "mosaicml/llm-foundry",
            "pytorch/torchtitan",
        ),
    ),
    "dense models, software to 2022": (
        -0.52,
        0.51,
        -0.01,
        83,
        0.83,
        (
            "BigScience",
            "DS3Lab/Decentralized_FM_alpha",
            "Korthikanti et al. 2022",
            "Narayanan et al. 2021",
            "Oneflow-Inc/DLPerf",
        ),
    ),
    "mixtures of experts, NVIDIA's stack": (
        -0.72,
        0.32,
        -0.08,
        68,
        0.9,
        (
            "NVIDIA-NeMo/Megatron-Bridge",
            "NVIDIA/Megatron-LM",
            "NVIDIA/dgxc-benchmarking",
            "hisohara/ai-scripts",
        ),
    ),
    "mixtures of experts, plain FSDP, H100, H200": (
        -0.84,
        -0.71,
        -0.75,
        4,
        0,
        ("KempnerInstitute/KempnerForge",),
    ),
}
"""By kind: low, high and median of published over predicted rate less one, runs, share
of the runs of systems left out that lie inside, and the systems."""
