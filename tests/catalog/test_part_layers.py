"""Reading part files: what is sound is kept, what is not is told with file, line, part, field."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from toposmith.catalog import Catalog, CatalogError, cache, folders, load_catalog, read_catalog

SWITCH = """
- kind: switch
  id: "acme-32"
  name: "Acme 32"
  vendor: "Acme"
  protocol: ethernet
  cages: {count: 32, cage: qsfp28, lanes: 4, modes: [{ports: 1, speed_gbit: 100}]}
  source: "Acme datasheet"
"""

NODE = """
- kind: node
  id: "acme-node"
  name: "Acme node"
  vendor: "Acme"
  gpu: "acme-gpu"
  gpus: 1
  sockets: 1
  cpu_vendor: amd
  branches: [{socket: 0, gpus: [0]}]
  source: "Acme datasheet"
"""

GPU = """
- kind: gpu
  id: "acme-gpu"
  name: "Acme GPU"
  vendor: "Acme"
  architecture: "a1"
  memory_gb: 8
  pcie: {generation: 4}
  source: "Acme datasheet"
"""

PACKAGED = Path(folders.__file__).parent / "parts"


def read(folder: Path, **files: str) -> Catalog:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return read_catalog(folder)


def faults(folder: Path, **files: str) -> list[str]:
    return list(read(folder, **files).faults)


def test_a_part_file_gives_parts_in_their_order(tmp_path: Path) -> None:
    second = SWITCH.replace("acme-32", "acme-8")
    catalog = read(tmp_path, b=SWITCH, a=second)
    assert [part.id for part in catalog] == ["acme-8", "acme-32"]
    assert len(catalog) == 2
    assert "acme-8" in catalog
    assert catalog.faults == ()


def test_the_parts_of_the_program_are_read_once() -> None:
    assert load_catalog() is load_catalog()


def test_a_missing_figure_is_reported_with_file_line_part_and_field(tmp_path: Path) -> None:
    text = SWITCH.replace("  protocol: ethernet\n", "")
    assert faults(tmp_path, mine=text) == ["mine.yaml:2: part 'acme-32': protocol: missing"]


def test_an_unknown_cage_is_refused(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, mine=SWITCH.replace("qsfp28", "qsfp29"))
    assert fault.startswith("mine.yaml:7: part 'acme-32': cages.cage: ")
    assert fault.endswith("found 'qsfp29'")


def test_a_slip_that_only_the_checks_see_has_its_line_too(tmp_path: Path) -> None:
    catalog = read(tmp_path, mine=SWITCH + "  capacity_gbit: 6400\n")
    (fault,) = catalog.faults
    assert fault.startswith("mine.yaml:9: part 'acme-32': capacity_gbit: 6400, but ")
    assert "acme-32" not in catalog


def test_a_speed_in_bytes_is_refused_by_its_unit(tmp_path: Path) -> None:
    # 200 Gb/s HDR written as 25 GB/s, over the cage's four lanes
    text = """
- kind: nic
  id: "acme-hdr"
  name: "Acme HDR"
  vendor: "Acme"
  ports: 1
  speed_gbit: 25
  cage: qsfp56
  lanes: 4
  protocols: [infiniband]
  pcie: {generation: 4}
  source: "Acme datasheet"
"""
    (fault,) = faults(tmp_path, mine=text)
    assert fault.startswith("mine.yaml:7: part 'acme-hdr': speed_gbit: 25 Gb/s over 4 lanes")
    assert "is it in GB/s (200 Gb/s)?" in fault


def test_a_node_goes_with_the_gpu_that_it_names(tmp_path: Path) -> None:
    assert "acme-node" in read(tmp_path, mine=NODE + GPU)
    catalog = read(tmp_path, mine=NODE + GPU.replace("memory_gb: 8", "memory_gb: 0"))
    assert [fault.partition(": ")[2].partition(": ")[0] for fault in catalog.faults] == [
        "part 'acme-gpu'",
        "part 'acme-node'",
    ]
    assert "gpu: 'acme-gpu' is no GPU of the catalog" in catalog.faults[1]


@pytest.mark.parametrize(
    ("vendor", "said"),
    [
        ("NVIDIA", "compute_capability is missing, which every NVIDIA GPU has"),
        ("Acme", "neither compute_capability nor architecture is given"),
    ],
)
def test_a_gpu_says_of_which_generation_it_is(tmp_path: Path, vendor: str, said: str) -> None:
    text = GPU.replace('vendor: "Acme"', f'vendor: "{vendor}"')
    if vendor == "Acme":
        text = text.replace('  architecture: "a1"\n', "")
    assert faults(tmp_path, mine=text) == [f"mine.yaml:2: part 'acme-gpu': {said}"]


def test_an_unknown_field_is_refused_at_its_line(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, mine=SWITCH + "  prots: 32\n")
    assert fault.startswith("mine.yaml:9: part 'acme-32': prots: ")


def test_a_part_number_that_yaml_reads_as_a_number_is_refused(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, mine=SWITCH + "  part_number: 0123\n")
    assert "part 'acme-32': part_number: " in fault


def test_a_quoted_part_number_stays_text(tmp_path: Path) -> None:
    catalog = read(tmp_path, mine=SWITCH + '  part_number: "0123"\n')
    assert catalog["acme-32"].part_number == "0123"


@pytest.mark.parametrize(
    ("kind", "said"), [("", "kind: missing"), ("kind: gadget", "no such kind of part: 'gadget'")]
)
def test_a_part_without_a_known_kind_is_refused(tmp_path: Path, kind: str, said: str) -> None:
    text = SWITCH.replace("- kind: switch\n ", f"- {kind}\n " if kind else "-")
    (fault,) = faults(tmp_path, mine=text)
    assert fault.startswith("mine.yaml:2: part 'acme-32': ")
    assert said in fault


def test_all_faults_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    first = SWITCH.replace("count: 32", "count: 0")
    second = SWITCH.replace("acme-32", "acme-8").replace("lanes: 4", "lanes: 99")
    found = faults(tmp_path, a=first, b=second, c="- just text\n", d=SWITCH)
    assert [fault.split(":")[:2] for fault in found] == [
        ["a.yaml", "7"],
        ["b.yaml", "7"],
        ["c.yaml", "1"],
    ]
    assert "cages.count" in found[0]
    assert "cages.lanes" in found[1]
    assert "part number 1" in found[2]


def test_the_first_part_of_an_id_is_kept(tmp_path: Path) -> None:
    again = SWITCH.replace("Acme 32", "Acme 33")
    catalog = read(tmp_path, a=SWITCH, b=again)
    assert catalog.faults == ("b.yaml:3: part 'acme-32': id: also in a.yaml:2",)
    assert catalog["acme-32"].name == "Acme 32"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- id: a\n- b: [1, 2", "bad.yaml:2: not readable as YAML"),
        ("a: 1", "bad.yaml:1: a list of parts was expected"),
        ("", "bad.yaml:1: a list of parts was expected, the file is empty"),
        ("- !!python/object/apply:os.getcwd []", "bad.yaml:1: not readable as YAML"),
        ("[" * 5000, "bad.yaml:1: nested more than 50 levels deep"),
        ("- " * 1_000_000, "bad.yaml:1: nested more than 50 levels deep"),
        ("- \x00", "bad.yaml:1: not readable as YAML"),
        ("#" * 2_000_001, "bad.yaml:1: more than the 2000000 bytes allowed"),
    ],
    ids=["torn", "mapping", "empty", "python object", "deep", "very deep", "binary", "huge"],
)
def test_a_file_that_is_no_part_list_costs_nothing_but_itself(
    tmp_path: Path, text: str, said: str
) -> None:
    catalog = read(tmp_path, bad=text, good=SWITCH)
    (fault,) = catalog.faults
    assert fault.startswith(said)
    assert "acme-32" in catalog


def test_aliases_that_stand_for_millions_cost_nothing(tmp_path: Path) -> None:
    levels = [f"&l0 [{', '.join('x' * 9)}]"]
    levels += [f"&l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 9)]
    text = "\n".join(f"- {level}" for level in levels)
    (fault,) = faults(tmp_path, laughs=text)
    assert fault == "laughs.yaml:6: more than 500000 values, with every alias written out"


def test_aliases_inside_a_part_that_stand_for_millions_cost_nothing(tmp_path: Path) -> None:
    # Each branch names a hundred thousand slots, and there are a thousand branches.
    slots = ", ".join(["0"] * 100_000)
    branches = ", ".join(["*b"] * 1000)
    text = f"- {{x: &b {{socket: 0, slots: {{a: [{slots}]}}}}, kind: node, branches: [{branches}]}}"
    (fault,) = faults(tmp_path, laughs=text)
    assert "more than 500000 values" in fault


def test_a_value_that_contains_itself_is_refused(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, ring="- &a {kind: switch, cages: *a}\n")
    assert fault == "ring.yaml:1: a value that contains itself"


def test_a_field_given_twice_costs_its_part_alone(tmp_path: Path) -> None:
    twice = SWITCH.replace("acme-32", "acme-8") + "  protocol: infiniband\n"
    catalog = read(tmp_path, mine=SWITCH + twice)
    assert catalog.faults == ("mine.yaml:17: entry 2: 'protocol' is given twice",)
    assert "acme-32" in catalog
    assert "acme-8" not in catalog


def test_signs_that_a_terminal_would_obey_are_refused_and_written_out(tmp_path: Path) -> None:
    text = SWITCH.replace('name: "Acme 32"', 'name: "Acme \\e[2J 32"') + '  "\\e[31mred": 1\n'
    (unknown,) = faults(tmp_path, mine=text)
    assert "\x1b" not in unknown
    assert r"\x1b[31mred: " in unknown
    (obeyed,) = faults(tmp_path, mine=text.rpartition('  "')[0])
    assert obeyed.startswith(r"mine.yaml:4: part 'acme-32': name: holds \x1b, ")


def test_a_figure_without_end_is_refused(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, mine=SWITCH + "  weight_kg: .inf\n")
    assert fault.startswith("mine.yaml:9: part 'acme-32': weight_kg: ")


def test_an_empty_folder_is_no_catalog(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match="no part files"):
        read_catalog(tmp_path)


def test_a_program_without_one_sound_part_cannot_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.yaml").write_text("- {}\n", encoding="utf-8")
    monkeypatch.setattr(folders, "_PACKAGED", tmp_path)
    monkeypatch.setattr(cache, "_folder", lambda: tmp_path / "cache")
    with pytest.raises(CatalogError, match=r"mine\.yaml:1: part number 1: kind: missing"):
        load_catalog(user=False)


def test_no_field_is_given_twice_in_the_parts_of_the_program() -> None:
    # YAML readers keep the last of two like-named fields and say nothing.
    def twice(node: yaml.Node) -> list[str]:
        if isinstance(node, yaml.SequenceNode):
            return [name for inner in node.value for name in twice(inner)]
        if not isinstance(node, yaml.MappingNode):
            return []
        names = [key.value for key, _ in node.value]
        inside = [name for _, inner in node.value for name in twice(inner)]
        return inside + [name for name in set(names) if names.count(name) > 1]

    for file in PACKAGED.rglob("*.yaml"):
        node = yaml.compose(file.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
        assert twice(node) == [], file.name


def test_part_files_stay_short_enough_to_review() -> None:
    lengths = {file.name: file.read_text().count("\n") for file in PACKAGED.rglob("*.yaml")}
    assert max(lengths.values()) <= 600, lengths
