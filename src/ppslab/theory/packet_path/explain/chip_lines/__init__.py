"""What no single line says of L3 hardware offload: of the configuration, and of a class of packets.

`findings` are what several lines come to; `modes` is what the chip does with packets that come in
and leave by given interfaces, whose ports are `ends`; `bridge_ports` are the ports that it bridges
or not; `refusals` is what it leaves to the CPU whatever its ports are told.
"""

from ppslab.theory.packet_path.explain.chip_lines.bridging import BridgePort, bridge_ports
from ppslab.theory.packet_path.explain.chip_lines.findings import findings, ipv6_hw
from ppslab.theory.packet_path.explain.chip_lines.modes import BY_NUMBER, ROUTES, Mode, modes
from ppslab.theory.packet_path.explain.chip_lines.refusals import (
    BY_BOND,
    BY_HORIZON,
    BY_SETTING,
    of_bridge,
)
from ppslab.theory.packet_path.explain.chip_lines.wired import default_name

__all__ = ["BY_BOND", "BY_HORIZON", "BY_NUMBER", "BY_SETTING", "ROUTES", "BridgePort", "Mode",
           "bridge_ports", "default_name", "findings", "ipv6_hw", "modes", "of_bridge"]  # fmt: skip
