"""Price lists wherever costs are shown: named, or lying beside a design."""

from __future__ import annotations

import json

import pytest
import yaml

from tests.command.shell import SOUND, Shell

HEAD = "part,price,currency,date,source\n"


def listed(shell: Shell, name: str, node: int = 800_000, without: str = "") -> None:
    """A list in which nodes have a price, and all else but ``without`` costs nothing."""
    bill = yaml.safe_load(shell("bom", shell.file("a.yaml", SOUND)).out)
    parts = dict.fromkeys(line["part"] for line in bill["lines"])
    rows = [
        f"{part},{node if part == 'dgx-h100' else 0},USD,2026-01-02,offer 1\n"
        for part in parts
        if part != without
    ]
    shell.file(name, HEAD + "".join(rows))


@pytest.mark.parametrize("named", [True, False], ids=["named", "beside the design"])
def test_four_nodes_of_800_000_cost_100_000_a_gpu(shell: Shell, named: bool) -> None:
    listed(shell, "p.csv" if named else "a.prices.csv")
    more = ("--prices", "p.csv") if named else ()
    costs = json.loads(shell("analyze", "a.yaml", "--json", *more).out)
    asked = ("analyze", "a.yaml", "--collective", "all-to-all", "--json")
    exchanged = json.loads(shell(*asked).out)["busbw_GBps"]
    assert (costs["cost"], costs["cost_per_gpu"], costs["currency"]) == (3.2e6, 1e5, "USD")
    assert costs["cost_per_GBps"] == pytest.approx(3.2e6 / (32 * exchanged))
    assert "100,000 USD per GPU" in shell("analyze", "a.yaml", *more).out
    row = json.loads(shell("diff", "a.yaml", "--table", "--json", *more).out)["designs"][0]
    assert (row["cost"], row["cost_per_gpu"]) == (3.2e6, 1e5)


def test_a_fifth_node_is_seen_in_the_costs_of_a_difference(shell: Shell) -> None:
    listed(shell, "p.csv")
    shell.file("b.yaml", SOUND.replace("count: 4", "count: 5"))
    found = json.loads(shell("diff", "a.yaml", "b.yaml", "--json", "--prices", "p.csv").out)
    figures = {one["figure"]: (one["before"], one["after"]) for one in found["figures"]}
    assert figures["cost"] == (3.2e6, 4e6)
    assert figures["cost_per_gpu"] == (1e5, 1e5)
    assert figures["cost_per_GBps"][0] is not None


def test_what_lies_beside_either_design_prices_both_of_a_difference(shell: Shell) -> None:
    listed(shell, "a.prices.csv")
    shell.file("b.yaml", SOUND.replace("count: 4", "count: 5"))
    found = json.loads(shell("diff", "b.yaml", "a.yaml", "--json").out)
    figures = {one["figure"]: (one["before"], one["after"]) for one in found["figures"]}
    assert figures["cost"] == (4e6, 3.2e6)


def test_a_part_without_a_price_is_no_gift(shell: Shell) -> None:
    listed(shell, "p.csv", without="qm9700")
    costs = json.loads(shell("analyze", "a.yaml", "--json", "--prices", "p.csv").out)
    assert (costs["cost"], costs["cost_per_gpu"], costs["cost_per_GBps"]) == (None, None, None)
    words = shell("analyze", "a.yaml", "--prices", "p.csv").out
    assert "cost unknown per GPU, unknown per GB/s of all-to-all" in words


def test_a_named_list_comes_over_one_beside_the_design(shell: Shell) -> None:
    listed(shell, "a.prices.csv")
    listed(shell, "q.csv", node=400_000)
    costs = json.loads(shell("analyze", "a.yaml", "--json", "--prices", "q.csv").out)
    assert costs["cost_per_gpu"] == 5e4
