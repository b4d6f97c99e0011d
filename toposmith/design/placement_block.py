"""The ``placement:`` block: racks, their filling, and cable routes between them.

Everything has a default, so that a design without the block has racks too. See ``docs/racks.md``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

SwitchRacks = Literal["in-row", "end-of-row", "top-of-rack"]
RACK_PATTERN = r"^[A-Z]{1,3}[0-9]{2,4}$"
RackLabel = Annotated[str, Field(pattern=RACK_PATTERN)]
Units = Annotated[int, Field(ge=1, le=100)]


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Feeds(_Block):
    """Power distribution units of a rack.

    Parameters
    ----------
    pdu : str
        Id of their part.
    count : int
        How many, each on a feed of its own.
    """

    pdu: str
    count: Annotated[int, Field(ge=1, le=12)] = 2


class Position(_Block):
    """A place in a rack.

    Parameters
    ----------
    rack : str
        The rack's label, such as ``B07``.
    unit : int
        The lowest U that a device takes in it.
    """

    rack: RackLabel
    unit: Units


class PlacementBlock(_Block):
    """The placement of a design's devices in racks.

    Parameters
    ----------
    rack : str, optional
        Part of the racks.
    units : int, optional
        Height for devices, in U; without it that of the part.
    max_power_w : float, optional
        Power limit of one rack, W; by default that of the part, else 40.8 kW for filling.
    nodes_per_rack : int, optional
        Nodes in one rack; by default as many as height and power allow.
    switches : str, optional
        Whether switches stand in racks between those of the nodes, at the end of each row, or in
        the racks of the nodes. Without it in the rack of the nodes where one rack holds them all,
        else in racks between them.
    racks_per_row, aisle_m, tray_m, slack_m : optional
        Racks in a row, metres between two rows, metres from the topmost U to the tray, and
        metres of slack for every cable.
    feeds : Feeds, optional
        Power feeds; unknown if not given.
    heights : dict of str to int, optional
        By group, the U that a device takes where its part does not say, or says otherwise.
    devices : dict of str to Position, optional
        Devices that stand where the default would not put them, by selector; several of one
        selector are stacked upwards.
    """

    rack: str | None = None
    units: Units | None = None
    max_power_w: Annotated[float, Field(gt=0, le=10_000_000)] | None = None
    nodes_per_rack: Annotated[int, Field(ge=1, le=100)] | None = None
    switches: SwitchRacks | None = None
    racks_per_row: Annotated[int, Field(ge=1, le=1000)] | None = None
    aisle_m: Annotated[float, Field(gt=0, le=100)] | None = None
    tray_m: Annotated[float, Field(gt=0, le=20)] | None = None
    slack_m: Annotated[float, Field(gt=0, le=100)] | None = None
    feeds: Feeds | None = None
    heights: dict[str, Units] = {}
    devices: dict[str, Position] = {}
