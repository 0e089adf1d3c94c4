"""What RouterOS does, as far as anybody says so: MikroTik's manual and other sources, as data.

Each YAML file of this folder is one subject: the page, when it was last read, and facts by id.
Whatever in the project decides by "RouterOS does X" names such a fact; so it can be read again.

>>> from ppslab.model import manual
>>> manual.fact("l3hw-per-vlan").fact.since
'7.21'
"""

from ppslab.model.manual.reading import Manual, Told, fact, load, says
from ppslab.model.manual.schema import FactIds

__all__ = ["FactIds", "Manual", "Told", "fact", "load", "says"]
