#!/usr/bin/env python3
"""Build the site from the recorded runs, and of it only what changed since it was last built.

In every language of locale/languages.yml: English first, each other in a folder of it.

    .venv/bin/python scripts/site/build_site.py [--kept] [--output FOLDER] [--whole]

An edited page or notebook is read anew and written; an edited style sheet, script or picture
writes every page anew and reads none (their addresses hold checksums); whatever else changed, and
a file that came or went, builds the whole site.  What was built from which content stands in
FOLDER/html/.built, which a build that fails leaves out: its warnings would not come again.
--kept: of the kept records alone, in _build/kept where this machine has records of its own.
Exit codes: 0 built, or nothing to build; 1 the build failed or had a warning.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from ppslab.core import paths

ROOT = Path(__file__).resolve().parents[2]

SOURCES = (
    *("_config.yml", "_toc.yml", "uv.lock", "scripts/site/build_site.py"),
    *("book", "labs", "notebooks", "packages", "src", "topologies", "_build/web/static"),
)
PAGES = (("book/", ".md"), ("notebooks/", ".ipynb"))
LANGUAGES = "locale/languages.yml"
ENGLISH = "en"
ASSETS = ("book/assets/", "book/root/", "_build/lite/", "_build/kept/lite/", "_build/web/static/")

WHOLE, WRITE, READ = "the whole site", "every page, without reading", "the pages that changed"


def main() -> int:
    """Build what is to be built."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--output", type=Path, help="default: _build")
    parser.add_argument("--kept", action="store_true", help="of the kept records alone")
    parser.add_argument("--whole", action="store_true", help="as if nothing had been built")
    options = parser.parse_args()
    root: Path = options.root
    if options.kept:
        # Half a second, which a site that is built already does not take.
        from ppslab.model.results import storing  # noqa: PLC0415

        storing.read_kept(root)
    output: Path = options.output or paths.site_build(root)
    code = site_of(ENGLISH, root, output, options.whole)
    for language in languages(root):
        code = code or site_of(language, root, output, options.whole)
    return code


def languages(root: Path) -> dict[str, dict[str, list[str]]]:
    """Every language besides English that has a catalogue: its pages."""
    path = root / LANGUAGES
    known = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return {name: row for name, row in known.items() if (root / "locale" / name).is_dir()}


def site_of(language: str, root: Path, output: Path, whole: bool) -> int:
    """Build what is to be built of one language's site."""
    english = language == ENGLISH
    site = output / "html" if english else output / "html" / language
    doctrees = output / (".doctrees" if english else f".doctrees-{language}")
    stamp = site / ".built"
    now = digests(root, language)
    before = None if whole else built_from(stamp)
    what = to_build(before, now)
    if what is None:
        stamp.touch()  # what is only newer, as after a checkout, is built
        return 0
    said = "" if before is None else f" (changed: {named(changed(before, now))})"
    where = "" if english else f", in {language}"
    print(f"Building {what}{where}{said}", flush=True)
    stamp.unlink(missing_ok=True)
    if english and root == paths.project_root():
        # The page for trainers names the size of this file, which is made of the pages' slides.
        # A process of its own: Sphinx builds the slides, and leaves its settings behind.
        subprocess.run([sys.executable, "-m", "ppslab_class.download"], check=True)
    if what is WHOLE:
        shutil.rmtree(site, ignore_errors=True)
        shutil.rmtree(doctrees, ignore_errors=True)
    elif what is WRITE:
        for page in pages(site):
            page.unlink()
    code = build(root, site, doctrees, language)
    if code == 0:
        stamp.write_text(json.dumps(now, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    return 1 if code else 0


def pages(site: Path) -> Iterator[Path]:
    """The pages that Sphinx wrote; JupyterLite's are not among them."""
    yield from site.glob("*.html")
    for folder in ("book", "notebooks"):
        yield from (site / folder).rglob("*.html")


def digests(root: Path, language: str = ENGLISH) -> dict[str, str]:
    """Every source of a language's site, by its name in the checkout: the digest of its content."""
    own = languages(root).get(language, {}).get("pages", ["*"])
    found = {}
    catalogues = sorted((root / "locale" / language).rglob("*.po"))
    for path in [*files(root), *filter(Path.is_file, [root / LANGUAGES]), *catalogues]:
        name = path.relative_to(root).as_posix()
        page = name.startswith(("book/", "notebooks/")) and path.suffix in (".md", ".ipynb")
        if not page or any(fnmatch.fnmatchcase(name[: -len(path.suffix)], each) for each in own):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def files(root: Path) -> Iterator[Path]:
    """The files of the site, its records and what is made of them; none hidden or compiled."""
    build = paths.site_build(root)
    records = build / "results" if build.name == paths.KEPT else root / "results"
    # What was made last for Python in the browser, without the 40 MB of it.
    stamp = build / "lite-parts/lite.made"
    for path in (*(root / name for name in SOURCES), records, build / "lite", stamp):
        for found in [path] if path.is_file() else sorted(path.rglob("*")):
            inside = found.relative_to(root).parts
            hidden = any(part.startswith(".") for part in inside)
            if found.is_file() and not hidden and "__pycache__" not in inside:
                yield found


def built_from(stamp: Path) -> dict[str, str] | None:
    """What the site that is there was built from; None where none is, or nobody knows."""
    try:
        found = json.loads(stamp.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def changed(before: dict[str, str], now: dict[str, str]) -> set[str]:
    """The files that came, went, or hold something else."""
    return {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}


def to_build(before: dict[str, str] | None, now: dict[str, str]) -> str | None:
    """How much is to be built; None where nothing is."""
    if before is None:
        return WHOLE
    found = changed(before, now)
    if not found:
        return None
    if any(name not in before or name not in now for name in found):
        return WHOLE
    assets = {name for name in found if name.startswith(ASSETS)}
    pages_of = [{n for n in found if n.startswith(f) and n.endswith(end)} for f, end in PAGES]
    if found.difference(assets, *pages_of):
        return WHOLE
    return WRITE if assets else READ


def named(names: set[str], most: int = 3) -> str:
    """The first of the names, and how many more there are."""
    shown = sorted(names)[:most]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def build(root: Path, site: Path, doctrees: Path, language: str) -> int:
    """Have Jupyter Book build HTML; every warning and every dead reference fails it."""
    toc = "_toc.yml" if language == ENGLISH else contents(root, language)
    settings = {"external_toc_path": toc, "language": language, "nitpicky": True}
    return sphinx(root, site, doctrees, settings, warningiserror=True, keep_going=True)


def sphinx(
    root: Path, output: Path, doctrees: Path, settings: dict[str, object], **options: Any
) -> int:
    """Have Jupyter Book build with these settings beside those of `_config.yml`; 0: it did.

    Not by its command, which reads and writes on one CPU only and has no option for more.
    `options`: of `jupyter_book.sphinx.build_sphinx`, for example `builder="gettext"`.
    """
    # A notebook that is executed for a page must not begin to measure.
    os.environ["PPSLAB_BACKEND"] = "recorded"
    # Seconds, which a site that is built already does not take.
    from jupyter_book.sphinx import build_sphinx  # type: ignore[import-untyped]  # noqa: PLC0415

    done = build_sphinx(
        root,
        output,
        path_config=root / "_config.yml",
        noconfig=True,
        doctreedir=doctrees,
        confoverrides={"latex_individualpages": False} | settings,
        jobs=min(os.cpu_count() or 1, 4),
        **options,
    )
    return done if isinstance(done, int) else 1


def contents(root: Path, language: str) -> str:
    """The table of contents of a language, as a file: that of the English site without the rest."""
    from ppslab.core.text import language as texts  # noqa: PLC0415
    from ppslab.course import messages  # noqa: PLC0415

    texts.use(messages.catalogue(language, root=root))
    english = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    made = messages.contents(messages.languages(root)[language], english)
    path = root / f"_build/toc-{language}.yml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(made, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return str(path)


if __name__ == "__main__":
    sys.exit(main())
