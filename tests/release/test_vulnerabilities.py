"""Known vulnerabilities: who was asked, who answered, and that no answer is not "none"."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from release.software_bill import Pin
from release.vulnerabilities import main

CLEAN = {"a": [], "b": []}
GHSA = [{"id": "PYSEC-1", "aliases": ["CVE-2026-1"], "fix_versions": ["1.1"]}]


class Services:
    """Services that answer with what they know of a project, or nothing at all."""

    def __init__(self, **known: dict[str, list[dict[str, object]]] | None) -> None:
        self.known = known
        self.asked: dict[str, list[str]] = {}

    def __call__(self, service: str, pins: Sequence[Pin]) -> tuple[str, str]:
        self.asked[service] = [pin.name for pin in pins]
        known = self.known[service]
        if known is None:
            return "", "no way to the service"
        # pip-audit skips what a service does not have, and then exits 0
        return json.dumps({
            "dependencies": [
                {"name": pin.name, "version": pin.version, "vulns": known[pin.name]}
                if pin.name in known
                else {"name": pin.name, "skip_reason": "not found"}
                for pin in pins
            ]
        }), ""  # fmt: skip


@pytest.mark.parametrize(
    ("services", "code", "words", "osv"),
    [
        (Services(pypi=CLEAN), 0, "2 of 2 projects: no known vulnerability", None),
        (Services(pypi={"a": [], "b": GHSA}), 1,
         "b 2: PYSEC-1, CVE-2026-1; fixed in 1.1", None),
        (Services(pypi={"a": []}, osv={"b": []}), 0, "2 of 2 projects", ["b"]),
        (Services(pypi=None, osv=CLEAN), 0, "2 of 2 projects", ["a", "b"]),
        (Services(pypi={}, osv=None), 2,
         "nobody answered for 2 (pypi: does not know 2 of them; osv: no way to the service): a, b",
         ["a", "b"]),
        (Services(pypi={"a": GHSA}, osv={}), 1, "nobody answered for 1", ["b"]),
    ],
)  # fmt: skip
def test_who_answers_and_what(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    services: Services,
    code: int,
    words: str,
    osv: list[str] | None,
) -> None:
    file = tmp_path / "pins.txt"
    digest = "--hash=sha256:" + "0" * 64
    file.write_text(f"a==1 {digest}\nb==2 {digest}\n")
    assert main([str(file)], services) == code
    assert words in capsys.readouterr().out
    assert services.asked["pypi"] == ["a", "b"] and services.asked.get("osv") == osv


def test_a_file_that_is_not_there_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "no.txt")], Services()) == 2
    assert "no.txt" in capsys.readouterr().err
