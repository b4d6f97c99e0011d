"""Packet-level simulations beside predictions: the data is sound, and both speak of one ideal."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from bench.simulated.__main__ import ideals_agree, main, print_differences, print_results
from bench.simulated.predictions import predicted
from bench.simulated.results import Result, read_results

SMALL = """\
simulators:
  sim:
    name: simulator
    source: https://example.org/simulator
    commit: 0123456789abcdef0123456789abcdef01234567
    transport: any
    parameters: {mtu: 4000}
    routings: {static: {}, adaptive: {}}
    alone: {1000000: 0.8}
fabrics:
  two-leaves:
    what: two leaves with two NICs each, two spines
    design: |
      toposmith: 1
      axes: {rack: 2}
      groups:
        node:
          part: hgx-a100-8
          per: [rack]
          count: 2
          nics: {compute: {part: connectx-6-dx-100gbe, count: 1}}
        leaf: {part: sn4600c, per: [rack]}
        spine: {part: sn4600c, count: 2}
      links:
        - {between: [node.compute, leaf]}
        - {between: [leaf, spine]}
results:
"""
ENTRY = {
    "fabric": "two-leaves",
    "traffic": "ring",
    "placement": "striped",
    "routing": "static",
    "simulator": "sim",
    "bytes_per_nic": 1000000,
    "nics_us": 80.0,
    "ideal_us": 80.0,
    "times_us": [100.0, 300.0],
}


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return read_results()


def written(folder: Path, *changes: dict[str, object]) -> Path:
    """A file with an entry for each set of changes; None leaves a key out."""
    entries = [{k: v for k, v in (ENTRY | change).items() if v is not None} for change in changes]
    path = folder / "results.yaml"
    path.write_text(SMALL + yaml.safe_dump(entries), encoding="utf-8")
    return path


def test_ten_fabrics_are_simulated_with_rings_and_exchanges(results: list[Result]) -> None:
    rings = {r.fabric.name for r in results if r.traffic == "ring"}
    exchanges = {r.fabric.name for r in results if r.traffic == "all_to_all"}
    assert len(rings & exchanges) >= 10
    assert any(r.traffic == "incast" for r in results)
    assert any(r.queue_pairs > 1 for r in results)


def test_every_simulator_is_named_with_its_commit_and_parameters(results: list[Result]) -> None:
    for simulator in {id(r.simulator): r.simulator for r in results}.values():
        assert simulator.source.startswith("https://github.com/")
        assert len(simulator.commit) == 40
        assert int(simulator.commit, 16)
        assert simulator.parameters
        assert all(simulator.routings.values())
        assert all(0.9 < share <= 1 for share in simulator.alone.values())


def test_no_case_is_listed_twice(results: list[Result]) -> None:
    cases = [
        (r.fabric.name, r.words, r.how, r.simulator.name, r.bytes_per_nic, r.nics_us)
        for r in results
    ]
    assert len(set(cases)) == len(cases)


def test_no_run_beats_the_fluid_ideal(results: list[Result]) -> None:
    assert all(0 < r.ideal_us / min(r.times_us) <= 1 for r in results)


def test_the_programs_even_shares_are_those_counted_flow_by_flow(results: list[Result]) -> None:
    seen: dict[tuple[str, str], Result] = {(r.fabric.name, r.words): r for r in results}
    found = {case: predicted(r) for case, r in seen.items()}
    assert sum(one is not None for one in found.values()) >= 20
    assert [case for case, r in seen.items() if not ideals_agree(r, found[case])] == []


def test_static_routing_is_predicted_as_it_was_simulated(results: list[Result]) -> None:
    # all cables of all switches, up and down: rings within some hundredths of the simulated share
    # on every fabric; exchanges in deep buffers and under PFC, whose loss is not congestion's
    rings = [r for r in results if (r.traffic, r.routing) == ("ring", "static")]
    exchanges = [
        r
        for r in results
        if (r.traffic, r.routing, r.at_once) == ("all_to_all", "static", 0)
        and (r.simulator.name == "csg-htsim" or "deep" in r.simulator.name)
    ]
    for kind, wanted in ((rings, 0.03), (exchanges, 0.03)):
        off = []
        for result in kind:
            found = predicted(result)
            assert found is not None
            off.append(abs(found.share - result.share))
        assert len(off) > 20
        assert sorted(off)[len(off) // 2] < wanted
    assert max(off) < 0.2


def test_an_even_share_that_is_off_by_a_tenth_is_noticed(tmp_path: Path) -> None:
    (result,) = read_results(written(tmp_path, {"ideal_us": 88.0}))
    assert not ideals_agree(result, predicted(result))


def test_a_share_is_of_what_one_switch_alone_reaches(tmp_path: Path) -> None:
    (result,) = read_results(written(tmp_path, {}))
    # 80 us of 200 us on the average, where one switch alone reaches 0.8: 0.4 / 0.8
    assert result.share == pytest.approx(0.5)


def test_two_entries_are_compared_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, {}, {"traffic": "incast", "senders": 3, "placement": None})
    compared = [(result, predicted(result)) for result in read_results(path)]
    print_results(compared)
    print_differences(compared)
    ring, incast = capsys.readouterr().out.splitlines()[1:3]
    assert "ring, striped" in ring
    assert "1.000/1.000" in ring
    assert "0.500" in ring
    assert "incast 3:1" in incast
    assert compared[1][1] is None


def test_a_table_of_another_file_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["simulated", str(written(tmp_path, {}))])
    assert main() == 0
    assert "two-leaves" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"fabric": "none"}, "none"),
        ({"simulator": "none"}, "none"),
        ({"traffic": "chatter"}, "chatter"),
        ({"placement": "heaped"}, "heaped"),
        ({"routing": "spray"}, "spray"),
        ({"times_us": None}, "times_us"),
        ({"times_us": []}, "times_us"),
        ({"times_us": [79.0]}, "must grow"),
        ({"ideal_us": 79.0}, "must grow"),
        ({"traffic": "incast"}, "senders"),
        ({"bytes_per_nic": 5}, "5"),
        ({"most_us": [101.0, 200.0]}, "most_us"),
    ],
)
def test_an_entry_that_is_not_well_formed_is_named(
    tmp_path: Path, change: dict[str, object], says: str
) -> None:
    with pytest.raises(ValueError, match=f"result 2: .*{says}"):
        read_results(written(tmp_path, {}, change))
