"""Storage beside the targets of the reference architecture."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.workloads.designs import POD, assessed, parts, saved
from toposmith.catalog import Nic, Storage
from toposmith.workloads.model import preset
from toposmith.workloads.storage_demand import (
    NODE_READ_GBPS,
    SU_READ_GBPS,
    StorageNeed,
    level,
    node_storage_GBps,
    targets,
)
from toposmith.workloads.workload_findings import storage_findings
from toposmith.workloads.workload_in_words import opening_words


def needed(**storage: object) -> StorageNeed:
    found = assessed(
        POD,
        model="llama3-70b",
        layout={"tp": 4, "pp": 4, "dp": 60},
        training={"batch": 960, "sequence": 8192},
        storage=storage,
    ).storage
    assert found is not None
    return found


def test_targets_of_one_and_four_su_are_those_published() -> None:
    assert targets(NODE_READ_GBPS, SU_READ_GBPS, 32, 1) == (15, 40, 125)
    assert targets(NODE_READ_GBPS, SU_READ_GBPS, 128, 4) == (60, 160, 500)


def test_levels_name_the_best_target_that_is_met() -> None:
    assert [level(rate, (15, 40, 125)) for rate in (14, 15, 40, 200)] == [
        "below good",
        "good",
        "better",
        "best",
    ]
    assert level(None, (15, 40, 125)) is None


def test_a_checkpoint_takes_its_size_over_the_rate_of_all_appliances() -> None:
    found = needed(part="ddn-ai400x2", count=2)
    # 14 bytes of 70.55e9 parameters over 2 x 65 GB/s
    assert found.checkpoint_s == pytest.approx(14 * 70.55e9 / 130e9, rel=1e-3)
    assert found.read_level == "better"


def test_without_any_storage_times_are_unknown_and_said_to_be() -> None:
    found = needed()
    assert (found.found, found.checkpoint_s) == (None, None)
    assert found.read_level is None


def test_an_appliance_without_published_rates_stays_unknown() -> None:
    found = needed(part="storage-server-2u", count=3)
    assert found.found is not None
    assert found.found.read_GBps is None
    assert found.checkpoint_s is None


def test_a_dgx_h100_has_two_dual_port_200g_adapters_for_storage() -> None:
    assert node_storage_GBps(saved(POD)) == 100


def test_what_storage_lacks_is_told() -> None:
    (none,) = storage_findings(replace(needed(), found=None))
    assert (none.code, none.where) == ("no-storage", "storage")
    slow = replace(needed(read_GBps=20, write_GBps=20), loading_GBps=32.0)
    (finding,) = storage_findings(slow)
    assert (finding.code, finding.severity) == ("storage-slow", "warning")
    assert finding.values.number("needs_GBps") == 32
    assert finding.values.number("read_GBps") == 20
    assert finding.text.startswith("loading takes 32 GB/s, ")
    assert finding.text.endswith(" gives 20")


def test_samples_in_files_of_their_own_are_held_to_the_metadata_of_storage() -> None:
    """Four of 391,090 files a second; sequences of 8,192 tokens, 4 bytes each, in 1,000 files."""
    few = needed(part="ddn-ai400x2", count=4)
    assert (few.opening_per_s, storage_findings(few)) == (0, [])
    found = needed(part="ddn-ai400x2", count=4, sample_files=1000)
    assert found.found is not None
    assert found.found.opens_per_s == 4 * 391_090
    assert found.opening_per_s == pytest.approx(1000 * found.loading_GBps * 1e9 / (4 * 8192))
    many = replace(found, opening_per_s=2e6)
    (finding,) = storage_findings(many)
    assert finding.code == "storage-opens-slow"
    assert finding.text.startswith("loading opens 2,000,000 files a second, ")
    assert finding.text.endswith(" 1,564,360")
    assert opening_words(many) == "2,000,000 to open a second, 1,564,360 can be"


@pytest.mark.parametrize("mtbf_h", [2.0, 4.0, 100.0])
def test_failures_cost_lost_work_and_reading_besides_writing(mtbf_h: float) -> None:
    given = {"mtbf_h": mtbf_h, "interval_s": 600, "restart_s": 300}
    found = assessed(
        POD,
        model="llama3-70b",
        layout={"tp": 8, "pp": 4},
        training={"batch": 1008, "sequence": 2048},
        storage={"read_GBps": 10, "write_GBps": 5, **given},
    ).goodput
    assert found is not None
    size = 14 * preset("llama3-70b").parameters / 1e9
    write, read = size / 5, size / 10
    cycle = 600 + write
    by_hand = write / cycle + (cycle / 2 + 300 + read) / (mtbf_h * 3600)
    lost = found.lost
    assert lost.writing + lost.again + lost.restarting == pytest.approx(by_hand)


MEASURED_TOGETHER = {
    # GB/s of all, and how many they are, as their sources have it; MiB and TiB turned into bytes
    "ddn-ai400x2-turbo": (99_017.8 * 2**20 / 1e9, 1),
    "ieit-as13000-g7-mn24": (380.13, 3),
    "nutanix-nx-8170-g8-files": (58.79, 7),
    "netapp-aff-a900": (300, 12),
    "3fs-storage-node": (6.6 * 2**40 / 1e9, 180),
    "minio-node-8-nvme-100gbe": (325 * 2**30 / 1e9, 32),
}


@pytest.mark.parametrize("name", MEASURED_TOGETHER)
def test_a_storage_part_reads_its_share_of_what_was_measured(name: str) -> None:
    together, many = MEASURED_TOGETHER[name]
    part = parts().get(name)
    assert isinstance(part, Storage)
    assert part.read_GBps == pytest.approx(together / many, rel=0.005)


def test_no_storage_reads_more_than_its_ports_take() -> None:
    catalog = parts()
    for part in catalog.of_kind("storage"):
        assert isinstance(part, Storage)
        rates = []
        for slots in part.slots.values():
            nic = catalog.get(slots.nic) if slots.nic else None
            if isinstance(nic, Nic):
                rates.append(slots.fitted * nic.ports * nic.speed_gbit / 8)
        for rate in (part.read_GBps, part.write_GBps):
            assert rate is None or rate <= sum(rates), part.id
