"""Write the pages that say what the program's own records say: python -m docs.reference.make."""

from __future__ import annotations

from pathlib import Path

from toposmith.findings.codes import RECORDS

DOCS = Path(__file__).parents[1]
MADE = "<!-- Made by `python -m docs.reference.make` from the program; a test holds it to that. -->"


def findings_page() -> str:
    """Every finding: its code, severity, title, meaning and usual fix."""
    rows = (
        f"| `{one.code}` | {one.severity} | {one.title} | {one.meaning} | {one.usual_fix} |"
        for one in RECORDS.values()
    )
    return "\n".join(
        [
            MADE,
            "",
            "# Every finding",
            "",
            "How some are judged, and how to waive one: [findings](findings.md).",
            "",
            "| code | severity | what | meaning | usual fix |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


PAGES = {"all-findings.md": findings_page}
"""What each page is made by."""

if __name__ == "__main__":
    for name, made in PAGES.items():
        (DOCS / name).write_text(made(), encoding="utf-8")
