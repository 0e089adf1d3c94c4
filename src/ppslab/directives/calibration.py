"""The directive that shows what the tester can do: the newest calibration, table by table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ppslab import results
from ppslab.calibration import views
from ppslab.directives.nodes import table_nodes
from ppslab.directives.sources import LabDirective
from ppslab.errors import FileError
from ppslab.results import CalibrationRecord

TESTER = "ppstraffic"


class Calibration(LabDirective):
    """`{ppslab-calibration} [TESTER]`: the newest calibration of a tester, ppstraffic without."""

    required_arguments = 0
    optional_arguments = 1

    def make(self) -> list[nodes.Node]:
        """The tables, or a note."""
        tester = self.arguments[0] if self.arguments else TESTER
        found = newest(tester)
        _used(self.env).setdefault(self.env.docname, {})[tester] = str(found or "")
        if found is None:
            text = f"{tester} was not calibrated yet: ppslab calibrate measures what it can do."
            return [nodes.note("", nodes.paragraph(text=text))]
        self.env.note_dependency(str(found))
        *first, last = views.tables(results.load_as(found, CalibrationRecord))
        shown = [*(replace(table, provenance="") for table in first), last]
        return [node for table in shown for node in table_nodes(table)]


def newest(tester: str) -> Path | None:
    """The file of the newest completed calibration; files that are none are passed over."""
    for path in results.stored(tester, CalibrationRecord):
        try:
            if results.load_as(path, CalibrationRecord).state == "completed":
                return path
        except FileError:
            continue
    return None


def _used(env: BuildEnvironment) -> dict[str, dict[str, str]]:
    """For each page the testers whose calibration it shows, and the file that it showed."""
    used: dict[str, dict[str, str]] = env.__dict__.setdefault("ppslab_calibrations", {})
    return used


def outdated(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Pages whose tester has another newest calibration now."""
    del app, added, changed, removed
    return sorted(
        page
        for page, used in _used(env).items()
        if any(str(newest(tester) or "") != path for tester, path in used.items())
    )


def forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """A page that is read anew uses what it will use."""
    del app
    _used(env).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    """What another process read."""
    del app
    theirs = _used(other)
    _used(env).update({name: theirs[name] for name in docnames if name in theirs})


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_directive("ppslab-calibration", Calibration)
    app.connect("env-get-outdated", outdated)
    app.connect("env-purge-doc", forget)
    app.connect("env-merge-info", merge)
