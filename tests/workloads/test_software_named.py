"""What a figure says of the software that its constants come from."""

from __future__ import annotations

import pytest

from tests.workloads.designs import parts, rails
from toposmith.workloads.assess import assess
from toposmith.workloads.block import workload_of
from toposmith.workloads.layout_search import search
from toposmith.workloads.workload_assumptions import service_words, step_words

TRAINING = {"model": "llama3-8b", "training": {"batch": 64, "sequence": 4096}}
SERVING = {"model": "llama3-8b", "serving": {"prompt": 1024, "output": 256, "decode_batch": 8}}


@pytest.mark.parametrize(
    ("node", "words"),
    [
        ("dgx-a100", "model, NVIDIA's stack, no"),
        ("mi300x-8", "model, constants of NVIDIA's stack on MI300X 192GB, no"),
    ],
)
def test_gpus_of_other_makers_do_not_wear_the_label_of_nvidia(node: str, words: str) -> None:
    plan = rails(2, node=node)
    trained, served = (assess(plan, parts(), workload_of(of)) for of in (TRAINING, SERVING))
    assert step_words(trained.times_label, trained.gpu).startswith(words)
    assert service_words(served.times_label, served.gpu).startswith(words)
    ranking = search(plan, parts(), workload_of(TRAINING))
    assert step_words(ranking.times_label, ranking.gpu, ranking.training).startswith(words)
