"""The picture of the fabric: groups drawn by tiers, with the load on every trunk."""
