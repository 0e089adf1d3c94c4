"""Abilities of this machine, found by trying, and the backend that a lab takes.

choose({"conntrack", "netem"})   -> Choice(backend="vm", reason="this kernel offers no netem ...")
features_of("namespaces")        -> frozenset of feature names
cpu_plan()                       -> which CPU sends, routes, reads
"""

from ppslab.testbed.backends.capabilities.cpus import CpuPlan as CpuPlan
from ppslab.testbed.backends.capabilities.cpus import cpu_facts as cpu_facts
from ppslab.testbed.backends.capabilities.cpus import cpu_plan as cpu_plan
from ppslab.testbed.backends.capabilities.cpus import steal_share as steal_share
from ppslab.testbed.backends.capabilities.features import Choice as Choice
from ppslab.testbed.backends.capabilities.features import choose as choose
from ppslab.testbed.backends.capabilities.features import features_of as features_of
from ppslab.testbed.backends.capabilities.features import host_features as host_features
from ppslab.testbed.backends.capabilities.features import usable as usable
