"""Logs of nccl-tests as people keep them are read, and what is cut is named by line."""

from __future__ import annotations

import json

import pytest

from tests.measured.logs import log
from toposmith.measured.nccl_tests import LogError, MeasuredRun, read_log

ROWS = [(2**20, 22.30), (2**26, 193.58), (2**33, 366.05)]


def only(text: str, *, in_place: bool = False) -> MeasuredRun:
    found = read_log(text.encode(), "run.log", in_place=in_place)
    assert not found.left_out
    (run,) = found.runs
    return run


def test_a_table_gives_sizes_busbw_ranks_and_hosts() -> None:
    run = only(log(ROWS))
    assert run.collective == "all_reduce"
    assert [(p.message_bytes, p.busbw_GBps) for p in run.points] == ROWS
    assert (run.ranks, dict(run.hosts)) == (16, {"host-0": 8, "host-1": 8})


def test_in_place_columns_are_taken_when_asked_for() -> None:
    run = only(log(ROWS), in_place=True)
    assert run.in_place and run.points[2].busbw_GBps == pytest.approx(366.05 * 0.99, abs=0.01)


@pytest.mark.parametrize(
    "prefix", ["[1,0]<stdout>:", "  0: ", "worker-0 | ", "2026-03-01T10:00:00Z ", "\x1b[32m"]
)
def test_prefixes_of_launchers_and_colours_do_no_harm(prefix: str) -> None:
    text = "".join(f"{prefix}{line}\n" for line in log(ROWS).splitlines())
    assert [p.busbw_GBps for p in only(text).points] == [busbw for _, busbw in ROWS]


def test_messages_of_nccl_between_rows_say_what_carried_the_data() -> None:
    noise = (
        "host-0:1:1 [0] NCCL INFO NCCL version 2.27.7+cuda12.8\n"
        "host-0:1:1 [0] NCCL INFO Channel 00/0 : 7[7] -> 8[0] [send] via NET/IB/0\n"
        "host-0:1:1 [0] NCCL INFO NCCL_ALGO set by environment to Ring\n"
    )
    first, second = log(ROWS).split("    67108864")
    run = only(f"{first}{noise}    67108864{second}")
    assert (run.nccl, run.algorithm, dict(run.over)) == ("2.27.7", "ring", {"staged": 1})
    direct = only(log(ROWS, before="x NCCL INFO Channel 00/0 : 0 -> 8 via NET/IB/0/GDRDMA\n"))
    assert dict(direct.over) == {"rdma": 1}
    over_tcp = only(log(ROWS, before="x NCCL INFO Channel 00/0 : 0 -> 8 via NET/Socket/0\n"))
    assert dict(over_tcp.over) == {"socket": 1}


@pytest.mark.parametrize(
    ("said", "protocol"),
    [
        ("NCCL_PROTO set by environment to Simple,LL128", "simple,ll128"),
        ("NCCL_PROTO set by environment to ^LL128", "^ll128"),
        ('NET/OFI Setting NCCL_PROTO to "simple"', "simple"),
        ("NET/OFI Setting NCCL_PROTO='simple': byte delivery ordering unsupported", "simple"),
        ("NET/OFI Need to force simple protocol: GDR not supported", "simple"),
        ("NET/OFI Skipping NCCL_PROTO checks on P5 + RDMA", ""),
    ],
)
def test_lists_of_protocols_are_read_whole_and_so_is_what_a_plugin_sets(
    said: str, protocol: str
) -> None:
    assert only(log(ROWS, before=f"x:1:1 [0] NCCL INFO {said}\n")).protocol == protocol


def test_several_runs_in_one_file_stay_apart() -> None:
    text = log(ROWS) + log(ROWS[:2], program="alltoall_perf", redop="none", nodes=4)
    first, second = read_log(text.encode(), "run.log").runs
    assert (first.collective, first.ranks, len(first.points)) == ("all_reduce", 16, 3)
    assert (second.collective, second.ranks, len(second.points)) == ("all_to_all", 32, 2)


def test_a_blank_reduction_and_no_root_are_older_tables() -> None:
    text = (
        "$ ./build/all_gather_perf -b 1G -e 1G\n"
        "#       size         count    type     time   algbw   busbw  error     time   algbw   "
        "busbw  error\n"
        "  1073741824      16777216   float   6120.5  175.44  164.47  0e+00   6100.1  176.02  "
        "165.02  0e+00\n"
    )
    run = only(text)
    assert run.collective == "all_gather" and run.ranks is None
    assert run.points[0].busbw_GBps == 164.47


def test_a_row_that_is_cut_or_mixed_is_named_by_line_and_left_out() -> None:
    lines = log(ROWS).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("    67108864"))
    lines[at] = lines[at][:70]
    found = read_log("\n".join(lines).encode(), "run.log")
    assert [p.message_bytes for p in found.runs[0].points] == [2**20, 2**33]
    assert found.left_out[0].startswith(f"run.log:{at + 1}: the row has ")


@pytest.mark.parametrize("wrong", ["1e999", "nan", "inf", "1e300"])
def test_a_figure_that_no_run_has_is_left_out_and_named(wrong: str) -> None:
    found = read_log(log(ROWS).replace("366.05", wrong).encode(), "run.log")
    assert [p.message_bytes for p in found.runs[0].points] == [2**20, 2**26]
    assert len(found.left_out) == 1 and "run.log:" in found.left_out[0]


def test_a_row_of_two_lines_is_named_though_it_has_all_figures() -> None:
    text = log([(2**30, 190.0), (2**33, 190.0)])
    small, large = (line for line in text.splitlines() if " float " in line)
    # the size of one row before the figures of the other
    mixed = text.replace(small, small[:50] + large[50:])
    found = read_log(mixed.encode(), "run.log")
    assert [point.message_bytes for point in found.runs[0].points] == [2**33]
    (left_out,) = found.left_out
    assert "are not algbw" in left_out and "mixed with another line" in left_out


def test_a_row_without_a_time_is_named() -> None:
    lines = log(ROWS).splitlines()
    at = next(n for n, line in enumerate(lines) if line.strip().startswith(str(2**26)))
    words = lines[at].split()
    lines[at] = " ".join([*words[:5], "0.00", "0.00", "0.00", *words[8:]])
    found = read_log("\n".join(lines).encode(), "run.log")
    assert "are no figures of a run" in found.left_out[0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "run.log:1: no table of nccl-tests"),
        (b"hello\nworld\n", "run.log:1: no table of nccl-tests"),
        (b"\x7fELF\0\0\0", "run.log:1: binary data"),
        (b'{"version": 2, "results": [', "run.log:1: not readable as JSON"),
        (b'{"version": 2}', "no 'results'"),
        (b'{"args": ["./scatter_perf"], "results": []}', "'scatter' is not one of the collectives"),
    ],
)
def test_what_holds_no_run_is_refused_in_a_line(text: bytes, words: str) -> None:
    with pytest.raises(LogError) as refused:
        read_log(text, "run.log")
    assert words in str(refused.value)


@pytest.mark.parametrize("order", ["le", "be"])
def test_a_log_of_utf_16_reads_as_that_of_utf_8(order: str) -> None:
    mark = {"le": b"\xff\xfe", "be": b"\xfe\xff"}[order]
    wide = mark + log(ROWS).replace("\n", "\r\n").encode(f"utf-16-{order}")
    assert read_log(wide, "run.log") == read_log(log(ROWS).encode(), "run.log")


def test_a_log_of_utf_16_that_ends_in_half_a_character_keeps_its_rows() -> None:
    wide = b"\xff\xfe" + log(ROWS).encode("utf-16-le") + b"\n"
    assert len(read_log(wide, "run.log").runs[0].points) == 3


def test_the_mark_of_utf_8_before_json_is_no_part_of_it() -> None:
    with pytest.raises(LogError, match="no 'results'"):
        read_log(b'\xef\xbb\xbf{"version": 2}', "run.log")


def test_escapes_in_a_log_are_written_out() -> None:
    with pytest.raises(LogError) as refused:
        read_log(b'{"args": ["./\x5cu001b[2J_perf"], "results": []}', "run\x1b[2J.log")
    assert "\x1b" not in str(refused.value)


def test_json_of_nccl_tests_says_the_same_as_its_table() -> None:
    data = {
        "version": 2,
        "args": ["./build/all_reduce_perf", "-b", "1M"],
        "env": ["PATH=/bin", "NCCL_PROTO=Simple"],
        "nccl_version": 22707,
        "config": {
            "devices": [
                {"rank": rank, "group": 0, "hostname": f"host-{rank // 8}"} for rank in range(16)
            ]
        },
        "results": [
            {
                "size": size,
                "out_of_place": {"time": 10.0, "alg_bw": 1.0, "bus_bw": busbw, "nwrong": 0},
                "in_place": {"time": 10.0, "alg_bw": 1.0, "bus_bw": busbw / 2, "nwrong": 0},
            }
            for size, busbw in ROWS
        ],
    }
    run = only(json.dumps(data))
    assert [(p.message_bytes, p.busbw_GBps) for p in run.points] == ROWS
    assert (run.collective, run.ranks, len(run.hosts)) == ("all_reduce", 16, 2)
    assert (run.nccl, run.protocol) == ("2.27.7", "simple")


def test_a_header_without_a_column_that_rows_are_read_by_is_named() -> None:
    text = log([(2**30, 100.0)])
    for column in ("type", "count"):
        with pytest.raises(LogError, match=rf"a header without the column {column}"):
            read_log(text.replace(f" {column} ", " kind ").encode(), "run.log")


def test_a_line_with_a_number_without_bound_is_left_out_and_said() -> None:
    text = log([(2**30, 100.0)])
    number = text[: text.index("# Out of bounds")].count("\n") + 1
    found = read_log(text.replace("# Out", f"{'9' * 5000} 4 float\n# Out").encode(), "run.log")
    assert len(found.runs[0].points) == 1
    assert found.left_out == (
        f"run.log:{number}: found 999999999999... (5,000 signs), expected a whole number of at "
        "most 31 digits",
    )
