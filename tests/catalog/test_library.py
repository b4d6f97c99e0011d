"""Reading part files and finding parts."""

from __future__ import annotations

from pathlib import Path

import pytest

import catalog as package
from catalog import Catalog, CatalogError, UnknownPart, load_catalog

SWITCH = """
- kind: switch
  id: "acme-32"
  name: "Acme 32"
  vendor: "Acme"
  protocol: ethernet
  cages: {count: 32, cage: qsfp28, lanes: 4, modes: [{ports: 1, speed_gbit: 100}]}
  source: "Acme datasheet"
"""


def read(folder: Path, **files: str) -> Catalog:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return load_catalog(folder)


def problems(folder: Path, **files: str) -> list[str]:
    with pytest.raises(CatalogError) as caught:
        read(folder, **files)
    return list(caught.value.problems)


def test_a_part_file_gives_parts_in_their_order(tmp_path: Path) -> None:
    second = SWITCH.replace("acme-32", "acme-8")
    catalog = read(tmp_path, b=SWITCH, a=second)
    assert [part.id for part in catalog] == ["acme-8", "acme-32"]
    assert len(catalog) == 2
    assert "acme-8" in catalog


def test_the_parts_of_the_program_are_read_once() -> None:
    assert load_catalog() is load_catalog()


def test_parts_are_found_by_kind() -> None:
    nodes = load_catalog().of_kind("node")
    assert {"dgx-a100", "dgx-h100", "dgx-b200"} <= {node.id for node in nodes}
    assert all(node.kind == "node" for node in nodes)


def test_a_misspelt_id_is_answered_with_its_neighbours() -> None:
    catalog = load_catalog()
    with pytest.raises(UnknownPart, match=r"no part 'dgx-h10' .*did you mean 'dgx-h100'"):
        catalog["dgx-h10"]
    assert catalog.get("dgx-h10") is None
    assert catalog.nearest("connectx7-ndr")[0] == "connectx-7-ndr"


def test_an_id_like_nothing_else_gets_no_advice() -> None:
    with pytest.raises(UnknownPart) as caught:
        load_catalog()["???"]
    assert str(caught.value) == "no part '???' in the catalog"


def test_an_unknown_part_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        load_catalog()["nothing"]


def test_a_part_of_another_kind_is_refused_by_name() -> None:
    catalog = load_catalog()
    with pytest.raises(UnknownPart, match="'qm9700' is a switch, no node"):
        catalog.node("qm9700")
    with pytest.raises(UnknownPart, match="'dgx-h100' is a node, no gpu"):
        catalog.gpu("dgx-h100")
    with pytest.raises(UnknownPart, match="no nic 'connectx-6-hrd'; did you mean 'connectx-6-hdr'"):
        catalog.nic("connectx-6-hrd")
    with pytest.raises(UnknownPart, match="no switch 'qm9800'; did you mean"):
        catalog.switch("qm9800")


def test_a_missing_figure_is_reported_with_file_part_and_field(tmp_path: Path) -> None:
    text = SWITCH.replace("  protocol: ethernet\n", "")
    assert problems(tmp_path, mine=text) == ["mine.yaml: part 'acme-32': protocol: missing"]


def test_a_wrong_figure_is_reported_with_what_was_found(tmp_path: Path) -> None:
    text = SWITCH.replace("count: 32", "count: many")
    (problem,) = problems(tmp_path, mine=text)
    assert problem.startswith("mine.yaml: part 'acme-32': cages.count: ")
    assert problem.endswith("found 'many'")


def test_an_unknown_field_is_refused(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, mine=SWITCH + "  prots: 32\n")
    assert problem.startswith("mine.yaml: part 'acme-32': prots: ")


def test_a_part_number_that_yaml_reads_as_a_number_is_refused(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, mine=SWITCH + "  part_number: 0123\n")
    assert "part 'acme-32': part_number: " in problem


def test_a_quoted_part_number_stays_text(tmp_path: Path) -> None:
    catalog = read(tmp_path, mine=SWITCH + '  part_number: "0123"\n')
    assert catalog["acme-32"].part_number == "0123"


@pytest.mark.parametrize(
    ("kind", "said"), [("", "kind: missing"), ("kind: gadget", "no such kind of part: 'gadget'")]
)
def test_a_part_without_a_known_kind_is_refused(tmp_path: Path, kind: str, said: str) -> None:
    text = SWITCH.replace("- kind: switch\n ", f"- {kind}\n " if kind else "-")
    (problem,) = problems(tmp_path, mine=text)
    assert "part 'acme-32'" in problem
    assert said in problem


def test_all_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    first = SWITCH.replace("count: 32", "count: 0")
    second = SWITCH.replace("acme-32", "acme-8").replace("lanes: 4", "lanes: 99")
    third = "- just text\n"
    found = problems(tmp_path, a=first, b=second, c=third)
    assert [problem.split(":")[0] for problem in found] == ["a.yaml", "b.yaml", "c.yaml"]
    assert "cages.count" in found[0]
    assert "cages.lanes" in found[1]
    assert "part number 1" in found[2]


def test_an_id_may_occur_once_only(tmp_path: Path) -> None:
    assert problems(tmp_path, a=SWITCH, b=SWITCH) == ["b.yaml: part 'acme-32': id: also in a.yaml"]
    part = load_catalog()["qm9700"]
    with pytest.raises(CatalogError, match="'qm9700': this id occurs more than once"):
        Catalog([part, part])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1, 2", "not readable as YAML"),
        ("a: 1", "a list of parts was expected"),
        ("", "a list of parts was expected, found None"),
        ("- !!python/object/apply:os.getcwd []", "not readable as YAML"),
        ("[" * 5000, "bad.yaml: "),
        ("#" * 2_000_001, "2000001 bytes"),
    ],
    ids=["torn", "mapping", "empty", "python object", "deep", "huge"],
)
def test_a_file_that_is_no_part_list_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (problem,) = problems(tmp_path, bad=text)
    assert problem.startswith("bad.yaml: ")
    assert said in problem


def test_aliases_that_stand_for_millions_cost_nothing(tmp_path: Path) -> None:
    levels = [f"&l0 [{', '.join('x' * 9)}]"]
    levels += [f"&l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 9)]
    text = "\n".join(f"- {level}" for level in levels)
    assert len(problems(tmp_path, laughs=text)) == 9


def test_an_empty_folder_is_no_catalog(tmp_path: Path) -> None:
    assert "no part files" in problems(tmp_path)[0]


def test_the_package_exports_what_it_lists() -> None:
    assert package.__all__ == sorted(package.__all__)
    assert all(hasattr(package, name) for name in package.__all__)
