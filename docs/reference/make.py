"""Write the pages that say what the program's own records say: python -m docs.reference.make."""

from __future__ import annotations

from pathlib import Path

from docs.reference.commands import commands_page
from docs.reference.constants import constants_page
from docs.reference.edits import edits_page
from docs.reference.folders import folders_page
from docs.reference.keys import keys_page
from docs.reference.parts import parts_page
from docs.reference.tables import MADE, table
from toposmith.exports.forms import FORMS
from toposmith.findings.codes import RECORDS

DOCS = Path(__file__).parents[1]


def findings_page() -> str:
    """Every finding: its code, severity, title, meaning and usual fix."""
    lines = [MADE, "", "# Every finding", ""]
    lines += ["How some are judged, and how to waive one: [findings](findings.md).", ""]
    rows = [
        (f"`{one.code}`", one.severity, one.title, one.meaning, one.usual_fix)
        for one in RECORDS.values()
    ]
    lines += table(("code", "severity", "what", "meaning", "usual fix"), rows)
    return "\n".join(lines)


def forms_page() -> str:
    """Every form of export: what it is, who reads it, what it never carries."""
    lines = [MADE, "", "# Every form of export", ""]
    lines += ["What each maps, and from which sources: [exports](exports.md).", ""]
    rows = [
        (f"`{form.name}`", form.title, form.reader, _ending(form.ending), form.loses)
        for form in FORMS.values()
    ]
    head = ("form", "what it is", "for", "file", "never carries")
    lines += table(head, rows)
    return "\n".join(lines)


def _ending(ending: str) -> str:
    return f"`{ending}`" if ending.startswith(".") else ending


PAGES = {
    "all-constants.md": constants_page,
    "all-edits.md": edits_page,
    "all-findings.md": findings_page,
    "all-folders.md": folders_page,
    "all-forms.md": forms_page,
    "all-keys.md": keys_page,
    "all-parts.md": parts_page,
    "commands.md": commands_page,
}
"""What each page is made by."""

if __name__ == "__main__":
    for name, made in PAGES.items():
        (DOCS / name).write_text(made(), encoding="utf-8")
