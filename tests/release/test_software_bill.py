"""The bill of software: valid, whole, with every digest, and the same words each time."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release.software_bill import ROOT, main, pinned, software_bill
from tests.bill.test_workbook import cyclonedx_validator


@pytest.fixture(scope="module")
def written() -> str:
    return software_bill(ROOT / "pins.txt", "1.2.3")


@pytest.fixture(scope="module")
def bill(written: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(written)
    return found


def test_it_is_cyclonedx(bill: dict[str, Any]) -> None:
    assert bill["specVersion"] == "1.6"
    assert not list(cyclonedx_validator().iter_errors(bill))
    assert bill["metadata"]["component"]["purl"] == "pkg:pypi/toposmith@1.2.3"


def test_it_has_every_digest_of_every_project(bill: dict[str, Any]) -> None:
    text = (ROOT / "pins.txt").read_text(encoding="utf-8")
    projects = re.findall(r"^([\w.-]+)==([\w.]+)", text, re.MULTILINE)
    assert [(it["name"], it["version"]) for it in bill["components"]] == sorted(projects)
    digests = [
        one["content"]
        for it in bill["components"]
        for files in it["externalReferences"]
        for one in files["hashes"]
    ]
    assert sorted(digests) == sorted(re.findall(r"sha256:([0-9a-f]{64})", text))
    assert all(it["licenses"] for it in bill["components"])


def test_it_says_what_needs_what(bill: dict[str, Any]) -> None:
    needs = {it["ref"]: it.get("dependsOn", []) for it in bill["dependencies"]}
    names = {ref: {re.split("[/@]", it)[1] for it in wanted} for ref, wanted in needs.items()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {canonicalize_name(Requirement(it).name) for it in project["dependencies"]}
    # build tools are pinned, too, and nothing that runs needs them
    assert names["pkg:pypi/toposmith@1.2.3"] == wanted
    (pydantic,) = (found for ref, found in names.items() if ref.startswith("pkg:pypi/pydantic@"))
    assert pydantic >= {"annotated-types", "pydantic-core", "typing-extensions"}


def test_two_bills_are_the_same_words(written: str) -> None:
    assert software_bill(ROOT / "pins.txt", "1.2.3") == written


DIGEST = "--hash=sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("pins", "words"),
    [
        ("click==8.5.1\n", "want NAME==VERSION --hash=sha256:..., found 'click==8.5.1'"),
        (f"click>=8.5 {DIGEST}\n", "want NAME==VERSION --hash=sha256:..., found 'click>=8.5'"),
        (f"click==0.0.1 {DIGEST}\n", "click 0.0.1 is pinned, "),
        (f"toposmith-nothing==1 {DIGEST}\n", "toposmith-nothing 1 is pinned, it is not installed"),
    ],
)
def test_what_is_not_pinned_or_not_installed_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pins: str, words: str
) -> None:
    file = tmp_path / "pins.txt"
    file.write_text(pins)
    out = tmp_path / "bill.json"
    assert main([str(file), "-o", str(out)]) == 2
    assert words in capsys.readouterr().err and not out.exists()


def test_a_pin_has_its_marker_and_digests(tmp_path: Path) -> None:
    file = tmp_path / "pins.txt"
    file.write_text(f"# made\nA_b==1.0 ; python_version < '3.13' \\\n    {DIGEST}\n")
    (pin,) = pinned(file)
    assert (pin.name, pin.version, pin.sha256s) == ("a-b", "1.0", ("0" * 64,))
    assert pin.marker == 'python_version < "3.13"'
