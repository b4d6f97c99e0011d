"""One map of names for every form: what it says, what it lacks, what is refused."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.exports.neighbours.readers import READERS
from tests.exports.neighbours.written import files_of, made, raw_of, saved, text_of
from toposmith.errors import DesignFileError, ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.exports.names_file import names_notes, parse_names

ONE = "dgx-h100-superpod-1su"
MAP = """toposmith-names: 1
devices:
  spine-0: core-a
  "node-su{s}-{n}": "dgx{n+1:03}"
  "leaf-su0-rail{r}": "L{r}"
ports:
  node: {OSFP1 P1: mlx5_0, OSFP1 P2: mlx5_1}
"""


def named(text: str, name: str = ONE) -> EvaluatedDesign:
    return saved(name).named(parse_names(text, "map.yaml"))


def test_every_form_calls_devices_and_ports_as_the_map_does() -> None:
    design = named(MAP)
    for form, (reader, protocol) in READERS.items():
        if protocol == "ethernet":
            continue
        links = list(reader(raw_of(design, form)))
        devices = {end[0] for link in links for end in link}
        hosts = {f"dgx{number:03d}" for number in range(1, 32)}
        wanted = {*hosts, *(f"L{rail}" for rail in range(8)), "core-a", "spine-1", "spine-2",
                  "spine-3"}  # fmt: skip
        seen = {name.partition(" ")[0] for name in devices}
        assert seen == wanted, form
    assert "Nodes=dgx[001-031]" in text_of(design, "slurm-tree")
    assert 'name: "dgx031"' in text_of(design, "k8s-labels")
    (devices,) = (t for n, t in files_of(design, "netbox").items() if n.endswith("06-devices.csv"))
    assert {row["name"] for row in csv.DictReader(io.StringIO(devices))} == wanted
    ports = {
        end[1]
        for link in READERS["netbox-cables"][0](raw_of(design, "netbox-cables"))
        for end in link
        if end[0].startswith("dgx")
    }
    assert {"mlx5_0", "mlx5_1", "OSFP2 P1"} <= ports and "OSFP1 P1" not in ports
    for form in ("ibsim", "ibnetdiscover", "elevations", "html"):
        assert "dgx003" in text_of(design, form) and "node-su0-2" not in text_of(design, form)


def test_the_first_of_two_patterns_holds_and_single_names_come_before() -> None:
    naming = parse_names(
        'toposmith-names: 1\ndevices: {"n-{a}": "x{a}", n-3: three, "n-{b}": "y{b}"}\n', "m"
    )
    assert [naming.given(one) or one for one in ("n-1", "n-3", "m-1")] == ["x1", "three", "m-1"]


def test_what_a_map_lacks_and_what_it_names_in_vain_is_said() -> None:
    naming = parse_names('toposmith-names: 1\ndevices: {spine-0: a, spine-9: b, "x{n}": z}\n', "m")
    notes = names_notes(saved(ONE).plan, naming)
    assert notes[0].startswith("m: 42 devices keep their own name: node-su0-0, ")
    assert notes[1] == "m: no device is called spine-9, x{n}"


@pytest.mark.parametrize(
    "text,words",
    [
        ("devices: {}\n", "the key 'toposmith-names' is missing"),
        ("toposmith-names: 2\n", "version 2 needs a newer Toposmith; this one reads 1"),
        ("toposmith-names: one\n", "found 'one', expected 1"),
        ("toposmith-names: 1\ndevice: {a: b}\n", "unknown key 'device'; did you mean 'devices'?"),
        ("toposmith-names: 1\ndevices: [a]\n", "found a list of 1, expected names"),
        ("toposmith-names: 1\ndevices: {a: 5}\n", "m:2:14: devices.a: found 5, expected a name"),
        ('toposmith-names: 1\ndevices: {a: ""}\n', "which is no name"),
        (f"toposmith-names: 1\ndevices: {{a: {'x' * 200}}}\n", "200 signs; write at most 128"),
        ('toposmith-names: 1\ndevices: {"a{n}": "b{m}"}\n', "which the left name does not have"),
        ('toposmith-names: 1\ndevices: {"a{n}-{n}": "b{n}"}\n', "a letter of its own"),
        ('toposmith-names: 1\ndevices: {"a{n+1}": "b{n}"}\n', "belong into the new name"),
        ("toposmith-names: 1\nports: {node: 3}\n", "ports.node: found 3"),
        ("[1\n", "m:"),
        ("", "found nothing"),
    ],
)
def test_bad_maps_are_refused_with_their_place(text: str, words: str) -> None:
    with pytest.raises(DesignFileError) as failed:
        parse_names(text, "m")
    assert words in str(failed.value) and str(failed.value).startswith("m:")


@pytest.mark.parametrize(
    "text,words",
    [
        ('devices: {"node-su0-{n}": same}', "node-su0-0 and node-su0-1 are both called 'same'"),
        ("devices: {spine-0: spine-1}", "spine-0 and spine-1 are both called 'spine-1'"),
        ("ports: {nodes: {a: b}}", "no group is called 'nodes'; did you mean 'node'?"),
        ("ports: {node: {OSFP9 P1: b}}", "node has no port 'OSFP9 P1'"),
        ("ports: {node: {OSFP1 P1: OSFP1 P2}}", "are both called 'OSFP1 P2'"),
    ],
)
def test_maps_that_confuse_devices_or_ports_are_refused(text: str, words: str) -> None:
    naming = parse_names(f"toposmith-names: 1\n{text}\n", "m")
    with pytest.raises(ToposmithError) as failed:
        names_notes(saved(ONE).plan, naming)
    assert words in str(failed.value)


def test_names_that_a_form_forbids_are_changed_and_that_is_said() -> None:
    design = named(
        'toposmith-names: 1\ndevices: {spine-0: "core a/1", "node-su0-{n}": "GPU {n}"}\n'
    )

    lab = made(design, "containerlab")
    text = b"".join(lab.pieces).decode()
    assert '"core-a-1"' in text and '"GPU-7:eth1"' in text
    assert any("32 names changed for containerlab: GPU 0 is GPU-0, " in one for one in lab.lost)
    assert 'name: "gpu-7"' in text_of(design, "k8s-labels")
    assert any("core a/1" in one["name"] for one in json.loads(text_of(design, "json"))["devices"])


@pytest.mark.parametrize(
    "devices,form,words",
    [
        ("{spine-0: a b, spine-1: a/b}", "containerlab", "'a b' and 'a/b' are both 'a-b'"),
        ("{node-su0-0: Dgx, node-su0-1: dgx}", "k8s-labels", "are both 'dgx' to Kubernetes"),
        (f"{{spine-0: {'x' * 80}}}", "slurm-tree", "Slurm takes names of 64 signs"),
        ('{spine-0: "///"}', "topo", "takes no sign of the name '///'"),
    ],
)
def test_names_that_cannot_be_changed_without_confusion_are_refused(
    devices: str, form: str, words: str
) -> None:
    design = named(f"toposmith-names: 1\ndevices: {devices}\n")
    with pytest.raises(ToposmithError) as failed:
        raw_of(design, form)
    assert words in str(failed.value)
