"""What a newcomer builds from the README alone: few keys, and no refusal of a proposal."""

from __future__ import annotations

import pytest

from tests.tui.person import OpenApp
from toposmith.fabric.counts import cable_counts, device_counts
from toposmith.tui.widgets.message_line import MessageLine

MOST_KEYS = 60
Script = tuple[str, ...]
"""What is typed, and names of keys."""

_NAMED = {"enter", "slash"}
NO_MORE = ("enter",) * 3
"""No storage, in-band or out-of-band network."""
RAILS = (
    *("enter", "T", "rail", "enter", "enter", "1", "enter", *("enter",) * 3),
    *("16", "enter", "enter", *NO_MORE),
)
TAPERED = (
    *("enter", "T", "top", "enter", "hgx h100", "enter", "ndr", "enter", "4", "enter", "enter"),
    *("enter", "enter", "3", "enter", "6", "enter", *NO_MORE),
)
PLANES = ("enter", "T", "plane", "enter", "enter", "1", "enter", *("enter",) * 6, *NO_MORE)
ASKED = ("enter", "T", "single", "enter", "enter", "enter", "enter")
ONE_SWITCH = (*ASKED, *NO_MORE)
WHOLE = (*ASKED, "2", "enter", "enter", "sn2201", "enter", "enter")  # and no core
STORAGE = (
    *ONE_SWITCH,
    *("slash", "ddn", "enter", "enter", "2", "enter"),
    *("slash", "qm9700", "enter", "enter", "1", "enter", "w", "enter", "enter"),
    *("g", "node", "enter", "w", "enter", "enter", "enter"),
)
MIXED = (
    *ONE_SWITCH,
    *("slash", "dgx a100", "enter", "enter", "4", "enter", "w", "enter", "enter", "enter"),
)


@pytest.mark.parametrize(
    ("script", "devices", "cables"),
    [
        pytest.param(RAILS, {"node": 16, "leaf": 8, "spine": 2}, [128, 128], id="rails"),
        # 6 nodes of 4 NICs are 24 ports of a leaf below, and a third of them above
        pytest.param(TAPERED, {"node": 48, "leaf": 8, "spine": 1}, [192, 64], id="tapered"),
        pytest.param(PLANES, {"node": 32, "leaf": 8, "spine": 4}, [256, 256], id="planes"),
        # 4 DGX H100 have 4 storage ports each, 2 AI400X2 have 8 each
        pytest.param(
            STORAGE,
            {"node": 4, "switch": 1, "storage": 2, "spine": 1},
            [32, 16, 16],
            id="storage",
        ),
        # by questions alone: two storage cables a node, all eight ports of two appliances, and a
        # management port of each of nine devices
        pytest.param(
            WHOLE,
            {"node": 4, "switch": 1, "store": 2, "store-leaf": 2, "out-of-band": 1},
            [32, 8, 16, 4, 1, 2, 2],
            id="whole",
        ),
        pytest.param(MIXED, {"node": 4, "switch": 1, "node2": 4}, [32, 32], id="generations"),
    ],
)
async def test_a_newcomer_gets_there_in_sixty_keys_without_a_refusal(
    open_app: OpenApp,
    script: Script,
    devices: dict[str, int],
    cables: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    say = MessageLine.say

    def listen(line: MessageLine, text: str, tone: str = "done") -> None:
        said.append(f"{tone} {text}")
        say(line, text, tone)  # type: ignore[arg-type]

    monkeypatch.setattr(MessageLine, "say", listen)
    keys = [key for word in script for key in ([word] if word in _NAMED else word)]
    async with open_app(size=(120, 40)) as person:
        for word in script:
            await person.press_at_once(*([word] if word in _NAMED else word))
            assert "would be refused" not in person.seen()
        bench = person.designer.workbench
        assert device_counts(bench.plan) == devices
        assert list(cable_counts(bench.plan).values()) == cables
        assert not [one for one in bench.plan.findings if one.severity == "error"]
    assert len(keys) <= MOST_KEYS
    assert not [words for words in said if words.startswith(("refused", "failed", "minded"))]
