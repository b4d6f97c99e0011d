"""Lists of algorithms and protocols as NCCL's environment takes them."""

from __future__ import annotations

import pytest

from toposmith.nccl.listed import listed
from toposmith.nccl.node import ALGORITHMS, PROTOCOLS


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Simple", "simple"),
        ("Simple,LL128", "ll128,simple"),
        ("simple, ll", "ll,simple"),
        ("^LL128", "ll,simple"),
        ("^ll,ll128", "simple"),
    ],
)
def test_a_list_leaves_what_it_names_or_with_a_caret_all_else(said: str, left: str) -> None:
    assert listed(said, PROTOCOLS) == left


def test_names_are_written_as_nccl_writes_them() -> None:
    assert listed("NVLSTree,CollnetDirect,Ring", ALGORITHMS) == "ring,collnet_direct,nvls_tree"


@pytest.mark.parametrize(
    ("collective", "left"),
    [("all_reduce", "tree,collnet_direct"), ("broadcast", "ring"), ("all_gather", "ring")],
)
def test_a_collective_may_have_a_list_of_its_own(collective: str, left: str) -> None:
    said = "ring;allreduce:tree,collnetdirect;broadcast:ring"
    assert listed(said, ALGORITHMS, collective) == left


def test_a_list_of_another_collective_says_nothing() -> None:
    assert listed("allreduce:ring", ALGORITHMS, "all_gather") is None


@pytest.mark.parametrize("said", ["", "fast", "simple,", "^ll,ll128,simple"])
def test_what_is_no_list_is_refused(said: str) -> None:
    with pytest.raises(ValueError, match=r"not one of|leaves none"):
        listed(said, PROTOCOLS)
