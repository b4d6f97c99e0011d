"""A team's policy: how severe each finding is to them, and the limits that designs must keep.

A policy file is YAML; what it leaves out stays as :class:`Policy` has it (``docs/policy.md``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
)

from toposmith.design.document import RoutingMode
from toposmith.design.job_block import KnownWord
from toposmith.design.model_files import read_model
from toposmith.findings.codes import RECORDS

VERSION_KEY = "toposmith-policy"
POLICY_VERSION = 1

Level = Literal["error", "warning", "info", "off"]
LimitedTier = Literal["leaf", "spine", "core"]


_Code = Annotated[str, KnownWord(lambda: RECORDS)]
_More = Annotated[float, Field(gt=0)]
_NUMBER_OR_TIERS: dict[str, JsonValue] = {
    "type": ["number", "object"],
    "exclusiveMinimum": 0,
    "expected": "a number above 0, or one for each tier",
}


def _of_all_tiers(value: Any) -> Any:
    """One number for all tiers as one for each."""
    if isinstance(value, dict):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise ValueError("neither a number above 0 nor one for each tier")
    return dict.fromkeys(get_args(LimitedTier), value)


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Limits(_Block):
    """The block ``limits:``: what findings are held to.

    Parameters
    ----------
    oversubscription : dict of str to float, optional
        Most capacity down over capacity up, a number for all tiers or one for each; 1 if not given.
    nics_per_gpu : float, optional
        Fewest NICs of the compute network for each GPU; 1 if not given.
    ecmp_overload : float, optional
        Most that static ECMP may put on the most loaded uplink, over its fair share; 2 if not
        given.
    network_taper : float, optional
        Most capacity down over up at the leaves of a network other than the compute network, such
        as that to storage; 8 if not given.
    share_of_bound : float, optional
        Least share of the bound that the prediction has, such as 0.8; none if not given.
    busbw_GBps : float, optional
        Least predicted busbw, GB/s per GPU, of an all-reduce of 8 GiB; none if not given.
    power_kw : float, optional
        Most power of all parts, kW; none if not given.
    """

    model_config = ConfigDict(json_schema_extra={"expected": "limits with numbers"})

    oversubscription: Annotated[
        dict[LimitedTier, _More],
        BeforeValidator(_of_all_tiers),
        Field(json_schema_extra=_NUMBER_OR_TIERS),
    ] = {}
    nics_per_gpu: _More = 1.0
    ecmp_overload: _More = 2.0
    # "Typical designs introduce oversubscription by a factor of 2.5:1 to 8:1" (Al-Fares et al.,
    # SIGCOMM 2008).
    network_taper: _More = 8.0
    share_of_bound: _More | None = None
    busbw_GBps: _More | None = None
    power_kw: _More | None = None

    def oversubscription_of(self, tier: str) -> float:
        """The most that a tier may be oversubscribed."""
        return next((most for name, most in self.oversubscription.items() if name == tier), 1.0)


class AssumeBlock(_Block):
    """The block ``assume:``, which figures take where the design says nothing.

    Parameters
    ----------
    routing : str, optional
        How the switches route.
    sharp : bool, optional
        Whether switches reduce.
    """

    routing: RoutingMode = "ideal"
    sharp: bool = False


class Approvals(_Block):
    """The block ``approvals:``: what a design needs to be approved.

    Parameters
    ----------
    needed : int, optional
        How many people have to approve a design; 1 if not given.
    own : bool, optional
        Whether the approval of someone who changed the design counts; true if not given.
    signed : bool, optional
        Whether an approval needs the signature of a trusted person's SSH key; false if not given.
    """

    needed: Annotated[int, Field(ge=1, le=100)] = 1
    own: bool = True
    signed: bool = False


@dataclass(frozen=True)
class Policy:
    """Severities by code, limits, what the figures may assume of the fabric, and who approves."""

    name: str = ""
    severities: Mapping[str, Level] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    routing: RoutingMode = "ideal"
    sharp: bool = False
    approvals: Approvals = field(default_factory=Approvals)


class PolicyFile(_Block):
    """A policy as in its file.

    Parameters
    ----------
    version : int
        The version of this format.
    name : str, optional
        What it is called.
    severities : dict of str to str, optional
        How severe each finding is to the team, by its code.
    limits : Limits, optional
        What designs are held to.
    assume : AssumeBlock, optional
        What the figures assume where a design says nothing.
    approvals : Approvals, optional
        What a design needs to be approved.
    """

    version: Annotated[
        int,
        Field(
            ge=1, le=POLICY_VERSION, alias=VERSION_KEY, description="The version of this format."
        ),
    ]
    name: str = ""
    severities: Annotated[
        dict[_Code, Level],
        Field(json_schema_extra={"expected": "codes with error, warning, info or off"}),
    ] = {}
    limits: Limits = Limits()
    assume: AssumeBlock = AssumeBlock()
    approvals: Approvals = Approvals()

    @property
    def policy(self) -> Policy:
        """The policy that it states."""
        return Policy(
            self.name,
            self.severities,
            self.limits,
            self.assume.routing,
            self.assume.sharp,
            self.approvals,
        )


def parse_policy(text: str, source: str) -> Policy:
    """The policy that a file's text describes.

    Raises
    ------
    DesignFileError
        With every problem found, each with line and column, what was found and what is expected.
    """
    return read_model(PolicyFile, text, source, VERSION_KEY, POLICY_VERSION).policy
