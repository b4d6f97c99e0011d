"""`analyze`, as a script sees it: what it is asked, what it says, and what it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, get_args

import pytest

from tests.command.shell import OVERFULL, SOUND, Outcome, Shell
from toposmith import planned_design
from toposmith.analysis.analyse import Questions, analyse
from toposmith.analysis.jobs.communicator import Job
from toposmith.analysis.jobs.parallel_layout import parse_layout
from toposmith.analysis.prediction.size_curve import curve_as_data, curve_sizes
from toposmith.analysis.request import Request, Routing
from toposmith.analysis.result import as_json
from toposmith.catalog import Catalog, load_catalog
from toposmith.design.document import Design
from toposmith.design.stored_files import load_file
from toposmith.fabric.plan import Plan
from toposmith.fabric.planner import plan_design
from toposmith.nccl.nccl_version import parse_version
from toposmith.saved_designs import find_saved
from toposmith.templates import TEMPLATES

POD = "dgx-h100-superpod-1su"
RACK = "a100-rack-1x100gbe"


def engine(name: str, request: Request) -> dict[str, Any]:
    """What the engine says about a saved design."""
    return as_json(analyse(*planned(name), request))


def planned(name: str) -> tuple[object, object]:
    saved, catalog = find_saved(name), load_catalog()
    assert saved is not None
    return plan_design(load_file(saved.path).design, catalog), catalog


@pytest.fixture
def figures(shell: Shell) -> Callable[..., dict[str, Any]]:
    """The figures of a saved design under options, read back from JSON."""

    def asked(name: str, *options: str) -> dict[str, Any]:
        done = shell("analyze", name, "--json", *options)
        assert done.err == ""
        read: dict[str, Any] = json.loads(done.out)
        return read

    return asked


def test_analyze_gives_the_documented_json(shell: Shell) -> None:
    done = shell("analyze", shell.file("a.yaml", SOUND), "--json")
    read = json.loads(done.out)
    assert done.code == 0
    assert read["toposmith"] == 1
    assert (read["gpus"], read["nodes"]) == (32, 4)
    assert read["message_bytes"] == 8 * 2**30
    assert done.err == ""


@pytest.mark.parametrize(
    ("options", "request_"),
    [
        (("--collective", "all-gather"), Request("all_gather")),
        (("--size", "1MiB"), Request(message_bytes=2**20)),
        (("--communicator", "tp=4,dp=2"), Request(job=Job(parse_layout("tp=4,dp=2")))),
        (
            ("--communicator", "tp=4,dp=2", "--with", "group=tp"),
            Request(job=Job(parse_layout("tp=4,dp=2"), "tp")),
        ),
        (("--with", "placement=striped"), Request(job=Job(placement="striped"))),
        (
            ("--with", "placement=scattered", "--with", "seed=7"),
            Request(job=Job(placement="scattered", seed=7)),
        ),
        (("--with", "nccl=2.27"), Request(version=parse_version("2.27"))),
        (("--routing", "adaptive"), Request(routing=Routing("adaptive"))),
        (("--routing", "static", "--queue-pairs", "4"), Request(routing=Routing("static", 4))),
        (
            (
                "--with",
                "sharp",
            ),
            Request(sharp=True),
        ),
        (
            ("--with", "algorithm=Ring", "--with", "protocol=LL128"),
            Request(algorithm="ring", protocol="ll128"),
        ),
        (("--with", "mtu=1024"), Request(mtu=1024)),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, tuple) else "",
)
def test_every_option_is_what_the_engine_is_asked(
    figures: Callable[..., dict[str, Any]], options: tuple[str, ...], request_: Request
) -> None:
    told, found = figures(POD, *options), engine(POD, request_)
    own = [(one["code"], one["text"]) for one in found.pop("findings")]
    assert set(own) <= {(one["code"], one["text"]) for one in told.pop("findings")}
    assert told == found


def _told(findings: list[dict[str, Any]]) -> list[tuple[object, ...]]:
    return [(f["code"], f["where"], f["severity"], f["text"], f.get("waived")) for f in findings]


OVERSUBSCRIBED = """\
toposmith: 1
name: 3 to 1 over one spine
axes: {rail: 4}
groups:
  node: {part: hgx-h100-8, count: 12, nics: {compute: {part: connectx-7-ndr, count: 4}}}
  leaf: {part: qm9700, per: [rail]}
  spine: {part: qm9700}
links:
  - {between: [node.compute, leaf]}
  - {between: [leaf, spine], cables: 4}
"""
WAIVED = (
    OVERSUBSCRIBED
    + """\
waivers:
  - {code: single-spine, reason: one of two is built, date: '2026-01-01'}
  - {code: oversubscribed, reason: until spring, date: '2026-01-01', until: '2026-02-01'}
"""
)


@pytest.mark.parametrize("name", [RACK, POD, "oversubscribed", "waived", "faults"])
def test_analyze_and_check_tell_the_same_findings(shell: Shell, name: str) -> None:
    texts = {
        "oversubscribed": OVERSUBSCRIBED,
        "waived": WAIVED,
        "faults": OVERFULL,
    }
    file = shell.file("a.yaml", texts[name]) if name in texts else name
    (checked,) = json.loads(shell("check", file, "--json").out)["designs"]
    done = shell("analyze", file, "--json")
    assert _told(json.loads(done.out)["findings"]) == _told(checked["findings"])
    open_errors = [f for f in checked["findings"] if f["severity"] == "error" and "waived" not in f]
    assert done.code == bool(open_errors)


@pytest.mark.parametrize("name", [RACK, "oversubscribed", "waived"])
def test_what_is_not_listed_is_counted(shell: Shell, name: str) -> None:
    texts = {"oversubscribed": OVERSUBSCRIBED, "waived": WAIVED}
    file = shell.file("a.yaml", texts[name]) if name in texts else name
    row = re.compile(r"^(?:\S+: )?((?:waived )?(?:error|warning|info): .*)$", re.MULTILINE)
    checked = row.findall(shell("check", file, "--remarks").out)
    for others in ((), (POD,)):
        text = shell("analyze", file, "--why", *others).out
        told = [line for line in checked if line in text]
        more = re.search(rf"^([0-9]+) remarks?: check {file} --remarks$", text, re.M)
        assert len(told) + int(more[1] if more else 0) == len(checked)
        assert all(line in told for line in checked if not line.startswith("info"))


def test_what_is_waived_is_said_so_beside_a_workload(shell: Shell) -> None:
    shell.file("a.yaml", OVERSUBSCRIBED + "workload: {model: llama3-8b, training: {batch: 960}}\n")
    (before,) = json.loads(shell("workload", "a.yaml", "--json").out)["findings"][:1]
    waiver = f"waivers:\n  - {{code: {before['code']}, reason: meant, date: '2026-01-01'}}\n"
    with (shell.folder / "a.yaml").open("a", encoding="utf-8") as file:
        file.write(waiver)
    (after,) = json.loads(shell("workload", "a.yaml", "--json").out)["findings"][:1]
    assert after.pop("waived")["reason"] == "meant"
    assert after == before
    assert f"waived {before['severity']}: " in shell("workload", "a.yaml").out


@pytest.mark.parametrize("spelling", ["reduce_scatter", "reduce-scatter", "ReduceScatter"])
def test_a_collective_may_be_spelled_as_people_do(
    figures: Callable[..., dict[str, Any]], spelling: str
) -> None:
    assert figures(POD, "--collective", spelling)["collective"] == "reduce_scatter"


def test_the_job_of_a_design_holds_unless_the_options_say_otherwise(shell: Shell) -> None:
    block = "communicator: {layout: 'tp=4,dp=8', group: tp, placement: striped}\n"
    file = shell.file("job.yaml", SOUND + block)

    def ranks(*options: str) -> tuple[str, str, str]:
        read = json.loads(shell("analyze", file, "--json", *options).out)
        return read["communicator"]["kind"], read["layout"], read["placement"]

    assert ranks() == ("tp", "tp=4,dp=8", "striped")
    assert ranks("--with", "group=dp") == ("dp", "tp=4,dp=8", "striped")
    assert ranks("--communicator", "dp=32") == ("dp", "dp=32", "striped")
    assert ranks("--communicator", "world", "--with", "placement=packed") == (
        "world",
        "world",
        "packed",
    )


@pytest.mark.parametrize(
    ("block", "says"),
    [
        ("{layout: tp=8, placment: packed}", "unknown key 'placment'; known are layout"),
        ("{layout: tp=0}", "a group has at least one rank"),
        ("{placement: somewhere}", "'somewhere' is not one of packed"),
        ("{layout: tp=8, group: dp}", "tp=8 has no group 'dp'"),
    ],
)
def test_a_wrong_communicator_block_is_said_with_its_file(
    shell: Shell, block: str, says: str
) -> None:
    file = shell.file("job.yaml", f"{SOUND}communicator: {block}\n")
    done = shell("analyze", file)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("job.yaml: communicator: ")
    assert says in done.err
    checked = shell("check", file)
    assert checked.code == 1
    assert checked.out.startswith("job.yaml: error: communicator: ")
    assert says in checked.out


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--collective", "all-redoce"), "'all_reduce', 'all_gather'"),
        (("--communicator", "zp=8"), "write world, or sizes of tp, cp, ep, dp, pp"),
        (("--communicator", "tp=8", "--with", "group=dp"), "has no dp groups; it has world, tp"),
        (("--with", "nccl=2.99"), "no NCCL release from 2.18 to 2.32"),
        (("--queue-pairs", "4"), "count with static routing only"),
        (("--routing", "static", "--queue-pairs", "0"), "1<=x<=128"),
        (("--with", "seed=4"), "counts with the scattered placement only"),
        (("--with", "mtu=1500"), "2048, 4096"),
        (("--plot",), "goes with --curve"),
        (("--curve", "--plot", "--json"), "not into JSON"),
        (("--curve", "--size", "8GiB"), "--size: a curve has every size"),
        (("nowhere.yaml",), "nowhere.yaml: there is no such file"),
        ((POD, POD, "--curve", "--plot"), "one design or two"),
    ],
)
def test_a_wrong_option_exits_2_and_says_what_would_be_right(
    shell: Shell, options: tuple[str, ...], says: str
) -> None:
    done = shell("analyze", POD, *options)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_both_designs_cannot_come_from_stdin(shell: Shell) -> None:
    assert "only one design" in shell("analyze", "-", "-").err


def test_a_layout_that_does_not_fit_is_a_finding_and_exits_1(shell: Shell) -> None:
    done = shell("analyze", POD, "--communicator", "tp=7")
    assert done.code == 1
    assert re.search("all-reduce, 8 GiB +unknown$", done.out, re.M)
    assert "tp=7 takes 7 GPUs at a time" in done.out


def test_analyze_says_figures_with_units_and_what_kind_they_are(shell: Shell) -> None:
    out = shell("analyze", "dgx-h100-superpod-4su", "--why").out
    assert "1,016 GPUs in 127 nodes, communicator world: 1,016 ranks, packed" in out
    assert re.search(r"predicted busbw +\d{3} GB/s per GPU \(model\)", out)
    words = (
        r"403 GB/s per GPU at line rate, where NVSwitches reduce \(bound: ingress of all nodes\)"
    )
    assert re.search(rf"bound on busbw +{words}", out)
    assert re.search(r"of which latency +\d+ µs \(model\)", out)
    assert re.search(r"share of the bound +\d+ % \(model\)", out)
    assert re.search(r"NCCL runs +\w+, Simple, \d+ channels \(model\)", out)
    assert "NCCL 2.32" in out


@pytest.mark.parametrize(
    "design",
    [
        *("dgx-h100-superpod-4su", "hgx-a100-64gpu-roce-2to1", "gb200-nvl72-8-racks-ndr", RACK),
        *("top-of-rack", "nvlink-racks", "torus"),
    ],
)
def test_a_first_look_is_short_and_begins_with_the_figure(shell: Shell, design: str) -> None:
    if design in TEMPLATES:
        shell("new", design, "-o", f"{design}.yaml")
        design = f"{design}.yaml"
    out = shell("analyze", design).out
    assert len(out.splitlines()) <= 25
    assert len(out.split()) <= 155
    _, _, first, *_ = out.splitlines()
    busbw = json.loads(shell("analyze", design, "--json").out)["busbw_GBps"]
    shown = re.search(r"([\d.]+) GB/s per GPU", first)
    assert shown and float(shown[1]) == pytest.approx(busbw, rel=0.005)
    for line in ("runs", "bound", "limited by", "Next:"):
        assert re.search(rf"^{line}", out, re.M), line


def test_a_first_look_counts_what_it_does_not_list(shell: Shell) -> None:
    file = shell.file("a.yaml", WAIVED)
    (checked,) = json.loads(shell("check", file, "--json").out)["designs"]
    kinds = [("waived" if "waived" in one else one["severity"]) for one in checked["findings"]]
    told = ", ".join(
        f"{kinds.count(kind):,} {words}" + "s" * (kinds.count(kind) > 1 and kind != "waived")
        for kind, words in (("warning", "warning"), ("waived", "waived"), ("info", "remark"))
        if kinds.count(kind)
    )
    assert told in shell("analyze", file).out


def test_the_limiting_link_is_marked_where_links_limit(shell: Shell) -> None:
    out = shell("analyze", RACK).out
    rows = out.partition("  link ")[2].partition("\n\n")[0].splitlines()[1:]
    assert rows[0].lstrip().startswith("node.compute - leaf")
    assert [row.endswith("limits") for row in rows] == [True] + [False] * (len(rows) - 1)
    assert re.search(r"limited by +links: node.compute - leaf", out)


def test_no_link_is_marked_where_latency_limits(shell: Shell) -> None:
    out = shell("analyze", RACK, "--size", "1KiB", "--why").out
    assert re.search(r"limited by +latency \(model\)", out)
    assert not re.search(r"limits$", out, re.M)


def test_analyze_of_a_design_with_errors_shows_figures_and_exits_1(shell: Shell) -> None:
    done = shell("analyze", shell.file("a.yaml", OVERFULL))
    assert done.code == 1
    assert "error: leaf: " in done.out


@pytest.mark.parametrize(
    ("size", "found"),
    [
        ("8GiB", 8 * 2**30),
        ("8G", 8 * 2**30),
        ("8GB", 8 * 10**9),
        ("512 mib", 512 * 2**20),
        ("4096", 4096),
        ("4096B", 4096),
        ("1KiB", 1024),
    ],
)
def test_sizes_are_read_as_nccl_tests_does(shell: Shell, size: str, found: int) -> None:
    done = shell("analyze", shell.file("a.yaml", SOUND), "--json", "--size", size)
    assert json.loads(done.out)["message_bytes"] == found


@pytest.mark.parametrize("size", ["", "0", "-1", "8GX", "GiB", "1e9", "99999999TiB"])
def test_a_wrong_size_exits_2_with_an_example(shell: Shell, size: str) -> None:
    done = shell("analyze", shell.file("a.yaml", SOUND), "--size", size)
    assert (done.code, done.out) == (2, "")
    assert "write it like 8GiB" in done.err


class TestSeveral:
    """Several designs, one after another."""

    def test_each_stands_with_its_own_findings(self, shell: Shell) -> None:
        both = shell("analyze", RACK, POD).out
        for each in (RACK, POD):
            alone = shell("analyze", each).out.partition("Next:")[0]  # a search of some seconds
            assert alone in both

    def test_json_is_a_list_of_both(self, figures: Callable[..., Any]) -> None:
        both = figures(RACK, POD)
        assert both == [figures(RACK), figures(POD)]

    def test_each_has_the_job_of_its_own_file(self, shell: Shell) -> None:
        file = shell.file("job.yaml", f"{SOUND}communicator: {{layout: tp=8}}\n")
        both = json.loads(shell("analyze", file, POD, "--json").out)
        assert [each["layout"] for each in both] == ["tp=8", "world"]


class TestCurve:
    """Every message size."""

    def lines(self, done: Outcome) -> list[str]:
        return [line for line in done.out.splitlines() if re.match(r" *\d+ [KMG]?i?B ", line)]

    def test_there_is_a_line_for_every_size_and_the_switches_are_marked(self, shell: Shell) -> None:
        expected = Questions(*planned(POD)).curve(Request())  # type: ignore[arg-type]
        assert expected is not None
        lines = self.lines(shell("analyze", POD, "--curve"))
        assert len(lines) == len(expected.points)
        marked = [index for index, line in enumerate(lines) if line.endswith("<- switches")]
        switches = [expected.points.index(point) for point in expected.switches]
        assert marked == switches
        assert switches, "a pod switches somewhere"

    def test_algorithms_are_written_as_the_field_does(self, shell: Shell) -> None:
        out = shell("analyze", POD, "--curve").out
        assert "LL128" in out
        assert "NVLSTree" in out
        assert "nvls_tree" not in out

    def test_it_is_drawn_only_where_that_is_asked_or_somebody_looks(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert "┤" not in shell("analyze", POD, "--curve").out
        assert "┤" in shell("analyze", POD, "--curve", "--plot").out
        monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
        assert "┤" in shell("analyze", POD, "--curve").out
        assert "┤" not in shell("analyze", POD, "--curve", "--no-plot").out

    def test_an_ascii_locale_gets_an_ascii_drawing(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("LC_ALL", "C")
        drawn = shell("analyze", POD, "--curve", "--plot").out.partition("(model)\n")[2]
        assert drawn.isascii()
        assert "***" in drawn

    def test_json_is_what_the_engine_says(self, figures: Callable[..., object]) -> None:
        request = Request("all_gather")
        expected = Questions(*planned(POD)).curve(request)  # type: ignore[arg-type]
        assert expected is not None
        asked = figures(POD, "--curve", "--collective", "all-gather")
        assert asked == curve_as_data(expected)

    def test_two_designs_share_one_drawing(self, shell: Shell) -> None:
        done = shell("analyze", POD, RACK, "--curve", "--plot")
        rows = [line for line in self.lines(done) if "B/s" in line]
        assert len(rows) == 2 * len(curve_sizes())
        title = "busbw per GPU against message size"
        assert done.out.count(title) == 1
        legend = done.out.partition(title)[2].partition("\n\n")[0]
        assert "DGX H100 SuperPOD, 1 SU" in legend
        assert "Eight A100 nodes" in legend

    def test_json_of_two_is_a_list(self, figures: Callable[..., Any]) -> None:
        both = figures(POD, RACK, "--curve")
        assert [each["collective"] for each in both] == ["all_reduce", "all_reduce"]
        assert both[0]["points"] != both[1]["points"]

    def test_no_curve_is_said_with_its_reason_and_exits_1(self, shell: Shell) -> None:
        done = shell("analyze", POD, "--curve", "--communicator", "tp=7")
        assert (done.code, done.out) == (1, "")
        assert "no curve: communicator: tp=7 takes 7 GPUs" in done.err


def test_every_limit_has_words() -> None:
    from toposmith.analysis.prediction.predictor import LimitedBy
    from toposmith.nccl.node import ALGORITHMS, PROTOCOLS
    from toposmith.text import ALGORITHM_NAMES, LIMIT_WORDS, PROTOCOL_NAMES

    assert set(LIMIT_WORDS) == set(get_args(LimitedBy))
    assert set(ALGORITHM_NAMES) == {*ALGORITHMS, "pairwise"}
    assert set(PROTOCOL_NAMES) == set(PROTOCOLS)


def test_a_design_is_planned_once_for_its_figures_and_what_lifts_them(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[Design] = []

    def counted(design: Design, catalog: Catalog) -> Plan:
        planned.append(design)
        return plan_design(design, catalog)

    monkeypatch.setattr(planned_design, "plan_design", counted)
    shell("analyze", shell.file("pod.yaml", SOUND))
    assert planned.count(planned[0]) == 1


def test_an_all_to_all_between_nodes_is_called_an_estimate_inside_one_it_is_not(
    shell: Shell,
) -> None:
    def exchange(design: str) -> str:
        lines = shell("analyze", design).out.splitlines()
        return next(line for line in lines if line.startswith("all-to-all "))

    assert exchange("dgx-h100-superpod-1su").endswith("GB/s (estimate)")
    assert exchange("gb200-nvl72-rack").endswith("GB/s")
