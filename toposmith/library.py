"""The Python API: load or make a design, evaluate it, compare designs, save them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from toposmith.analysis.prediction.size_curve import Curve
from toposmith.asked import Asked as Asked
from toposmith.bill.bill import Bill
from toposmith.bill.bill_lines import BillLine
from toposmith.bill.terms import INDICATIVE, Terms, bill_prices
from toposmith.catalog import Catalog, load_catalog
from toposmith.design.document import Design
from toposmith.design.parser import parse_design
from toposmith.design.stored_files import NO_FILE, load_file, save_file
from toposmith.design.writer import design_text
from toposmith.errors import SaveError, ToposmithError
from toposmith.evaluation import EvaluatedDesign
from toposmith.evaluation.evaluated import COLLECTIVES as USUAL
from toposmith.evaluation.here import read_policy
from toposmith.exports.cable_schedule.schedule_rows import CableRow, Schedule, ScheduledEnd
from toposmith.findings.finding import Finding
from toposmith.labels import Label, Labelled
from toposmith.notebook import ShownDesign, frame_of
from toposmith.notebook import to_networkx as to_networkx
from toposmith.racks.placement import Placement
from toposmith.review.differences.consequences import Differences
from toposmith.review.differences.consequences import differences as compare
from toposmith.review.failures.sweep import Sweep, sweep
from toposmith.review.failures.sweep_in_words import sweep_as_data
from toposmith.review.findings.collecting import finding_json
from toposmith.review.policy import Policy
from toposmith.review.revisions import design_of_revision
from toposmith.saved_designs import saved_path
from toposmith.templates import new_design
from toposmith.user_folders import is_there

Source = str | os.PathLike[str]

_CATALOGS: dict[tuple[str, ...], Catalog] = {}


def load(source: Source) -> Design:
    """Read a design.

    Parameters
    ----------
    source : path or str
        A file; the short name of a design that comes with the program (``dgx-h100-superpod-1su``);
        or a file of a git revision (``HEAD~1:cluster.yaml``).

    Raises
    ------
    DesignFileError
        With every problem found, each with line and column, what was found and what is expected.
    RevisionError
        Where git has no such revision or file.
    ToposmithError
        When ``source`` is neither a path nor a text.
    """
    try:
        name = os.fspath(source)
    except TypeError:
        raise ToposmithError(f"{type(source).__name__} is no design; give a path or name") from None
    found = design_of_revision(name)
    if found is not None:
        return found
    path = Path(name)
    return load_file(path if path.is_file() else saved_path(name) or path).design


def parse(design: str | Mapping[str, Any]) -> Design:
    """Read a design from YAML text, or from a mapping with the same keys.

    Raises
    ------
    DesignFileError
        With every problem found.
    ToposmithError
        When ``design`` is neither text nor a mapping.
    """
    if isinstance(design, str):
        return parse_design(design, "<text>")
    if not isinstance(design, Mapping):
        raise ToposmithError(f"{type(design).__name__} is no design; give its text or a mapping")
    data = {"toposmith": 1, **design}
    return parse_design(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), "<mapping>")


def new(
    template: str, /, *, catalog: Catalog | None = None, **settings: str | int | float
) -> Design:
    """Make a design from a template of :data:`toposmith.TEMPLATES`, as ``toposmith new`` does.

    Raises
    ------
    EditError
        For an unknown template, setting or part, or a value out of range; says what is accepted.
    """
    return new_design(template, settings, catalog=catalog or _catalog())


def save(design: Design, path: Source, *, replace: bool = False) -> Path:
    """Write a design; a file that is replaced keeps its comments, order and spelling.

    Raises
    ------
    SaveError
        When the file exists and ``replace`` is not set, or when it cannot be written;
        an existing file is then untouched.
    """
    target = Path(path)
    if not is_there(target):
        save_file(target, design_text(design), expected_fingerprint=NO_FILE)
        return target
    if not replace:
        raise SaveError(f"{target}: is there already; say replace=True to write over it")
    old = load_file(target)
    text = design_text(design, old.text)
    save_file(target, text, expected_fingerprint=old.fingerprint)
    return target


def evaluate(
    design: Design | Source,
    *,
    failing: Iterable[str] = (),
    catalog: Catalog | Source | None = None,
    prices: Iterable[Source] = (),
    policy: Policy | Source | None = None,
    collective: str | Iterable[str] = Asked.collective,
    **asked: Any,
) -> EvaluatedDesign:
    """Evaluate a design: figures, limits, bound, findings, racks, bill, each computed on demand.

    Parameters
    ----------
    design : Design, path or str
        The design, or what :func:`load` takes.
    failing : iterable of str
        Selectors of devices, ports or cables to fail, as under ``down:``.
    catalog : Catalog or path, optional
        Parts; those of a folder or file override those that come with the program.
    prices : iterable of path
        Price lists, of which later ones override earlier ones; ``indicative`` is the published one.
    policy : Policy or path, optional
        Severities and limits of findings; the built-in policy if not given.
    collective : str or iterable of str
        A key of ``toposmith.collectives.COLLECTIVES``, or several: ``analysis`` is of the
        first, ``analyses`` has the figures of each.
    **asked
        Anything else of :class:`toposmith.Asked`: ``size="64 MiB"``, ``routing="static"``.

    Raises
    ------
    AskedError
        For a collective, size, layout, group, release or routing that does not exist, naming
        those that do; and as :func:`load` does.
    ToposmithError
        For a price list that is not there, or where no collective is named.
    """
    drawn = design if isinstance(design, Design) else load(design)
    parts = catalog if isinstance(catalog, Catalog) else _catalog(catalog)
    named = [os.fspath(one) for one in prices]
    for one in named:
        if one != INDICATIVE and not Path(one).is_file():
            raise ToposmithError(f"{one}: there is no such price list")
    several = (collective,) if isinstance(collective, str) else tuple(collective)
    if not several:
        raise ToposmithError("no collective is asked for; name one or more")
    requests = [Asked(one, **asked).request(drawn) for one in several]
    return ShownDesign(
        drawn,
        parts,
        requests[0],
        collectives=several[1:] and several,
        terms=Terms(prices=bill_prices(drawn, parts, named)) if named else Terms(),
        policy=_policy(policy),
        failing=tuple(failing),
        source=drawn.name,
    )


def failures(
    cluster: EvaluatedDesign,
    collectives: Iterable[str] = ("all_reduce", "all_to_all"),
    *,
    pairs: int = 0,
    seed: int = 0,
) -> Sweep:
    """Evaluate each single failure, and ``pairs`` sampled pairs of failures; worst first."""
    return sweep(
        cluster.plan,
        cluster.catalog,
        cluster.asked,
        collectives=tuple(collectives),
        doubles=pairs,
        seed=seed,
    )


def differences(old: EvaluatedDesign, new: EvaluatedDesign) -> Differences:
    """Compare two designs: changes, figures, parts, findings.

    Figures are those of the collectives that the older design was evaluated for, of all-reduce
    and of all-to-all, as in ``toposmith diff``.
    """
    names = tuple(dict.fromkeys((*old.analyses, *USUAL)))
    return compare(*(replace(one, collectives=names, shared=one.planned) for one in (old, new)))


def to_dicts(rows: Any) -> list[dict[str, Any]]:
    """Return rows as plain dictionaries, for example for a data frame.

    Parameters
    ----------
    rows : Bill, Sweep, Differences, Curve, Placement, Schedule or iterable
        Lines of a bill, single failures, figures that two designs are compared by, points of a
        curve, devices with rack and U, cables; findings, limits, tiers, or any other tuple of
        values of a cluster.

    Raises
    ------
    TypeError
        For what has no rows.
    """
    if isinstance(rows, Sweep):
        return [_failure(one) for one in sweep_as_data(rows)["singles"]]
    if isinstance(rows, Bill):
        rows = rows.lines
    if isinstance(rows, Differences):
        rows = rows.figures
    if isinstance(rows, Curve):
        rows = rows.points
    if isinstance(rows, Placement):
        rows = _stands(rows)
    if isinstance(rows, Schedule):
        rows = rows.rows()
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        raise TypeError(
            f"{type(rows).__name__} has no rows; give findings, limits, tiers or a bill"
        )
    return [_row(row) for row in rows]


def to_pandas(rows: Any) -> Any:
    """Rows as :func:`to_dicts` takes them, as a ``pandas.DataFrame``.

    Raises
    ------
    ToposmithError
        Where pandas is not installed.
    """
    return frame_of("pandas", to_dicts(rows))


def to_polars(rows: Any) -> Any:
    """Rows as :func:`to_dicts` takes them, as a ``polars.DataFrame``; mappings become JSON text.

    Raises
    ------
    ToposmithError
        Where polars is not installed.
    """
    # rows differ in the keys of their mappings, and a column of polars has one type
    flat = [
        {key: json.dumps(value) if _has_mapping(value) else value for key, value in row.items()}
        for row in to_dicts(rows)
    ]
    return frame_of("polars", flat, infer_schema_length=None, strict=False)


def _has_mapping(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_has_mapping, value)))


def _row(row: Any) -> dict[str, Any]:
    if isinstance(row, Finding):
        return finding_json(row)
    if isinstance(row, CableRow):
        return _cable(row)
    found = _plain(row)
    if not isinstance(found, dict):
        raise TypeError(f"{type(row).__name__} is no row of a table")
    if isinstance(row, BillLine) and row.unit_power_w is None:
        found["unit_least_power_w"] = row.unit_least_power_w or None  # 0 would be a figure
    return found


def _stands(placement: Placement) -> Iterator[dict[str, Any]]:
    """Every device that is placed in a rack."""
    for group, racks in placement.rack_of.items():
        for number in range(len(racks)):
            spot = placement.spot(group, number)
            if spot is not None:
                place = {"rack": placement.label(spot.rack), "unit": spot.unit}
                yield {"group": group, "number": number, **place}


def _cable(row: CableRow) -> dict[str, Any]:
    """A cable as a flat dictionary: ``a_node``, ``a_port``, ``z_node``."""
    found = row._asdict() | {"link": row.link.label}
    for name in ("a", "z"):
        end: ScheduledEnd = found.pop(name)
        found |= {f"{name}_{key}": value for key, value in end._asdict().items()}
    return found


def _failure(outcome: dict[str, Any]) -> dict[str, Any]:
    first = outcome["failures"][0]
    kept = {f"{one['collective']}_busbw_GBps": one["busbw_GBps"] for one in outcome["kept"]}
    shares = {
        f"{one['collective']}_kept": None if one["share"] is None else min(1.0, one["share"])
        for one in outcome["kept"]
    }
    cut_off = {"gpus_cut_off": outcome["gpus_cut_off"]}
    return {"kind": first["kind"], "what": first["what"], **kept, **shares, **cut_off}


def _plain(value: Any) -> Any:
    """A value as built-in types."""
    if isinstance(value, Label):
        return value.words
    if isinstance(value, Labelled):
        return value.value
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {key: _plain(one) for key, one in value._asdict().items()}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _catalog(place: Source | None = None) -> Catalog:
    """The parts that come with the program and the user's own, read once."""
    places = () if place is None else (os.fspath(place),)
    if places not in _CATALOGS:
        _CATALOGS[places] = load_catalog(*(Path(one) for one in places))
    return _CATALOGS[places]


def _policy(policy: Policy | Source | None) -> Policy:
    if policy is None:
        return Policy()
    return policy if isinstance(policy, Policy) else read_policy(Path(policy))
