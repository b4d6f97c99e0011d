"""Every code that a finding can have, by what it is about.

``docs/findings.md`` is this table for people; a test holds the two together.
"""

from toposmith.topology.findings.codes.assumptions import ASSUMPTIONS
from toposmith.topology.findings.codes.cabling import CABLING
from toposmith.topology.findings.codes.code import Code
from toposmith.topology.findings.codes.jobs import JOBS
from toposmith.topology.findings.codes.lossless import LOSSLESS
from toposmith.topology.findings.codes.nics import NICS
from toposmith.topology.findings.codes.parts import PARTS
from toposmith.topology.findings.codes.ports import PORTS
from toposmith.topology.findings.codes.protocols import PROTOCOLS
from toposmith.topology.findings.codes.racks import RACKS
from toposmith.topology.findings.codes.rails import RAILS
from toposmith.topology.findings.codes.single_points import SINGLE_POINTS
from toposmith.topology.findings.codes.tiers import TIERS
from toposmith.topology.findings.codes.waivers import WAIVERS
from toposmith.topology.findings.codes.workloads import WORKLOADS

_ALL = (
    PARTS,
    PORTS,
    PROTOCOLS,
    NICS,
    RAILS,
    TIERS,
    LOSSLESS,
    SINGLE_POINTS,
    CABLING,
    RACKS,
    ASSUMPTIONS,
    JOBS,
    WAIVERS,
    WORKLOADS,
)

RECORDS: dict[str, Code] = {one.code: one for about in _ALL for one in about}
"""Every code, in the order of the page that explains them."""


def add_code(record: Code) -> None:
    """Make one more code known, such as one of your own."""
    RECORDS[record.code] = record
