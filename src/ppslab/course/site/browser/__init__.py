"""`ppslab.open(lab)` in a reader's browser: what the newest records say, without a lab to run.

Pyodide and JupyterLite import this in place of `course.notebook`.  Standard library only; what is
shown was worked out when the site was built (`site.lite.recorded`) and lies beside this file,
under `recorded/`.  So a cell of a notebook says the same here as under `PPSLAB_BACKEND=recorded`.
"""

from __future__ import annotations

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.course.site.browser.documents import names, read
from ppslab.course.site.browser.labs import BrowserLab


def open_lab(name: str) -> BrowserLab:
    """The lab called `name`; UsageError names the near ones where there is none."""
    known = names()
    if name not in known:
        near = did_you_mean(name, known)
        raise UsageError(f"no lab {name!r}{near}: there are {', '.join(known)}")
    return BrowserLab(read(f"labs/{name}"))
