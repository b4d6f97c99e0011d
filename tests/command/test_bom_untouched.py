"""A bill that nobody touched says what its design needs, in every form and with every option."""

from __future__ import annotations

import re

import pytest

from tests.command.shell import SOUND, Shell

UNLENGTHED = """\
toposmith: 1
name: two units
axes: {su: 2}
groups:
  node: {part: dgx-h100, per: [su], count: 8}
  leaf: {part: qm9700, per: [su]}
  spine: {part: qm9700, count: 2}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 4}
"""
CLOSED_RACKS = SOUND.replace(", length: 20", "") + "placement: {nodes_per_rack: 2}\n"
OVERFULL = SOUND.replace("count: 4", "count: 9")
PRICES = """\
part,price,currency,date,valid_until,source,discount_percent,minimum_order,lead_time_days
dgx-h100,300000,USD,2026-01-02,2099-12-31,offer 2,12.5,,60
qm9700,20000.10,EUR,2026-01-02,,offer 1,,100,
"""
RATES = "currency,to,rate,date,source\nEUR,USD,1.085,2026-01-02,bank\n"
OFFERS = ("--prices", "offers.csv")
OPTIONS = {
    "nothing": (),
    "prices": OFFERS,
    "a currency": (*OFFERS, "--currency", "USD"),
    "rates": (*OFFERS, "--prices", "rates.csv", "--currency", "USD"),
    "indicative prices": ("--prices", "indicative"),
    "indicative prices in euro": ("--prices", "indicative", "--currency", "EUR"),
    "spares": ("--spares", "nodes=1", "--spares", "cables=2%", "--spares", "transceivers=4%"),
    "stock": ("--stock", "1,2.5,5,10,30"),
    "optics": ("--cabling", "all-optical"),
    "copper": ("--cabling", "copper-within-rack"),
    "lengths as given": ("--lengths", "given"),
    "signed": ("--signed", "author=Ada", "--signed", "revision=B"),
    "all of it": (
        *OFFERS, "--prices", "rates.csv", "--currency", "USD", "--spares", "nodes=1",
        "--spares", "cables=2%", "--stock", "5,10,20,30,50", "--cabling", "all-optical",
        "--lengths", "given", "--signed", "author=Ada",
    ),
}  # fmt: skip


FORMS = ["yaml", "json", "csv", "cdx.json", "xlsx"]
DESIGNS = {"sound": SOUND, "units": UNLENGTHED, "racks": CLOSED_RACKS, "full": OVERFULL}


ALONE = ("nothing", "all of it")
CASES = [
    (asked, form)
    for turn, asked in enumerate(OPTIONS)
    for form in (FORMS if asked in ALONE else (FORMS[0], FORMS[1 + turn % (len(FORMS) - 1)]))
]
"""No option and all of them in every form, each by itself in the first form and in one other."""


def designs_of(asked: str, form: str) -> list[str]:
    """All in the first form; one in each other: options, forms and designs meet in pairs."""
    turn = (list(OPTIONS).index(asked) + FORMS.index(form)) % len(DESIGNS)
    return list(DESIGNS) if form == FORMS[0] else [list(DESIGNS)[turn]]


@pytest.mark.parametrize(("asked", "form"), CASES)
def test_an_untouched_bill_verifies(shell: Shell, asked: str, form: str) -> None:
    options = OPTIONS[asked]
    shell.file("offers.csv", PRICES)
    shell.file("rates.csv", RATES)
    pairs = [options[at : at + 2] for at in range(0, len(options), 2)]
    lists = [word for pair in pairs if pair[0] == "--prices" for word in pair]
    of_file = ("--format", "cyclonedx") if form == "cdx.json" else ()
    for name in designs_of(asked, form):
        design = shell.file(f"{name}.yaml", DESIGNS[name])
        made = shell("bom", design, "-o", f"{name}.bom.{form}", *of_file, *options)
        assert made.code in (0, 1), made.err
        for again in {(), tuple(lists)}:
            done = shell("bom", "--verify", design, f"{name}.bom.{form}", *again)
            assert done.code == 0, done.out


@pytest.mark.parametrize("form", FORMS)
def test_long_options_that_differ_are_quoted_from_where_they_do(shell: Shell, form: str) -> None:
    design = shell.file("sound.yaml", SOUND)
    of_file = ("--format", "cyclonedx") if form == "cdx.json" else ()
    long = ("--cabling", "all-optical", "--lengths", "given", "--stock", "5,10,20,30,50")
    spares = ("nodes=1,switches=1,nics=1,cables=2%", "nodes=1,switches=1,nics=1,cables=3%")
    shell("bom", design, "-o", f"b.{form}", *of_file, *long, "--spares", spares[0])
    done = shell("bom", "--verify", design, f"b.{form}", "--spares", spares[1])
    assert done.code == 1
    quoted = re.findall("the file has (.*?), the design gives (.*)", done.out)
    assert quoted
    assert all(was != is_now.removesuffix(" (options)") for was, is_now in quoted)
