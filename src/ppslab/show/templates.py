"""Pages from templates: Jinja with everything escaped that is not markup already."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from ppslab.core.text.grouping import count_text
from ppslab.core.text.numbers import plural, seconds_text, time_text
from ppslab.core.units import human_rate


def environment(package: str, folder: str, *, escaped: bool = True) -> Environment:
    """The templates in a folder of a package; not `escaped`: what they write is no HTML."""
    return Environment(
        loader=PackageLoader(package, folder),
        autoescape=escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


_PAGES = environment("ppslab", "show")
_PAGES.filters |= {
    "kind": lambda block: type(block).__name__,
    "short": "{:g}".format,
    "lines": lambda text: count_text(len(text.splitlines())),
    "plural": plural,
    "rate": human_rate,
    "seconds": seconds_text,
    "time": time_text,
}


def page(name: str, **content: Any) -> str:
    """Fill in a template of this package, such as `report/page.html.j2`."""
    return _PAGES.get_template(name).render(**content)
