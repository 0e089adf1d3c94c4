"""Write anew what the program shows, or a site's text, to see in a diff what a change moves.

python -m tests.golden                 the outputs beside this file
python -m tests.golden pages FOLDER    each page's text of the built site, one file a page
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from ppslab.model.results.storing import kept_only
from tests.golden import outputs

if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            with TemporaryDirectory() as folder:
                records = kept_only(Path(folder) / "results")
                for case in outputs.cases():
                    case.expected.write_text(outputs.output(case, records), encoding="utf-8")
        case ["pages", folder]:
            outputs.write_pages(Path(folder))
        case _:
            sys.exit(__doc__)
