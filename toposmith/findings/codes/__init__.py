"""Every code that a finding can have, by what it is about.

``docs/findings.md`` is this table for people; a test holds the two together.
"""

from toposmith.findings.codes.assumptions import ASSUMPTIONS
from toposmith.findings.codes.code import Code
from toposmith.findings.codes.jobs import JOBS, WORKLOADS
from toposmith.findings.codes.parts import PARTS
from toposmith.findings.codes.ports import PORTS
from toposmith.findings.codes.protocols import LOSSLESS, NICS, PROTOCOLS, RAILS
from toposmith.findings.codes.racks import RACKS
from toposmith.findings.codes.single_points import LOCKS, SINGLE_POINTS, WAIVERS
from toposmith.findings.codes.tiers import CABLING, TIERS

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
    LOCKS,
    ASSUMPTIONS,
    JOBS,
    WAIVERS,
    WORKLOADS,
)

RECORDS: dict[str, Code] = {one.code: one for about in _ALL for one in about}
"""Every code, in the order of the page that explains them."""
