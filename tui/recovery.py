"""Unsaved work, kept where the next run finds it after a crash or a dropped connection."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tui.recent import state_dir

if TYPE_CHECKING:
    from topology.design.document import Design

_HEADER = "# unsaved work, recovered from: "
_NAME = re.compile(r"-(?P<pid>\d+)-[0-9a-f]+\.yaml$")


@dataclass(frozen=True)
class Rescued:
    """A recovery file: its path, the file that it belongs to, and when it was written."""

    path: Path
    origin: Path | None
    written: float


class Rescue:
    """The recovery file of one design; it exists only while there is unsaved work in it."""

    def __init__(self) -> None:
        self._path: Path | None = None

    @property
    def path(self) -> Path | None:
        """The recovery file, where there is one."""
        return self._path

    def adopt(self, path: Path) -> None:
        """Go on with a recovery file of an earlier run."""
        self._path = path

    def write(self, design: Design, origin: Path | None, original: str | None) -> Path | None:
        """Write the design; returns the file, or None where that was not possible."""
        from topology.design.storage import save_file
        from topology.design.writing import design_text
        from topology.errors import SaveError

        stem = re.sub(r"[^\w-]", "_", origin.stem if origin else "untitled")[:40]
        path = self._path or recovery_dir() / f"{stem}-{os.getpid()}-{secrets.token_hex(3)}.yaml"
        named = str(origin.absolute()) if origin and "\n" not in str(origin) else ""
        text = f"{_HEADER}{named}\n{design_text(design, original)}"
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            save_file(path, text)
        except (OSError, SaveError):
            return None
        self._path = path
        return path

    def remove(self) -> None:
        """Forget the recovery file: the work is saved, or given up on purpose."""
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
            self._path = None


def prepare() -> None:
    """Read in now what writing needs, so that a rescue does not depend on files that may change."""
    import topology.design.storage
    import topology.design.writing  # noqa: F401 - read for later


def recovery_dir() -> Path:
    """Directory of the recovery files."""
    return state_dir() / "recovery"


def rescued_designs() -> list[Rescued]:
    """Unsaved work of runs that have ended, the newest first."""
    found: list[Rescued] = []
    with contextlib.suppress(OSError):
        for path in recovery_dir().glob("*.yaml"):
            match = _NAME.search(path.name)
            if match is None or _is_running(int(match["pid"])):
                continue
            with contextlib.suppress(OSError, UnicodeDecodeError):
                found.append(Rescued(path, _origin(path), path.stat().st_mtime))
    return sorted(found, key=lambda rescued: rescued.written, reverse=True)


def without_header(text: str) -> str:
    """Text of a recovery file without the line that says where it is from."""
    first, _, rest = text.partition("\n")
    return rest if first.startswith(_HEADER) else text


def _origin(path: Path) -> Path | None:
    with path.open(encoding="utf-8") as opened:
        first = opened.readline()
    named = first.removeprefix(_HEADER).strip() if first.startswith(_HEADER) else ""
    return Path(named) if named else None


def _is_running(pid: int) -> bool:
    if pid == os.getpid():
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
