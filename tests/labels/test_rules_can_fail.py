"""Each rule finds the lies that are made up for it, and lets the honest pages be."""

from __future__ import annotations

import pytest

from tests.labels.designs import odd_designs
from tests.labels.facts import Facts
from tests.labels.rule import Example, Rule, Walk
from tests.labels.rules import RULES


def walk_of(example: Example) -> Walk:
    facts = Facts.of(odd_designs()[example.design])
    return Walk(example.design, facts, list(example.pages))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_finds_its_lies(rule: Rule) -> None:
    assert rule.lies
    for lie in rule.lies:
        assert list(rule.breaks(walk_of(lie))), lie.pages[-1].text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_lets_honest_pages_be(rule: Rule) -> None:
    assert rule.honest
    for honest in rule.honest:
        assert list(rule.breaks(walk_of(honest))) == [], honest.pages[-1].text


def test_every_rule_has_a_name_of_its_own_and_says_when_and_why() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert rule.words and rule.stand and rule.why
