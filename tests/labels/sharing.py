"""What many pages of one design rest on is computed once, which makes the walk four times as fast.

Only what is equal by what was asked is shared: the same design, request and options.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from toposmith.analysis.analyse import Answers
from toposmith.catalog import Catalog
from toposmith.command import analyze, failures, fix, review
from toposmith.design.document import Design
from toposmith.evaluation import EvaluatedDesign
from toposmith.parts_at_hand import PartsAtHand
from toposmith.planned_design import PlannedDesign
from toposmith.review.failures import sweep as sweeping
from toposmith.synthesis import left_out
from toposmith.synthesis import next_change as lifting
from toposmith.tui.views import failures_view


@contextmanager
def computed_once() -> Iterator[None]:
    """Let parts be read, designs understood, failures swept and changes searched once each."""
    with pytest.MonkeyPatch.context() as patched:
        load = _kept(PartsAtHand.load, lambda own: own)
        patched.setattr(PartsAtHand, "load", lambda own: load(own))
        understand = _kept(PlannedDesign.of, _understood)
        patched.setattr(PlannedDesign, "of", understand)
        answer = _kept(Answers.analysis, lambda own: (own.plan.design, own.request))
        patched.setattr(Answers, "analysis", lambda own: answer(own))
        findings = _kept(EvaluatedDesign.findings.func, _judged)
        patched.setattr(EvaluatedDesign, "findings", property(lambda own: findings(own)))
        swept = _kept(sweeping.sweep, _swept, lambda found: found.complete)
        for user in (sweeping, failures, failures_view, left_out, review):
            patched.setattr(user, "sweep", swept)
        lift = _kept(lifting.next_change, _lifted)
        for user in (analyze, fix, lifting):  # the app reads it when it is asked for
            patched.setattr(user, "next_change", lift)
        yield


def _understood(design: Design, catalog: Catalog, failing: tuple[str, ...] = ()) -> object:
    return design, len(catalog), failing


_SWEEP = inspect.signature(sweeping.sweep)


def _swept(*args: Any, **named: Any) -> object:
    asked = _SWEEP.bind(*args, **named)
    asked.apply_defaults()
    apart = ("plan", "progress", "held", "so_far")
    kept = {name: each for name, each in asked.arguments.items() if name not in apart}
    catalog = len(kept.pop("catalog"))
    return asked.arguments["plan"].design, catalog, kept


def _judged(of: EvaluatedDesign) -> object:
    asked = of.asked, of.collectives or (of.asked.collective,)
    by = of.policy, of.today, of.terms, of.failing, len(of.catalog)
    return of.design, asked, by, of.extra, of.plan.naming


def _lifted(of: EvaluatedDesign, *args: object, **named: object) -> object:
    # a limit of time is another one each time: it can be ended by who waits for it
    asked = {name: each for name, each in named.items() if name != "limit"}
    return of.design, of.asked, args, asked


def _likeness(asked: object) -> int:
    """A number that equal questions have in common: that of their design, and few others have."""
    of = asked[0] if isinstance(asked, tuple) else asked
    return hash(of.model_dump_json()) if isinstance(of, Design) else 0


def _kept(compute: Any, question: Any, whole: Any = lambda _answer: True) -> Any:
    """A function that remembers its answers by what was asked, where they are whole."""
    known: dict[int, list[tuple[object, Any]]] = {}

    def shared(*args: Any, **named: Any) -> Any:
        asked = question(*args, **named)
        like = known.setdefault(_likeness(asked), [])
        for each, answer in like:
            if each == asked:
                return answer
        answer = compute(*args, **named)
        if whole(answer):
            like.append((asked, answer))
        return answer

    return shared
