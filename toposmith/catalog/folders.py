"""Where parts come from: those that come with the program, the user's own, and further folders.

Later folders override earlier ones: a part replaces an earlier part of the same id. What was
read is kept as JSON between runs (:mod:`toposmith.catalog.cache`), so that only changed files are
read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

from toposmith.catalog import cache
from toposmith.catalog.catalog import Catalog, CatalogError
from toposmith.catalog.part_file import PartFile, read_part_file
from toposmith.catalog.part_layers import Layers
from toposmith.plain_text import visible
from toposmith.user_folders import is_there, settings_folder, why_unusable

MOST_FILES = 1000  # of one folder; with more it is probably the wrong one

_of_packages: list[Path] = []
_PACKAGED = Path(__file__).parent / "parts"

# The files of one place by the names under which messages show them, and what could not be opened.
_Texts = tuple[dict[str, bytes], list[str]]


def load_catalog(*extra: Path, user: bool = True) -> Catalog:
    """Read the parts that come with the program, the user's own, and those of further places.

    Parameters
    ----------
    *extra : Path
        Folders of ``*.yaml`` files, each a list of parts, in sub-folders too; or single files. A
        part of a later one replaces that of an earlier one, or the built-in one.
    user : bool
        Whether to read the folders of plug-ins and the user's own, which lie between the two.

    Returns
    -------
    Catalog
        The sound parts; ``faults`` says what was wrong with the others: file and line, part,
        field, what was found; ``notes`` says which parts replace others.

    Raises
    ------
    CatalogError
        When an extra folder has no part files, or the program has not one sound part.
    """
    places = [_texts(place, str(place)) for place in extra]
    own = user_folder()
    if user and is_there(own) and not why_unusable(own) and any(_found(own)):
        places.insert(0, _texts(own, str(own)))
    if user:
        places[:0] = [_texts(place, str(place)) for place in _of_packages]
    return _laid(_texts(_PACKAGED, ""), [place for place in places if any(place)])


def read_catalog(*places: Path) -> Catalog:
    """Read the parts of folders or files alone, without those that come with the program."""
    layers = Layers()
    for place in places:
        _lay(layers, _texts(place, ""))
    return layers.catalog()


def user_folder() -> Path:
    """Where a user's own part files are looked for."""
    return settings_folder() / "catalog"


def _laid(packaged: _Texts, places: list[_Texts]) -> Catalog:
    base_digest = cache.digest(packaged[0].items())
    if not places:
        return _packaged_catalog(base_digest)
    texts = (*packaged[0].items(), *(item for place in places for item in place[0].items()))
    layout = ",".join(str(len(texts)) for texts, _ in places).encode()
    digest = cache.digest((*texts, ("places", layout)))
    unopened = any(problems for _, problems in places)
    if not unopened and (catalog := cache.kept_catalog(digest)) is not None:
        return catalog
    base = _packaged_catalog(base_digest)
    layers = Layers({part.id: part for part in (*base, *base.facility)}, {}, list(base.faults))
    for place in places:
        _lay(layers, place)
    catalog = layers.catalog(own=True)
    if not unopened:
        cache.keep_catalog(digest, catalog)
    return catalog


@lru_cache(maxsize=2)
def _packaged_catalog(digest: str) -> Catalog:
    """The parts that come with the program; the digest is that of their files."""
    if (catalog := cache.kept_catalog(digest)) is not None:
        return catalog
    layers = Layers()
    _lay(layers, _texts(_PACKAGED, ""))
    catalog = layers.catalog()
    if not len(catalog):
        raise CatalogError(catalog.faults)
    cache.keep_catalog(digest, catalog)
    return catalog


def _lay(layers: Layers, texts: _Texts) -> None:
    layers.faults += texts[1]
    layers.add(PartFile(name, text) for name, text in texts[0].items())


def _texts(place: Path, shown_as: str) -> _Texts:
    """The part files of a folder; of a file too large, only enough to detect that."""
    texts: dict[str, bytes] = {}
    problems: list[str] = []
    for file in _part_files(place):
        name = file.relative_to(place).as_posix() if file != place else file.name
        if shown_as:
            name = str(file)
        try:
            texts[name] = read_part_file(file)
        except OSError as error:
            problems.append(visible(f"{name}:1: cannot be read: {error.strerror or error}"))
    return texts, problems


def _why_none(place: Path) -> str:
    """Why a path has no files, where it is no folder."""
    if place.is_dir():
        return ""
    if place.is_symlink() and not place.exists():
        return ": the link leads nowhere"
    return ": it is no ordinary file" if place.exists() else ": there is no such file or folder"


def _part_files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    files = sorted(islice(_found(place), MOST_FILES + 1))
    if not files:
        raise CatalogError([visible(f"{place}: no part files (*.yaml) here{_why_none(place)}")])
    if len(files) > MOST_FILES:
        raise CatalogError([visible(f"{place}: more than {MOST_FILES} part files; is it the one?")])
    return files


def _found(folder: Path) -> Iterator[Path]:
    return chain(folder.rglob("*.yaml"), folder.rglob("*.yml"))


def add_folder(folder: Path) -> None:
    """Read the part files of a plug-in, too; raises CatalogError where there are none."""
    _part_files(folder)
    _of_packages.append(folder)
