"""A new lab, made of labs/_template: its folder, its chapter with a quiz, its notebook, its entry.

Nothing that is there is changed but the table of contents, which gets one chapter more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from ppslab.core import documents, paths
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.course.learning import chapters
from ppslab.model.lab import Name, lab, topology

TEMPLATE = "_template"
CALLED, TITLED, WIRED = "mylab", "A Blank Lab", "topology: fastpath "
"""The template's name and title, and the line that names its topology."""
PLACE = "      # `ppslab new-lab` adds its chapter above this line.\n"
"""In the table of contents it follows the labs' chapters."""

_TEMPLATE_ONLY = ("README.md", "chapter", "quiz.yml", "notebook.ipynb")


def start(name: str, title: str = "", wires: str = "fastpath") -> list[Path]:
    """Make the lab `name` on the topology `wires`; every file that was written, in order.

    `title`: as pages have it; empty: made of the name.  UsageError where the name is taken or no
    name, or where the template's streams do not fit the wires.
    """
    _check_name(name)
    _check_wires(wires)
    title = title or name.replace("-", " ").title()
    files = dict(_files(name, title, wires))
    toc = paths.project_root() / "_toc.yml"
    listed = _with_entry(documents.read_text(toc), name, title)
    written: list[Path] = []
    try:
        for path, text in files.items():
            documents.write_atomic(path, text)
            written.append(path)
        documents.write_atomic(toc, listed)
    except BaseException:
        # Half a lab would be in the way of the next try.
        for path in written:
            path.unlink()
        raise
    return [*written, toc]


def _check_name(name: str) -> None:
    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError:
        raise UsageError(
            f"{name!r} is not a name for a lab: use lowercase letters, digits and dashes"
        ) from None
    root = paths.project_root()
    for taken in (f"labs/{name}", f"book/{name}", f"book/{name}.md", f"book/quizzes/{name}.yml",
                  f"notebooks/{name}.ipynb"):  # fmt: skip
        if (root / taken).exists():
            raise UsageError(f"the name {name} is taken: {taken} is there")
    label = f"({name})="
    for page in (root / "book").rglob("*.md"):
        if label in documents.read_text(page).splitlines():
            where = page.relative_to(root)
            raise UsageError(f"the name {name} is taken by a part of {where}")


def _check_wires(name: str) -> None:
    """The template's frames go from host to host of these wires."""
    known = sorted(
        path.name.removesuffix(topology.SUFFIX)
        for path in (paths.project_root() / "topologies").glob(f"*{topology.SUFFIX}")
    )
    if name not in known:
        raise UsageError(f"no topology {name!r}{did_you_mean(name, known)}: {', '.join(known)}")
    if why := next(_unfit(name), None):
        fits = [each for each in known if not any(_unfit(each))]
        raise UsageError(
            f"topology {name}: {why}. The template's streams fit {', '.join(fits)}; for other "
            "wires start on one of these, and then change topology, ports and streams in lab.yml"
        )


def _unfit(name: str) -> Iterator[str]:
    """Yield the ports and hosts of the template's lab.yml that a topology lacks."""
    words = lab.load(paths.project_root() / "labs" / TEMPLATE).spec
    wiring = topology.find(name, foreign=True)
    if wiring.refused:
        yield "it is for containerlab only"
        return
    for node in (words.router, words.tester):
        if node not in wiring.nodes:
            yield f"it has no node {node}"
            return
        for interface in words.ports.values():
            if interface not in wiring.interfaces(node):
                yield f"{node} has no {interface}"
                return
    told = "\n".join(wiring.nodes[words.router].exec)
    for flow in (flow for flows in words.flows.values() for flow in flows):
        host, mac = str(flow.internet.src), flow.ethernet.src
        port = words.ports[flow.tx_name]
        if not re.search(rf"{re.escape(host)} lladdr {mac} dev {port}\b", told):
            yield f"{words.router} knows no host {host} ({mac}) on {port}"


def _files(name: str, title: str, wires: str) -> Iterator[tuple[Path, str]]:
    """Path and text of each file."""
    root = paths.project_root()
    template = root / "labs" / TEMPLATE
    for path in sorted(template.rglob("*")):
        inside = path.relative_to(template)
        if path.is_file() and inside.parts[0] not in _TEMPLATE_ONLY:
            yield root / "labs" / name / inside, _filled(path, name, title, wires)
    for file, target in (
        *((f"chapter/{page}.md", root / "book" / name / f"{page}.md") for page in chapters.PAGES),
        ("quiz.yml", root / "book" / name / "quiz.yml"),
        ("notebook.ipynb", root / "notebooks" / f"{name}.ipynb"),
    ):
        yield target, _filled(template / file, name, title, wires)


def _filled(path: Path, name: str, title: str, wires: str) -> str:
    text = documents.read_text(path)
    if path.name == "lab.yml":
        text = text.replace(WIRED, f"topology: {wires} ").replace(
            f"topologies/fastpath{topology.SUFFIX}", f"topologies/{wires}{topology.SUFFIX}"
        )
    return text.replace(CALLED, name).replace(TITLED, title)


def _with_entry(toc: str, name: str, title: str) -> str:
    """The table of contents with the lab as the last of the labs; its comments stay."""
    if PLACE not in toc:
        raise UsageError(f"_toc.yml has no line `{PLACE.strip()}` to put the lab above")
    below = "".join(
        f"          - file: book/{name}/{page}\n            title: {called}\n"
        for page, called in chapters.PAGES.items()
        if page != "index"
    )
    entry = (
        f"      - file: book/{name}/index\n"
        f"        title: {title}\n"
        "        sections:\n"
        f"{below}"
        f"          - file: notebooks/{name}\n"
        "            title: The notebook\n"
    )
    return toc.replace(PLACE, entry + PLACE, 1)
