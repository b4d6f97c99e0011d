"""What NCCL would deliver on the wiring, at any size."""
