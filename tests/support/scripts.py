"""A program of scripts/ as a module."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def load(path: str) -> ModuleType:
    """The script at this path below scripts/; nothing is written beside it."""
    name = path.rpartition("/")[2].replace("-", "_")
    loader = importlib.machinery.SourceFileLoader(name, str(SCRIPTS / path))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec
    made = importlib.util.module_from_spec(spec)
    # A dataclass looks its module up by name.
    sys.modules[name] = made
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(made)
    sys.dont_write_bytecode = before
    return made
