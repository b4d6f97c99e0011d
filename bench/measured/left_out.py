"""How far predictions are off of a system when no constant is taken from it: each refitted without.

    python -m bench.measured.left_out

For every system that published results, each constant of the model is chosen anew by the results of
all other systems, of every size, by itself, among the values below: that with the least mean of
|log(predicted over measured)|, by which twice as fast and half as fast are as wrong. One that no
other system shows is left out of the model (its neutral value). The system is then predicted by
these. What stays in sample is the form of the model: which constants there are was seen on all
systems together.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from math import log1p
from statistics import mean, median

from bench.measured.__main__ import print_scopes
from bench.measured.records import MeasuredCurve, read_curves
from bench.measured.score import Scored, scored
from toposmith.analysis.prediction import calibration, payload, predictor


@dataclass(frozen=True)
class Constant:
    """A constant of the model that was read off published runs, or fitted to them.

    Parameters
    ----------
    name : str
        Its name in the modules of the prediction.
    values : tuple of float
        What it is chosen among, with what it is today.
    neutral : float
        Its value in a model that does not have it.
    key : object
        Of a mapping, the entry.
    """

    name: str
    values: tuple[float, ...]
    neutral: float
    key: object = None

    @contextmanager
    def at(self, value: float) -> Iterator[None]:
        """Predict with another value of it."""
        homes = [one for one in (calibration, payload, predictor) if hasattr(one, self.name)]
        before = getattr(homes[0], self.name)
        changed = value if self.key is None else {**before, self.key: value}
        for home in homes:
            setattr(home, self.name, changed)
        try:
            yield
        finally:
            for home in homes:
                setattr(home, self.name, before)


CONSTANTS = (
    Constant("START_US", (0, 2, 3, 4, 5, 6, 8), 0, "ll"),
    Constant("START_US", (0, 10, 15, 20, 25, 30, 40), 0, "ll128"),
    Constant("START_US", (0, 20, 30, 40, 50, 60), 0, "simple"),
    Constant("COPY_STEPS", (0, 0.25, 0.5, 0.75, 1), 0),
    Constant("ONE_PEER_GBPS", (300, 345, 400, 500, 1e9), 1e9),
    Constant("FEW_GPUS_SHARE", (0.7, 0.75, 0.8, 0.825, 0.85, 0.9, 1), 1),
    Constant("THROUGH_ROOT_SHARE", (0.35, 0.4, 0.45, 0.5, 0.6, 0.76), 0.76),
    Constant("FAST_NODE_SHARE", (0.92, 0.94, 0.96, 0.98, 1), 1),
    Constant("NVLS_LOOP_US", (0, 1, 2, 4), 0, 90),
    Constant("NVLS_LOOP_US", (0, 3, 6, 9), 0, 100),
    Constant("SHARP_SHARE", (0.6, 0.7, 0.8, 0.86, 0.93, 1), 1),
    Constant("NVLS_TREE_START_US", (0, 8, 15, 22, 30), 0),
    Constant("NVLS_TREE_STEP_US", (0, 6, 12, 18, 24), 0),
    Constant("NVLS_TREE_LONGEST_FILL_US", (0, 100, 190, 280), 0),
    Constant("NVLS_TREE_SHARE", (0.88, 0.9, 0.92, 0.94, 0.97, 1), 1),
    Constant("EFA_HOP_US", (0, 14, 21, 28, 35), 0, 100),
    Constant("EFA_HOP_US", (0, 7, 14, 21), 0, 200),
    Constant("EFA_STAGED_HOP_US", (0, 6, 12, 18), 0),
    Constant("TCP_HOP_US", (0, 11, 22, 33), 0),
    Constant("COPIED_GBPS_PER_GPU", (2.0, 2.4, 2.8, 3.2, 3.8, 1e9), 1e9),
    Constant("COPIED_GBPS_PER_NODE", (3.0, 4.0, 5.0, 6.0, 1e9), 1e9),
)

Key = tuple[str, int, bool]
"""A result: its curve, its size, and whether it was in place."""


def main() -> None:
    """Print what is reached in sample, and of systems left out."""
    curves = read_curves()
    results, _ = scored(curves)
    print(f"{'absolute error of busbw':44} {'results':>24} {'systems':>24}  beyond 15%")
    print("in sample, as the program predicts:")
    print_scopes(results)
    print("each system by constants refitted without it:")
    print_scopes(left_out(curves))


def left_out(curves: Sequence[MeasuredCurve]) -> list[Scored]:
    """Every system, predicted by constants that were chosen without it."""
    counted = {_key(one) for one in scored(curves)[0] if not (one.at_least or one.is_rack)}
    by_constant = [_by_value(constant, curves, counted) for constant in CONSTANTS]
    of_system: dict[str, list[MeasuredCurve]] = defaultdict(list)
    for curve in curves:
        of_system[curve.text("system")].append(curve)
    found: list[Scored] = []
    for name, own in of_system.items():
        chosen = {
            constant: chosen_without(name, constant, results)
            for constant, results in zip(CONSTANTS, by_constant, strict=True)
        }
        with ExitStack() as stack:
            for constant, value in chosen.items():
                stack.enter_context(constant.at(value))
            found += scored(own)[0]
    return found


def chosen_without(
    name: str, constant: Constant, results: Mapping[float, Mapping[str, Mapping[Key, float]]]
) -> float:
    """The value with the least error over the other systems, each with the same weight.

    Of results that the constant changes; the neutral value where it changes none of theirs.
    """
    errors: dict[float, list[float]] = {value: [] for value in results}
    first = next(iter(results.values()))
    for system, own in first.items():
        moved = [
            key
            for key in own
            if len({round(of[system].get(key, 0.0), 9) for of in results.values()}) > 1
        ]
        if system != name and moved:
            for value, of in results.items():
                errors[value].append(median(_off(of[system].get(key, 1.0)) for key in moved))
    if not any(errors.values()):
        return constant.neutral
    return min(errors, key=lambda value: mean(errors[value]))


def _off(error: float) -> float:
    """|log(predicted over measured)| of an error, which is predicted over measured less one."""
    return abs(log1p(max(error, -1 + 1e-9)))


def _by_value(
    constant: Constant, curves: Sequence[MeasuredCurve], counted: Collection[Key]
) -> dict[float, dict[str, dict[Key, float]]]:
    """Errors of the results that count, by value of a constant and by system.

    A curve that is predicted alike with the least value and the greatest does not depend on it.
    """
    system = {curve.name: curve.text("system") for curve in curves}
    ends = min(constant.values), max(constant.values)
    least, greatest = (_errors(constant, value, curves) for value in ends)
    moved = {key[0] for key, error in least.items() if greatest.get(key) != error}
    some = [curve for curve in curves if curve.name in moved]
    found: dict[float, dict[str, dict[Key, float]]] = {}
    for value in constant.values:
        of_system: dict[str, dict[Key, float]] = defaultdict(dict)
        for key, error in {**least, **_errors(constant, value, some)}.items():
            if key in counted:
                of_system[system[key[0]]][key] = error
        found[value] = dict(of_system)
    return found


def _errors(constant: Constant, value: float, curves: Sequence[MeasuredCurve]) -> dict[Key, float]:
    with constant.at(value):
        return {_key(one): one.error for one in scored(curves, labelled=False)[0]}


def _key(result: Scored) -> Key:
    return result.curve.name, result.point.message_bytes, result.point.in_place


if __name__ == "__main__":
    sys.exit(main())
