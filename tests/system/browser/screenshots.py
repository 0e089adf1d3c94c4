"""Pictures of pages at three widths, light and dark, to be looked at.

python -m tests.system.browser.screenshots SITE OUT [PAGE...]

SITE: _build/html; PAGE: book/method.html
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.system.browser.conftest import ARGUMENTS, CHROMIUM, toc_pages
from tests.system.browser.network import Network
from tests.system.browser.server import serving
from tests.system.browser.visits import Visit

WIDTHS = (390, 1280, 1920)


def main(site: Path, out: Path, *chosen: str) -> None:
    """Take the pictures: OUT/PAGE-WIDTH-SCHEME.png."""
    out.mkdir(parents=True, exist_ok=True)
    with (
        Network() as network,
        serving(site.absolute(), network) as port,
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
    ):
        program = network.program(CHROMIUM, Path(folder))
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        for path in chosen or toc_pages():
            for width in WIDTHS:
                for scheme in ("light", "dark"):
                    size = {"width": width, "height": 900}
                    page = browser.new_page(viewport=size, color_scheme=scheme)
                    seen = Visit(page)
                    seen.listen()
                    seen.open(f"http://127.0.0.1:{port}/{path}")
                    name = path.removesuffix(".html").replace("/", "_")
                    page.screenshot(path=out / f"{name}-{width}-{scheme}.png", full_page=True)
                    page.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:])
