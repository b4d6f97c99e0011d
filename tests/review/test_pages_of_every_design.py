"""A page to sign says of what its figures are, and does not contradict itself."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.every_design import CATALOG, EVERY, planned, swept
from tests.laid_beside import named
from tests.review.saying import approving, review_saying
from toposmith.analysis.request import Request, Routing
from toposmith.collectives import collective_name
from toposmith.documents.markdown import Page, page_markdown
from toposmith.evaluation import EvaluatedDesign
from toposmith.fabric.planner import plan_design
from toposmith.nccl.nccl_version import NcclVersion
from toposmith.review.failures.sweep import Sweep, sweep
from toposmith.review.failures.sweep_in_words import failures_table
from toposmith.review.report.pages import page_html, review_page
from toposmith.review.sidecar.entries import ReviewEntry
from toposmith.text import percent

FEW = [name for name in EVERY if not any(large in name for large in ("131072", "64su", "4x4x4"))]


@cache
def stands(name: str) -> tuple[EvaluatedDesign, Sweep]:
    now = named(name, EVERY[name], CATALOG, shared=planned(name))
    return now, swept(name)


def page_of(name: str, *said: ReviewEntry) -> Page:
    now, failures = stands(name)
    return review_page(now, failures, review_saying(said, now.design, now.digest))


@cache
def plain_page_of(name: str) -> str:
    return page_markdown(page_of(name))


def section(text: str, title: str) -> str:
    """The lines of a Markdown page below a title."""
    return text.partition(f"## {title}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("name", FEW)
def test_a_page_says_of_what_its_figures_are(name: str) -> None:
    now, _ = stands(name)
    text = section(plain_page_of(name), "What the figures are of")
    assert "Messages of 8 GiB, NCCL 2.32.3, ideal routing, ranks packed" in text
    for collective, analysis in now.analyses.items():
        (line,) = (one for one in text.splitlines() if collective_name(collective) in one)
        if analysis.busbw_GBps is None:
            assert "no prediction" in line
        elif analysis.band is None:
            assert analysis.no_band in line
            assert "published" in line or "no band" in line
        else:
            low, high = analysis.band.low * 100, analysis.band.high * 100
            assert f"{low:+.0f} % to {high:+.0f} % of this prediction" in line
    for words in ("\n- Assumed: ", "\n- Looked at: ", "\n- Not looked at: "):
        assert words in text
    assert "What the figures are of" in page_html(page_of(name))


def test_a_page_names_another_size_release_and_routing() -> None:
    design = EVERY["dgx-h100-superpod-1su"]
    request = Request(
        message_bytes=2**20, version=NcclVersion(2, 24, 3), routing=Routing("static", 4)
    )
    now = named("pod", design, CATALOG, request=request)
    failures = sweep(plan_design(design, CATALOG), CATALOG, now.request, progress=lambda *_: False)
    text = page_markdown(review_page(now, failures, review_saying((), design, now.digest)))
    asked = "1 MiB, NCCL 2.24.3, static routing, 4 queue pairs each"
    assert f"Messages of {asked}" in text
    assert f"with nothing failed ({asked})" in text.replace("\\", "")
    assert "as plain ECMP does" in text


@pytest.mark.parametrize("name", FEW)
def test_nothing_keeps_more_than_all(name: str) -> None:
    _, failures = stands(name)
    table = failures_table(failures.singles, failures)
    kept = [at for at, head in enumerate(table.titles) if head.endswith("kept")]
    shares = {row.words[at] for row in table.rows for at in kept} - {"unknown"}
    assert shares <= {percent(hundredth / 1000) for hundredth in range(1001)}


@pytest.mark.parametrize("name", FEW)
def test_no_sentence_of_a_page_says_what_another_denies(name: str) -> None:
    """Where a single switch cuts GPUs off by a finding, no failure of it is survived."""
    text = plain_page_of(name).replace("\\", "")
    survives = re.findall(r"survives any one (\w+)(?: \(([\w-]+)\))? at", text)
    survived = {group or kind for kind, group in survives if kind not in ("cable", "module")}
    for above, cut in re.findall(r"one ([\w-]+)(?: joins [^:]+)?: if it fails, (\S+)", text):
        assert (above in survived) == (not cut[0].isdigit()), above


def test_an_approval_over_an_open_comment_says_so() -> None:
    now, _ = stands("dgx-h100-superpod-1su")
    said = (
        ReviewEntry(comment="leaf", author="Ann", date="2026-11-21", text="why?"),
        approving(now, "Bob", "2026-11-22"),
    )
    text = section(page_markdown(page_of("dgx-h100-superpod-1su", *said)), "State of the review")
    assert "Approved, 1 comment open." in text


def test_an_approval_of_the_design_alone_is_named_on_the_page() -> None:
    now, _ = stands("dgx-h100-superpod-1su")
    alone = ReviewEntry(approve=now.digest, author="Bob", date="2026-11-22")
    text = section(page_markdown(page_of("dgx-h100-superpod-1su", alone)), "State of the review")
    assert "Approvals missing (0 of 1)." in text
    assert "Bob's approval does not count: it holds the digest of the design alone" in text
