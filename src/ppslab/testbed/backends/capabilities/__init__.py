"""Abilities of this machine, found by trying, and the backend that a lab takes.

choose({"conntrack", "netem"})   -> Choice(backend="vm", reason="this kernel offers no netem ...")
features_of("namespaces")        -> frozenset of feature names
cpu_plan()                       -> which CPU sends, routes, reads
"""

from ppslab.testbed.backends.capabilities.cpus import (
    CpuPlan,
    cpu_facts,
    cpu_plan,
    steal_share,
)
from ppslab.testbed.backends.capabilities.features import (
    Choice,
    choose,
    features_of,
    host_features,
    usable,
)

__all__ = [
    "Choice",
    "CpuPlan",
    "choose",
    "cpu_facts",
    "cpu_plan",
    "features_of",
    "host_features",
    "steal_share",
    "usable",
]
