"""What serving delivers: the time of a pass, and of a request; requests and tokens per second."""

from __future__ import annotations

from dataclasses import dataclass

from toposmith.workloads.block import Precision
from toposmith.workloads.memory import Held
from toposmith.workloads.volumes import in_flight


@dataclass(frozen=True)
class Pass:
    """One pass through the model: of all prompts of a batch, or of a token of each sequence.

    Parameters
    ----------
    compute_s : float
        Products, scores and memory on all stages one after the other.
    tensor_s, expert_s, pipeline_s : float
        Collectives; none overlaps.
    collectives : int
        All-reduces that each token waits for.
    message_bytes : float
        Of one.
    collective_us : float
        Time of one.
    limited_by : str
        What limits an all-reduce: ``latency``, ``channels`` or ``links``; empty without any.
    """

    compute_s: float
    tensor_s: float
    expert_s: float
    pipeline_s: float
    collectives: int
    message_bytes: float
    collective_us: float
    limited_by: str

    @property
    def communication_s(self) -> float:
        """All collectives."""
        return self.tensor_s + self.expert_s + self.pipeline_s

    @property
    def total_s(self) -> float:
        """The whole pass."""
        return self.compute_s + self.communication_s


@dataclass(frozen=True)
class Service:
    """What a cluster of equal copies delivers.

    Parameters
    ----------
    copies : int
        Of the model, that decode.
    prefill_copies : int
        That read prompts; the same ones where that is not parted.
    batch : int
        Sequences that a copy decodes together.
    largest_batch : int
        That memory allows.
    decode, prefill : Pass
        The passes.
    kv_bytes : float
        Cache of a prompt, over all GPUs of a copy.
    kv_precision : str
        That it is kept in.
    kv_transfer_s : float
        To send it from where it was made to where it is used; 0 where that is one place.
    held : Held
        What each GPU holds.
    output : int
        Tokens of an answer.
    reading_s : float
        That each output token waits while prompts of others are read on the same GPUs; 0 where
        they are read on others.
    requests_per_s : float
        Of the whole cluster.
    """

    copies: int
    prefill_copies: int
    batch: int
    largest_batch: int
    decode: Pass
    prefill: Pass
    kv_bytes: float
    kv_precision: Precision
    kv_transfer_s: float
    held: Held
    output: int
    reading_s: float
    requests_per_s: float

    @property
    def tpot_s(self) -> float:
        """Time per output token as users see it: a decode pass, and prompts read in between."""
        return self.decode.total_s + self.reading_s

    @property
    def ttft_s(self) -> float:
        """Time to the first token, which reading the prompt gives, without a queue."""
        return self.prefill.total_s + self.kv_transfer_s

    @property
    def request_s(self) -> float:
        """From prompt to last token: the first one, and all others after it."""
        return self.ttft_s + (self.output - 1) * self.tpot_s

    @property
    def tokens_per_s(self) -> float:
        """Output of the whole cluster."""
        return self.requests_per_s * self.output

    @property
    def requests_in_flight(self) -> float:
        """Requests under way at full rate (Little's law)."""
        return in_flight(self.requests_per_s, self.request_s)

    @property
    def unfilled(self) -> bool:
        """Whether copies that only decode get prompts too slowly for their batch."""
        if not self.kv_transfer_s:
            return False
        decoding = in_flight(self.requests_per_s, (self.output - 1) * self.decode.total_s)
        return decoding < self.copies * self.batch * (1 - 1e-9)

    @property
    def fits(self) -> bool:
        """Whether a GPU holds its share."""
        return self.held.fits
