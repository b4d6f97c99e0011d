"""Design GPU-cluster networks, and read what they do to collectives."""
