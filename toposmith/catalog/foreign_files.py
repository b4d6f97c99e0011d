"""Parts from files of other tools, distinguished by file suffix."""

from __future__ import annotations

from pathlib import Path

from toposmith.catalog.catalog import Catalog
from toposmith.catalog.imported import Imported, ImportRefused
from toposmith.catalog.nccl_xml import import_nccl_xml
from toposmith.catalog.netbox_switches import import_netbox
from toposmith.plain_text import visible


def import_file(
    path: Path, catalog: Catalog, *, part_id: str | None = None, gpu: str | None = None
) -> Imported:
    """Make parts from a file: a node from an NCCL topology, a switch from a NetBox device type.

    Parameters
    ----------
    path : Path
        The file; ``*.xml`` is a topology file, ``*.yaml`` or ``*.yml`` a device type.
    catalog : Catalog
        Which parts there are already.
    part_id : str, optional
        The id of the part that the file describes; by default derived from the file.
    gpu : str, optional
        The part id of the GPU, for topology files that do not say which it is.

    Returns
    -------
    Imported
        The parts that the catalog does not have, what was noticed, and both as a part file.

    Raises
    ------
    ImportRefused
        When no part can be made from the file; each problem is file, line and reason.
    """
    ending = path.suffix.lower()
    if ending == ".xml":
        return import_nccl_xml(path, catalog, part_id=part_id, gpu=gpu)
    if ending not in (".yaml", ".yml"):
        why = "an NCCL topology file (.xml) or a NetBox device type (.yaml) was expected"
        raise ImportRefused([visible(f"{path}:1: {why}")])
    if gpu is not None:
        why = "a NetBox device type; only topology files of machines take a GPU"
        raise ImportRefused([visible(f"{path}:1: {why}")])
    return import_netbox(path, catalog, part_id=part_id)
