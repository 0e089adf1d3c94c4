"""Gives the site the help of each command, for the index of commands.

A Sphinx extension (`_config.yml`), because no room below the command line may import it.
"""

from __future__ import annotations

import typer
from sphinx.application import Sphinx

from ppslab import cli
from ppslab.course.site.directives.learning.commands import HELP_EVENT


def helps(app: Sphinx) -> dict[str, str]:
    """The first sentence of each command's help, by the command's name ("ppslab plan nics")."""
    help_of: dict[str, str] = {}

    def walk(group: object, above: str) -> None:
        for name, command in getattr(group, "commands", {}).items():
            path = f"{above} {name}"
            help_of[path] = " ".join((command.help or "").strip().split("\n\n")[0].split())
            walk(command, path)

    walk(typer.main.get_command(cli.app), "ppslab")
    return help_of


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the answer to the directive's question."""
    app.setup_extension("ppslab.course.site.directives")
    app.connect(HELP_EVENT, helps)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
