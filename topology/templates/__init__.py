"""Designs to begin with: the usual shapes of a cluster, written as ordinary designs."""

from toposmith.topology.templates.registry import TEMPLATES, new_design
from toposmith.topology.templates.template_settings import Parameter, Template, Value

__all__ = ["TEMPLATES", "Parameter", "Template", "Value", "new_design"]
