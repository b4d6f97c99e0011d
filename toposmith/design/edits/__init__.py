"""Changes of groups, links, axes, and what a design says of itself: values in, a new design out.

Each returns an :class:`Edit`, the changed design with a sentence for the history, and raises
:class:`~toposmith.errors.EditError` where the document itself forbids the change. Whether
the parts fit (ports, speeds) is checked with the catalog, by the workbench. The module also has
:func:`free_name`, a name that no group has yet, and :func:`copy_groups`, a design of some groups to
paste. Edits of faults, jobs, waivers and the workload are in the modules of these.
"""

from toposmith.design.edits.about import (
    set_communicator,
    set_name,
    set_note,
    set_routing,
)
from toposmith.design.edits.axes import set_axis
from toposmith.design.edits.edit import Edit, free_name, set_empty_places
from toposmith.design.edits.groups import (
    add_group,
    copy_groups,
    duplicate_groups,
    fill,
    fit_nics,
    merge_groups,
    paste,
    remove_group,
    remove_groups,
    rename_group,
    replace_part,
    set_count,
    set_counts,
    set_part,
    set_parts,
    set_per,
    split_group,
)
from toposmith.design.edits.links import add_link, remove_link, set_cables, set_wanted
from toposmith.design.edits.rails import (
    add_planes,
    make_rail_optimised,
    make_top_of_rack,
    repeat_groups,
)

__all__ = [
    "Edit",
    "add_group",
    "add_link",
    "add_planes",
    "copy_groups",
    "duplicate_groups",
    "fill",
    "fit_nics",
    "free_name",
    "make_rail_optimised",
    "make_top_of_rack",
    "merge_groups",
    "paste",
    "remove_group",
    "remove_groups",
    "remove_link",
    "rename_group",
    "repeat_groups",
    "replace_part",
    "set_axis",
    "set_cables",
    "set_communicator",
    "set_count",
    "set_counts",
    "set_empty_places",
    "set_name",
    "set_note",
    "set_part",
    "set_parts",
    "set_per",
    "set_routing",
    "set_wanted",
    "split_group",
]
