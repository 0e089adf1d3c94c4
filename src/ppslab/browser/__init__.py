"""`ppslab.open(lab)` in a reader's browser: what the newest records say, without a lab to run.

Pyodide and JupyterLite import this in place of `ppslab.notebook`.  Standard library only; what is
shown was worked out when the site was built (`ppslab.lite.recorded`) and lies beside this file,
under `recorded/`.  So a cell of a notebook says the same here as under `PPSLAB_BACKEND=recorded`.
"""

from __future__ import annotations

from ppslab.browser.documents import names, read
from ppslab.browser.labs import BrowserLab
from ppslab.errors import UsageError, did_you_mean


def open_lab(name: str) -> BrowserLab:
    """The lab called `name`; UsageError names the near ones where there is none."""
    known = names()
    if name not in known:
        near = did_you_mean(name, known)
        raise UsageError(f"no lab {name!r}{near}: there are {', '.join(known)}")
    return BrowserLab(read(f"labs/{name}"))
