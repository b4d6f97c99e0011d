"""What findings count stands in the singular where there is one of it."""

from __future__ import annotations

import re

from tests.every import for_every
from toposmith.findings.codes import RECORDS
from toposmith.findings.codes.code import NOUNS, Code, Fact, Values, rendered
from toposmith.text import counted, plural

_ONE_OF_MANY = re.compile(rf"(?<!of )(?<![\w.,:/=-])1 (?:{'|'.join(map(plural, NOUNS))})\b")
AT_LEAST_TWO = {
    "links-repeated": "of two links and more",
    "uneven-ports": "one port is dealt evenly over one peer",
    "target-missed": "a copy of a model has several GPUs, or one that is enough",
    "does-not-fit": "a single sequence is told otherwise",
    "communicator-does-not-fit": "a group has two ranks at least",
}


class OfEach(Values):
    """Values of a finding of which every number is 1."""

    def __getitem__(self, name: str) -> Fact:
        return 1

    def __contains__(self, name: object) -> bool:
        return True

    def number(self, name: str) -> float:
        return 1

    def text(self, name: str) -> str:
        return "name"

    def texts(self, name: str) -> tuple[str, ...]:
        return ("name",)


@for_every(RECORDS.values(), named=lambda code: code.code)
def test_one_of_a_thing_is_no_plural(code: Code) -> None:
    for words in (code.text, code.figure, code.fix):
        try:
            text = rendered(words, OfEach()) or ""
        except (TypeError, ValueError, AssertionError, AttributeError):
            continue  # the value is no number
        wrong = _ONE_OF_MANY.search(text)
        assert wrong is None or code.code in AT_LEAST_TWO, text


def test_the_verb_follows_its_noun() -> None:
    words = "{many} switches have fewer uplinks"
    assert rendered(words, Values({"many": 1})) == "1 switch has fewer uplinks"
    assert rendered(words, Values({"many": 2})) == "2 switches have fewer uplinks"
    assert counted(1, "global cable") == "1 global cable"


def test_names_of_groups_are_left_as_they_are() -> None:
    words = "1 {group} of {many} nodes"
    assert rendered(words, Values({"group": "leaves", "many": 1})) == "1 leaves of 1 node"
