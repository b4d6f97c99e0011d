"""Every code that a finding can have, by what it is about.

``docs/findings.md`` is this table for people; a test holds the two together.
"""

from toposmith.findings.codes.assumptions import ASSUMPTIONS
from toposmith.findings.codes.cabling import CABLING
from toposmith.findings.codes.code import Code
from toposmith.findings.codes.jobs import JOBS
from toposmith.findings.codes.locks import LOCKS
from toposmith.findings.codes.lossless import LOSSLESS
from toposmith.findings.codes.nics import NICS
from toposmith.findings.codes.parts import PARTS
from toposmith.findings.codes.ports import PORTS
from toposmith.findings.codes.protocols import PROTOCOLS
from toposmith.findings.codes.racks import RACKS
from toposmith.findings.codes.rails import RAILS
from toposmith.findings.codes.single_points import SINGLE_POINTS
from toposmith.findings.codes.tiers import TIERS
from toposmith.findings.codes.waivers import WAIVERS
from toposmith.findings.codes.workloads import WORKLOADS

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
