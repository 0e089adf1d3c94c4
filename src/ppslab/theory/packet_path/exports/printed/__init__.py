"""What a router printed, as further evidence beside its exports."""

from ppslab.theory.packet_path.exports.printed.asked import readable
from ppslab.theory.packet_path.exports.printed.evidence import TOLD, Printed, news
from ppslab.theory.packet_path.exports.printed.output import read

__all__ = ["TOLD", "Printed", "news", "read", "readable"]
