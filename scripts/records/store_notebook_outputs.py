#!/usr/bin/env python3
"""Execute the notebooks on the kept records and store their outputs: `make notebook-outputs`.

Each notebook measures nothing here (PPSLAB_BACKEND=recorded), so that what it stores is what the
records in results/ say, without those of this machine (results/local). `make test` compares letter
by letter; `make test-weekly` runs the notebooks live and compares by interval.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from ppslab.model.results.storing import kept_only

ROOT = Path(__file__).resolve().parents[2]


def store(path: Path) -> None:
    """Execute one notebook in its folder and write it back, without times and counts of use."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(
        notebook,
        timeout=300,
        resources={"metadata": {"path": path.parent}},
        # Each kernel warns of its unencrypted connection, and hides the names of the files.
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
    )
    client.execute()
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    nbformat.write(notebook, path)  # type: ignore[no-untyped-call]
    print(f"{path.relative_to(ROOT)}: outputs stored")


def main() -> None:
    """Store the outputs of the notebooks that are named, or of all."""
    os.environ["PPSLAB_BACKEND"] = "recorded"
    os.environ["PPSLAB_RESULTS"] = str(kept_only(ROOT / "_build/kept-results"))
    named = [Path(name).resolve() for name in sys.argv[1:]]
    for path in named or sorted((ROOT / "notebooks").glob("*.ipynb")):
        store(path)


if __name__ == "__main__":
    main()
