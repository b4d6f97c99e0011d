"""Runs of nccl-tests and rccl-tests on a real cluster, held against what a design predicts."""
