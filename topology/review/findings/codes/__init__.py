"""Every code that a finding can have, by what it is about.

``docs/findings.md`` is this table for people; a test holds the two together.
"""

from toposmith.topology.review.findings.codes.assumptions import ASSUMPTIONS
from toposmith.topology.review.findings.codes.cabling import CABLING
from toposmith.topology.review.findings.codes.code import Code
from toposmith.topology.review.findings.codes.jobs import JOBS
from toposmith.topology.review.findings.codes.nics import NICS
from toposmith.topology.review.findings.codes.parts import PARTS
from toposmith.topology.review.findings.codes.ports import PORTS
from toposmith.topology.review.findings.codes.protocols import PROTOCOLS
from toposmith.topology.review.findings.codes.racks import RACKS
from toposmith.topology.review.findings.codes.rails import RAILS
from toposmith.topology.review.findings.codes.single_points import SINGLE_POINTS
from toposmith.topology.review.findings.codes.tiers import TIERS
from toposmith.topology.review.findings.codes.waivers import WAIVERS

_ALL = (
    PARTS,
    PORTS,
    PROTOCOLS,
    NICS,
    RAILS,
    TIERS,
    SINGLE_POINTS,
    CABLING,
    RACKS,
    ASSUMPTIONS,
    JOBS,
    WAIVERS,
)

CODES: dict[str, Code] = {one.code: one for about in _ALL for one in about}
"""Every code, in the order of the page that explains them."""
