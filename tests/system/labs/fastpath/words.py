"""The lab fastpath as its files say it."""

import re

from ppslab.judge import claims
from ppslab.model.lab import lab, published

FASTPATH = lab.find("fastpath")
FOLDER = FASTPATH.folder
NUMBERS = published.load(FASTPATH)
CLAIMS = {claim.id: claim for claim in claims.load(FASTPATH)}
PORTS = list(FASTPATH.spec.ports.values())


def routeros(file: str) -> list[dict[str, str]]:
    """The `add` lines of a file, each as its words."""
    lines = (FOLDER / "routeros" / file).read_text().splitlines()
    adds = [line for line in lines if line.startswith("add ")]
    pattern = r'([\w-]+)=("[^"]*"|\S+)'
    return [{key: word.strip('"') for key, word in re.findall(pattern, add)} for add in adds]
