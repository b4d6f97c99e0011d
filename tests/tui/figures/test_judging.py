"""What designs are judged by: the policy at hand, price lists, waivers; the same everywhere."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command.shell import SIGNED, Shell
from tests.tui.person import OpenApp
from toposmith.evaluation.here import policy_at_hand

HALF = SIGNED.replace("cables: 2", "cables: 1")


def test_a_faulty_policy_is_a_finding_in_the_app_and_the_built_in_one_judges(
    own_home: Path,
) -> None:
    folder = own_home / "config" / "toposmith"
    folder.mkdir(parents=True)
    (folder / "policy.yaml").write_text("toposmith-policy: 1\nseverities: {x: off}\n")
    policy, (found,) = policy_at_hand()
    assert found.code == "policy-file"
    assert "policy.yaml" in found.text
    assert policy.severities == {}


def test_check_diff_and_the_app_say_the_same_findings(shell: Shell) -> None:
    old, new = shell.file("old.yaml", SIGNED), shell.file("new.yaml", HALF)
    checked = json.loads(shell("check", "--json", new).out)["designs"][0]["findings"]
    before = json.loads(shell("check", "--json", old).out)["designs"][0]["findings"]
    gained = json.loads(shell("diff", "--json", old, new).out)["findings_gained"]
    known = [(one["code"], one["where"]) for one in before]
    assert [one for one in checked if (one["code"], one["where"]) not in known] == gained
    assert gained[0]["fix"]


async def test_findings_of_the_app_are_those_of_check(open_app: OpenApp, two_tier: Path) -> None:
    from tests.laid_beside import named
    from toposmith.catalog import load_catalog
    from toposmith.review.policy import Policy

    async with open_app(two_tier) as person:
        bench = person.designer.workbench
        known = named("", bench.design, load_catalog(), ("all_reduce",), policy=Policy())
        assert person.designer.findings == known.findings
        assert any(one.fix for one in person.designer.findings)


def test_amounts_of_two_currencies_are_never_subtracted(shell: Shell, own_home: Path) -> None:

    from tests.laid_beside import named
    from toposmith.catalog import load_catalog
    from toposmith.catalog.prices import read_prices
    from toposmith.design.parser import parse_design
    from toposmith.review.differences.consequences import differences
    from toposmith.review.differences.differences_table import figure_row

    catalog = load_catalog(user=False)
    design = parse_design(SIGNED, "test")
    stood = []
    for currency in ("USD", "EUR"):
        parts = [line.part for line in named("", design, catalog).bill.lines]
        rows = "".join(f"{part},1,{currency},2026-01-31,offer\n" for part in parts)
        shell.file(f"{currency}.csv", "part,price,currency,date,source\n" + rows)
        prices = read_prices(Path(f"{currency}.csv"), catalog=catalog, mixed=True)
        stood.append(named(currency, design, catalog, prices=prices))
    cost = next(one for one in differences(*stood).figures if one.key == "cost")
    assert cost.before == cost.after
    assert (cost.differs, cost.factor, cost.worse) == (True, None, False)
    _, _, *row = figure_row(cost).words
    assert row[0].endswith(" USD") and row[1].endswith(" EUR")
    assert row[2] == "another currency"
