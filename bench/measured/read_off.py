"""Systems that a constant of the model was read off, and which: the others test it."""

from __future__ import annotations

COPIES = "data through the CPU's memory, and a crossing over TCP"
FEW = "copies inside a node, start-up of few ranks"
LOOPS = "loops of NVLS"
PIPELINE = "the pipeline of NVLSTree"

READ_OFF: dict[str, str] = {
    "AWS p4d.24xlarge": "a crossing over EFA, 100 Gb/s",
    "AWS p5en.48xlarge": "a crossing over EFA, 200 Gb/s; a ring through 3.2 Tb/s of NICs",
    "AWS g4dn.8xlarge (1x T4)": "a crossing over EFA, and data, through the CPU's memory",
    "AWS g4dn.8xlarge (1x T4), TCP sockets": COPIES,
    "CSCS Alps GH200 without the OFI plugin (TCP)": COPIES,
    "GCP V100 nodes, 32 Gb/s TCP (nccl#209)": COPIES,
    'CoreWeave HGX A100 "800G IB" LAS1 (SHARP example)': "SHARP",
    "Dell XE9680 8x H100, 8x CX-7 NDR (nccl-tests#309 qoofyk)": PIPELINE,
    "Nebius 8x H100 InfiniBand (dstack docs / drmysore)": PIPELINE,
    "GCP A4 a4-highgpu-8g": "one or two GPUs a node",
    "NVIDIA DGX Spark pair (GB10)": "one or two GPUs a node",
    "4x V100-SXM2 single node without usable NVLink": "root complexes",
    "aiconfigurator rtx_pro_6000_server (NVIDIA collected)": "root complexes",
    "aiconfigurator a100_sxm (NVIDIA collected)": FEW,
    "aiconfigurator h200_sxm (NVIDIA collected)": f"copies inside a node; {LOOPS}",
    "aiconfigurator b300_sxm (NVIDIA collected)": f"{FEW}; one peer of a node; {LOOPS}",
    "aiconfigurator gb300 (NVIDIA collected)": "copies inside a node",
    "OCI BM.GPU.GB300.4": "loops of NVLS in a rack, from the run of 64 GPUs",
}
"""By system, as its source calls it. Start-up times and the share of NVLSTree are of all curves
together (``docs/model.md``)."""
