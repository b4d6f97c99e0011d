"""Words that several records share."""

from __future__ import annotations

from toposmith.findings.values import Values
from toposmith.labels import SIGNS


def gpu_links(v: Values) -> str:
    """The kind of links of GPUs that a finding is about."""
    return v.text("gpu_links") if "gpu_links" in v else "nvlink"


def marked(v: Values, name: str, digits: int = 4) -> str:
    """A busbw with the sign of its label, ``≥ 189``; KeyError where it is missing."""
    if f"{name}_GBps" not in v:
        raise KeyError(f"{name}_GBps")
    figure = f"{v.number(f'{name}_GBps'):.{digits}g}"
    sign = next((sign for kind, sign in SIGNS.items() if kind == v[f"{name}_kind"]), "")
    return f"{sign} {figure}" if sign else figure


def whether_adaptive(v: Values) -> str:
    """What is known of a switch's routing."""
    if v["routing_known"]:
        return f"{v['switch']} does not route adaptively"
    return f"whether {v['switch']} routes adaptively is not in this catalog"
