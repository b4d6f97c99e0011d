"""NCCL's own model of a node: the channels its search finds, and its tuner's estimate of a call."""
