"""The rules by which an export decides the way of packets, as data: each YAML file is one subject.

`explain`, `plan offload`, `doctor --router` and the widget of the packet path read the same rows.
"""

from ppslab.model.packet_path.rules.reading import RuleBase, load, plain, rule
from ppslab.model.packet_path.rules.schema import Rule

__all__ = ["Rule", "RuleBase", "load", "plain", "rule"]
