"""RoCE fabrics are told how two tiers may hash, what PFC sets aside, and what incast does."""

from __future__ import annotations

import pytest

from toposmith.catalog import load_catalog
from toposmith.design.parser import parse_design
from toposmith.evaluation import EvaluatedDesign
from toposmith.findings.finding import Finding
from toposmith.review.findings.routing import headroom_bytes

CATALOG = load_catalog(user=False)

THREE_TIERS = """\
toposmith: 2
axes: {pod: 2, tor: 4}
groups:
  node:
    part: hgx-a100-8
    per: [pod, tor]
    count: 2
    nics: {compute: {part: connectx-6-200gbe, count: 8}}
  leaf: {part: sn3700, per: [pod, tor]}
  spine: {part: sn3700, per: [pod], count: 16}
  core: {part: sn3700, count: 4}
links:
  - {between: [node.compute, leaf], length: 3}
  - {between: [leaf, spine], length: 30}
  - {between: [spine, core], length: 100}
"""


def found(text: str) -> dict[tuple[str, str], Finding]:
    findings = EvaluatedDesign(parse_design(text, "test"), CATALOG).findings
    return {(one.code, one.where): one for one in findings}


@pytest.mark.parametrize(
    ("speed_gbit", "length_m", "kB"),
    [
        # 2 x 5 ns/m x rate, 394 / 453 / 905 quanta of 64 bytes, two frames of 4178, the pause
        (100, 100, 12.5 + 25.216 + 8.356 + 0.064),
        (200, 3, 0.75 + 28.992 + 8.356 + 0.064),
        (400, 30, 15.0 + 57.92 + 8.356 + 0.064),
    ],
)
def test_headroom_is_what_a_pause_lets_through(speed_gbit: int, length_m: float, kB: float) -> None:
    assert headroom_bytes(speed_gbit, length_m) == pytest.approx(kB * 1e3)


def test_headroom_stays_below_what_linux_sets_aside() -> None:
    # 102,528 bytes for 100 Gb/s and 100 m on Spectrum (torvalds/linux, mlxsw/spectrum_buffers.c)
    least = headroom_bytes(100, 100)
    assert least is not None and 0.3 * 102_528 < least < 102_528


def test_a_speed_whose_response_time_is_not_known_has_no_headroom() -> None:
    assert headroom_bytes(800, 10) is None


def test_a_spine_behind_a_leaf_of_as_many_uplinks_uses_one_of_its_own() -> None:
    # leaf: 16 choices, one for each spine; spine: 4. Every flow at a spine has one value modulo
    # 16, and so one modulo 4
    one = found(THREE_TIERS)["ecmp-polarised", "spine"]
    assert (one.all_values["used"], one.all_values["uplinks"]) == (1, 4)
    # with four cables to each of 4 spines a switch is behind 4 values, which are all modulo 4
    wide = THREE_TIERS.replace("count: 16}", "count: 4}").replace(
        "spine], length", "spine], cables: 4, length"
    )
    assert ("ecmp-polarised", "spine") not in found(wide)


def test_two_tiers_and_infiniband_hash_once_or_not_at_all() -> None:
    flat = THREE_TIERS.replace("  core: {part: sn3700, count: 4}\n", "").replace(
        "  - {between: [spine, core], length: 100}\n", ""
    )
    assert not {code for code, _ in found(flat)} & {"ecmp-polarised"}
    other = THREE_TIERS.replace("sn3700", "qm8790").replace("connectx-6-200gbe", "connectx-6-hdr")
    assert not {code for code, _ in found(other)} & {
        *("ecmp-polarised", "pfc-headroom", "incast-needs-ecn")
    }


def test_headroom_of_all_ports_stands_beside_the_buffer() -> None:
    # SN3700: 34.3 MB; a leaf has 16 ports at 3 m and 16 at 30 m of 200 Gb/s
    one = found(THREE_TIERS)["pfc-headroom", "leaf"]
    total = 16 * (0.75 + 37.412) + 16 * (7.5 + 37.412)
    assert one.all_values["total_MB"] == pytest.approx(total / 1e3)
    assert one.severity == "info" and "34.3 MB" in one.text


def test_an_incast_fills_a_leaf_in_microseconds() -> None:
    # 31 ports of 25 GB/s come in, one takes out: 750 GB/s fill 34.3 MB in 45.7 us
    one = found(THREE_TIERS)["incast-needs-ecn", "leaf"]
    assert one.all_values["senders"] == 31
    assert one.all_values["fills_us"] == pytest.approx(34.3e6 / 750e3)


def test_a_management_port_sends_nothing_to_a_node() -> None:
    managed = THREE_TIERS.replace(
        "  core: {part", "  out-of-band: {part: sn2201, count: 2}\n  core: {part"
    ).replace("links:", "links:\n  - {between: [leaf.management, out-of-band], cables: 1}", 1)
    assert "out-of-band]" in managed
    without, managed_too = (
        found(text)["incast-needs-ecn", "leaf"].all_values for text in (THREE_TIERS, managed)
    )
    assert managed_too["senders"] == without["senders"] == 31
    assert managed_too["fills_us"] == without["fills_us"]
