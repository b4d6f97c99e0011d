"""A table says which collective ran: by its columns, and by busbw over algbw."""

from __future__ import annotations

import pytest

from tests.measured.logs import log
from toposmith.measured.nccl_tests import MeasuredRun, read_log
from toposmith.measured.telling_collectives import Columns, collectives_of

ROWS = [(2**20, 4.0), (2**33, 120.0)]


def only(text: str, name: str = "run.log") -> MeasuredRun:
    (run,) = read_log(text.encode(), name).runs
    return run


@pytest.mark.parametrize(
    ("redop", "root", "factor", "wrong", "collective"),
    [
        ("sum", -1, 2 * 15 / 16, ("0", "0"), "all_reduce"),
        ("max", -1, 15 / 16, ("0", "0"), "reduce_scatter"),
        ("sum", 0, 1.0, ("0", "0"), "reduce"),
        ("none", 3, 1.0, ("0", "0"), "broadcast"),
        ("none", -1, 15 / 16, ("0", "0"), "all_gather"),
        ("none", -1, 15 / 16, ("0", "N/A"), "all_to_all"),
        ("none", -1, 1.0, ("0", "N/A"), "send_recv"),
    ],
)
def test_sixteen_ranks_tell_every_collective_apart(
    redop: str, root: int, factor: float, wrong: tuple[str, str], collective: str
) -> None:
    text = log(ROWS, program="", redop=redop, root=root, factor=factor, wrong=wrong)
    run = only(text)
    assert run.collective == collective
    assert run.collective_known_by == "its columns and busbw over algbw"


def test_unchecked_values_leave_two_collectives_and_the_name_of_the_file_decides() -> None:
    text = log(ROWS, program="", redop="none", wrong=("N/A", "N/A"))
    assert only(text).collective == ""
    assert only(text).fits == ("all_gather", "all_to_all")
    assert only(text, "logs/alltoall-16.log").collective == "all_to_all"
    assert only(text, "all_gather_perf.out").collective == "all_gather"
    assert only(text, "all_reduce.log").collective == ""


def test_small_messages_alone_tell_no_factor() -> None:
    text = log([(8, 0.01), (256, 0.03)], program="")
    assert only(text).fits == ("all_reduce", "reduce_scatter")


def test_without_devices_any_number_of_ranks_may_have_run() -> None:
    row = (2**33, 2**33 / 100e3, 100 * 1.5)
    assert collectives_of(Columns(True, False), [row], None) == ("all_reduce",)
    assert collectives_of(Columns(True, False), [row], 16) == ()


def test_a_log_that_names_its_collective_is_taken_by_its_word() -> None:
    run = only(log(ROWS))
    assert (run.collective, run.collective_known_by, run.fits) == (
        "all_reduce",
        "",
        ("all_reduce",),
    )


def test_send_recv_of_160_ranks_is_not_taken_for_an_all_to_all() -> None:
    # 159/160 is 0.6 % below 1, more than the digits of the table leave open
    text = log(ROWS, program="", redop="none", nodes=20, factor=1.0, wrong=("0", "N/A"))
    assert only(text).collective == "send_recv"


def test_few_digits_of_a_slow_network_still_tell_a_factor_of_two() -> None:
    # 64 MiB in 1.1 s over gigabit NICs: 0.061 GB/s, 1.80 times that is printed, 1.875 it is
    slow = (2**26, 1.1e6, 0.11)
    assert collectives_of(Columns(True, False), [slow], 16) == ("all_reduce",)
    assert collectives_of(Columns(True, False), [(2**26, 1.1e6, 0.04)], 16) == (
        "all_reduce",
        "reduce_scatter",
    )
