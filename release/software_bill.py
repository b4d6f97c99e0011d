"""Write the bill of software: python -m release.software_bill [PINS] [-o FILE].

A CycloneDX 1.6 document of all that is pinned: each project with its version, licence, the SHA-256
of every file that ``install.sh`` accepts, and what needs what.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import Distribution, PackageMetadata, PackageNotFoundError, distribution
from pathlib import Path

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import (
    ExternalReference,
    ExternalReferenceType,
    HashAlgorithm,
    HashType,
    Property,
    XsUri,
)
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from toposmith.version import program_version

ROOT = Path(__file__).parents[1]
PROJECT = "toposmith"


class ReleaseError(Exception):
    """Something stands in the way of a release, said with what would be right."""


@dataclass(frozen=True)
class Pin:
    """A project that is pinned: its version, where it is installed, digests of its files."""

    name: str
    version: str
    marker: str
    sha256s: tuple[str, ...]


def pinned(file: Path) -> tuple[Pin, ...]:
    """Everything that a file of pins names.

    Raises
    ------
    ReleaseError
        If a line pins no version, or has no SHA-256.
    """
    pins = []
    for line in file.read_text(encoding="utf-8").replace("\\\n", "").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        words, *hashes = re.split(r"\s+--hash=sha256:", line.strip())
        requirement = Requirement(words)
        version = str(requirement.specifier).removeprefix("==")
        if not hashes or not re.fullmatch(r"[\w.]+", version):
            raise ReleaseError(f"{file}: want NAME==VERSION --hash=sha256:..., found {words!r}")
        name = canonicalize_name(requirement.name)
        pins.append(Pin(name, version, str(requirement.marker or ""), tuple(sorted(hashes))))
    return tuple(pins)


def _installed(name: str, version: str) -> Distribution:
    try:
        found = distribution(name)
    except PackageNotFoundError:
        words = "it is not installed"
    else:
        if found.version == version:
            return found
        words = f"{found.version} is installed"
    raise ReleaseError(f"{name} {version} is pinned, {words}: sh install.sh test")


def _license(metadata: PackageMetadata) -> str:
    """Licence in the project's own words; of more than a line only what its classifier says."""
    said = (*metadata.get_all("License-Expression", ()), *metadata.get_all("License", ()))
    classifiers = metadata.get_all("Classifier", ())
    named = [it.rpartition(" :: ")[2] for it in classifiers if it.startswith("License ::")]
    return next((words for words in (*said, *named) if words and "\n" not in words), "")


def _needs(installed: Distribution) -> set[str]:
    """Names of what a project needs here, without what only its extras need."""
    wanted = map(Requirement, installed.requires or ())
    return {
        canonicalize_name(it.name)
        for it in wanted
        if it.marker is None or it.marker.evaluate({"extra": ""})
    }


def _hash(digest: str) -> HashType:
    return HashType(alg=HashAlgorithm.SHA_256, content=digest)


def _component(pin: Pin, metadata: PackageMetadata) -> Component:
    words = _license(metadata)
    purl = PackageURL("pypi", None, pin.name, pin.version)
    files = ExternalReference(
        type=ExternalReferenceType.DISTRIBUTION,
        url=XsUri(f"https://pypi.org/project/{pin.name}/{pin.version}/#files"),
        comment="its files: SHA-256 of each that is accepted",
        hashes=[_hash(digest) for digest in pin.sha256s],
    )
    return Component(
        name=pin.name,
        version=pin.version,
        purl=purl,
        bom_ref=str(purl),
        description=metadata["Summary"],
        licenses=[LicenseFactory().make_from_string(words)] if words else (),
        external_references=[files],
        properties=[Property(name=f"{PROJECT}:marker", value=pin.marker)] if pin.marker else (),
    )


def software_bill(
    pins: Path, version: str, date: datetime | None = None, packages: Iterable[Path] = ()
) -> str:
    """Bill of software of a version, as CycloneDX JSON; the same words for the same pins.

    Parameters
    ----------
    pins
        The file that names what is pinned.
    version
        The version of the program that the bill is of.
    date
        When it was released; None leaves it out.
    packages
        The program's own files, whose SHA-256 the bill has, too.

    Raises
    ------
    ReleaseError
        If what is pinned is not what is installed, from which licences and needs are read.
    """
    own = distribution(PROJECT)
    purl = PackageURL("pypi", None, PROJECT, version)
    root = Component(
        name=PROJECT,
        version=version,
        type=ComponentType.APPLICATION,
        purl=purl,
        bom_ref=str(purl),
        description=own.metadata["Summary"],
        licenses=[LicenseFactory().make_from_string(_license(own.metadata))],
        external_references=[
            ExternalReference(
                type=ExternalReferenceType.DISTRIBUTION,
                url=XsUri(file.name),
                hashes=[_hash(sha256(file))],
            )
            for file in packages
        ],
    )
    # a name for these pins and this version, not a random one: two bills of a release are equal
    serial = uuid.uuid5(uuid.NAMESPACE_URL, f"{purl}#{sha256(pins)}")
    bill = Bom(serial_number=serial)
    bill.metadata.component = root
    bill.metadata.timestamp = date  # type: ignore[assignment]  # it is left out where it is None
    components, needs = {}, {PROJECT: _needs(own)}
    for pin in pinned(pins):
        installed = _installed(pin.name, pin.version)
        components[pin.name] = _component(pin, installed.metadata)
        needs[pin.name] = _needs(installed)
        bill.components.add(components[pin.name])
    for name, wanted in needs.items():
        there = [components[it] for it in sorted(wanted) if it in components]
        bill.register_dependency(components.get(name, root), there)
    return JsonV1Dot6(bill).output_as_string(indent=2) + "\n"


def sha256(file: Path) -> str:
    """SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def main(words: list[str] | None = None) -> int:
    """Write the bill of the files that are pinned, of the version that is installed."""
    asked = argparse.ArgumentParser(prog="release.software_bill", description=__doc__)
    asked.add_argument("pins", nargs="?", type=Path, default=ROOT / "pins.txt")
    asked.add_argument("-o", "--output", type=Path, help="a file, instead of standard output")
    given = asked.parse_args(words)
    try:
        text = software_bill(given.pins, program_version())
    except (ReleaseError, OSError) as error:
        print(f"release.software_bill: {error}", file=sys.stderr)
        return 2
    if given.output:
        given.output.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
