"""One design evaluated: all its figures, each computed once."""

from toposmith.evaluation.evaluated import COLLECTIVES, EvaluatedDesign
from toposmith.evaluation.recent_designs import RecentDesigns, recent

__all__ = ["COLLECTIVES", "EvaluatedDesign", "RecentDesigns", "recent"]
