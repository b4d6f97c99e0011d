"""Runs of nccl-tests and rccl-tests on a real cluster, compared with a design's predictions."""
