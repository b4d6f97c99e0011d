"""Files for other programs of a cluster, each valid for that program."""
