"""Catalogs kept as JSON between runs, because reading YAML takes ten times longer.

A few files in the user's cache folder, each for exactly its part files and this version of the
code. Others may be able to write into that folder: a file counts only with a seal that needs a key,
which lies elsewhere and is the user's alone. Where a file is missing, damaged, of another key or
cannot be written, the part files are read instead, without a message.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import create_model

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.kinds.all_kinds import OWN_PART, only_own_kinds
from toposmith.user_folders import cache_folder, state_folder
from toposmith.whole_files import replace_whole

_LARGEST_FILE = 20_000_000  # bytes
_MOST_FILES = 8  # one for each set of folders in use
_KEY_BYTES = 32


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
        seal, _, text = _read_regular(_folder() / _name(wanted), _LARGEST_FILE).partition(b"\n")
        key = _read_regular(_key_file(), _KEY_BYTES, own=True)
        if not secrets.compare_digest(seal, _seal(key, wanted, text)):
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
    text = kept.encode()
    with contextlib.suppress(OSError):
        folder = _folder()
        _replace(folder / _name(named), _seal(_own_key(), named, text) + b"\n" + text)
        _forget_oldest(folder)


def _own_key() -> bytes:
    """The user's key; a new one where there is none yet, or where others can read it."""
    with contextlib.suppress(OSError):
        key = _read_regular(_key_file(), _KEY_BYTES, own=True)
        if len(key) == _KEY_BYTES:
            return key
    key = secrets.token_bytes(_KEY_BYTES)
    _replace(_key_file(), key)
    return key


def _seal(key: bytes, digest: str, text: bytes) -> bytes:
    """What only the holder of the key can write over a text."""
    if len(key) != _KEY_BYTES:
        raise ValueError("no key")
    hashed = hashlib.blake2b(f"{digest}\n".encode(), key=key, digest_size=32)
    hashed.update(text)
    return hashed.hexdigest().encode()


def _read_regular(file: Path, largest: int, *, own: bool = False) -> bytes:
    """The bytes of an ordinary file; of the user's ``own`` only where others cannot open it."""
    with os.fdopen(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as opened:
        found = os.fstat(opened.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > largest:
            raise OSError("not an ordinary file of this size")
        others = stat.S_IMODE(found.st_mode) & 0o077 or found.st_uid != os.geteuid()
        if own and others:
            raise PermissionError("others can open it")
        return opened.read(largest)


def _replace(file: Path, raw: bytes) -> None:
    """Put a file, which its owner alone can open, in place of what is there."""
    file.parent.mkdir(parents=True, exist_ok=True)
    replace_whole(file, raw, mode=0o600)


def _forget_oldest(folder: Path) -> None:
    files = sorted(folder.glob("catalog*.json"), key=lambda file: file.stat().st_mtime)
    for file in files[:-_MOST_FILES]:
        file.unlink(missing_ok=True)


def _name(digest: str) -> str:
    return f"catalog-{digest[:16]}.json"


def _folder() -> Path:
    return cache_folder()


def _key_file() -> Path:
    return state_folder() / "cache.key"
