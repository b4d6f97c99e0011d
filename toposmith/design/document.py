"""The design document: device groups over named axes, and the links between them.

A group repeats over the axes in ``per`` and over its own count; the own axis bears the group's
name. A link joins the instances of two groups that agree on every axis they share with all
instances along the axes they do not share. See ``docs/file-format.md``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, WithJsonSchema, WrapValidator

from toposmith.catalog.currencies import CURRENCIES
from toposmith.design.job_block import MOST_JOBS, JobBlock
from toposmith.design.placement_block import PlacementBlock
from toposmith.lock.binding import Binding
from toposmith.lock.lock_file import FabricLock

FILE_VERSION = 2
"""The newest version of the ``toposmith:`` key that can be read."""

FIRST_VERSION = 1
"""The version that is written where a design uses no key of a later one."""

LATER_KEYS = {"slow": 2, "sets": 2, "cables": 2, "routing": 2, "jobs": 2, "pins": 2, "rails": 2}
"""Keys of a design that are newer than the first version, and which version they came with."""

LATER_KEYS_OF_LINKS = {"along": 2, "cable": 2, "module": 2, "medium": 2}
"""Keys of a link that are newer than the first version."""

Relation = Literal["same", "any", "other", "next", "dealt"]
"""Which values on an axis a link joins: equal ones, all, all but equal ones, neighbours counted
around, or, beside ``other`` on another axis, the members that cables are dealt over."""

MAX_DEVICES_PER_AXIS = 1_000_000
MAX_SINGLE_CABLES = 10_000
MAX_AXES_OF_A_GROUP = 20
MAX_SELECTORS = 20_000
MAX_SETS = 1_000

Name = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=64)]
Size = Annotated[int, Field(strict=True, ge=1, le=MAX_DEVICES_PER_AXIS)]

RoutingMode = Literal["ideal", "adaptive", "static", "detour", "dimension-order"]
"""How switches choose among paths: see :class:`toposmith.analysis.request.Routing`."""

CablingChoice = Literal["one-medium", "cheapest", "all-optical", "copper-within-rack"]
SpareKind = Literal["nodes", "switches", "nics", "cables", "transceivers", "fibres"]

_SHARE = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,2})? ?%")


def _spare_rate(value: Any, _handler: Any) -> int | str:
    whole = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 999_999
    share = isinstance(value, str) and _SHARE.fullmatch(value)
    if not (whole or share):
        raise ValueError("neither pieces nor a share")
    rate: int | str = value
    return rate


SpareRate = int | str
"""Pieces (``3``) or a share (``2 %``)."""


def _slow_speed(value: Any, _handler: Any) -> int | float | str:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    share = isinstance(value, str) and _SHARE.fullmatch(value) and float(value.rstrip(" %")) > 0
    if not ((number and 0 < value < 1e6) or share):
        raise ValueError("a speed above 0 Gb/s, or a share such as 50 %, is needed")
    speed: int | float | str = value
    return speed


SlowSpeed = int | float | str
"""Gb/s (``200``) or a share of the link's speed (``50 %``)."""

_Slow = Annotated[
    SlowSpeed,
    WrapValidator(_slow_speed),
    WithJsonSchema(
        {
            "type": ["number", "string"],
            "exclusiveMinimum": 0,
            "exclusiveMaximum": 1e6,
            "pattern": f"^{_SHARE.pattern}$",
            "expected": "Gb/s such as 200 or a share such as 50 %",
        }
    ),
]

_StockLength = Annotated[
    float,
    Field(gt=0, le=100_000, allow_inf_nan=False),
]

_Currency = Annotated[
    str,
    Field(
        pattern=r"^[A-Z]{3}$",
        json_schema_extra={
            "enum": sorted(CURRENCIES),
            "expected": "three capitals of ISO 4217, as in USD",
        },
    ),
]

_Rate = Annotated[
    SpareRate,
    WrapValidator(_spare_rate),
    WithJsonSchema(
        {
            "type": ["integer", "string"],
            "minimum": 0,
            "maximum": 999_999,
            "pattern": f"^{_SHARE.pattern}$",
            "expected": "pieces such as 3 or a share such as 2 %",
        }
    ),
]


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


_Day = Annotated[
    str,
    Field(
        json_schema_extra={
            "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
            "format": "date",
            "expected": "a date like 2026-01-31",
        }
    ),
]


class FittedNics(_Block):
    """NICs fitted into one slot group of a node.

    Parameters
    ----------
    part : str
        Id of the NIC in the catalog.
    count : int
        Into how many of the slots.
    """

    part: str
    count: Annotated[int, Field(strict=True, ge=0, le=64)]


class Group(_Block):
    """Devices of one part: ``count`` of them for every combination of the axes in ``per``.

    Parameters
    ----------
    part : str
        Id of a catalog part.
    per : tuple of str
        Axes that it repeats over.
    count : int
        Devices for each combination of these axes.
    nics : dict of FittedNics
        NICs by slots; as the node comes from its maker if not given.
    note : str, optional
        Free text.
    """

    part: str
    per: Annotated[tuple[Name, ...], Field(max_length=MAX_AXES_OF_A_GROUP)] = ()
    count: Size = 1
    nics: dict[Name, FittedNics] = {}
    note: str | None = None


LinkMedium = Literal["copper", "aoc", "multimode", "singlemode", "twisted pair"]
"""What cables of a link are made of; copper is of any kind, multimode and singlemode are fibres."""


@dataclass(frozen=True)
class WantedParts:
    """What a link asks for: a cable or fibre, transceivers, a medium; the bill chooses the rest."""

    cable: str | None = None
    modules: tuple[str, ...] = ()
    medium: LinkMedium | None = None

    @property
    def words(self) -> str:
        """``cable mfp7e10, module mma4z00-ns``; empty where it asks for nothing."""
        said = [f"cable {self.cable}"] if self.cable else []
        said += [f"module {module}" for module in self.modules]
        said += [f"medium {self.medium}"] if self.medium else []
        return ", ".join(said)


NO_WANTS = WantedParts()
"""What a link asks for that leaves all to the bill."""


class Link(_Block):
    """Cables between two groups.

    Parameters
    ----------
    between : tuple of str
        The two ends, ``group`` or ``group.slots``.
    along : mapping of str to str, optional
        Which values on an axis of both ends it joins, where these are not the same on both.
    cables : int, optional
        Cables from one instance to each of its peers. Without it the ports of a node's slot group
        are dealt evenly over its peers, and two switches get one cable.
    speed : int, optional
        Gb/s of each cable; without it the fastest that both ends run.
    length : float, optional
        Metres, for the choice of cable; without it unknown.
    cable : str, optional
        The cable or fibre that it is to have, by its id; without it the bill chooses.
    module : str or tuple of str, optional
        The transceiver that it is to have, or one for each end.
    medium : str, optional
        What it is to be made of.
    note : str, optional
        Free text.
    """

    between: tuple[str, str]
    along: dict[Name, Relation] = {}
    cables: Annotated[int, Field(strict=True, ge=1, le=1024)] | None = None
    speed: Annotated[int, Field(strict=True, gt=0)] | None = None
    length: Annotated[float, Field(gt=0, le=10_000)] | None = None
    cable: str | None = None
    module: str | tuple[str, str] | None = None
    medium: LinkMedium | None = None
    note: str | None = None

    @property
    def wants(self) -> WantedParts:
        """What it is to be made of."""
        modules = (self.module,) if isinstance(self.module, str) else self.module or ()
        return WantedParts(self.cable, tuple(dict.fromkeys(modules)), self.medium)

    @property
    def words(self) -> str:
        """A name that distinguishes it: ``leaf - spine``, ``sw - sw (x next)``."""
        return link_words(self.between, self.along)


def link_words(between: Sequence[str], along: Mapping[str, str]) -> str:
    """The ends of a link, and its relations along axes."""
    said = ", ".join(f"{axis} {word}" for axis, word in along.items() if word != "same")
    return " - ".join(between) + (f" ({said})" if said else "")


class SingleCable(_Block):
    """One cable from port to port, instead of the cables that links deal to these ports.

    Parameters
    ----------
    a, z : str
        One device each, with a port: ``node[su=0,node=3].compute[2]``, ``leaf[leaf=1].port[12]``;
        a switch also without, for any free one.
    speed : int, optional
        Gb/s; without it the fastest that both ends run.
    length : float, optional
        Metres; without it unknown.
    note : str, optional
        Free text.
    """

    a: str
    z: str
    speed: Annotated[int, Field(strict=True, gt=0)] | None = None
    length: Annotated[float, Field(gt=0, le=10_000)] | None = None
    note: str | None = None


class SpareRates(_Block):
    """Spares by kind of part.

    Parameters
    ----------
    nodes, switches, nics, cables, transceivers, fibres : int or str, optional
        Pieces (``3``) or a share (``2 %``) of each line of the bill.
    """

    nodes: _Rate | None = None
    switches: _Rate | None = None
    nics: _Rate | None = None
    cables: _Rate | None = None
    transceivers: _Rate | None = None
    fibres: _Rate | None = None


class BillBlock(_Block):
    """Options of the bill of materials; those of the command override them.

    Parameters
    ----------
    cabling : str, optional
        Allowed media.
    spares : SpareRates
        How many spares are ordered; none without it.
    currency : str, optional
        The one that prices are wanted in; others are left out.
    stock_lengths_m : tuple of float
        Lengths that are kept in stock, m: cables and fibres are ordered in the shortest of them
        that is long enough, where their maker sells it.
    """

    cabling: CablingChoice | None = None
    stock_lengths_m: Annotated[tuple[_StockLength, ...], Field(max_length=100)] = ()
    spares: SpareRates = SpareRates()
    currency: _Currency | None = None


class Waiver(_Block):
    """An accepted finding.

    Parameters
    ----------
    code : str
        The finding's code.
    where : str, optional
        Its place; anywhere in the design without it.
    value : float, optional
        What it measured then, which it is accepted up to; any value without it.
    reason : str
        Why it is accepted.
    date : str
        The day, as in 2026-01-31.
    until : str, optional
        The last day that it holds; it never expires without it.
    by : str, optional
        The author; not authenticated.
    """

    code: str
    where: str | None = None
    value: Annotated[float, Field(allow_inf_nan=False)] | None = None
    reason: Annotated[str, Field(json_schema_extra={"pattern": r"\S", "expected": "text"})]
    date: _Day
    until: _Day | None = None
    by: Annotated[str, Field(min_length=1, max_length=200)] | None = None


_Digest = Annotated[
    str,
    Field(
        pattern=r"^[0-9a-f]{64}$",
        json_schema_extra={"expected": "a SHA-256, 64 digits from 0 to 9 and a to f"},
    ),
]
_Text = Annotated[str, Field(max_length=200)]


class Pins(_Block):
    """Parts and figures of a design on a date, to detect later changes.

    Parameters
    ----------
    date : str
        The day (2026-11-22).
    by : str, optional
        The author; not authenticated.
    design : str
        The SHA-256 of the design that the figures are of.
    parts : dict of str
        The SHA-256 of every part that the design uses, as in the catalog then.
    prices : str, optional
        The SHA-256 of the prices of these parts.
    figures : dict of str
        The figures as text.
    """

    date: _Day
    by: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    design: _Digest
    parts: Annotated[dict[_Text, _Digest], Field(max_length=10_000)]
    prices: _Digest | None = None
    figures: Annotated[dict[_Text, _Text], Field(max_length=100)] = {}


_Selectors = Annotated[tuple[str, ...], Field(max_length=MAX_SELECTORS)]


class Design(_Block):
    """A whole design as in its file; immutable, an edit makes a new one.

    The lock beside its file goes with it from edit to edit, but is no part of its text.

    Parameters
    ----------
    toposmith : int
        Version of this format: 2 where a key of version 2 is used.
    name : str
        What the design is called.
    note : str, optional
        Free text, shown in the app below the figures.
    axes : dict of str to int
        Axes that groups repeat over, each with its size.
    groups : dict of Group
        Devices, by the name of their group.
    links : tuple of Link
        Which groups are cabled to which.
    absent : tuple of str
        Selectors of what was never there.
    down : tuple of str
        Selectors of what has failed.
    slow : dict
        Cables and GPUs that run below their speed: selector, then Gb/s or a share.
    sets : dict of tuple
        What fails or is serviced together: a name, then selectors.
    cables : tuple of SingleCable
        Single cables that go elsewhere than the links say.
    routing : str, optional
        How the switches route, unless the command asks for another.
    rails : str, optional
        ``apart`` where no switch is meant to join the rails.
    waivers : tuple of Waiver
        Findings that are accepted.
    pins : Pins, optional
        Parts and figures as they were on a day.
    communicator : dict, optional
        Whose collective the figures are for, unless the command or the app asks for others.
    jobs : tuple of JobBlock
        What runs at once.
    workload : dict, optional
        What the cluster is for.
    placement : PlacementBlock, optional
        Where devices stand, and so how long cables are.
    bill : BillBlock, optional
        How the bill of materials is made, unless the command asks for it otherwise.
    view : dict, optional
        What was moved on the canvas.
    """

    toposmith: Annotated[int, Field(ge=1, le=FILE_VERSION)] = FIRST_VERSION
    name: str = ""
    note: str | None = None
    axes: dict[Name, Size] = {}
    groups: dict[Name, Group] = {}
    links: tuple[Link, ...] = ()
    absent: _Selectors = ()
    down: _Selectors = ()
    slow: Annotated[dict[str, _Slow], Field(max_length=MAX_SELECTORS)] = {}
    sets: Annotated[dict[Name, _Selectors], Field(max_length=MAX_SETS)] = {}
    cables: Annotated[tuple[SingleCable, ...], Field(max_length=MAX_SINGLE_CABLES)] = ()
    routing: RoutingMode | None = None
    rails: Literal["apart"] | None = None
    waivers: tuple[Waiver, ...] = ()
    pins: Pins | None = None
    communicator: dict[str, Any] | None = None
    jobs: Annotated[tuple[JobBlock, ...], Field(max_length=MOST_JOBS)] = ()
    workload: dict[str, Any] | None = None
    placement: PlacementBlock | None = None
    bill: BillBlock | None = None
    view: dict[str, Any] | None = None
    _binding: Binding | None = PrivateAttr(default=None)
    _price_lists: tuple[Path, ...] = PrivateAttr(default=())

    @property
    def binding(self) -> Binding | None:
        """The lock that it has, whether or not that can be read; None without one."""
        return self._binding

    @property
    def lock(self) -> FabricLock | None:
        """What is bound: ports, labels, places; None without a lock that can be read."""
        return None if self._binding is None else self._binding.lock

    def bound_to(self, binding: Binding | None) -> Design:
        """The same design with this lock, or with none."""
        bound = self.model_copy()
        bound._binding = binding
        return bound

    @property
    def price_lists(self) -> tuple[Path, ...]:
        """Price lists beside its file: data that bills use, no part of its text."""
        return self._price_lists

    def priced_by(self, lists: tuple[Path, ...]) -> Design:
        """The same design with these price lists."""
        priced = self.model_copy()
        priced._price_lists = lists
        return priced


def version_needed(design: Design) -> int:
    """The lowest version of the file that can hold a design."""
    used = [version for key, version in LATER_KEYS.items() if getattr(design, key)]
    used += [
        version
        for key, version in LATER_KEYS_OF_LINKS.items()
        if any(getattr(link, key) for link in design.links)
    ]
    return max(used, default=FIRST_VERSION)


def as_data(design: Design) -> dict[str, Any]:
    """The design as plain data in file order, without the keys that hold their default."""
    data = design.model_dump(mode="json", exclude_defaults=True)
    version = max(design.toposmith, version_needed(design))
    return {"toposmith": version, "name": design.name} | {
        key: value for key, value in data.items() if key not in ("toposmith", "name")
    }
