"""What a program gets from ``import toposmith``; the examples of docs/python.md run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import toposmith
from toposmith.errors import ToposmithError

PAGE = Path(__file__).parents[1] / "docs" / "python.md"


def test_every_public_name_is_there_and_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in toposmith.__all__:
        assert getattr(toposmith, name).__doc__ or name == "TEMPLATES", name
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
    ):
        assert all(plain(row) for row in toposmith.to_dicts(rows))
    for wrong in ("text", 3, cluster.design):
        with pytest.raises(TypeError):
            toposmith.to_dicts(wrong)


def test_every_error_has_the_one_base() -> None:
    drawn = (PAGE.parent.parent / "toposmith" / "errors.py").read_text(encoding="utf-8")
    names = re.findall(r"\+-- (\w+)", drawn)
    seen = {"ToposmithError": ToposmithError}
    for folder in ("catalog", "topology"):
        for file in (PAGE.parent.parent / folder).rglob("*.py"):
            for name, base in re.findall(
                r"^class (\w+)\((\w+)[,)]", file.read_text(encoding="utf-8"), re.MULTILINE
            ):
                if base in {*names, "ToposmithError"}:
                    seen[name] = ToposmithError
    assert set(seen) - {"ToposmithError"} == set(names)
