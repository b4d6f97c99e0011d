"""What is refused is refused with what would be right: the range, the other words, the file."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from tests.command.shell import SHARED_NIC, SOUND, Shell


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("analyze FILE --size 999999999999TiB", "of 1 byte to 1024 TiB"),
        ("analyze FILE --size 0", "of 1 byte to 1024 TiB"),
        ("new --nodes 64 --need all_to_all=1e9", "above 0, up to 100,000"),
        ("fix FILE --need 100 --need all_to_all=9", "fixes are listed for one figure in GB/s"),
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


def test_serving_names_the_line_that_brings_what_it_needs(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("aiohttp", "textual_serve"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "toposmith.command.serving", raising=False)
    line = "-m pip install textual-serve"
    done = shell("serve", shell.file("pod.yaml", SOUND))
    assert done.err.splitlines()[0].endswith(f"{shlex.quote(sys.executable)} {line}")
    assert "aiohttp" not in done.err
    page = Path(__file__).parents[2] / "docs" / "serving.md"
    assert f"    .venv/bin/python {line}\n" in page.read_text("utf-8")


def test_only_prices_stand_below_the_heading_of_prices(shell: Shell) -> None:
    shell.file("p.csv", "part,price,currency,date,source\nconnectx-6-hdr,-3,USD,2026-01-02,a\n")
    shell.file("pod.yaml", SHARED_NIC)
    told = shell("bom", "pod.yaml", "--prices", "p.csv", "-o", "bom.yaml").err
    prices, racks = (told.index(head) for head in ("Prices are incomplete:", "Racks and lengths"))
    assert re.findall(r"\[([a-z-]+)\]$", told[prices:racks], re.M) == ["price-list"]
    assert "[rack-power-unknown]" in told[racks:]


def test_a_comment_is_answered_by_the_id_that_was_printed(shell: Shell) -> None:
    shell.file("pod.yaml", SOUND)
    by = ("review", "pod.yaml", "--author", "Ann")
    done = shell(*by, "--comment", "leaf", "why one?", "--report", "comment", "-o", "page.md")
    found = re.match(r"wrote to pod.review: comment ([0-9a-f]{6})\n", done.err)
    assert found is not None
    assert "1 comment open" in shell("review", "pod.yaml", "--status").out
    assert "1 comment open" not in shell(*by, "--resolve", found[1]).out


def test_a_design_with_a_fix_says_that_its_note_is_the_old_one(shell: Shell) -> None:
    done = shell("fix", "a100-rack-1x100gbe", "--take", "1", "-o", "four.yaml")
    assert (done.code, "its name and note are as before" in done.err) == (0, True)
    shell.file("pod.yaml", SHARED_NIC)  # without a note
    assert shell("fix", "pod.yaml", "--take", "1", "-o", "more.yaml").err == "wrote more.yaml\n"
