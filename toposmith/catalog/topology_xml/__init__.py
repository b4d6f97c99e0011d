"""NCCL's topology files: how they are read without trusting them, and the words they use."""
