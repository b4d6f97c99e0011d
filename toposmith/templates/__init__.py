"""Templates: the usual shapes of a cluster, as ordinary designs."""

from toposmith.templates.registry import TEMPLATES, new_design
from toposmith.templates.template_settings import Parameter, SettingValue, Template

__all__ = ["TEMPLATES", "Parameter", "SettingValue", "Template", "new_design"]
