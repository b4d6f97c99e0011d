"""What is refused is refused with what would be right: the range, the other words, the file."""

from __future__ import annotations

import pytest

from tests.command.shell import SOUND, Shell


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("analyze FILE --size 999999999999TiB", "of 1 byte to 1024 TiB"),
        ("analyze FILE --size 0", "of 1 byte to 1024 TiB"),
        ("new --nodes 64 --need all_to_all=1e9", "above 0, up to 100,000"),
        ("fix FILE --need all_reduce=100", "without --spare every fix is listed with the figure"),
        ("change FILE --floor foo=40", "or gpus=480"),
        ("review FILE --approve --author Ann --sign pod.yaml", "pod.yaml is no key of SSH"),
        ("review FILE --approve --author Ann --sign gone.pub", "gone.pub: No such file"),
    ],
)
def test_a_refusal_says_what_would_be_right(shell: Shell, words: str, said: str) -> None:
    shell.file("pod.yaml", SOUND)
    done = shell(*words.replace("FILE", "pod.yaml").split())
    assert done.code == 2
    assert said in done.err


def test_the_largest_size_that_is_named_is_taken(shell: Shell) -> None:
    shell.file("pod.yaml", SOUND)
    assert shell("analyze", "pod.yaml", "--size", "1024TiB").code == 0
    assert shell("analyze", "pod.yaml", "--size", "1025TiB").code == 2


def test_a_layout_that_does_not_fit_has_no_ranks_for_that_reason(shell: Shell) -> None:
    shell.file("pod.yaml", SOUND)
    done = shell("analyze", "pod.yaml", "--communicator", "tp=7,dp=3")
    assert "none: tp=7,dp=3 does not fit the 32 GPUs" in done.out
    assert "tp=7,dp=3 takes 21 GPUs at a time, which does not divide the 32 there are" in done.out
    assert "no ranks" not in done.out
