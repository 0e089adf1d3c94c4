"""Write the published schemas anew: `python -m ppslab.model.results`."""

from __future__ import annotations

from pathlib import Path

from ppslab.core import documents
from ppslab.model.results.storing import KINDS, schema

for name, kind in KINDS.items():
    _, word, version = name.split("/")
    file = Path(__file__).with_name("schemas") / f"{word}-{version}.json"
    documents.write_json(file, schema(kind))
