"""What a program gets from ``import toposmith``; the examples of docs/python.md run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import toposmith
from toposmith.errors import ToposmithError
from toposmith.saved_designs import SavedDesign, saved_designs

PAGE = Path(__file__).parents[1] / "docs" / "python.md"


def test_every_public_name_is_there_and_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in toposmith.__all__:
        assert getattr(toposmith, name).__doc__ not in (None, dict.__doc__), name
    shown = set(re.findall(r"toposmith\.(\w+)", page)) | set(re.findall(r"`(\w+)`", page))
    used_in_types_only = {"Catalog", "Design", "EvaluatedDesign", "Request", "TEMPLATES"}
    assert set(toposmith.__all__) - shown <= used_in_types_only


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) >= 8
    exec("\n".join(examples), {})
    assert (tmp_path / "fabric.yaml").read_text(encoding="utf-8").startswith("toposmith: 1\n")


def test_importing_it_loads_nothing_else() -> None:
    words = "import sys, toposmith; print(sorted(m for m in sys.modules if 'toposmith' in m))"
    told = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "['toposmith']"


def test_one_100gbe_nic_limits_eight_a100s_to_12_gbps() -> None:
    """One port of 100 Gb/s carries 12.5 GB/s; 96 % of it is payload (nccl-tests issue 119)."""
    cluster = toposmith.evaluate("a100-rack-1x100gbe")
    assert cluster.analysis.busbw_GBps == pytest.approx(12.0, rel=0.02)
    assert cluster.analysis.limiting[0].tier == "nic"
    assert any(finding.code for finding in cluster.findings)


@pytest.mark.parametrize("size", ["1 KiB", "1 GiB"])
@pytest.mark.parametrize("saved", saved_designs(), ids=lambda saved: saved.name)
def test_no_link_is_named_that_does_not_limit(saved: SavedDesign, size: str) -> None:
    if saved.name.startswith("b200-131072"):
        pytest.skip("as all others, and slow")
    analysis = toposmith.evaluate(saved.name, size=size).analysis
    assert bool(analysis.limiting) == (analysis.limited_by == "links")


def test_the_network_is_not_what_limits_four_scalable_units_of_dgx_h100() -> None:
    """As the command says: NCCL's channels do."""
    analysis = toposmith.evaluate("dgx-h100-superpod-4su").analysis
    assert (analysis.limited_by, analysis.limiting) == ("channels", ())


def test_two_nodes_of_eight_gpus_are_sixteen() -> None:
    rack = toposmith.parse(
        {
            "groups": {"node": {"part": "dgx-h100", "count": 2}, "leaf": {"part": "qm9700"}},
            "links": [{"between": ["node.compute", "leaf"]}],
        }
    )
    assert toposmith.evaluate(rack).analysis.gpus == 16


def test_a_part_that_fails_is_tried() -> None:
    whole = toposmith.evaluate("hgx-a100-64gpu-roce-2to1")
    name = next(group for group in whole.plan.groups.values() if group.switch is not None).name
    less = toposmith.evaluate("hgx-a100-64gpu-roce-2to1", failing=[f"{name}[{name}=0]"])
    assert (less.analysis.busbw_GBps or 0) < (whole.analysis.busbw_GBps or 0)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"collective": "all-reduce"}, "all_reduce"),
        ({"size": "much"}, "8 GiB"),
        ({"size": 0}, "8 GiB"),
        ({"routing": "best"}, "adaptive"),
        ({"group": "dp"}, "world"),
        ({"layout": "tp=x"}, "tp"),
        ({"nccl": "two"}, "two"),
        ({"queue_pairs": 4}, "static"),
        ({"queue_pairs": -1, "routing": "static"}, "1 to 128"),
        ({"size": float("nan")}, "8 GiB"),
        ({"size": 1.5}, "8 GiB"),
        ({"size": True}, "8 GiB"),
        ({"prices": ["nope.csv"]}, "nope.csv"),
    ],
    ids=str,
)
def test_what_does_not_exist_is_named_with_what_would_be_right(
    wrong: dict[str, str], named: str
) -> None:
    with pytest.raises(ToposmithError, match=re.escape(named)):
        toposmith.evaluate("a100-rack-1x100gbe", **wrong)  # type: ignore[arg-type]


def test_a_count_is_a_whole_number_in_an_edit_too() -> None:
    rack = toposmith.load("a100-rack-1x100gbe")
    for wrong in ("3", 2.5, True):
        with pytest.raises(toposmith.EditError, match="count is a whole number"):
            toposmith.edits.set_count(rack, "node", wrong)  # type: ignore[arg-type]


def test_a_file_is_not_written_over_unless_that_is_said(tmp_path: Path) -> None:
    design = toposmith.new("leaf-spine", su=1)
    path = toposmith.save(design, tmp_path / "a.yaml")
    with pytest.raises(toposmith.SaveError, match="replace=True"):
        toposmith.save(design, path)
    path.write_text("# ours\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    toposmith.save(toposmith.edits.set_name(design, "other").design, path, replace=True)
    assert path.read_text(encoding="utf-8").startswith("# ours\n")
    assert toposmith.load(path).name == "other"


def test_rows_have_no_classes_of_ours() -> None:
    cluster = toposmith.evaluate("a100-rack-1x100gbe")

    def plain(value: object) -> bool:
        if isinstance(value, dict):
            return all(map(plain, value.values()))
        if isinstance(value, list):
            return all(map(plain, value))
        return value is None or isinstance(value, str | int | float | bool)

    for rows in (
        cluster.bill,
        cluster.findings,
        cluster.analysis.limits,
        cluster.analysis.tiers,
        toposmith.failures(cluster),
        toposmith.differences(cluster, cluster),
        cluster.curve,
        cluster.placement,
        cluster.schedule,
        cluster.schedule.rows(),
        cluster.bill.links,
    ):
        assert toposmith.to_dicts(rows)
        assert all(plain(row) for row in toposmith.to_dicts(rows))
    for wrong in ("text", 3, cluster.design):
        with pytest.raises(TypeError):
            toposmith.to_dicts(wrong)


def test_tables_say_where_devices_stand_and_what_cables_join() -> None:
    """One node and one switch, eight GPUs on one NIC: two devices in one rack, and one cable."""
    cluster = toposmith.evaluate("a100-rack-1x100gbe")
    stands = toposmith.to_dicts(cluster.placement)
    assert sum(row["group"] == "node" for row in stands) == cluster.analysis.nodes
    assert all(row["unit"] >= 1 and row["rack"] for row in stands)
    cables = toposmith.to_dicts(cluster.schedule)
    assert len(cables) == cluster.schedule.cables
    assert {row["a_kind"] for row in cables} | {row["z_kind"] for row in cables} <= {
        "Host",
        "Switch",
    }
    assert {row["link"] for row in cables} == {link.label for link in cluster.plan.every_link}
    points = toposmith.to_dicts(cluster.curve)
    assert [row["message_bytes"] for row in points][:3] == [8, 16, 32]


def test_a_part_of_unknown_power_draws_no_zero_watts_at_least() -> None:
    lines = {
        row["part"]: row
        for row in toposmith.to_dicts(toposmith.evaluate("a100-rack-1x100gbe").bill)
    }
    nic = lines["connectx-6-dx-100gbe"]
    assert (nic["unit_power_w"], nic["unit_least_power_w"]) == (None, None)
    assert lines["as-4124go-nart"]["unit_least_power_w"] == 8 * 400  # its GPUs


def test_two_collectives_are_asked_for_at_once_and_compared() -> None:
    both = toposmith.evaluate("a100-rack-1x100gbe", collective=["all_to_all", "all_reduce"])
    alone = toposmith.evaluate("a100-rack-1x100gbe")
    assert list(both.analyses) == ["all_to_all", "all_reduce"]
    assert both.analysis.collective == "all_to_all"
    assert both.analyses["all_reduce"].busbw_GBps == alone.analysis.busbw_GBps
    rows = toposmith.to_dicts(toposmith.differences(alone, both))
    assert {"busbw_all_reduce", "busbw_all_to_all"} <= {row["key"] for row in rows}
    with pytest.raises(ToposmithError, match="'gather' is no collective"):
        toposmith.evaluate("a100-rack-1x100gbe", collective=["all_reduce", "gather"])


def test_every_error_has_the_one_base() -> None:
    drawn = (PAGE.parent.parent / "toposmith" / "errors.py").read_text(encoding="utf-8")
    names = re.findall(r"\+-- (\w+)", drawn)
    seen = {"ToposmithError": ToposmithError}
    for file in (PAGE.parent.parent / "toposmith").rglob("*.py"):
        for name, base in re.findall(
            r"^class (\w+)\((\w+)[,)]", file.read_text(encoding="utf-8"), re.MULTILINE
        ):
            if base in {*names, "ToposmithError"}:
                seen[name] = ToposmithError
    assert set(seen) - {"ToposmithError"} == set(names)
