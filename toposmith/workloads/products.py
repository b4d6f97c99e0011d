"""The products of a layer by their shape: tiles that are not full, and waves that are not.

A product of M x K by K x N is cut into tiles of M x N, which run on the multiprocessors in waves;
the last wave and tiles at the edge take as long as full ones (NVIDIA, Matrix Multiplication
Background User's Guide, DU-09799, sections 3.1 and 3.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from toposmith.workloads.model import Model

TILES = ((256, 128), (128, 256), (128, 128))
"""Tiles that cuBLAS takes for products of this size (the guide, section 2.3)."""

MULTIPROCESSORS = {70: 80, 75: 40, 80: 108, 90: 132, 100: 148}
"""Of V100, T4, A100, H100 and B200 by compute capability (their architecture white papers; T4:
sysrqmts.com). Of 8.6 there are GPUs with different numbers, so none is taken."""


@dataclass(frozen=True)
class Product:
    """One product of a layer on a GPU, ``many`` of the same shape beside each other.

    ``rows`` are tokens, ``columns`` the width that it makes, ``depth`` the width that it takes.
    """

    rows: float
    columns: float
    depth: float
    many: float = 1

    @property
    def flops(self) -> float:
        """2 M N K each."""
        return 2 * self.rows * self.columns * self.depth * self.many


def layer_products(
    model: Model, tokens: float, tp: int, ep: int = 1, expert_tp: int | None = None
) -> Iterator[Product]:
    """The products of one layer's forward pass; with experts those of a layer that has them."""
    h = model.hidden
    if model.latent is not None:
        m, a = model.latent, model.heads / tp
        if m.query_rank is None:
            yield Product(tokens, m.kv_rank + m.rope, h)
            yield Product(tokens, a * (m.nope + m.rope), h)
        else:
            yield Product(tokens, m.query_rank + m.kv_rank + m.rope, h)
            yield Product(tokens, a * (m.nope + m.rope), m.query_rank)
        yield Product(tokens, a * (m.nope + m.value), m.kv_rank)
        yield Product(tokens, h, a * m.value)
    else:
        queries = model.heads * model.head_size / tp
        keys = max(model.key_heads / tp, 1) * model.head_size
        yield Product(tokens, queries + 2 * keys, h)
        yield Product(tokens, h, queries)
    gates = 2 if model.gated else 1
    moe = model.experts
    if moe is None:
        yield Product(tokens, gates * model.ffn / tp, h)
        yield Product(tokens, h, model.ffn / tp)
        return
    here, split = moe.count / ep, expert_tp or tp
    # where experts are split less than the rest, each rank brings its share of the tokens alone
    each = tokens * split / tp * moe.active / here
    for rows, many, ranks in ((each, here, split), (tokens, moe.shared, tp)):
        if many:
            yield Product(rows, gates * moe.ffn / ranks, h, many)
            yield Product(rows, h, moe.ffn / ranks, many)


def second_products_share(model: Model) -> float:
    """FLOP of every second product of a layer over those of all.

    Of queries, keys, values, output, gate, input and output of the feed-forward layer the keys',
    the output's and the input's; without a gate the feed-forward layer's second. Of latent
    attention a half.
    """
    attention = float(model.attention_parameters)
    second = attention / 2
    if model.latent is None:
        second = float(model.hidden * model.head_size * (model.heads + model.key_heads))
    width = model.hidden * model.active_width
    return (second + width) / (attention + (3 if model.gated else 2) * width)


@lru_cache(maxsize=65_536)
def full_share(rows: float, columns: float, many: float, multiprocessors: int | None) -> float:
    """What share of its waves' tiles a product fills, with the tile that fills most.

    Parameters
    ----------
    rows, columns : float
        Of what it makes.
    many : float
        Products that run as one grid.
    multiprocessors : int or None
        Of the GPU; None leaves the waves out.
    """
    best = 0.0
    for high, wide in TILES:
        tiles = ceil(rows / high) * ceil(columns / wide) * many
        if multiprocessors is not None:
            tiles = ceil(tiles / multiprocessors) * multiprocessors
        best = max(best, rows * columns * many / (tiles * high * wide))
    return min(best, 1.0)


def full_flops(
    model: Model,
    tokens: float,
    tp: int,
    ep: int,
    multiprocessors: int | None,
    expert_tp: int | None = None,
) -> float:
    """FLOP that a layer's products would be if all their tiles and waves were full."""
    found = list(layer_products(model, tokens, tp, ep, expert_tp))
    asked = sum(each.flops for each in found)
    taken = sum(
        each.flops / full_share(each.rows, each.columns, each.many, multiprocessors)
        for each in found
    )
    return tokens * model.layer_flops / tp * taken / asked
