"""The program's own parts kept as JSON between runs, because reading YAML takes ten times longer.

One file in the user's cache folder, for exactly these part files and this version of the code. It
is never needed: where it is missing, torn, of another version or cannot be written, the part files
are read instead, and nobody is told.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from catalog.parts import AnyPart

_PARTS: TypeAdapter[list[AnyPart]] = TypeAdapter(list[AnyPart])
_LARGEST_FILE = 20_000_000  # bytes


def digest(texts: Iterable[tuple[str, bytes]]) -> str:
    """Name exactly these part files, as this version of the package reads them."""
    hashed = hashlib.sha256()
    code = ((file.name, file.read_bytes()) for file in sorted(Path(__file__).parent.glob("*.py")))
    for name, text in (*code, *texts):
        for piece in (name.encode(), text):
            hashed.update(f"{len(piece)}:".encode())
            hashed.update(piece)
    return hashed.hexdigest()


def kept_parts(wanted: str) -> list[AnyPart] | None:
    """Return the parts that were kept under a digest, or None."""
    try:
        file = _file()
        if file.stat().st_size > _LARGEST_FILE:
            return None
        found, _, parts = file.read_bytes().partition(b"\n")
        return _PARTS.validate_json(parts) if found == wanted.encode() else None
    except (OSError, ValidationError):
        return None


def keep_parts(named: str, parts: Sequence[AnyPart]) -> None:
    """Keep parts under a digest, in place of those that were kept before."""
    with contextlib.suppress(OSError):
        file = _file()
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as written:
            try:
                written.write(named.encode() + b"\n")
                written.write(_PARTS.dump_json(list(parts), exclude_unset=True))
                written.close()
                Path(written.name).replace(file)
            except OSError:
                Path(written.name).unlink(missing_ok=True)
                raise


def _file() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("toposmith", appauthor=False) / "catalog.json"
