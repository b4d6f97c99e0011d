"""What packet headers leave of 100, 200 and 400 Gb/s, and what sockets make of it."""

from __future__ import annotations

import pytest

from toposmith.analysis.prediction.payload import (
    TCP_SHARE,
    copied_GBps,
    payload_share,
)
from toposmith.catalog.parts import Transport
from toposmith.units import line_rate_GBps


@pytest.mark.parametrize(
    ("transport", "mtu", "share", "payload"),
    [
        ("infiniband", 4096, 0.9937, {100: 12.42, 200: 24.84, 400: 49.68}),
        ("roce", 4096, 0.9804, {100: 12.25, 200: 24.51, 400: 49.02}),
        ("roce", 1024, 0.9259, {100: 11.57, 200: 23.15, 400: 46.29}),
        ("tcp", 9000, 0.990, {100: 12.38}),
        ("tcp", 1500, 0.941, {100: 11.77}),
    ],
)
def test_headers_leave_the_known_payload(
    transport: Transport, mtu: int, share: float, payload: dict[int, float]
) -> None:
    assert payload_share(transport, mtu) == pytest.approx(share, abs=0.0006)
    for gbit, GBps in payload.items():
        carried = line_rate_GBps(gbit) * payload_share(transport, mtu)
        assert carried == pytest.approx(GBps, abs=0.0051)


def test_an_infiniband_packet_has_26_bytes_around_its_payload() -> None:
    assert payload_share("infiniband", 2048) == pytest.approx(2048 / 2074)
    assert payload_share("infiniband", 1024) == pytest.approx(1024 / 1050)


def test_a_roce_packet_has_82_bytes_around_its_payload() -> None:
    assert payload_share("roce", 2048) == pytest.approx(2048 / 2130)


def test_a_tcp_frame_of_1500_bytes_fills_1538() -> None:
    assert payload_share("tcp", 1500) == pytest.approx(1448 / 1538)


def test_the_usual_mtu_is_the_largest() -> None:
    assert payload_share("infiniband") == payload_share("infiniband", 4096)
    assert payload_share("roce") == payload_share("roce", 4096)
    assert payload_share("tcp") == payload_share("tcp", 9000)


@pytest.mark.parametrize("transport", ["efa", "slingshot", "tcpx", "tcpxo"])
def test_transports_without_public_headers_get_nccls_12_GBps_per_100_gbit(
    transport: Transport,
) -> None:
    assert 12.5 * payload_share(transport) == pytest.approx(12)


@pytest.mark.parametrize(
    ("transport", "mtu"), [("infiniband", 1500), ("roce", 9000), ("roce", 0), ("tcp", 52)]
)
def test_an_mtu_that_a_transport_does_not_have_is_refused(transport: Transport, mtu: int) -> None:
    with pytest.raises(ValueError, match="MTU"):
        payload_share(transport, mtu)


def test_ports_narrower_than_the_copies_are_filled() -> None:
    # 10 and 32 Gb/s: the line rate holds, less its headers
    assert copied_GBps(TCP_SHARE * 1.25, gpus=1) == pytest.approx(1.175)
    assert pytest.approx(1448 / 1538, abs=0.002) == TCP_SHARE


def test_several_gpus_get_what_was_reported_of_100_gbit() -> None:
    # 4 to 6 GB/s (NVIDIA/nccl issue 450); one GPU 2.0 to 3.9
    assert 4 <= copied_GBps(TCP_SHARE * 12.5, gpus=8) <= 6
    assert 2.0 <= copied_GBps(TCP_SHARE * 12.5, gpus=1) <= 3.9


def test_more_ports_bring_no_more_than_the_cpu_copies() -> None:
    assert copied_GBps(8 * 12.5, gpus=8) == copied_GBps(12.5, gpus=8)
