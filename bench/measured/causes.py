"""Why predictions are far from what some systems published, as far as it is known."""

from __future__ import annotations

PLUGIN = "segments and rendezvous of the network's plugin"
COPIES = "the CPU's copies: one constant for all CPUs, connections and limits of clouds"
LAUNCH = "latency of small messages: CPU, clocks and launch"

CAUSES: dict[str, str] = {
    "AWS p4d.24xlarge": PLUGIN,
    "AWS g4dn.8xlarge (1x T4), TCP sockets": COPIES,
    "CSCS Alps GH200 without the OFI plugin (TCP)": COPIES,
    "GCP V100 nodes, 32 Gb/s TCP (nccl#209)": COPIES,
    'CoreWeave HGX A100 "800G IB" LAS1 (SHARP example)': "SHARP's rate is that of its newer run",
    "GCP A3-High a3-highgpu-8g (TCPX)": "a millisecond a hop of TCPX, and three quarters of a line",
    "CSCS Alps / Santis GH200": PLUGIN,
    "NREL Kestrel H100": PLUGIN,
    "AWS p6-b200.48xlarge": PLUGIN,
    "NVIDIA DGX-1 V100, 2x 100G RoCE of 4 used (deepops)": LAUNCH,
    "NVIDIA DGX Spark pair (GB10)": LAUNCH,
}
"""By system, as its source calls it; the words of ``docs/model.md``."""

UNKNOWN = "not known"
