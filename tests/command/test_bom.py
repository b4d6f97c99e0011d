"""`toposmith bom`, as a script sees it."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import get_args

import jsonschema
import openpyxl
import pytest
import yaml

from tests.command.shell import SOUND, Shell
from toposmith.bill.terms import CablingPolicy
from toposmith.catalog import user_folder
from toposmith.command.bill import bom
from toposmith.design.document import CablingChoice

PRICES = """\
part,price,currency,date,source
dgx-h100,300000,USD,2026-01-02,offer 2
qm9700,20000.10,EUR,2026-01-02,offer 1
"""


def test_a_bill_is_as_the_schema_that_is_printed_has_it(shell: Shell) -> None:
    schema = json.loads(shell("config", "--schema", "bill").out)
    bill = json.loads(shell("bom", shell.file("a.yaml", SOUND), "--format", "json").out)
    jsonschema.validate(bill, schema)


@pytest.mark.parametrize("name", ["b.yaml", "b.json", "b.csv"])
def test_a_bill_just_written_verifies(shell: Shell, name: str) -> None:
    design = shell.file("a.yaml", SOUND)
    assert shell("bom", design, "-o", name).code == 0
    done = shell("bom", "--verify", design, name)
    of_lines = " (its lines and options: no totals)" if name.endswith(".csv") else ""
    assert (done.code, done.out) == (0, f"{name}: says what the design needs{of_lines}\n")


def test_verify_names_what_changed_in_the_design(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    shell("bom", design, "-o", "b.yaml")
    other = shell.file("c.yaml", SOUND.replace("count: 4", "count: 5"))
    done = shell("bom", "--verify", other, "b.yaml")
    assert done.code == 1
    assert "lines[dgx-h100].quantity: the file has 4, the design gives 5" in done.out
    assert "lines[mfp7e10 20 m].quantity: the file has 32, the design gives 40" in done.out
    assert all(line.startswith("b.yaml:") for line in done.out.splitlines())


def test_verify_takes_the_policies_that_the_bill_states(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    options = ("--spares", "fibres=2%", "--cabling", "all-optical")
    shell("bom", design, "-o", "b.yaml", *options)
    assert shell("bom", "--verify", design, "b.yaml").code == 0
    done = shell("bom", "--verify", design, "b.yaml", "--spares", "fibres=10%")
    assert done.code == 1
    assert "lines[mfp7e10 20 m].spares: the file has 1, the design gives 4" in done.out


def test_verify_takes_the_policies_of_the_design_where_it_has_some(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    shell("bom", design, "-o", "b.yaml", "--spares", "fibres=2%")
    other = shell.file("c.yaml", SOUND + "bill: {spares: {fibres: 3}}\n")
    done = shell("bom", "--verify", other, "b.yaml")
    assert done.code == 1
    assert "lines[mfp7e10 20 m].spares: the file has 1, the design gives 3" in done.out


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("a.yaml",), "--verify takes two files"),
        (("a.yaml", "missing.yaml"), "missing.yaml: "),
        (("a.yaml", "a.yaml"), "expected a bill of materials"),
        (("a.yaml", "b.md"), "b.md:"),
        (("a.yaml", "."), ".: "),
        (("-", "-"), "only one of"),
        (("missing.yaml", "b.yaml"), "missing.yaml"),
    ],
)
def test_what_cannot_be_verified_exits_2(shell: Shell, args: tuple[str, ...], why: str) -> None:
    design = shell.file("a.yaml", SOUND)
    for name in ("b.yaml", "b.md"):
        shell("bom", design, "-o", name)
    done = shell("bom", "--verify", *args)
    assert done.code == 2
    assert why in done.err
    assert "Traceback" not in done.err


def test_a_bill_beside_the_design_is_compared_with_or_without_the_option(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    shell("bom", design, "-o", "b.yaml")
    other = shell.file("c.yaml", SOUND.replace("count: 4", "count: 5"))
    for plan in (design, other):
        assert shell("bom", plan, "b.yaml") == shell("bom", "--verify", plan, "b.yaml")


@pytest.mark.parametrize("option", [("-o", "c.yaml"), ("--format", "csv"), ("--force",)])
def test_an_option_of_a_bill_to_write_is_refused_beside_a_bill(
    shell: Shell, option: tuple[str, ...]
) -> None:
    design = shell.file("a.yaml", SOUND)
    shell("bom", design, "-o", "b.yaml")
    done = shell("bom", design, "b.yaml", *option)
    assert done.code == 2
    assert "with a BOM none is" in done.err
    assert not Path("c.yaml").exists()


def test_help_names_the_cabling_that_is_usual(shell: Shell) -> None:
    usual = CablingPolicy().cabling
    said = " ".join(shell("bom", "--help-all").out.split())
    assert f"without it as the design says, else {usual}." in said


def test_a_workbook_goes_into_a_file_that_is_replaced_only_when_forced(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    assert shell("bom", design, "-o", "b.xlsx").code == 0
    raw = (shell.folder / "b.xlsx").read_bytes()
    assert openpyxl.load_workbook(io.BytesIO(raw)).sheetnames[0] == "Bill"
    assert shell("bom", design, "-o", "b.xlsx").code == 2
    assert shell("bom", design, "-o", "b.xlsx", "--force").code == 0
    assert (shell.folder / "b.xlsx").read_bytes() == raw


def test_cyclonedx_by_the_ending_and_by_name(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    shell("bom", design, "-o", "b.cdx.json")
    text = (shell.folder / "b.cdx.json").read_text(encoding="utf-8")
    assert json.loads(text)["bomFormat"] == "CycloneDX"
    assert shell("bom", design, "--format", "cyclonedx").out == text


def test_prices_are_on_the_lines_and_summed_by_currency(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    shell.file("p.csv", PRICES)
    read = yaml.safe_load(shell("bom", design, "--prices", "p.csv").out)
    total = read["totals"]["price"]
    assert total["known"] == {"EUR": 20000.10, "USD": 1_200_000}
    assert total["state"] == "incomplete: 3 of 5 lines have no price"
    line = next(line for line in read["lines"] if line["part"] == "qm9700")
    assert (line["unit_price"], line["currency"]) == (20000.10, "EUR")
    assert (line["price_date"], line["price_source"]) == ("2026-01-02", "offer 1")


def test_a_later_list_wins_and_that_is_said(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    shell.file("p.csv", PRICES)
    shell.file("q.csv", PRICES.replace("20000.10", "19000"))
    done = shell("bom", design, "--prices", "p.csv", "--prices", "q.csv", "--format", "csv")
    rows = {row["part"]: row for row in csv.DictReader(io.StringIO(done.out))}
    assert rows["qm9700"]["unit_price"] == "19000"
    assert "q.csv:3: qm9700 costs 19,000 EUR instead of 20,000.10 EUR (p.csv:3)" in done.err
    assert done.code == 0


def test_a_currency_that_is_asked_for_leaves_others_out_and_says_so(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    shell.file("p.csv", PRICES)
    done = shell("bom", design, "--prices", "p.csv", "--currency", "EUR")
    assert done.code == 1
    assert yaml.safe_load(done.out)["totals"]["price"]["known"] == {"EUR": 20000.10}
    assert "p.csv:2: dgx-h100: currency: USD, but EUR is asked for" in done.err


def test_a_user_s_own_price_lists_are_used(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    own = user_folder().with_name("prices")
    own.mkdir(parents=True)
    (own / "mine.csv").write_text(PRICES, encoding="utf-8")
    read = yaml.safe_load(shell("bom", design).out)
    assert read["totals"]["price"]["known"]["EUR"] == 20000.10


def test_indicative_prices_are_used_only_when_asked_for(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    assert yaml.safe_load(shell("bom", design).out)["totals"]["price"]["known"] == {}
    read = yaml.safe_load(shell("bom", design, "--prices", "indicative").out)
    line = next(line for line in read["lines"] if line["part"] == "dgx-h100")
    assert line["price_source"].startswith("indicative: ")


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("--spares", "cable=2%"), "expected one of nodes, switches"),
        (("--spares", "cables=two"), "expected a share such as 2% or pieces"),
        (("--currency", "usd"), "three capitals"),
        (("--cabling", "copper"), "all-optical"),
    ],
)
def test_options_that_cannot_be_read_exit_2(shell: Shell, args: tuple[str, ...], why: str) -> None:
    done = shell("bom", shell.file("a.yaml", SOUND), *args)
    assert done.code == 2
    assert why in done.err


@pytest.mark.parametrize(
    ("block", "why"),
    [
        (
            "{cabling: copper}",
            "bill.cabling: found 'copper', expected one-medium, cheapest, all-optical or",
        ),
        ("{spares: {cable: 2 %}}", "unknown key 'cable'; did you mean 'cables'?"),
        ("{spares: {cables: 0.5}}", "found 0.5, expected pieces such as 3 or a share"),
        ("{currency: usd}", "expected three capitals of ISO 4217"),
        ("all-optical", "bill: found 'all-optical', expected keys with values"),
    ],
)
def test_a_bill_block_that_cannot_be_read_says_where_and_why(
    shell: Shell, block: str, why: str
) -> None:
    done = shell("bom", shell.file("a.yaml", SOUND + f"bill: {block}\n"))
    assert done.code == 2
    assert done.err.startswith("a.yaml:8:")
    assert why in done.err


def test_lengths_are_those_along_the_racks_that_a_design_places(shell: Shell) -> None:
    unplaced = SOUND.replace(", length: 20", "")
    design = shell.file("a.yaml", unplaced)
    placed = shell.file("p.yaml", unplaced + "placement: {nodes_per_rack: 2}\n")
    assert ",,32,0,32," in shell("bom", design, "--lengths", "given", "--format", "csv").out
    for args in ((design,), (placed,), (design, "--lengths", "racks")):
        read = yaml.safe_load(shell("bom", *args).out)
        kinds = {part: product["kind"] for part, product in read["products"].items()}
        fibres = [line for line in read["lines"] if kinds[line["part"]] == "fibre"]
        assert sum(line["quantity"] for line in fibres) == 32
        assert all(line["length_m"] >= 1 for line in fibres)
        assert read["policy"]["lengths"] == "racks"


@pytest.mark.parametrize("lengths", ["racks", "given"])
def test_verify_takes_lengths_as_the_bill_states(shell: Shell, lengths: str) -> None:
    design = shell.file("a.yaml", SOUND.replace(", length: 20", ""))
    shell("bom", design, "--lengths", lengths, "-o", "b.yaml")
    assert shell("bom", "--verify", design, "b.yaml").code == 0


def test_the_policies_of_the_option_are_those_of_a_design() -> None:
    (option,) = [each for each in bom.params if each.name == "cabling"]
    assert tuple(option.type.choices) == get_args(CablingChoice)  # type: ignore[attr-defined]


def test_a_price_list_that_cannot_be_read_is_refused_and_nothing_is_written(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    done = shell("bom", design, "--prices", "nowhere.csv", "-o", "z.yaml")
    assert (done.code, done.err) == (2, "nowhere.csv: No such file or directory\n")
    assert not Path("z.yaml").exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--currency", "XYZ"), "three capitals of ISO 4217"),
        (("--currency", "USD"), "there are no prices that it could be of"),
        (("--spares", "cables=2%,cables=3%"), "cables: found twice (2% and 3)"),
        (("--spares", "cables=1", "--spares", "cables=3"), "cables: found twice (1 and 3)"),
    ],
)
def test_what_would_be_taken_silently_is_refused(
    shell: Shell, options: tuple[str, ...], says: str
) -> None:
    done = shell("bom", shell.file("a.yaml", SOUND), *options)
    assert done.code == 2
    assert says.removesuffix(")") in done.err


def test_a_currency_that_no_country_has_is_a_fault_of_the_design(shell: Shell) -> None:
    done = shell("bom", shell.file("a.yaml", SOUND + "bill: {currency: XYZ}\n"))
    assert done.code == 2
    assert "found 'XYZ', expected three capitals of ISO 4217" in done.err


@pytest.mark.parametrize(
    "command",
    [
        ("bom", "a.yaml", "-o", "a.yaml"),
        ("bom", "a.yaml", "--prices", "p.csv", "-o", "p.csv"),
        ("export", "a.yaml", "--to", "svg", "-o", "./a.yaml"),
        ("review", "a.yaml", "--report", "md", "-o", "a.yaml"),
    ],
)
def test_no_command_writes_over_what_it_reads(shell: Shell, command: tuple[str, ...]) -> None:
    shell.file("a.yaml", SOUND)
    shell.file("p.csv", PRICES)
    done = shell(*command, "--force")
    assert done.code == 2
    assert "is read for this; write to another file" in done.err
    assert Path("a.yaml").read_text() == SOUND
    assert Path("p.csv").read_text() == PRICES


@pytest.mark.parametrize(
    "command",
    [
        ("export", "a.yaml", "--to", "svg", "--group", "node"),
        ("new", "--set", "su=3"),
        ("new", "leaf-spine", "--set", "su=2", "--set", "su=4"),
    ],
)
def test_options_without_effect_are_refused(shell: Shell, command: tuple[str, ...]) -> None:
    shell.file("a.yaml", SOUND)
    assert shell(*command).code == 2


def test_verify_names_the_line_of_whatever_differs(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    shell("bom", design, "-o", "b.yaml")
    lines = Path("b.yaml").read_text().splitlines()
    # 4 nodes of 8 ports in 4 cages, and what they weigh and draw together.
    texts = ("    connections: 32", "cages: 16")
    at = {text: next(n for n, one in enumerate(lines, 1) if text in one) for text in texts}
    for text, number in at.items():
        lines[number - 1] = lines[number - 1].replace(text, f"{text}0")
    shell.file("c.yaml", "\n".join(lines) + "\n")
    out = shell("bom", "--verify", design, "c.yaml").out
    assert f"c.yaml:{at['    connections: 32']}: links[node.compute - leaf].connections" in out
    assert f"c.yaml:{at['cages: 16']}: ends[" in out


def test_spares_of_what_the_bill_does_not_have_are_told(shell: Shell) -> None:
    # At 20 m the rails are fibre; there is no cable that a spare could be of.
    done = shell("bom", shell.file("a.yaml", SOUND), "--spares", "cables=2%")
    assert "no spare cables are ordered" in done.err


def test_requests_for_quotation_go_into_a_folder_that_is_never_replaced(shell: Shell) -> None:
    design = shell.file("a.yaml", SOUND)
    done = shell("bom", design, "--vendors", "-o", "asked", "--spares", "fibres=50%")
    assert (done.code, done.err) == (0, "wrote asked: 1 request for quotation\n")
    (file,) = (shell.folder / "asked").iterdir()
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
    (fibres,) = (row for row in rows if row["part"] == "mfp7e10")
    assert (file.name, fibres["order"], fibres["unit_price"]) == ("nvidia.csv", "48", "")
    again = shell("bom", design, "--vendors", "-o", "asked")
    assert again.code == 2
    assert "asked: not saved: the folder is there already, and not empty" in again.err


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ((), "say -o FOLDER"),
        (("-o", "asked", "--format", "md"), "md: requests are csv or xlsx"),
        (("-o", "asked", "--force"), "never replaced"),
    ],
)
def test_requests_that_cannot_be_written_exit_2(
    shell: Shell, args: tuple[str, ...], why: str
) -> None:
    done = shell("bom", shell.file("a.yaml", SOUND), "--vendors", *args)
    assert done.code == 2
    assert why in done.err
    assert not (shell.folder / "asked").exists()


def test_all_priced_names_what_has_no_price_and_exits_1(shell: Shell, tmp_path: Path) -> None:
    shell("new", "leaf-spine", "--set", "su=1", "--set", "nodes=4", "-o", "p.yaml")
    assert shell("bom", "p.yaml", "-o", "a.csv").code == 0
    done = shell("bom", "p.yaml", "-o", "b.csv", "--all-priced")
    assert done.code == 1
    said = re.search(
        r"no price: 7 of 7 lines, \d+ of \d+ pieces, (.+) of (.+); "
        r"their share of the value is unknown:",
        done.err,
    )
    assert said is not None
    assert said[1] == said[2]  # nothing has a price, so it is all of the power
    assert "  4 x dgx-h100 (no part number)" in done.err
    Path("prices.csv").write_text(
        "part,price,currency,date,source\ndgx-h100,250000,USD,2026-01-01,an offer\n"
    )
    rest = shell("bom", "p.yaml", "-o", "c.csv", "--all-priced", "--prices", "prices.csv")
    share = re.search(r"no price: 6 of 7 lines.*, (?:at least )?([\d.,]+) kW of", rest.err)
    whole = re.search(r"of (?:at least )?([\d.,]+) kW; their", rest.err)
    assert share is not None and whole is not None
    # four DGX H100 of 10.2 kW have a price
    assert float(whole[1]) - float(share[1]) == pytest.approx(40.8, abs=0.11)
    assert shell("bom", "--verify", "p.yaml", "a.csv", "--all-priced").code == 2


def test_a_csv_bill_is_verified_by_the_options_it_was_made_with(shell: Shell) -> None:
    shell("new", "leaf-spine", "--set", "su=1", "--set", "nodes=4", "-o", "p.yaml")
    options = ("--stock", "30,50", "--spares", "cables=2%,nodes=1", "--cabling", "all-optical")
    for name in ("a.csv", "a.xlsx", "a.cdx.json", "a.yaml"):
        assert shell("bom", "p.yaml", "-o", name, *options).code == 0
        assert shell("bom", "--verify", "p.yaml", name).code == 0, name
    with Path("a.csv").open(encoding="utf-8", newline="") as read:
        rows = [row[:-1] for row in csv.reader(read)]
    with Path("b.csv").open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(rows)
    older = shell("bom", "--verify", "p.yaml", "b.csv")
    assert older.code == 1 and "does not say the options that it was made with" in older.err
    assert shell("bom", "--verify", "p.yaml", "b.csv", *options).code == 0


def test_a_bill_is_signed_by_people(shell: Shell) -> None:
    shell("new", "leaf-spine", "--set", "su=1", "--set", "nodes=4", "-o", "p.yaml")
    signed = ("--signed", "author=Ann", "--signed", "date=2026-03-31", "--signed", "approver==1+1")
    for name in ("a.yaml", "a.json", "a.csv", "a.xlsx", "a.cdx.json"):
        done = shell("bom", "p.yaml", "-o", name, *signed)
        assert done.code == 0, name
        assert shell("bom", "--verify", "p.yaml", name).code == 0, name
    bill = json.loads(Path("a.json").read_text(encoding="utf-8"))
    assert bill["signed"] == {"date": "2026-03-31", "author": "Ann", "approver": "=1+1"}
    page = shell("bom", "p.yaml", "--format", "md", *signed).out
    assert "Signed: date 2026-03-31, author Ann, approver =1+1." in page


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--signed", "who=x"), "expected one of date, revision, commit, author, approver"),
        (("--signed", "date=31.3.26"), "expected a day as in 2026-03-31"),
        (("--signed", "author="), "expected up to 200 plain characters"),
        (("--signed", "author=A", "--signed", "author=B"), "author: found twice"),
        (("--pue", "1.2"), "No such option"),
    ],
)
def test_what_a_bill_cannot_be_signed_with(
    options: tuple[str, ...], words: str, shell: Shell
) -> None:
    shell("new", "leaf-spine", "--set", "su=1", "--set", "nodes=4", "-o", "p.yaml")
    done = shell("bom", "p.yaml", *options)
    assert done.code == 2 and words in done.err


def test_on_a_terminal_it_is_a_table_and_in_a_pipe_yaml(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = yaml.safe_load(shell("bom", "dgx-h100-superpod-1su").out)
    lines, products = read["lines"], read["products"]
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    seen = shell("bom", "dgx-h100-superpod-1su").out
    head, *rows = seen.split("\n\n")[1].splitlines()
    assert head.split()[:2] == ["pieces", "part"]
    assert len(rows) == len(lines)
    for row, line in zip(rows, lines, strict=True):
        assert row.split()[0] == f"{line['quantity']:,}"
        assert products[line["part"]]["name"] in row
        assert line.get("part_number", "unknown") in row
    assert "not on it" in seen
    assert shell("bom", "dgx-h100-superpod-1su", "--format", "yaml").out.startswith(
        "toposmith_bill"
    )
