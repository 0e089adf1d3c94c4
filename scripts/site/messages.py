#!/usr/bin/env python3
"""Find every text that a reader sees, and bring the languages' catalogues up to date.

    .venv/bin/python scripts/site/messages.py [LANGUAGE...]

Templates go to _build/locale, catalogues to locale/LANGUAGE (locale/languages.yml has the languages
and their pages).  A translation whose English changed is marked as fuzzy, and is not shown until
somebody has looked at it.
Exit codes: 0 done; 1 a page could not be read.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

import build_site
import yaml
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

from ppslab.course import messages
from ppslab.course.site.directives.frame.languages import numbered

ROOT = Path(__file__).resolve().parents[2]
GENERATED = "generated"
WIDTH = 100


def main() -> int:
    """Extract, then update."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("languages", nargs="*", help="default: all of locale/languages.yml")
    parser.add_argument("--translated", action="store_true", help="only pages of some language")
    parser.add_argument("--root", type=Path, default=ROOT)
    options = parser.parse_args()
    root: Path = options.root
    templates = root / "_build/locale"
    shutil.rmtree(templates, ignore_errors=True)
    code = pages(root, templates, options.translated)
    if code:
        return 1
    write(root, templates)
    known = messages.languages(root)
    for name in options.languages or known:
        update(root, templates, name, known[name])
    return 0


def pages(root: Path, templates: Path, translated: bool) -> int:
    """The prose of every page, and what directives write on it, by Sphinx."""
    toc = root / "_toc.yml"
    if translated:
        known = messages.languages(root).values()
        every = messages.Language(name="", pages=tuple(p for each in known for p in each.pages))
        made = messages.contents(every, yaml.safe_load(toc.read_text(encoding="utf-8")))
        toc = root / "_build/toc-translated.yml"
        toc.parent.mkdir(parents=True, exist_ok=True)
        toc.write_text(yaml.safe_dump(made, sort_keys=False), encoding="utf-8")
    # What a notebook's cells print is no prose.
    settings: dict[str, object] = {"external_toc_path": str(toc), "nb_execution_mode": "off"}
    doctrees = root / "_build/.doctrees-messages"
    # What a directive writes changes with its Python too.
    return build_site.sphinx(
        root, templates, doctrees, settings, builder="gettext", freshenv=True, quiet=True
    )


def write(root: Path, templates: Path) -> None:
    """The templates of data, Python and JavaScript; what they have, directives need not have."""
    found = messages.extracted(root)
    known = {str(each.id) for catalog in found.values() for each in catalog}
    forms = [form for each in known if (form := _form(each))]
    known |= {numbered(each)[0] for each in known}
    path = templates / f"{GENERATED}.pot"
    if path.is_file():
        generated = _read(path)
        for text in [str(each.id) for each in generated if each.id]:
            own = re.sub(r"^\{0\}\. ", "", text)
            if own in known or any(form.fullmatch(text) for form in forms):
                generated.delete(text)
        found[GENERATED] = generated
    for name, catalog in found.items():
        with (templates / f"{name}.pot").open("wb") as file:
            write_po(file, catalog, width=WIDTH, sort_by_file=True)


def _form(message: str) -> re.Pattern[str] | None:
    """What a message with placeholders may come to; None for one without, or with nothing else.

    The placeholders of a message of one or two words stand for three words at most: "{rate}
    packets/s" is not each text that ends with "packets/s".
    """
    parts = re.split(r"\{\w+\}", message)
    words = re.findall(r"[A-Za-z]{2,}", " ".join(parts))
    if len(parts) == 1 or not any(len(word) > 2 for word in words):
        return None
    value = ".*" if len(words) > 2 else r"(?:\S+ ){0,2}\S*"
    return re.compile(value.join(map(re.escape, parts)))


def _read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file)


def update(root: Path, templates: Path, name: str, language: messages.Language) -> None:
    """A language's catalogues, by sphinx-intl: of its pages, and of what they show."""
    from sphinx_intl import basic  # type: ignore[import-untyped]  # noqa: PLC0415

    chosen = root / "_build/locale-chosen"
    shutil.rmtree(chosen, ignore_errors=True)
    for path in sorted(templates.rglob("*.pot")):
        template = path.relative_to(templates).with_suffix("").as_posix()
        if messages.wanted(language, template):
            target = chosen / f"{template}.pot"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            if template == GENERATED:
                _leave_out_other_pages(target, language)
    basic.update(str(root / messages.FOLDER), str(chosen), [name], line_width=WIDTH)


def _leave_out_other_pages(path: Path, language: messages.Language) -> None:
    """Of what directives write, keep what stands on a page of the language."""
    catalog = _read(path)
    for each in [each for each in catalog if each.id]:
        pages = [name.partition("book/")[2].partition(".")[0] for name, _ in each.locations]
        if not any(language.has(f"book/{page}") for page in pages):
            catalog.delete(str(each.id))
    with path.open("wb") as file:
        write_po(file, catalog, width=WIDTH)


if __name__ == "__main__":
    sys.exit(main())
