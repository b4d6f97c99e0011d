"""What the design's workload gets of it, short enough to be always beside the figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toposmith.text import duration, percent
from toposmith.workloads.workload_assumptions import DOES_NOT_FIT, service_words, step_words

if TYPE_CHECKING:
    from toposmith.tui.drawing.glyphs import Glyphs
    from toposmith.workloads.assess import Assessment
    from toposmith.workloads.communications import TargetVerdict
    from toposmith.workloads.memory import Held


@dataclass(frozen=True)
class WorkloadFigure:
    """The one figure that a workload is judged by: its name, and its value in words.

    ``layout`` is the one that was chosen where the workload leaves it open; else empty.
    """

    name: str
    words: str
    layout: str = ""

    @property
    def runs(self) -> bool:
        """Whether the GPUs hold it, and nothing else keeps it from running."""
        return self.words != _CANNOT_RUN and not self.words.endswith(DOES_NOT_FIT)


_CANNOT_RUN = "cannot run"


@dataclass(frozen=True)
class LiveWorkload:
    """What the live panel shows of a workload.

    Parameters
    ----------
    found : Assessment or None
        What it gets of the design; None where it cannot run, or nothing is known yet.
    before : WorkloadFigure or None
        Its figure before the last change.
    trouble : str
        Why it cannot run.
    """

    found: Assessment | None = None
    before: WorkloadFigure | None = None
    trouble: str = ""

    @property
    def figure(self) -> WorkloadFigure | None:
        """The figure that it is judged by; None while nothing is known."""
        if self.trouble:
            return CANNOT_RUN
        return None if self.found is None else figure_of(self.found)


CANNOT_RUN = WorkloadFigure("workload", _CANNOT_RUN)


def figure_of(found: Assessment) -> WorkloadFigure:
    """The step time of training, else the tokens per second of a service."""
    name, words = next(pairs_of(found))
    is_open = "layout" not in found.workload.model_fields_set
    return WorkloadFigure(name, words, str(found.split) if is_open else "")


def pairs_of(found: Assessment) -> Iterator[tuple[str, str]]:
    """Labels and figures, the most important first; the first says where they do not fit."""
    rate, time = found.rates_label.marked, found.times_label.marked
    if found.step is not None:
        yield "step", _marked_unfit(time(duration(found.step.step_s)), found.step.held)
        yield "MFU", rate(percent(found.step.mfu))
        yield "bound by", found.step.bound_by
    if found.service is not None:
        words = rate(f"{found.service.tokens_per_s:,.0f}")
        yield "tokens/s", _marked_unfit(words, found.service.held)
        yield "per output token", time(duration(found.service.tpot_s))
        yield "to first token", time(duration(found.service.ttft_s))


def _marked_unfit(words: str, held: Held) -> str:
    return words if held.fits else f"{words}, {DOES_NOT_FIT}"


def basis_of(found: Assessment) -> str:
    """The label of these figures; empty where there are none."""
    if found.step is not None:
        return step_words(found.times_label, found.gpu, found.workload.training)
    if found.service is None:
        return ""
    return service_words(found.times_label, found.gpu, found.workload.serving)


def verdict_mark(verdict: TargetVerdict, glyphs: Glyphs) -> tuple[str, str]:
    """The sign and the style of a verdict; one that is unknown is neither good nor bad news."""
    if verdict == "satisfied":
        return glyphs.done, "$text-success"
    return (glyphs.error, "$text-error") if verdict == "missed" else (glyphs.info, "$text-muted")


def missed_links(found: Assessment | None) -> dict[str, str]:
    """Links that the step waits for, by label, with the dimension that waits."""
    step = found.step if found is not None else None
    if step is None:
        return {}
    missed = [each for each in step.communication if each.verdict(step.step_s) == "missed"]
    missed.sort(key=lambda each: each.exposed_s)
    return {each.fullest: each.dimension for each in missed if each.fullest}
