"""Certificates: a second program, which shares no code with the first, confirms what they say."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from contextlib import suppress
from copy import deepcopy
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.proof import DESIGNS, PLANTED, caught, certificate, planted
from tests.every import for_every
from toposmith.design.writer import design_text
from toposmith.errors import ExportError
from toposmith.exports.forms import FORMS
from toposmith.library import evaluate, load, parse
from toposmith_check.claims import verdicts
from toposmith_check.reading import Wrong, digest

CHECKER = Path(__file__).parents[2] / "toposmith_check"
SMALL = "hgx-a100-64gpu-roce-2to1"
FAULTS = {
    "a leaf that is down": "leaf[0]",
    "a cable that is down": "node[0].compute[0]",
    "a node that is down": "node[3]",
}


@cache
def proof_of(name: str) -> dict[str, Any]:
    return certificate(name)


def proven(name: str, **asked: Any) -> tuple[dict[str, Any], list[str]]:
    made = FORMS["proof"].make(evaluate(name, **asked), None, None)
    value = json.loads(b"".join(made.pieces))
    return value, list(made.lost)


@for_every(DESIGNS)
def test_every_claim_about_a_saved_design_is_confirmed(name: str) -> None:
    told = list(verdicts(proof_of(name)))
    assert [words for holds, words in told if not holds] == []


@for_every(["dgx-a100-su", SMALL, "dgx-h100-superpod-1su"])
def test_the_bound_the_rate_and_the_loads_are_those_of_the_analysis(name: str) -> None:
    for claim in proof_of(name)["claims"]:
        analysis = evaluate(name, collective=claim["collective"]).analysis
        assert claim["bound"]["busbw_GBps"] == pytest.approx(analysis.bound_busbw_GBps, rel=1e-9)
        assert claim["figures"]["busbw_GBps"] == analysis.busbw_GBps
        known = [load.load_GBps for load in analysis.limits if load.index is not None]
        claimed = [load["load_GBps"] for load in claim["traffic"]["links"]]
        assert sorted(claimed) == sorted(known)


def test_eight_nodes_with_one_cable_each_are_worked_out_by_hand() -> None:
    value = proof_of("a100-rack-1x100gbe")
    reduce, exchange = value["claims"]
    # 8 sets of 8 GPUs, 12.5 GB/s into each: 100 / (2 x 7), times 2 x 63 / 64
    assert reduce["bound"]["busbw_GBps"] == pytest.approx(100 / 14 * 126 / 64)
    # all pairs of which one GPU is in the set: 8 x 8 x 56 parts of 1/64 each
    assert exchange["bound"]["busbw_GBps"] == pytest.approx(100 * 63 / (8 * 8 * 56))
    # a ring sends 2 x 63 / 64 of the data over each node's one cable; an exchange 8 x 56 / 64
    assert reduce["traffic"]["links"][0]["per_algbw"] == pytest.approx(126 / 64)
    assert exchange["traffic"]["links"][0]["per_algbw"] == pytest.approx(7)


@for_every(FAULTS)
def test_a_fabric_with_faults_is_confirmed_or_says_what_is_not(name: str) -> None:
    value, lost = proven(SMALL, failing=[FAULTS[name]])
    assert all(holds for holds, _ in verdicts(value))
    assert not [words for words in lost if "loads" in words or "traffic" in words]


def test_what_runs_in_one_node_has_no_flows_between_nodes() -> None:
    value, lost = proven("gb200-nvl72-rack")
    assert lost == []
    assert [claim["bound"]["busbw_GBps"] for claim in value["claims"]] == [900, 900]
    assert [claim["traffic"] for claim in value["claims"]] == [{}, {}]


def test_traffic_that_shortest_paths_do_not_share_evenly_is_not_claimed() -> None:
    _, lost = proven(SMALL, routing="static")
    assert lost == ["all-reduce: the loads of its cables", "all-to-all: the loads of its cables"]


@for_every(PLANTED)
def test_a_planted_change_is_caught_though_all_digests_are_made_anew(kind: str) -> None:
    values = [proof_of(name) for name in ("a100-rack-1x100gbe", SMALL, "dgx-h100-superpod-1su")]
    if kind.startswith("counts"):
        values.append(proof_of("gb200-nvl36x2-pair"))
    _, missed = planted({kind: PLANTED[kind]}, values, 4, Random(7))
    assert missed == []


def test_a_change_without_a_new_digest_is_caught_by_the_digest() -> None:
    value = deepcopy(proof_of(SMALL))
    value["design"] = "another"
    assert next(iter(verdicts(value)))[0] is False
    assert caught(value) == ""


HOSTILE = {
    "empty": b"",
    "no object": b"[]",
    "no form": b"{}",
    "deep": b'{"toposmith_proof":' + b"[" * 100_000,
    "not a number": b'{"toposmith_proof": NaN}',
    "a long number": b'{"toposmith_proof": ' + b"9" * 5000 + b"}",
    "twice": b'{"toposmith_proof": 1, "toposmith_proof": 1}',
    "bytes": bytes(range(256)),
    "endless": b'{"toposmith_proof": 1e999}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_file_that_is_no_certificate_is_refused_in_words(name: str, tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    file.write_bytes(HOSTILE[name])
    assert said(file)[0] == 1


def test_a_file_that_is_not_there_is_refused_in_words(tmp_path: Path) -> None:
    assert said(tmp_path / "proof.json")[0] == 1


@pytest.mark.parametrize("seed", range(40))
def test_values_of_other_kinds_end_in_words_and_never_in_a_traceback(seed: int) -> None:
    draw, value = Random(seed), deepcopy(proof_of(SMALL))
    strange = [None, -1, "x", [], {}, [[]], 2**49, 1e-300, True, {"a": 1}, [1, 2, 3], ""]
    for _ in range(draw.randint(1, 3)):
        of: Any = value
        while True:
            key = draw.choice(list(of)) if isinstance(of, dict) else draw.randrange(len(of))
            if not of[key] or not isinstance(of[key], dict | list) or draw.random() < 0.2:
                of[key] = draw.choice(strange)
                break
            of = of[key]
    body = {key: of for key, of in value.items() if key != "sha256"}
    with suppress(Wrong, ArithmeticError):
        list(verdicts({**body, "sha256": digest(body)}))


def test_the_checker_runs_by_itself_and_says_each_claim(tmp_path: Path) -> None:
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(proof_of(SMALL)))
    code, words = said(file)
    assert code == 0
    assert "holds: all_to_all: at most 16.4062 GB/s of busbw" in words
    assert words.splitlines()[-1].startswith("all ")


def test_the_checker_imports_python_alone() -> None:
    imported = set()
    for path in CHECKER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                imported.add((node.module or "").partition(".")[0])
            elif isinstance(node, ast.Import):
                imported |= {name.name.partition(".")[0] for name in node.names}
    assert imported - {"toposmith_check"} <= set(sys.stdlib_module_names)


def test_the_checker_has_at_most_500_lines_of_code() -> None:
    """Blank lines, comments and docstrings apart."""
    counted = 0
    for path in CHECKER.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        prose: set[int] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                prose |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        lines = enumerate(text.splitlines(), 1)
        counted += sum(
            bool(line.strip()) and at not in prose and not line.strip().startswith("#")
            for at, line in lines
        )
    assert counted <= 500


def test_no_flows_at_all_are_no_proof_of_a_rate() -> None:
    """A certificate that loads nothing would let every cable carry any rate."""
    for name, key in ((SMALL, "order"), ("dgx-h100-superpod-1su", "trees")):
        value = deepcopy(proof_of(name))
        traffic = value["claims"][0]["traffic"]
        traffic[key] = []
        for link in traffic["links"]:
            link.update(per_algbw=0.0, load_GBps=0.0, use=0.0, limits=False)
        assert caught(value)


def said(file: Path) -> tuple[int, str]:
    """The exit code of the checker and what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "toposmith_check", str(file)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.startswith(("holds:", "WRONG:"))
    return done.returncode, done.stdout


def test_a_design_without_known_parts_has_no_certificate() -> None:
    design = parse(design_text(load(SMALL)).replace("part: sn3700", "part: sn9999"))
    with pytest.raises(ExportError, match="unknown parts: leaf, spine"):
        FORMS["proof"].make(evaluate(design), None, None)
