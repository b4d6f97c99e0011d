"""One design evaluated: everything that can be asked of it, each part worked out once."""

from toposmith.topology.evaluation.evaluated import COLLECTIVES, EvaluatedDesign
from toposmith.topology.evaluation.recent_designs import RecentDesigns, recent

__all__ = ["COLLECTIVES", "EvaluatedDesign", "RecentDesigns", "recent"]
