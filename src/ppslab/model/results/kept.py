"""The records that are kept with the project, apart from those that were made on this machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ppslab.core import paths

OWN = "local"
"""The folder of results/ for the records of this machine."""


def kept_only(folder: Path) -> Path:
    """A results folder with the kept records alone: results/, or `folder` with links to them.

    What is said of the kept records, in the project's own files and tests, does not depend on what
    this machine measured.
    """
    results = paths.results_dir()
    if not (results / OWN).is_dir():
        return results
    shutil.rmtree(folder, ignore_errors=True)
    hidden = shutil.ignore_patterns(".*", OWN)
    shutil.copytree(results.absolute(), folder, ignore=hidden, copy_function=os.symlink)
    return folder
