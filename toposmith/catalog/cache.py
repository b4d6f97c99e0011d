"""Catalogs kept as JSON between runs, because reading YAML takes ten times longer.

A few files in the user's cache folder, each for exactly its part files and this version of the
code. Where one is missing, damaged or cannot be written, the part files are read instead, without
a message.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path
from pydantic import create_model

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.all_kinds import OWN_PART, only_own_kinds

_LARGEST_FILE = 20_000_000  # bytes
_MOST_FILES = 8  # one for each set of folders in use


def _kept_model() -> Any:
    texts = (tuple[str, ...], ...)
    return create_model("_Kept", parts=(list[OWN_PART], ...), faults=texts, notes=texts, own=texts)


_Kept = _kept_model()


def digest(texts: Iterable[tuple[str, bytes]]) -> str:
    """SHA-256 of these part files and of the code that reads them."""
    hashed = hashlib.sha256()
    code = ((file.name, file.read_bytes()) for file in sorted(Path(__file__).parent.rglob("*.py")))
    for name, text in (*code, *texts):
        for piece in (name.encode(errors="surrogatepass"), text):
            hashed.update(f"{len(piece)}:".encode())
            hashed.update(piece)
    return hashed.hexdigest()


def kept_catalog(wanted: str) -> Catalog | None:
    """Return the catalog stored under a digest, or None."""
    if not only_own_kinds():
        return None  # the stored model has no kinds that other programs added
    try:
        file = _folder() / _name(wanted)
        if file.stat().st_size > _LARGEST_FILE:
            return None
        found, _, text = file.read_bytes().partition(b"\n")
        if found != wanted.encode():
            return None
        kept = _Kept.model_validate_json(text)
        return Catalog(kept.parts, kept.faults, kept.notes, kept.own)
    except (OSError, ValueError):
        return None


def keep_catalog(named: str, catalog: Catalog) -> None:
    """Store a catalog under a digest; of those stored before, keep only the newest."""
    if not only_own_kinds():
        return
    kept = _Kept(
        parts=[*catalog, *catalog.facility],
        faults=catalog.faults,
        notes=catalog.notes,
        own=tuple(sorted(catalog.own)),
    ).model_dump_json(exclude_unset=True)
    with contextlib.suppress(OSError):
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as written:
            try:
                written.write(named.encode() + b"\n" + kept.encode())
                written.close()
                Path(written.name).replace(folder / _name(named))
            except OSError:
                Path(written.name).unlink(missing_ok=True)
                raise
        _forget_oldest(folder)


def _forget_oldest(folder: Path) -> None:
    files = sorted(folder.glob("catalog*.json"), key=lambda file: file.stat().st_mtime)
    for file in files[:-_MOST_FILES]:
        file.unlink(missing_ok=True)


def _name(digest: str) -> str:
    return f"catalog-{digest[:16]}.json"


def _folder() -> Path:
    return user_cache_path("toposmith", appauthor=False)
