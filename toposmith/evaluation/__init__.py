"""One design evaluated: all its figures, each computed once."""

from toposmith.evaluation.evaluated import COLLECTIVES, EvaluatedDesign, RecentDesigns, recent

__all__ = ["COLLECTIVES", "EvaluatedDesign", "RecentDesigns", "recent"]
