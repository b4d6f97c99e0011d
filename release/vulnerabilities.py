"""Ask for known vulnerabilities of what is pinned: python -m release.vulnerabilities [PINS ...].

``pip-audit`` asks the package index, and of what it did not answer the OSV database. Exits 0 where
both know of none, 1 where there is one, 2 where nobody answered for a project: no answer is no
"none". No test asks.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from release.software_bill import ROOT, Pin, ReleaseError, pinned

SERVICES = ("pypi", "osv")
"""Whom ``pip-audit`` asks, in this order."""

Asking = Callable[[str, Sequence[Pin]], tuple[str, str]]
"""From a service and what is pinned to the answer, and to why there is none."""


@dataclass
class Answers:
    """What services said of what is pinned."""

    known: list[str] = field(default_factory=list)
    clean: list[Pin] = field(default_factory=list)
    unanswered: list[Pin] = field(default_factory=list)
    why: list[str] = field(default_factory=list)


def pip_audit(service: str, pins: Sequence[Pin]) -> tuple[str, str]:
    """Ask a service by ``pip-audit``: its JSON, and the last line of what it says beside it."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.writelines(f"{pin.name}=={pin.version}\n" for pin in pins)
        file.flush()
        done = subprocess.run(
            # "--progress-spinner off" is taken for a project's folder, and refused
            [sys.executable, "-m", "pip_audit", "-r", file.name, "-s", service, "-f", "json",
             "--progress-spinner=off", "--no-deps", "--disable-pip"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
    return done.stdout, (done.stderr.strip().splitlines() or [""])[-1]


def answers(pins: Sequence[Pin], ask: Asking = pip_audit) -> Answers:
    """What is known of everything that is pinned, by the first service that answers for it."""
    found = Answers(unanswered=list(pins))
    for service in SERVICES:
        if not found.unanswered:
            break
        text, why = ask(service, found.unanswered)
        try:
            said = {it["name"]: it for it in json.loads(text)["dependencies"]}
        except (ValueError, KeyError, TypeError):
            found.why.append(f"{service}: {why or 'said nothing'}")
            continue
        open_still = []
        for pin in found.unanswered:
            record = said.get(pin.name, {})
            if "vulns" not in record:
                open_still.append(pin)
            elif not record["vulns"]:
                found.clean.append(pin)
            for one in record.get("vulns", ()):
                names = ", ".join([one["id"], *one.get("aliases", ())])
                fixed = " or ".join(one.get("fix_versions", ())) or "no version yet"
                found.known.append(f"{pin.name} {pin.version}: {names}; fixed in {fixed}")
        if open_still:
            found.why.append(f"{service}: does not know {len(open_still)} of them")
        found.unanswered = open_still
    return found


def main(words: Sequence[str], ask: Asking = pip_audit) -> int:
    """Ask for every project that files of pins name, and say who answered."""
    files = [Path(word) for word in words] or sorted(ROOT.glob("pins*.txt"))
    try:
        pins = sorted({(it.name, it.version): it for file in files for it in pinned(file)}.items())
    except (ReleaseError, OSError) as error:
        print(f"release.vulnerabilities: {error}", file=sys.stderr)
        return 2
    found = answers([pin for _, pin in pins], ask)
    for line in found.known:
        print(line)
    print(f"{len(found.clean)} of {len(pins)} projects: no known vulnerability")
    if found.unanswered:
        names = ", ".join(pin.name for pin in found.unanswered)
        print(f"nobody answered for {len(found.unanswered)} ({'; '.join(found.why)}): {names}")
    return 1 if found.known else 2 if found.unanswered else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
