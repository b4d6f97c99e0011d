"""Every command over one design, run in this process."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.labels.facts import Facts
from tests.labels.pages import Asked, Page, of_html, of_json, of_markdown, of_workbook, of_yaml
from toposmith.collectives import COLLECTIVES
from toposmith.command.main import main
from toposmith.exports.forms import FORMS

TOLD = "all_reduce"
"""What is always read as text, too; of all else one page in turn: a text searches a next change."""
SMALL = 1024
FORCED = (
    ("--with", "algorithm=ring"),
    ("--with", "protocol=simple"),
    (
        "--with",
        "sharp",
    ),
    ("--routing", "static"),
)
BILLS = ("yaml", "json", "csv", "md", "xlsx", "cyclonedx")
PAGES = ("md", "html")
REPORTS = (*PAGES, "comment")
WITHOUT_FIGURES = ("bom", "cvt", "labels", "netbox", "hostfiles", "all")
"""What `bom` and `jobs` write, and the rows of `cables` and `netbox-cables` once more, in workbooks
and folders; all the others."""
EXPORTS = tuple(name for name in FORMS if name not in WITHOUT_FIGURES)
_FOR_TOOLS = frozenset(
    {
        *("png", "netbox-cables", "dot", "nccl-xml"),
        *("ibsim", "ibnetdiscover", "slurm-tree", "slurm-block", "slurm-yaml", "k8s-labels"),
        *("kueue", "containerlab", "ptm", "topo", "ufm-ndt", "astra-sim", "simai", "sonic", "json"),
        *("nccl-conf", "rail-addresses", "rail-prefixes", "routed-addresses", "routed-prefixes"),
    }
)
"""Forms with hardly a word, or with the words of another form."""
FEW_GPUS = 16
"""Up to this every form is written, and layouts are searched."""
_MANY_GPUS = 2_000
"""Above this nothing is written that lists every cable, and two collectives stand for all."""
_MOST_GPUS = 10_000
"""Above this no failures are swept, which takes seconds and shows no other labels."""

_OWN_WORKLOAD = ("--model", "llama3-8b")


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


def run(*args: str) -> Outcome:
    """Run the command as a script would; stdout is data, stderr is talk."""
    held, told = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(held, encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        code = main(args)
    return Outcome(code, held.getvalue().decode(), told.getvalue())


def walk(
    path: Path, facts: Facts, folder: Path, other: Path, turn: int | None = None
) -> Iterator[Page]:
    """Every command over a design.

    Parameters
    ----------
    path : Path
        The design.
    facts : Facts
        What is true of it.
    folder : Path
        Where files may be written.
    other : Path
        A design to compare with it: what it was before its faults, or with its links turned round.
    turn : int, optional
        Which of the analyses is read as text besides that of TOLD; all are without it.
    """
    name = str(path)
    yield from _analyses(name, facts, turn)
    yield from _reviews(name, facts)
    yield from _bills(name, facts, folder)
    yield from _exports(name, facts, folder)
    yield from _workloads(name, facts)
    yield from _fixes(name, facts)
    yield _json(("diff", str(other), name, "--json"), "differences")
    yield _text(("diff", str(other), name), "differences")
    if facts.faults:
        yield _text(("diff", str(other), name, "--markdown"), "differences", "md")
        against = ("--report", "html", "--against", str(other))
        yield _text(("review", name, *against), "differences", "html")


def _analyses(name: str, facts: Facts, turn: int | None) -> Iterator[Page]:
    few = facts.gpus > _MANY_GPUS
    yield from _both(name, ("--collective", TOLD), Asked(TOLD))
    yield _text(("analyze", name, "--collective", TOLD), "figures", "first look")
    others: list[tuple[tuple[str, ...], Asked]] = [
        (("--collective", each), Asked(each))
        for each in (COLLECTIVES if not few else ("all_to_all",))
        if each != TOLD
    ]
    others.append((("--size", str(SMALL)), Asked(size_bytes=SMALL)))
    others += [(forced, Asked(plain=False)) for forced in FORCED]
    if not few:
        exact = ("--collective", "all_to_all", "--with", "exact")
        others.append((exact, Asked("all_to_all", solved=True)))
    for number, (options, asked) in enumerate(others):
        if turn is None or number == turn % len(others):
            yield from _both(name, options, asked)
        else:
            page = _json(("analyze", name, *options, "--json"), "figures", "analysis")
            yield replace(page, asked=asked)
    yield _json(("analyze", name, "--with", "nccl=2.18", "--json"), "figures", "analysis")
    yield _text(("analyze", name, "--curve"), "figures", "curve")
    yield _text(("measured", name), "expected")
    if not few:
        yield _text(("jobs", name, "all, all_reduce"), "jobs")
    yield _json(("analyze", name, "--curve", "--json"), "curve")


def _analysis(name: str, *options: str) -> Page:
    return _text(("analyze", name, "--why", *options), "figures", "analysis")


def analyses_in_data(name: str) -> Iterator[Page]:
    """What a program reads of both collectives that the live panel shows."""
    for collective in ("all_reduce", "all_to_all"):
        page = _json(("analyze", name, "--collective", collective, "--json"), "figures", "analysis")
        yield replace(page, asked=Asked(collective))
    yield _json(("check", name, "--json"), "findings")


def _both(name: str, options: tuple[str, ...], asked: Asked) -> Iterator[Page]:
    for page in (
        _analysis(name, *options),
        _json(("analyze", name, *options, "--json"), "figures", "analysis"),
    ):
        yield replace(page, asked=asked)


def _reviews(name: str, facts: Facts) -> Iterator[Page]:
    yield _text(("check", name, "--remarks"), "findings")
    yield _json(("check", name, "--json"), "findings")
    yield _text(("review", name, "--status"))
    if facts.gpus > _MOST_GPUS:
        return
    yield _text(("failures", name), "failures", "figures")
    yield _json(("failures", name, "--json"), "failures", "figures")
    yield _text(("review", name, "--report", "comment"), "figures")
    for form in PAGES:
        page = _text(
            ("review", name, "--report", form), "review", "figures", "findings", "failures"
        )
        yield replace(page, shows=page.shows | {form})


def _bills(name: str, facts: Facts, folder: Path) -> Iterator[Page]:
    for form in BILLS if facts.gpus <= _MOST_GPUS else ("yaml", "md"):
        out = folder / f"bill.{form}"
        run("bom", name, "--format", form, "-o", str(out), "--force")
        if not out.exists():
            continue
        written = out.read_bytes()
        data = None
        if form == "xlsx":
            text = of_workbook(written)
        elif form in ("json", "cyclonedx"):
            text, data = of_json(written.decode())
        elif form == "yaml":
            text, data = of_yaml(written.decode())
        else:
            text = of_markdown(written.decode())
        yield Page(f"bom --format {form}", text, frozenset({"bill", form}), data)


def _exports(name: str, facts: Facts, folder: Path) -> Iterator[Page]:
    for form in EXPORTS:
        if form in _FOR_TOOLS and facts.gpus > FEW_GPUS:
            continue
        if form == "cables" and facts.gpus > _MANY_GPUS:
            continue
        if form == "html" and facts.gpus > _MOST_GPUS:
            continue
        out = folder / f"export{FORMS[form].ending}"
        with _drawn_texts() as drawn:
            run("export", name, "--to", form, "-o", str(out), "--force")
        if not out.exists():
            continue
        pixels = form.endswith("png")
        text = "\n".join(drawn) if pixels else out.read_text(encoding="utf-8")
        if form == "html" or form.endswith("svg"):
            text = of_html(text)
        shows = {"html": {"figures", "bill", "findings", "racks"}, "cables": {"schedule"}}
        found = shows.get(form, {"racks"} if form.startswith("elevations") else {"drawing"})
        yield Page(f"export --to {form}", text, frozenset(found) | {form})


@contextlib.contextmanager
def _drawn_texts() -> Iterator[list[str]]:
    """What is written into a picture of pixels, which nothing else could read."""
    from PIL.ImageDraw import ImageDraw

    drawn: list[str] = []
    write = ImageDraw.text

    def told(self: ImageDraw, xy: object, text: str, *args: object, **named: object) -> None:
        drawn.append(str(text))
        write(self, xy, text, *args, **named)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ImageDraw, "text", told)
        yield drawn


def _workloads(name: str, facts: Facts) -> Iterator[Page]:
    if not facts.gpus:
        return
    asked_of = ("workload", name, "--require", "--set", "ranks=2,size=16MB,per_second=100")
    yield _text(asked_of, "require")
    yield _json((*asked_of, "--json"), "require")
    own = facts.design.get("workload")
    if own:
        asked = [()]
    else:
        asked = [
            (*_OWN_WORKLOAD, "--set", f"tp=1,batch={8 * facts.gpus}"),
            (*_OWN_WORKLOAD, "--serve", "--set", "precision=fp8"),
            ("--model", "llama3-405b", "--serve"),
        ]
    for options in asked:
        yield _text(("workload", name, *options), "workload")
        yield _json(("workload", name, *options, "--json"), "workload")
    if facts.gpus <= FEW_GPUS and not (own and "serving" in own):
        found = () if own else (*_OWN_WORKLOAD, "--set", f"batch={8 * facts.gpus}")
        yield _text(("workload", name, *found, "--search"), "workload", "search")
        yield _json(("workload", name, *found, "--search", "--json"), "workload", "search")


def _fixes(name: str, facts: Facts) -> Iterator[Page]:
    if facts.gpus <= FEW_GPUS:
        yield _text(("fix", name), "fixes", "figures")
        yield _json(("fix", name, "--json"), "fixes", "figures")
        yield _text(("fix", name, "--spare"), "fixes", "figures")
        yield _text(("change", name, name), "fixes")


def _text(args: tuple[str, ...], *shows: str) -> Page:
    outcome = run(*args)
    text = outcome.out
    if "--report" in args:
        text = of_html(text) if "html" in args else of_markdown(text)
    elif "--markdown" in args:
        text = of_markdown(text)
    return Page(_place(args), f"{text}\n{outcome.err}", frozenset(shows))


def _json(args: tuple[str, ...], *shows: str) -> Page:
    outcome = run(*args)
    if outcome.code == 2 or not outcome.out.strip():
        return Page(_place(args), outcome.err, frozenset())
    text, data = of_json(outcome.out)
    return Page(_place(args), text, frozenset({*shows, "json"}), data)


def _place(args: Iterable[str]) -> str:
    """The command without the names of files."""
    return " ".join(arg for arg in args if not arg.endswith(".yaml"))
