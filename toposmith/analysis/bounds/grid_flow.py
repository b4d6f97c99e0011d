"""Whether rings and meshes along axes carry what all switches send to one, by explicit flows.

Traffic that corrects its axes one after the other reaches a switch along the last of them only.
Rotated, so that each axis is the last of one order, the orders share the traffic. The fullest
cable of an axis then is that of a neighbour of the target: in the order where an axis comes after
others, all switches of these come by it.
"""

from __future__ import annotations

from fractions import Fraction
from math import prod

from toposmith.fabric.switch_grid import SwitchGrid


def carries_to_one(grid: SwitchGrid, each_GBps: Fraction) -> bool:
    """Whether every switch can send so many GB/s to one switch, within the cables' line rates.

    True is proven by a flow; False means only that this flow does not fit.
    """
    axes = [axis for axis in grid.axes if axis.neighbours]
    orders = [axes[at:] + axes[:at] for at in range(len(axes))]
    weights = [order[-1].into_one_GBps for order in orders]
    whole = sum(weights)
    for axis in axes:
        load = 0.0
        for order, weight in zip(orders, weights, strict=True):
            before = prod(one.size for one in order[: order.index(axis)])
            load += weight / whole * before * axis.first_share
        if load * float(each_GBps) > axis.pair_GBps * (1 + 1e-12):
            return False
    return True
