"""Write the rule base of rosexplain anew: `python -m ppslab.model.packet_path.rules`."""

from __future__ import annotations

import json

from ppslab.model.packet_path.rules import plain
from rosexplain import base

base.FILE.write_text(json.dumps(plain(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
