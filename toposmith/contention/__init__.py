"""Several concurrent jobs on one fabric: the bandwidth of each alone, and with the others."""
