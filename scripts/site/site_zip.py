#!/usr/bin/env python3
"""Pack the site into one file, to be carried into a hall without a network.

    .venv/bin/python scripts/site/site_zip.py [--site FOLDER] [--output FILE]

Its one folder opens by a double click on index.html, or with `python3 -m http.server`; the same
site makes the same file.  Exit codes: 0 packed; 2 no site.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ppslab.core import archives

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "ppslab-site"
READ_ME = """\
ppslab: packets per second, and why

Open index.html with a browser: pages, widgets, quizzes and the search work so.

Python in the page and the full notebooks are fetched by a worker, which a browser
grants only to pages of a server.  In this folder:

    python3 -m http.server

and open http://127.0.0.1:8000.  For a class on the same network, say which address
to listen on, and give the others http://YOUR-ADDRESS:8000.

Text CC BY 4.0, code Apache-2.0.
"""


def main() -> int:
    """Pack the site."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--site", type=Path, default=ROOT / "_build/html")
    parser.add_argument("--output", type=Path, default=ROOT / "_build/ppslab-site.zip")
    options = parser.parse_args()
    site: Path = options.site
    if not (site / "index.html").exists():
        print(f"site-zip: no site in {site}: make site", file=sys.stderr)
        return 2
    count = archives.pack(site, options.output, FOLDER, {"README.txt": READ_ME.encode()})
    size = options.output.stat().st_size / 1e6
    print(f"The site as one file: {options.output} ({count} files, {size:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
