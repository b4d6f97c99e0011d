"""One design evaluated: all its figures, each computed once."""

from toposmith.topology.evaluation.evaluated import COLLECTIVES, EvaluatedDesign
from toposmith.topology.evaluation.recent_designs import RecentDesigns, recent

__all__ = ["COLLECTIVES", "EvaluatedDesign", "RecentDesigns", "recent"]
