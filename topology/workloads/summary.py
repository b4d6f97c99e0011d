"""Figures of a workload in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toposmith.text import UNKNOWN, bandwidth, duration, percent, signed_percent

if TYPE_CHECKING:
    from toposmith.topology.workloads.communication_times import CommunicationTime
    from toposmith.topology.workloads.service import Service

NO_STEP = "no step time: a GPU does not hold this layout"
NO_SERVICE = "no tokens per second: a GPU does not hold this service"
RULE_OF_THUMB = "the rule of thumb (weights of a stage / tp, once a pass; no activations)"
"""What stands beside the bytes of tensor parallelism, because buyers know it."""


def needed_words(each: CommunicationTime) -> str:
    """The bandwidth that it needs; no bandwidth helps where others have all the compute."""
    return bandwidth(each.needed_GBps) if each.window_s else "no compute left"


def requirement_words(each: CommunicationTime) -> str:
    """What a communication needs and gets, in a sentence."""
    what = f"{each.dimension} {each.what}"
    verdicts = {
        "satisfied": f"satisfied with {percent(each.margin)} to spare",
        "missed": f"missed by {percent(-each.margin)}",
        "unknown": "whether that is enough is unknown",
    }
    verdict = verdicts[each.verdict]
    return (
        f"{what} needs {bandwidth(each.needed_GBps)} busbw per GPU to hide behind compute; this "
        f"design gives {each.busbw.words}: {verdict}"
    )


def margin_words(each: CommunicationTime) -> str:
    """By how much more or less is given than is needed; unknown where the figure does not tell."""
    if each.verdict == "unknown":
        return UNKNOWN
    if each.margin >= 100:
        return ">+9,999 %"
    return each.label.marked(signed_percent(each.margin))


def token_words(service: Service) -> str:
    """How long users wait for an output token, and what of it is decoding."""
    shown = duration(service.tpot_s)
    if not service.reading_s:
        return shown
    decode, reading = duration(service.decode.total_s), duration(service.reading_s)
    return f"{shown}: decode {decode}, prompts of others read in between {reading}"
