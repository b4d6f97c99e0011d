"""`bom`: the bill of materials of a design in many forms, and whether an old one still holds."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from toposmith.bill.bill_reader import read_bill, read_bill_workbook
from toposmith.bill.order_words import bill_table, unpriced, unpriced_words
from toposmith.bill.sheet_form import (
    BILL_ENDINGS,
    REQUEST_FORMS,
    bill_bytes,
    form_of,
    lines_by_vendor,
    requests,
)
from toposmith.bill.terms import read_signing
from toposmith.bill.verification import differences
from toposmith.catalog.workbook_text import is_workbook
from toposmith.command.design_input import read_design, read_given, require_ending, stream_out
from toposmith.command.edge import (
    FINDINGS,
    FINE,
    GroupedCommand,
    Refused,
    load_parts,
    refuse,
    require_free,
    say,
    write_talk,
    wrong,
)
from toposmith.command.options import Ordered, ordering_options
from toposmith.command.reports.analysis import findings_lines
from toposmith.design.loader import decoded
from toposmith.design.stored_files import save_folder
from toposmith.documents.aligned_text import table_lines
from toposmith.evaluation import EvaluatedDesign
from toposmith.lock.acts_in_words import listed_pieces
from toposmith.lock.change_plan import other_than_fresh
from toposmith.plain_text import visible
from toposmith.review.waivers import marked
from toposmith.text import counted, plain_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toposmith.bill.bill import Bill
    from toposmith.bill.bill_reader import ReadBill
    from toposmith.bill.terms import Lengths
    from toposmith.catalog.prices import PriceList
    from toposmith.findings.finding import Finding


SHOWN = ("pieces", "part", "part number", "length m", "price")


def bill_report(evaluated: EvaluatedDesign) -> str:
    """The lines of the bill, then its totals and what it lacks, in a line each."""
    bill = evaluated.bill
    table = bill_table(bill, evaluated.design)
    wanted = (*SHOWN, "spares") if bill.spares.stated() else SHOWN
    shown = [at for at, title in enumerate(table.titles) if title in wanted]
    lacking = ", ".join(dict.fromkeys(f"{one.topic} {one.label}" for one in bill.to_settle))
    lines = [
        visible(bill.design) or "unnamed design",
        "",
        *table_lines(table.of_columns(shown)),
        "",
        f"{bill.orderable_words}; power {bill.power_w.words('W', 'power')}; "
        f"rack units {bill.rack_units.words('U', 'height')}",
        *evaluated.cost_shares,
        f"{bill.scope.words}{f'; not complete: {lacking}' if lacking else ''}",
        "-o FILE or --format writes all of it: yaml, csv, md, json, xlsx, cyclonedx",
    ]
    return "".join(f"{visible(line)}\n" for line in lines)


_FORMS = ("yaml", "csv", "md", "json", "xlsx", "cyclonedx")


@click.command(cls=GroupedCommand)
@click.argument("file", metavar="DESIGN")
@click.argument("old", metavar="[BOM]", required=False)
@click.option(
    "-o", "--output", "out", metavar="OUT", default="-", help="Write here instead of to stdout."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMS),
    help="Form of the bill; without it that of OUT's name, else yaml.",
)
@click.option("--force", is_flag=True, help="Replace OUT if it is there.")
@click.option(
    "--vendors",
    is_flag=True,
    help="Write a request for quotation for each vendor, csv or xlsx, into the folder OUT.",
)
@click.option("--verify", is_flag=True, help="Require a BOM; one is compared without this, too.")
@click.option(
    "--lengths",
    type=click.Choice(("racks", "given")),
    help="Of links without a length: racks measures along the racks (the default), given leaves "
    "them unknown.",
)
@ordering_options
@click.option(
    "--signed",
    metavar="KEY=TEXT",
    multiple=True,
    help="What to sign the bill with: date, revision, commit, author or approver; may be repeated.",
)
@click.option("--all-priced", is_flag=True, help="Exit 1 where a line has no price, and name it.")
def bom(
    file: str,
    old: str | None,
    out: str,
    form: str | None,
    force: bool,
    vendors: bool,
    verify: bool,
    lengths: Lengths | None,
    ordered: Ordered,
    all_priced: bool,
    signed: tuple[str, ...],
) -> int:
    """Write the bill of materials of a DESIGN; with a BOM, name every difference from it instead.

    Exits 1 where a part of the design is not listed, where racks rest on heights or power that
    the catalog lacks, where the two differ, or, with --all-priced, where a price is missing.
    """
    refuse(
        (
            verify and old is None,
            click.UsageError("--verify takes two files: a DESIGN and a BOM"),
        ),
        (
            old is not None
            and not vendors
            and (all_priced or signed or out != "-" or form or force),
            click.UsageError(
                "-o, --format, --force, --all-priced and --signed are of a bill that is written; "
                "with a BOM none is"
            ),
        ),
    )
    verify = old is not None
    signing = read_signing(signed)
    if vendors:
        _require_requests(out, form, force=force, verify=verify)
    elif not verify:
        out = _named_form(out, form)
        require_free(out, force, file, *ordered.lists)
    elif file == old == "-":
        raise click.UsageError("only one of DESIGN and BOM can be - for stdin")
    read = _read_bill(old) if old is not None else None
    design, known = read_design(file), load_parts()
    terms = replace(
        ordered.terms(design, known, read),
        lengths=lengths or _lengths_of(read),
        signed=signing,
    )
    evaluated = EvaluatedDesign(design, known, terms=terms)
    bill = evaluated.bill
    if read is not None:
        return _verify(read, bill)
    if vendors:
        save_folder(out, requests(bill, form or "csv"), replace=False)
        say(f"wrote {out}: {counted(len(lines_by_vendor(bill)), 'request')} for quotation")
        return max(
            _judged(evaluated, terms.prices), _racks_judged(evaluated), _priced(bill, all_priced)
        )
    seen = form is None and out == "-" and sys.stdout.isatty()
    form = form or form_of(out) or "yaml"
    if form == "xlsx" and out == "-" and sys.stdout.isatty():
        raise Refused("a workbook is no text for a terminal; name a file with -o")
    bought = evaluated.bought if form == "md" else ()
    if seen:
        write_talk(bill_report(evaluated))
    else:
        stream_out([bill_bytes(bill, form, bought)], out)
    for open_ in bill.to_settle:
        if open_.what == "price" and open_.label == "assumed":
            say(f"note: {open_.words}")
    for kind in bill.spares.without_effect(line.kind for line in bill.lines):
        say(f"note: no spare {kind} are ordered: the bill has none (see its lines)")
    _say_bound_parts(evaluated)
    return max(
        _judged(evaluated, terms.prices), _racks_judged(evaluated), _priced(bill, all_priced)
    )


def _say_bound_parts(evaluated: EvaluatedDesign) -> None:
    """Say of which parts a fresh plan would need more and fewer than the bill, that of the lock."""
    found = other_than_fresh(evaluated)
    if found is None or found.before == found.after:
        return
    both = (("fewer", found.after - found.before), ("more", found.before - found.after))
    words = [f"{what}: {listed_pieces(counts)}" for what, counts in both if counts]
    unknown = "" if found.with_modules else "; transceivers are not compared"
    say(f"note: the bill follows the lock; a fresh plan would need {'; '.join(words)}{unknown}")


def _named_form(out: str, form: str | None) -> str:
    """The file with the ending of its form; refused where its ending is that of none."""
    if out == "-" or Path(out).suffix:
        if form is None and out != "-":
            require_ending(out, (".yml", *BILL_ENDINGS.values()), "a bill")
        return out
    return out + BILL_ENDINGS[form or "yaml"]


def _priced(bill: Bill, asked: bool) -> int:
    """Report lines without a price and their pieces, where all were required to have one."""
    bare = unpriced(bill)
    if not asked or not bare:
        return FINE
    say(f"no price: {unpriced_words(bill)}:")
    for line in bare:
        length = "" if line.length_m is None else f" of {plain_number(line.length_m)} m"
        say(f"  {line.order:,} x {line.part}{length} ({line.ordered_as or 'no part number'})")
    return FINDINGS


def _require_requests(out: str, form: str | None, *, force: bool, verify: bool) -> None:
    """Refuse formats and files that requests cannot use, before anything is computed."""
    known = " or ".join(REQUEST_FORMS)
    refuse(
        (
            verify,
            click.UsageError("--vendors writes files, and --verify writes none; say one of them"),
        ),
        (
            form is not None and form not in REQUEST_FORMS,
            wrong("--format", f"{form}: requests are {known}"),
        ),
        (
            force,
            click.UsageError("--force: a folder of requests is never replaced; name another one"),
        ),
        (
            out == "-",
            Refused("requests are written into a folder, a file for each vendor; say -o FOLDER"),
        ),
    )


def _lengths_of(read: ReadBill | None) -> Lengths:
    """The source of lengths that an old bill states; racks where there is none."""
    stated = read.data.get("policy", {}).get("lengths") if read is not None else None
    return "given" if stated == "given" else "racks"


def _judged(design: EvaluatedDesign, prices: PriceList | None) -> int:
    """Report what the bill lacks; return the exit code."""
    bill = design.bill
    racks_known = bill.racks is None or bill.racks.parts_known
    if bill.listed and not (prices and prices.faults) and racks_known:
        return FINE
    found = _marked(bill.findings, design)
    of_prices = [one for one in found if one.code == "price-list"]
    others = [one for one in found if one.code != "price-list"]
    if not bill.listed:
        missing = bill.scope.without_cable_words
        head = f"The bill is incomplete{f', it lacks {missing}' if missing else ''}:"
    else:
        head = "Remarks:" if racks_known else "Racks and lengths are incomplete:"
    for title, told in (("Prices are incomplete:", of_prices), (head, others)):
        for line in (title, *findings_lines(told)) if told else ():
            say(line)
    return FINDINGS


def _racks_judged(design: EvaluatedDesign) -> int:
    """Report faults of the racks that a design places itself; return the exit code."""
    if design.design.placement is None:
        return FINE
    bill = design.bill
    wrong = [one for one in design.rack_findings if one.severity != "info"]
    told = bill.findings if not bill.listed or (bill.racks and not bill.racks.parts_known) else ()
    for line in findings_lines(_marked((one for one in wrong if one not in told), design)):
        say(line)
    return FINDINGS if wrong else FINE


def _marked(findings: Iterable[Finding], design: EvaluatedDesign) -> tuple[Finding, ...]:
    """The findings with waivers applied as of today; a waiver does not make a bill complete."""
    return marked(findings, design.design, date.today())


def _read_bill(name: str) -> ReadBill:
    source, raw = read_given(name, "a bill")
    if is_workbook(raw):
        return read_bill_workbook(raw, source)
    return read_bill(decoded(raw, source), source)


def _verify(read: ReadBill, bill: Bill) -> int:
    found = differences(read, bill)
    lines = []
    for each in found:
        place = read.source if each.line is None else f"{read.source}:{each.line}"
        note = "" if each.counts else "note: "
        lines.append(f"{place}: {note}{each.where}: {each.text}")
    if bill.prices_sha256 is None and _has_prices(read):
        say(f"{read.source}: prices are not compared; name their lists with --prices{_from(read)}")
    differ = sum(each.counts for each in found)
    if differ and "policy" not in read.data:
        say(
            f"{read.source}: does not say the options that it was made with; if --cabling, "
            "--lengths, --stock, --spares or --currency were among them, give them again"
        )
    if not differ:
        parts = "" if read.form == "bill" or read.sheets else " (its lines and options: no totals)"
        lines.append(f"{read.source}: says what the design needs{parts}")
    write_talk("".join(f"{visible(line)}\n" for line in lines))
    return FINDINGS if differ else FINE


def _from(read: ReadBill) -> str:
    """The source of a bill's prices, as the bill states it."""
    sources = dict.fromkeys(line.get("price_source") for line in read.data["lines"])
    named = [str(one) for one in sources if one]
    few = ", ".join(named[:3]) + (f" and {len(named) - 3} more" if len(named) > 3 else "")
    return f" (by the file they are from: {few})" if few else ""


def _has_prices(read: ReadBill) -> bool:
    return any(line["unit_price"] not in (None, "") for line in read.data["lines"])
