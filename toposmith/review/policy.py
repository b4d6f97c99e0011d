"""A team's policy: how severe each finding is to them, and the limits that designs must keep.

A policy file is YAML; what it leaves out stays as :class:`Policy` has it (``docs/policy.md``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from toposmith.design.document import RoutingMode
from toposmith.design.loader import plain_file
from toposmith.design.safe_text import Location, shown, suggestion
from toposmith.errors import DesignFileError, Problem
from toposmith.findings.codes import RECORDS

POLICY_VERSION = 1
FIRST_LINE = f"`toposmith-policy: {POLICY_VERSION}`"

Level = Literal["error", "warning", "info", "off"]
LEVELS: tuple[Level, ...] = ("error", "warning", "info", "off")
TIERS = ("leaf", "spine", "core")
ROUTINGS: tuple[str, ...] = get_args(RoutingMode)

_KEYS = ("toposmith-policy", "name", "severities", "limits", "assume", "approvals")
_NUMBERS = (
    *("nics_per_gpu", "ecmp_overload", "network_taper", "share_of_bound", "busbw_GBps"),
    "power_kw",
)
_LIMITS = ("oversubscription", *_NUMBERS)
_ASSUMED = ("routing", "sharp")
_APPROVALS = ("needed", "own")


@dataclass(frozen=True)
class Limits:
    """The limits that findings are held to.

    Parameters
    ----------
    oversubscription : mapping of str to float
        Most capacity down over capacity up, by tier; 1 where a tier is not named.
    nics_per_gpu : float
        Fewest NICs of the compute network for each GPU of a node.
    ecmp_overload : float
        Most that static ECMP may put on the fullest uplink, as a multiple of its fair share.
    network_taper : float
        Most that a network beside the compute network may have down over up. "Typical designs
        introduce oversubscription by a factor of 2.5:1 to 8:1" (Al-Fares et al., SIGCOMM 2008).
    share_of_bound : float or None
        Least share of the bound that the predicted busbw may have; None asks for nothing.
    busbw_GBps : float or None
        Least predicted busbw, GB/s per GPU.
    power_kw : float or None
        Most power that all parts may draw together, kW.
    """

    oversubscription: Mapping[str, float] = field(default_factory=dict)
    nics_per_gpu: float = 1.0
    ecmp_overload: float = 2.0
    network_taper: float = 8.0
    share_of_bound: float | None = None
    busbw_GBps: float | None = None
    power_kw: float | None = None

    def oversubscription_of(self, tier: str) -> float:
        """The most that a tier may be oversubscribed."""
        return self.oversubscription.get(tier, 1.0)


@dataclass(frozen=True)
class Approvals:
    """What a design needs to be approved.

    Parameters
    ----------
    needed : int
        How many people have to approve it.
    own : bool
        Whether the approval of someone who changed the design counts.
    """

    needed: int = 1
    own: bool = True


@dataclass(frozen=True)
class Policy:
    """Severities by code, limits, what the figures may assume of the fabric, and who approves."""

    name: str = ""
    severities: Mapping[str, Level] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    routing: RoutingMode = "ideal"
    sharp: bool = False
    approvals: Approvals = field(default_factory=Approvals)


def parse_policy(text: str, source: str) -> Policy:
    """The policy that a file's text describes.

    Raises
    ------
    DesignFileError
        With every problem found, each with line and column, what was found and what is expected.
    """
    file = plain_file(text, source)
    data = file.data
    if not isinstance(data, dict):
        words = f"found {shown(data)}, expected keys with values that begin with {FIRST_LINE}"
        raise DesignFileError(source, [Problem(words, 1, 1)])
    problems = [*file.problems, *(file.problem_at(at, words) for at, words in _problems(data))]
    if problems:
        ordered = sorted(problems, key=lambda one: (one.line or 0, one.column or 0))
        raise DesignFileError(source, ordered)
    limits: dict[str, Any] = dict(data.get("limits") or {})
    assumed: dict[str, Any] = data.get("assume") or {}
    over = limits.pop("oversubscription", None)
    if over is not None:
        limits["oversubscription"] = over if isinstance(over, dict) else dict.fromkeys(TIERS, over)
    return Policy(
        data.get("name") or "",
        data.get("severities") or {},
        Limits(**limits),
        assumed.get("routing", "ideal"),
        assumed.get("sharp", False),
        Approvals(**(data.get("approvals") or {})),
    )


def _problems(data: dict[str, Any]) -> Iterator[tuple[Location, str]]:
    version = data.get("toposmith-policy")
    if "toposmith-policy" not in data:
        yield (), f"the key 'toposmith-policy' is missing; add {FIRST_LINE} as the first line"
    elif type(version) is not int or version < 1:
        yield ("toposmith-policy",), f"found {shown(version)}, expected {POLICY_VERSION}"
    elif version > POLICY_VERSION:
        words = f"version {shown(version)} needs a newer Toposmith; this one reads {POLICY_VERSION}"
        yield ("toposmith-policy",), words
    yield from _unknown_keys((), data, _KEYS)
    if not isinstance(data.get("name", ""), str):
        yield ("name",), f"found {shown(data['name'])}, expected text; put it in quotes"
    yield from _severity_problems(data.get("severities", {}))
    yield from _limit_problems(data.get("limits", {}))
    yield from _assume_problems(data.get("assume", {}))
    yield from _approval_problems(data.get("approvals", {}))


def _severity_problems(block: Any) -> Iterator[tuple[Location, str]]:
    if not isinstance(block, dict):
        yield ("severities",), f"found {shown(block)}, expected codes with {_or(LEVELS)}"
        return
    yield from _unknown_keys(("severities",), block, tuple(RECORDS))
    for code, level in block.items():
        if code in RECORDS and (not isinstance(level, str) or level not in LEVELS):
            yield ("severities", code), f"found {shown(level)}, expected {_or(LEVELS)}"


def _limit_problems(block: Any) -> Iterator[tuple[Location, str]]:
    if not isinstance(block, dict):
        yield ("limits",), f"found {shown(block)}, expected limits with numbers"
        return
    yield from _unknown_keys(("limits",), block, _LIMITS)
    for key in _NUMBERS:
        if key in block and not _is_positive(block[key]):
            yield ("limits", key), f"found {shown(block[key])}, expected a number above 0"
    tiers = block.get("oversubscription", {})
    if not isinstance(tiers, dict):
        if not _is_positive(tiers):
            words = f"found {shown(tiers)}, expected a number above 0, or one for each tier"
            yield ("limits", "oversubscription"), words
        return
    yield from _unknown_keys(("limits", "oversubscription"), tiers, TIERS)
    for tier, most in tiers.items():
        if tier in TIERS and not _is_positive(most):
            words = f"found {shown(most)}, expected a number above 0, such as 2 for 2:1"
            yield ("limits", "oversubscription", tier), words


def _assume_problems(block: Any) -> Iterator[tuple[Location, str]]:
    if not isinstance(block, dict):
        yield ("assume",), f"found {shown(block)}, expected {_or(_ASSUMED)}"
        return
    yield from _unknown_keys(("assume",), block, _ASSUMED)
    routing = block.get("routing", "ideal")
    if not isinstance(routing, str) or routing not in ROUTINGS:
        yield ("assume", "routing"), f"found {shown(routing)}, expected {_or(ROUTINGS)}"
    if not isinstance(block.get("sharp", False), bool):
        yield ("assume", "sharp"), f"found {shown(block['sharp'])}, expected true or false"


def _approval_problems(block: Any) -> Iterator[tuple[Location, str]]:
    if not isinstance(block, dict):
        yield ("approvals",), f"found {shown(block)}, expected {_or(_APPROVALS)}"
        return
    yield from _unknown_keys(("approvals",), block, _APPROVALS)
    needed = block.get("needed", 1)
    if type(needed) is not int or not 1 <= needed <= 100:
        yield ("approvals", "needed"), f"found {shown(needed)}, expected a number from 1 to 100"
    if not isinstance(block.get("own", True), bool):
        yield ("approvals", "own"), f"found {shown(block['own'])}, expected true or false"


def _unknown_keys(
    at: Location, block: dict[str, Any], known: tuple[str, ...]
) -> Iterator[tuple[Location, str]]:
    for key in block:
        if key not in known:
            yield (*at, key), f"unknown key {shown(key)}; {suggestion(key, known)}"


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _or(words: tuple[str, ...]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
