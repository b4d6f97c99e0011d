"""The options that a bill was made with, as options of ``toposmith bom``.

Tables and CycloneDX have no place for a policy; they carry this text, by which ``--verify`` makes
the same bill again.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, get_args

from toposmith.bill.media_policy import Lengths
from toposmith.bill.spares import read_spares
from toposmith.catalog.currencies import CURRENCIES
from toposmith.design.document import CablingChoice
from toposmith.errors import ToposmithError
from toposmith.text import plain_number

OPTIONS = "options"
"""What the column, row or property is called."""

_COMMAND = "bom"
_KNOWN = ("cabling", "lengths", "stock", "spares", "currency")


def options_text(policy: Mapping[str, Any]) -> str:
    """``bom --cabling cheapest --lengths racks --stock 5,10``, of a bill's policy as plain data."""
    words = [_COMMAND, "--cabling", policy["cabling"], "--lengths", policy["lengths"]]
    if stock := policy.get("stock_lengths_m"):
        words += ["--stock", ",".join(plain_number(each).replace(",", "") for each in stock)]
    if rates := policy["spares"]:
        each = (f"{kind}={str(rate).replace(' ', '')}" for kind, rate in rates.items())
        words += ["--spares", ",".join(each)]
    if currency := policy.get("currency"):
        words += ["--currency", currency]
    return " ".join(words)


def read_options(text: str) -> dict[str, Any] | None:
    """The policy that such a text states; None for a text of another kind.

    Raises
    ------
    ValueError
        Of one that begins like it and cannot be read; says what was found.
    """
    words = shlex.split(text) if text.startswith(f"{_COMMAND} ") else []
    if not words:
        return None
    given = dict(zip((word.removeprefix("--") for word in words[1::2]), words[2::2], strict=False))
    unknown = next((name for name in given if name not in _KNOWN), None)
    if unknown is not None or len(words) % 2 == 0 or 2 * len(given) != len(words) - 1:
        raise ValueError(f"found {text!r}, expected options such as --{' --'.join(_KNOWN)}")
    policy: dict[str, Any] = {"cabling": "cheapest", "lengths": "racks", "spares": {}}
    for name, known in (("cabling", get_args(CablingChoice)), ("lengths", get_args(Lengths))):
        policy[name] = given.get(name, policy[name])
        if policy[name] not in known:
            raise ValueError(f"--{name}: found {policy[name]!r}, expected {' or '.join(known)}")
    if "stock" in given:
        policy["stock_lengths_m"] = [_metres(word) for word in given["stock"].split(",")]
    if "spares" in given:
        try:
            policy["spares"] = read_spares([given["spares"]]).stated()
        except ToposmithError as error:
            raise ValueError(str(error)) from None
    if (currency := given.get("currency")) is not None:
        if currency not in CURRENCIES:
            raise ValueError(f"--currency: found {currency!r}, expected one of ISO 4217 as in USD")
        policy["currency"] = currency
    return policy


def _metres(word: str) -> float:
    try:
        metres = float(word)
    except ValueError:
        metres = 0.0
    if not 0 < metres < float("inf"):
        raise ValueError(f"--stock: found {word!r}, expected metres as in 5,10,30")
    return metres
