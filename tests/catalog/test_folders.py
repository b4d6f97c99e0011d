"""Parts of one's own over those that come with the program."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.catalog.test_part_layers import GPU, NODE, SWITCH
from toposmith.catalog import Catalog, CatalogError, cache, load_catalog, user_folder

BUILT_IN = load_catalog(user=False)

QM9700 = """# my own measurements
- kind: switch
  id: "qm9700"
  name: "My QM9700"
  vendor: "NVIDIA"
  power_w: 1234
  protocol: infiniband
  cages:
    count: 32
    cage: osfp
    lanes: 8
    modes: [{ports: 2, speed_gbit: 400}]
  source: "my own power meter"
"""


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(cache, "_folder", lambda: tmp_path / "cache")
    return tmp_path


@pytest.fixture
def own(own_home: Path) -> Path:
    """The user's folder of parts."""
    folder = own_home / "config" / "toposmith" / "catalog"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def extra(own_home: Path) -> Path:
    """A folder that is named on the command line."""
    folder = own_home / "extra"
    folder.mkdir()
    return folder


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_the_users_folder_lies_where_configuration_belongs(own: Path) -> None:
    assert user_folder() == own


def test_an_empty_folder_of_ones_own_is_no_fault(own: Path) -> None:
    write(own, "README.txt", "nothing yet")
    assert load_catalog().faults == ()
    assert load_catalog().notes == ()


def test_files_may_be_called_yml_and_lie_in_folders(own: Path) -> None:
    (own / "acme").mkdir()
    write(own / "acme", "switches.yml", SWITCH)
    assert "acme-32" in load_catalog()


def test_a_part_of_ones_own_replaces_the_built_in_one_and_says_so(own: Path) -> None:
    file = write(own, "mine.yaml", QM9700)
    catalog = load_catalog()
    assert catalog["qm9700"].power_w == 1234
    assert catalog.notes == (f"{file}:2: qm9700 replaces the built-in part",)
    assert [part.id for part in catalog] == [part.id for part in BUILT_IN]
    assert load_catalog(user=False)["qm9700"] == BUILT_IN["qm9700"]


def test_of_several_places_the_later_one_holds(own: Path, extra: Path) -> None:
    mine = write(own, "mine.yaml", QM9700)
    lab = write(extra, "lab.yaml", QM9700.replace("1234", "1500"))
    last = write(extra.parent, "one-file.yaml", QM9700.replace("1234", "1600"))
    catalog = load_catalog(extra, last)
    assert catalog["qm9700"].power_w == 1600
    assert catalog.notes == (
        f"{mine}:2: qm9700 replaces the built-in part",
        f"{lab}:2: qm9700 replaces the one of {mine}:2",
        f"{last}:2: qm9700 replaces the one of {lab}:2",
    )


def test_a_faulty_part_of_ones_own_leaves_the_built_in_one(own: Path) -> None:
    file = write(own, "mine.yaml", QM9700.replace("count: 32", "count: none") + SWITCH)
    catalog = load_catalog()
    assert catalog["qm9700"] == BUILT_IN["qm9700"]
    assert "acme-32" in catalog
    (fault,) = catalog.faults
    assert fault.startswith(f"{file}:9: part 'qm9700': cages.count: ")


def test_a_node_of_ones_own_may_name_built_in_parts_and_ones_own(own: Path, extra: Path) -> None:
    write(own, "gpu.yaml", GPU)
    write(extra, "node.yaml", NODE)
    assert load_catalog(extra).node("acme-node").gpu == "acme-gpu"
    write(extra, "node.yaml", NODE.replace("acme-gpu", "h100-sxm5"))
    assert load_catalog(extra).faults == ()


def test_a_part_cannot_replace_one_of_another_kind(own: Path) -> None:
    file = write(own, "mine.yaml", SWITCH.replace("acme-32", "h100-sxm5"))
    catalog = load_catalog()
    assert catalog["h100-sxm5"].kind == "gpu"
    assert catalog.faults == (
        f"{file}:3: part 'h100-sxm5': id: names a gpu so far, which a switch cannot replace",
    )


def test_a_node_that_does_not_go_with_a_replaced_gpu_is_left_out(own: Path) -> None:
    # A DGX-1 joins each V100 by six links.
    gpu = GPU.replace("acme-gpu", "v100-sxm2-32gb")
    file = write(own, "mine.yaml", gpu + "  nvlink: {generation: 2, links: 4, GBps_per_link: 25}\n")
    text = file.read_text().replace('vendor: "Acme"', 'vendor: "NVIDIA"')
    write(own, "mine.yaml", text.replace('architecture: "a1"', "compute_capability: 70"))
    catalog = load_catalog()
    assert "dgx-1-v100" not in catalog
    assert "dgx-2" in catalog
    wrong = [fault for fault in catalog.faults if "'dgx-1-v100'" in fault]
    assert wrong == [
        f"{file}:2: part 'v100-sxm2-32gb': node 'dgx-1-v100' does not go with it and is left out: "
        "nvlink.pairs: GPU 0 uses 6 links and has 4"
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("just text", "1: a list of parts was expected, found 'just text'"),
        ("- {a: [1, 2", "1: not readable as YAML"),
        ("#" * 50_000_000, "1: more than the 2000000 bytes allowed"),
        ("- " * 100_000, "1: nested more than 50 levels deep"),
    ],
    ids=["text", "torn", "50 MB", "deep"],
)
def test_a_hostile_file_costs_nothing_but_itself(own: Path, text: str, said: str) -> None:
    good = write(own, "good.yaml", SWITCH)
    bad = write(own, "bad.yaml", text)
    catalog = load_catalog()
    (fault,) = catalog.faults
    assert fault.startswith(f"{bad}:{said}")
    assert "acme-32" in catalog
    assert good.exists()


def test_what_is_no_regular_file_is_not_opened(own: Path) -> None:
    os.mkfifo(own / "pipe.yaml")  # reading it would wait forever
    assert load_catalog().faults == (f"{own}/pipe.yaml:1: cannot be read: no regular file",)


def test_a_file_that_may_not_be_read_is_told(own: Path) -> None:
    (own / "gone.yaml").symlink_to(own / "nowhere")
    (fault,) = load_catalog().faults
    assert fault.startswith(f"{own}/gone.yaml:1: cannot be read: ")


def test_a_name_of_a_file_is_written_out(own: Path) -> None:
    write(own, "\x1b[2J.yaml", "- {}\n")
    (fault,) = load_catalog().faults
    assert fault == rf"{own}/\x1b[2J.yaml:1: part number 1: kind: missing"


def test_an_extra_folder_without_part_files_is_a_mistake(extra: Path) -> None:
    with pytest.raises(CatalogError, match=r"extra: no part files \(\*\.yaml\) here"):
        load_catalog(extra)
    with pytest.raises(CatalogError, match="nowhere: no part files"):
        load_catalog(extra / "nowhere")


def test_a_folder_with_thousands_of_files_is_the_wrong_one(extra: Path) -> None:
    for number in range(1001):
        (extra / f"{number}.yaml").touch()
    with pytest.raises(CatalogError, match="more than 1000 part files; is it the one"):
        load_catalog(extra)


def test_a_catalog_made_by_hand_has_no_notes() -> None:
    assert Catalog([]).notes == ()
