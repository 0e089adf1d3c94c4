"""Lists of labs, made from their folders: a new lab is in them as soon as it is there."""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx

from ppslab.core import documents, paths
from ppslab.course.site.directives.sources import LabDirective
from ppslab.model.lab import lab, topology
from ppslab.model.lab.lab import Lab


def setup(app: Sphinx) -> None:
    """Register the directives."""
    app.add_directive("ppslab-lab-list", LabList)
    app.add_directive("ppslab-lab-topologies", LabTopologies)


class LabPages(LabDirective):
    """A directive that writes Markdown about all labs, in the order of their chapters."""

    required_arguments = 0
    optional_arguments = 0

    def written(self, lines: list[str], *, sections: bool = False) -> list[nodes.Node]:
        """The nodes of these lines of Markdown; each lab's lab.yml is noted as a part of it."""
        for name in lab.names():
            self.env.note_dependency(str(paths.project_root() / "labs" / name / "lab.yml"))
        self.env.note_dependency(str(paths.project_root() / "_toc.yml"))
        parent = nodes.Element()
        text = StringList(lines, source=self.env.docname)
        self.state.nested_parse(text, self.content_offset, parent, match_titles=sections)
        return list(parent.children)


class LabList(LabPages):
    """`{ppslab-lab-list}`: each lab with its chapter and its summary."""

    def make(self) -> list[nodes.Node]:
        """A list."""
        return self.written([_line(each) for each in lab.tried(lab.in_order()).readable])


def _line(each: Lab) -> str:
    draft = " (a draft)" if each.spec.draft else ""
    summary = f": {each.spec.summary}" if each.spec.summary else ""
    return f"- [{each.title}](/book/{each.name}/index.md){draft}{summary}."


class LabTopologies(LabPages):
    """`{ppslab-lab-topologies}`: the wiring of each lab, and of every file that varies it."""

    def make(self) -> list[nodes.Node]:
        """A section for each lab."""
        return self.written(list(_topologies()), sections=True)


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
    return (f"```{{ppslab-topology}} {name}", "```")


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
    while rest and not rest[0]:
        rest.pop(0)
    while rest and not rest[-1]:
        rest.pop()
    return [first, *rest]
