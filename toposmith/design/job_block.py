"""Jobs that run at once, as a design's ``jobs:`` block has them (``docs/jobs.md``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    WithJsonSchema,
    WrapValidator,
)
from pydantic_core import core_schema

from toposmith.collectives import COLLECTIVES, LARGEST_MESSAGE_BYTES
from toposmith.text import counted, read_message_size


@dataclass(frozen=True)
class KnownWord:
    """Annotates a text; ``words`` gives those that are accepted when it is read.

    Records can be added after the models of files are made, so that no enumeration holds them.
    """

    words: Callable[[], Iterable[str]]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._known, handler(source))

    def __get_pydantic_json_schema__(self, _schema: Any, _handler: Any) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.words())}

    def _known(self, word: str) -> str:
        if word not in self.words():
            raise ValueError("not one of the words that are known")
        return word


STORAGE_TRAFFIC = ("read", "write")
"""Traffic of nodes with the design's storage."""

MOST_JOBS = 50
MOST_NODES = 10_000_000
MOST_SELECTORS_OF_JOB = 1_000

ALL = "all"


def _nodes(value: Any, _handler: Any) -> int | str | tuple[str, ...]:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_NODES:
        return value
    if isinstance(value, str) and value.strip():
        return value
    listed = value if isinstance(value, list | tuple) else ()
    if 0 < len(listed) <= MOST_SELECTORS_OF_JOB and all(isinstance(one, str) for one in listed):
        return tuple(listed)
    raise ValueError("no number of nodes, and no selectors")


def _size(value: Any, _handler: Any) -> int | str:
    bytes_ = read_message_size(value) if isinstance(value, str) else value
    if type(bytes_) is not int or not 0 < bytes_ <= LARGEST_MESSAGE_BYTES:
        raise ValueError("no size of a message")
    size: int | str = value
    return size


def what_jobs_run() -> tuple[str, ...]:
    """What a job may run: a collective, or traffic with storage."""
    return (*COLLECTIVES, *STORAGE_TRAFFIC)


JobNodes = int | str | tuple[str, ...]
"""How many nodes, ``all``, one selector of nodes, or several."""

_Nodes = Annotated[
    JobNodes,
    WrapValidator(_nodes),
    WithJsonSchema(
        {
            "type": ["integer", "string", "array"],
            "minimum": 1,
            "maximum": MOST_NODES,
            "pattern": r"\S",
            "minItems": 1,
            "maxItems": MOST_SELECTORS_OF_JOB,
            "items": {"type": "string"},
            "expected": "how many nodes, all, or selectors of nodes such as node[su=0]",
        }
    ),
]
_Runs = Annotated[str, KnownWord(what_jobs_run)]
_MessageSize = Annotated[
    int | str,
    WrapValidator(_size),
    WithJsonSchema(
        {
            "type": ["integer", "string"],
            "exclusiveMinimum": 0,
            "maximum": LARGEST_MESSAGE_BYTES,
            "expected": "a size such as 1GiB, at most 1 PiB",
        }
    ),
]


class JobBlock(BaseModel):
    """One of several jobs that run at once.

    Parameters
    ----------
    name : str, optional
        Its name; by default its number.
    nodes : int, str or tuple of str
        A number of free nodes, ``all``, or the nodes that selectors match.
    runs : str
        A collective, or ``read`` or ``write`` of storage.
    layout, group : str, optional
        Sizes of its parallel dimensions, and the kind of group that runs the collective, as under
        ``communicator:``; all its GPUs together without them.
    size : int or str, optional
        Message size: bytes, or text such as ``1GiB``.
    placement : str
        The order in which free nodes are assigned.
    seed : int
        Seed of the scattered order.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=64)] | None = None
    nodes: _Nodes
    runs: _Runs
    layout: Annotated[str, Field(max_length=100)] | None = None
    group: Annotated[str, Field(max_length=10)] | None = None
    size: _MessageSize | None = None
    placement: Literal["packed", "striped", "scattered"] = "packed"
    seed: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0

    @property
    def selectors(self) -> tuple[str, ...]:
        """The selectors of its nodes; none where they are counted or all."""
        if isinstance(self.nodes, int) or self.nodes == ALL:
            return ()
        return (self.nodes,) if isinstance(self.nodes, str) else self.nodes

    def in_words(self, told: Callable[[str], str] = str) -> str:
        """The job without its name: ``8 nodes, all_reduce, 1GiB``; ``told`` rewrites selectors."""
        if isinstance(self.nodes, int):
            where = counted(self.nodes, "node")
            where += "" if self.placement == "packed" else f", {self.placement}"
            where += f", seed={self.seed}" if self.seed else ""
        else:
            where = " + ".join(told(text) for text in self.selectors) or "all nodes"
        group = f"group={self.group}" if self.group else ""
        size = str(self.size) if self.size else ""
        parts = (where, self.runs, self.layout or "", group, size)
        return ", ".join(part for part in parts if part)

    @property
    def message_bytes(self) -> int | None:
        """The message size in bytes; None where it is not given."""
        return read_message_size(self.size) if isinstance(self.size, str) else self.size
