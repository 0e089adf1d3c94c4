"""What no single line says of L3 hardware offload: of the configuration, and of a class of packets.

`findings` are what several lines come to; `modes` is what the chip does with packets that come in
and leave by given interfaces, whose ports are `ends`.
"""

from ppslab.theory.packet_path.explain.chip_lines.findings import findings, ipv6_hw
from ppslab.theory.packet_path.explain.chip_lines.modes import BY_NUMBER, ROUTES, Mode, modes
from ppslab.theory.packet_path.explain.chip_lines.wired import COUNTED, ELSEWHERE, apart

__all__ = ["BY_NUMBER", "COUNTED", "ELSEWHERE", "ROUTES", "Mode", "apart", "findings", "ipv6_hw",
           "modes"]  # fmt: skip
