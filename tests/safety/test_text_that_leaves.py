"""No form of a design has a cell that a spreadsheet computes, or a sign that anything obeys."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

import toposmith
from tests.command.shell import Shell
from tests.every import for_every
from toposmith.exports.forms import FORMS
from toposmith.leaving_text import as_cell, json_text, of_cell, yaml_text
from toposmith.review.sidecar.entries import ReviewEntry
from toposmith.review.sidecar.folder import add_entries, load_sidecar

FORMULAS = ("=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", " =1", "＝1")
OBEYED = "a\u202eb\u2066c\u200bd\u2028e\u0301"
"""Right-to-left marks, an invisible space, a line separator; a design may hold them."""

DESIGN = """\
toposmith: 1
name: {name}
note: {note}
groups:
  node: {{part: dgx-h100, count: 2, note: {note}}}
  leaf: {{part: qm9700, note: {note}}}
links:
  - {{between: [node.compute, leaf], length: 20, note: {note}}}
placement: {{nodes_per_rack: 1}}
waivers:
  - {{code: single-leaf, reason: {note}, date: "2026-01-01"}}
"""
MAP = """\
toposmith-names: 1
devices: {leaf-0: "=cmd|calc", "node-{n}": "-dgx{n}"}
ports: {leaf: {1/1: "@SUM(1)"}}
"""
PRICES = "part,price,currency,date,source\nqm9700,1,USD,2026-01-01,=HYPERLINK(1)\n"
PARTS = Path(toposmith.__file__).parent / "catalog" / "parts"
TEXTS = re.compile(r'(?m)^(- |  )(name|vendor|part_number|ordering_number): "')


@pytest.fixture
def hostile(shell: Shell) -> Shell:
    """A design, parts, names and prices that begin with formulas in every text that is free."""
    name, note = json.dumps(FORMULAS[0] + OBEYED), json.dumps(FORMULAS[1] + OBEYED)
    shell.file("pod.yaml", DESIGN.format(name=name, note=note))
    shell.file("names.yaml", MAP)
    shell.file("prices.csv", PRICES)
    (shell.folder / "parts").mkdir()
    for file in PARTS.rglob("*.yaml"):
        text = TEXTS.sub(r'\1\2: "=', file.read_text(encoding="utf-8"))
        shell.file(f"parts/{file.parent.name}-{file.name}", text)
    return shell


def book_cells(raw: bytes) -> list[str]:
    """The text cells of a workbook."""
    with zipfile.ZipFile(io.BytesIO(raw)) as book:
        parts = [name for name in book.namelist() if "sheet" in name or "sharedStrings" in name]
        trees = [ElementTree.fromstring(book.read(name)) for name in parts if name.endswith("xml")]
    return [node.text or "" for tree in trees for node in tree.iter() if node.tag.endswith("}t")]


def computed(cells: list[str]) -> list[str]:
    """The cells that a spreadsheet may take for a formula."""
    return [
        cell
        for cell in cells
        if cell[:1] in {"\t", "\r"} or cell.lstrip()[:1] in {*"=+-@", *"＝＋－＠"}
    ]


def obeyed(text: str) -> list[str]:
    return sorted({ascii(sign) for sign in text if not sign.isprintable() and sign not in "\r\n\t"})


EVERY_FORM = [*FORMS, "all"]
SHEETS = ("csv", "xlsx")
BILLS = ("csv", "xlsx", "yaml", "json", "md", "cyclonedx")
SHOWN = (
    ("check", "--json"), ("check",), ("analyze", "--json"), ("analyze",), ("failures", "--json"),
    ("diff", "--table", "--json"), ("diff", "--table"), ("diff", "--table", "--markdown"),
    ("review", "--status"),
    ("review", "--status", "--json"), ("measured", "--json"), ("fix", "--json"),
    *(("review", "--report", form) for form in ("html", "md", "comment")),
)  # fmt: skip


FILE = f"=1{OBEYED}\x1b[2J.yaml"
"""A file name, which others read in messages, pages and in the names of what lies beside it."""
POLICY = f"toposmith-policy: 1\nname: {json.dumps(FORMULAS[2] + OBEYED)}\n"
SAID = f"{FORMULAS[0]} {OBEYED}"


def said_by_strangers(path: Path) -> None:
    """A review with such texts in every entry, written by hand: no command would write all."""
    by = {"author": f"+Ann{OBEYED}", "date": "2026-11-23", "email": f"@{OBEYED}"}
    kept = load_sidecar(path)
    for said in ({"comment": "leaf"}, {"request_changes": "0" * 64}, {"approve": "0" * 64}):
        entry = ReviewEntry.model_validate({**by, **said, "text": SAID, "despite": f"-2{OBEYED}"})
        kept = add_entries(kept, [entry])


@pytest.mark.parametrize("design", ["pod.yaml", FILE])
def test_no_page_and_no_status_has_a_sign_of_comments_policies_and_file_names(
    hostile: Shell, design: str
) -> None:
    path = (hostile.folder / "pod.yaml").rename(hostile.folder / design)
    said_by_strangers(path)
    policy = hostile.file(f"@2{OBEYED}.yaml", POLICY)
    given = (str(path), "--policy", policy)
    runs: list[tuple[str, ...]] = [
        ("check", *given), ("check", *given, "--json"), ("check", str(path), policy),
        ("review", *given, "--status"), ("review", *given, "--status", "--json"),
        *(("review", *given, "--report", form) for form in ("html", "md", "comment")),
        ("review", *given, "--approve", "--author", f"=Ann{OBEYED}"),
        ("bom", str(path), "--verify", policy), ("analyze", str(path), "--json"),
        ("diff", str(path), policy), ("diff", "--table", str(path), str(path)), ("new", design),
    ]  # fmt: skip
    endings = {"html": "html", "json": "json", "cables": "cables.csv"}
    written = {form: hostile.folder / f"{design}.{end}" for form, end in endings.items()}
    runs += [("export", str(path), "--to", form, "-o", str(out)) for form, out in written.items()]
    faults: dict[str, object] = {}
    for words in runs:
        done = hostile(*words)
        assert done.code in (0, 1, 2), (words, done)
        if signs := obeyed(done.out + done.err):
            faults[ascii(words)] = signs
    for form, out in written.items():
        faults |= faults_of(form, out.read_bytes())
    assert faults == {}
    entries = [file.read_text(encoding="utf-8") for file in path.parent.glob("*.review/*.yaml")]
    assert len(entries) >= 3 and obeyed("".join(entries)) == []


DUMPED = f"=cmd|' {OBEYED}"


def test_no_check_list_has_a_formula_or_a_sign_of_a_dump(hostile: Shell) -> None:
    hostile("export", "pod.yaml", "--names", "names.yaml", "--to", "ibnetdiscover", "-o", "a.topo")
    dump = (hostile.folder / "a.topo").read_text(encoding="utf-8")
    assert dump.count('"-dgx1 mlx5_3"') > 1
    faults: dict[str, object] = {}
    for what, text in {
        "names": dump.replace("dgx1", DUMPED),
        "a stranger": dump.replace("dgx1 mlx5_3", f"{DUMPED} mlx5_9"),
    }.items():
        hostile.file("b.topo", text)
        lists = [f"{what}.{form}" for form in ("txt", "csv", "xlsx", "html")]
        given = [word for name in lists for word in ("--list", name)]
        for words in (given, ["--json"], []):
            done = hostile("asbuilt", "pod.yaml", "b.topo", *words)
            assert done.code in (0, 1), done
            if signs := obeyed(done.out + done.err):
                faults[f"{what}: {words}"] = signs
        for name in lists:
            faults |= faults_of(name, (hostile.folder / name).read_bytes())
    assert faults == {}


def written(shell: Shell, design: str) -> dict[str, Path]:
    """Every form that writes a file, by its name."""
    out = shell.folder / "out"
    out.mkdir()
    given = (design, "--catalog", "parts")
    named = (*given, "--names", "names.yaml")
    runs = {form: ("export", *named, "--to", form) for form in EVERY_FORM}
    runs |= {
        f"bill {form}": (
            "bom",
            *given,
            "--prices",
            "prices.csv",
            "--format",
            form,
            "--signed",
            "author==Ann",
        )
        for form in BILLS
    }
    runs |= {
        f"request {form}": ("bom", *given, "--vendors", "--format", form)
        for form in ("csv", "xlsx")
    }
    files = {}
    for name, words in runs.items():
        done = shell(*words, "-o", f"out/{name}")
        assert obeyed(done.err) == []
        assert done.code in (0, 1) or "design" in done.err, (words, done.err[-300:])
        path = out / name
        for file in path.rglob("*") if path.is_dir() else [path] * path.exists():
            files |= {} if file.is_dir() else {f"{name}: {file.name}": file}
    return files


def faults_of(name: str, raw: bytes) -> dict[str, object]:
    if raw[:4] == b"\x89PNG":
        return {}
    is_book = raw[:2] == b"PK"
    text = "".join(book_cells(raw)) if is_book else raw.decode()
    faults: dict[str, object] = {}
    cells = book_cells(raw) if is_book else []
    if "csv" in name or name.partition(":")[0] in ("cables", "ufm-ndt", "netbox-cables"):
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    if bad := computed(cells):
        faults[f"{name}: a formula"] = bad[:3]
    if signs := obeyed(text):
        faults[f"{name}: obeyed"] = signs
    return faults


@pytest.mark.parametrize("protocol", ["infiniband", "ethernet"])
def test_no_form_has_a_formula_or_a_sign_that_is_obeyed(hostile: Shell, protocol: str) -> None:
    if protocol == "ethernet":
        text = (hostile.folder / "pod.yaml").read_text(encoding="utf-8")
        text = text.replace("dgx-h100", "dgx-b300-ethernet").replace("qm9700", "sn5600")
        hostile.file("pod.yaml", text)
    files = written(hostile, "pod.yaml")
    faults: dict[str, object] = {}
    for name, file in files.items():
        faults |= faults_of(name, file.read_bytes())
    for words in SHOWN:
        done = hostile(words[0], "pod.yaml", "--catalog", "parts", *words[1:])
        assert done.code in (0, 1), (words, done.err[-200:])
        if signs := obeyed(done.out + done.err):
            faults[" ".join(words)] = signs
    assert faults == {}


@pytest.mark.parametrize("form", SHEETS)
def test_a_bill_that_a_spreadsheet_would_have_computed_still_verifies(
    hostile: Shell, form: str
) -> None:
    given = ("pod.yaml", "--catalog", "parts")
    hostile("bom", *given, "-o", f"bill.{form}")
    done = hostile("bom", *given, "--verify", f"bill.{form}")
    assert done.code == 0 and "says what the design needs" in done.out, done


PLANS = {"cables": "plan.csv", "cvt": "plan.xlsx"}


@pytest.mark.parametrize("form", PLANS)
def test_a_cable_sheet_with_such_names_is_still_the_plan_of_its_dump(
    hostile: Shell, form: str
) -> None:
    for to, file in ((form, PLANS[form]), ("ibnetdiscover", "fabric.topo")):
        hostile("export", "pod.yaml", "--names", "names.yaml", "--to", to, "-o", file)
    assert hostile("asbuilt", PLANS[form], "fabric.topo").code == 0


@pytest.mark.parametrize("text", [*FORMULAS, "'=1", "leaf-0", "", "a=1", "'quoted'"])
def test_a_cell_says_what_it_stands_for(text: str) -> None:
    cell = as_cell(text)
    assert computed([cell]) == []
    if text.isprintable() and not text.startswith("'="):
        assert of_cell(cell) == text


def test_data_keep_what_was_escaped() -> None:
    data = {"name": f"é {OBEYED}"}
    assert obeyed(json_text(data, indent=1) + yaml_text(data)) == []
    assert json.loads(json_text(data)) == yaml.safe_load(yaml_text(data)) == data
    assert json_text({"a": "é"}) == '{"a": "é"}' and yaml_text({"a": "é"}) == "a: é\n"


@for_every(sorted(Path(toposmith.__file__).parent.rglob("*.py")))
def test_tables_and_raw_data_are_written_in_one_place(path: Path) -> None:
    if path.name == "leaving_text.py":
        return
    source = path.read_text(encoding="utf-8")
    assert "allow_unicode=True" not in source or path.name == "library.py"
    assert "ensure_ascii=False" not in source or path.name in ("schema.py", "bill_file.py")
    assert "csv.writer(" not in source or path.name == "sheets.py"  # a sheet to be read
