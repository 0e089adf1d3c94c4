"""What this machine can do, found by trying; and which backend a lab takes.

choose({"conntrack", "netem"})   -> Choice(backend="vm", reason="this kernel offers no netem ...")
features_of("namespaces")        -> frozenset of feature names
cpu_plan()                       -> which CPU sends, routes, reads
"""

from ppslab.testbed.backends.capabilities.cpus import (
    CpuFacts,
    CpuPlan,
    cpu_facts,
    cpu_plan,
    steal_share,
)
from ppslab.testbed.backends.capabilities.features import (
    BACKENDS,
    MEANINGS,
    Choice,
    Feature,
    Usable,
    choose,
    features_of,
    guest_features,
    host_features,
    usable,
)

__all__ = [
    "BACKENDS",
    "MEANINGS",
    "Choice",
    "CpuFacts",
    "CpuPlan",
    "Feature",
    "Usable",
    "choose",
    "cpu_facts",
    "cpu_plan",
    "features_of",
    "guest_features",
    "host_features",
    "steal_share",
    "usable",
]
