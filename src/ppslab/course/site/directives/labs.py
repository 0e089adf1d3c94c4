"""Lists of labs, made from their folders: a new lab is in them as soon as it is there."""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes

from ppslab.core import documents, paths
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.site.directives.views import listing
from ppslab.model.lab import lab, topology
from ppslab.model.lab.lab import Lab


@listing("labs")
def lab_list(page: LabDirective) -> list[nodes.Node]:
    """Each lab with its chapter and its summary."""
    _noted(page)
    return page.markdown(_line(each) for each in lab.tried(lab.in_order()).readable)


@listing("topologies")
def lab_topologies(page: LabDirective) -> list[nodes.Node]:
    """The wiring of each lab, and of every file that varies it: a section for each lab."""
    _noted(page)
    return page.markdown(_topologies(), sections=True)


def _noted(page: LabDirective) -> None:
    """Note what says which labs there are, and their order."""
    for name in lab.names():
        page.env.note_dependency(str(paths.project_root() / "labs" / name / "lab.yml"))
    page.env.note_dependency(str(paths.project_root() / "_toc.yml"))


def _line(each: Lab) -> str:
    draft = " (a draft)" if each.spec.draft else ""
    summary = f": {each.spec.summary}" if each.spec.summary else ""
    return f"- [{each.title}](/book/{each.name}/index.md){draft}{summary}."


def _topologies() -> Iterator[str]:
    shown: dict[str, str] = {}
    for each in lab.tried(lab.in_order()).readable:
        wires = each.spec.topology
        yield from (f"### {each.title}", "")
        if wires in shown:
            yield from (f"The wiring is that of {shown[wires]}, above.", "")
            continue
        shown[wires] = each.title
        yield from (*_shown(wires), "")
        for other in _variants(wires):
            first, *rest = _head(other)
            yield from (f"````{{dropdown}} {first}", *_shown(other))
            if any(rest):
                yield from ("", "```text", *rest, "```")
            yield from ("````", "")


def _shown(name: str) -> tuple[str, str]:
    return (f"```{{ppslab-figure}} topology {name}", "```")


def _variants(name: str) -> list[str]:
    """The topologies that are this one with other routers, testers or hosts, by their names."""
    folder = paths.project_root() / "topologies"
    return sorted(
        path.name.removesuffix(topology.SUFFIX)
        for path in folder.glob(f"{name}-*{topology.SUFFIX}")
    )


def _head(name: str) -> list[str]:
    """The comment at the head of a topology file, without its commands to bring it up by hand."""
    path = paths.project_root() / "topologies" / f"{name}{topology.SUFFIX}"
    comment: list[str] = []
    for line in documents.read_text(path).splitlines():
        if not line.startswith("#") or line.startswith("# By hand:"):
            break
        comment.append(line.removeprefix("#").removeprefix(" "))
    first, *rest = comment or [name]
    return [first, *"\n".join(rest).strip("\n").splitlines()]
