"""Whether the machine that builds a page could time a lab's curve over cores, and why not."""

from __future__ import annotations

from docutils import nodes

from ppslab.core.errors import UsageError
from ppslab.core.text.numbers import plural
from ppslab.course.site.directives.sources import LabDirective
from ppslab.testbed.backends import capabilities
from ppslab.testbed.backends.capabilities import CpuFacts


class Curve(LabDirective):
    """`{ppslab-curve} LAB`: whether a curve over the cores of the lab could be timed here."""

    def make(self) -> list[nodes.Node]:
        """A paragraph; UsageError for a lab that orders no machine."""
        lab = self.source().lab
        if lab.spec.machine is None:
            raise UsageError(f"lab {lab.name} orders no machine, so it has no curve over cores")
        return [nodes.paragraph(text=curve(capabilities.cpu_facts(), lab.spec.machine.all_cpus))]


def curve(facts: CpuFacts, wanted: int) -> str:
    """Whether 1 to `wanted` cores could route beside a tester here, in sentences.

    Two threads of one core slow each other down, so only the first of them is a core.
    """
    cores = len(facts.allowed) - len(facts.siblings)
    has = f"The machine that built this page has {plural(len(facts.allowed), 'CPU')}"
    if facts.siblings:
        has += f" on {plural(cores, 'core')}; two threads of a core slow each other down"
    elif cores > 1:
        has += ", and none of them shares a core with another"
    left = cores - 1
    if left >= wanted:
        beside = f"one core for the tester and {wanted} for the router"
        return f"{has}: {beside}, so it could time 1 to {wanted} cores."
    rest = f"leaves {left} to route" if left else "leaves none to route alone"
    needs = f"a curve over 1 to {wanted} cores needs {wanted + 1}"
    return f"{has}. The tester needs a core, which {rest}; {needs}."
