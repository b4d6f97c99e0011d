"""A hand-over: several exports of a design in one folder, with a manifest and checksums."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypedDict

from toposmith.design.loader import escaped
from toposmith.errors import ExportError, ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.cable_schedule.schedule_rows import Progress
from toposmith.exports.forms import FORMS, Form, Made
from toposmith.findings.finding import Finding
from toposmith.leaving_text import json_text
from toposmith.version import program_version

MANIFEST, CHECKSUMS = "manifest.json", "SHA256SUMS"
_VERSION = 1


class _File(TypedDict):
    form: str
    file: str
    bytes: int
    sha256: str


class _Refused(TypedDict):
    form: str
    reason: str


def hand_over(
    design: EvaluatedDesign,
    forms: Sequence[str],
    *,
    stem: str,
    all_or_none: bool,
    group: str | None = None,
    progress: Progress | None = None,
    notes: Iterable[str] = (),
) -> Made:
    """Several exports as one folder.

    Parameters
    ----------
    design : EvaluatedDesign
        The design.
    forms : sequence of str
        Names of forms.
    stem : str
        Prefix of every file's name.
    all_or_none : bool
        Whether one format that refuses the design ends the whole with ExportError; otherwise the
        manifest has the reason.
    group : str, optional
        The group of nodes, for the form that shows one node.
    progress : callable, optional
        Called with the rows written of the current format.
    notes : iterable of str
        Notes before those of the formats, such as on a map of names.
    """
    run = _HandOver(design, stem, all_or_none, group, progress)
    run.lost += notes
    return Made((), run.findings, run.lost, run.files([FORMS[name] for name in forms]))


def why_kept(folder: Path) -> str:
    """Why a folder is not replaced by a hand-over; empty if it has only an older one."""
    if not folder.is_dir():
        return "found a file, expected a folder"
    sums = folder / CHECKSUMS
    known = {CHECKSUMS}
    if sums.is_file():
        lines = sums.read_bytes().decode("utf-8", "replace").splitlines()
        known |= {line.partition("  ")[2] for line in lines}
    held = (one.relative_to(folder).as_posix() for one in folder.rglob("*") if not one.is_dir())
    other = next((name for name in held if name not in known), None)
    if other is None:
        return ""
    return f"holds {escaped(other)}, which no hand-over wrote; choose another folder"


class _HandOver:
    """The forms of one hand-over, one after another; what was written is known at the end."""

    def __init__(
        self,
        design: EvaluatedDesign,
        stem: str,
        all_or_none: bool,
        group: str | None,
        progress: Progress | None,
    ) -> None:
        self._design, self._stem = design, stem
        self._all_or_none, self._group, self._progress = all_or_none, group, progress
        self._written: list[_File] = []
        self._refused: list[_Refused] = []
        self._carried: dict[str, list[str]] = {}
        self.findings: list[Finding] = []
        self.lost: list[str] = []

    def files(self, forms: Iterable[Form]) -> Iterator[tuple[str, Iterable[bytes]]]:
        """Every file with its pieces, the manifest and the checksums last."""
        for form in forms:
            try:
                made = form.make(self._design, self._progress, self._group)
            except ToposmithError as refused:
                if self._all_or_none:
                    raise ExportError(f"{form.name}: {refused}") from None
                self._refused.append({"form": form.name, "reason": str(refused)})
                self.lost.append(f"{form.name} is left out: {refused}")
                continue
            if made.files is None:
                yield self._counted(form.name, f"{self._stem}{form.ending}", made.pieces)
            else:
                for name, pieces in made.files:
                    yield self._counted(form.name, f"{form.name}/{name}", pieces)
            self._carried[form.name] = [*([form.loses] if form.loses else []), *made.lost]
            self.findings += made.findings
            self.lost += [f"{form.name}: {words}" for words in made.lost]
        manifest = self._manifest()
        sums = [(MANIFEST, hashlib.sha256(manifest).hexdigest())]
        sums += [(one["file"], one["sha256"]) for one in self._written]
        yield MANIFEST, [manifest]
        yield CHECKSUMS, ["".join(f"{digest}  {name}\n" for name, digest in sums).encode()]

    def _counted(
        self, form: str, name: str, pieces: Iterable[bytes]
    ) -> tuple[str, Iterator[bytes]]:
        def counted() -> Iterator[bytes]:
            digest, size = hashlib.sha256(), 0
            for piece in pieces:
                digest.update(piece)
                size += len(piece)
                yield piece
            self._written.append(
                {"form": form, "file": name, "bytes": size, "sha256": digest.hexdigest()}
            )

        return name, counted()

    def _manifest(self) -> bytes:
        whole = {
            "toposmith_handover": _VERSION,
            "design": self._design.design.name,
            "design_sha256": self._design.digest,
            "program": f"toposmith {program_version()}",
            "names": self._design.plan.naming.source or None,
            "files": self._written,
            "not_carried": self._carried,
            "refused": self._refused,
        }
        return (json_text(whole, indent=2) + "\n").encode()
