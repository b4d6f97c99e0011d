"""Labels of figures: one word for the kind of figure, the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toposmith.text import UNKNOWN as UNKNOWN_WORD
from toposmith.text import bandwidth

LabelKind = Literal["exact", "bound", "model", "at least", "at most", "assumed", "unknown"]
"""``exact`` follows from the wiring, with a proof; ``bound`` cannot be exceeded; ``model`` is
predicted; of ``at least`` and ``at most`` a part is not modelled, but the sign of its effect is
known; ``assumed`` rests on a value that was not given."""

SIGNS: dict[LabelKind, str] = {"at least": "≥", "at most": "≤"}
"""The sign printed before a figure, by label."""

ASCII_SIGNS = {"≥": ">=", "≤": "<="}


@dataclass(frozen=True)
class Label:
    """The kind of a figure, and why.

    Parameters
    ----------
    kind : str
        One of :data:`LabelKind`.
    of : str
        In a few words, what it is a bound of, or what else qualifies the kind.
    why : str
        The reason, in a sentence.
    """

    kind: LabelKind
    of: str = ""
    why: str = ""

    @property
    def words(self) -> str:
        """The text in brackets behind a figure: ``exact``, ``bound: what enters all nodes``."""
        return f"{self.kind}: {self.of}" if self.of else self.kind

    @property
    def sign(self) -> str:
        """The sign before the figure; empty for most kinds."""
        return SIGNS.get(self.kind, "")

    def marked(self, figure: str) -> str:
        """A figure in words with its sign, ``≥ 189 GB/s``."""
        return f"{self.sign} {figure}" if self.sign else figure


@dataclass(frozen=True)
class Labelled:
    """A figure with its label; None where it is unknown."""

    value: float | None
    label: Label

    @property
    def words(self) -> str:
        """A bandwidth with the sign of its label, ``≥ 189 GB/s``."""
        return UNKNOWN_WORD if self.value is None else self.label.marked(bandwidth(self.value))


EXACT = Label("exact")
BOUND = Label("bound")
MODEL = Label("model")
AT_LEAST = Label("at least")
UNKNOWN = Label("unknown")


def inverse(label: Label) -> Label:
    """The label of a figure that falls as the labelled one rises, such as the time of a rate."""
    turned: dict[LabelKind, LabelKind] = {"at least": "at most", "at most": "at least"}
    return Label(turned.get(label.kind, label.kind), label.of, label.why)


def in_ascii(text: str) -> str:
    """Text with the signs of labels as ASCII."""
    for sign, plain in ASCII_SIGNS.items():
        text = text.replace(sign, plain)
    return text


def as_data(label: Label) -> dict[str, str]:
    """The label under its JSON keys: ``is``, ``of`` and ``why``."""
    return {"is": label.kind, "of": label.of, "why": label.why}
