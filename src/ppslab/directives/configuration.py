"""The directive that shows a condition's configuration: the lab's own files, never typed twice."""

from __future__ import annotations

from docutils import nodes

from ppslab import paths
from ppslab.conditions import SwitchChip
from ppslab.directives.sources import LabDirective, relative
from ppslab.errors import UsageError
from ppslab.lab import Lab, LinuxWords

OPEN_LINES = 14
"""A longer file is shown folded."""


class Configuration(LabDirective):
    """`{ppslab-config} LAB CONDITION routeros|linux`."""

    required_arguments = 3
    optional_arguments = 0

    def make(self) -> list[nodes.Node]:
        """The files under their names, and in words what is no file."""
        source = self.source()
        condition = source.lab.condition(self.arguments[1])
        kind = self.arguments[2]
        if kind not in ("routeros", "linux"):
            raise UsageError(f"no configuration {kind!r}: there are routeros and linux")
        files = condition.routeros if kind == "routeros" else condition.files
        title = nodes.paragraph(classes=["ppslab-config-title"])
        title += nodes.strong(text=condition.title)
        title += nodes.Text(f", {'RouterOS' if kind == 'routeros' else 'Linux'}")
        made: list[nodes.Node] = [title]
        if kind == "linux":
            made += [nodes.paragraph(text=text) for text in _linux_words(condition.linux)]
            for name, words in condition.nodes.items():
                said = _linux_words(words)
                made += [nodes.paragraph(text=f"Node {name}: {text}") for text in said]
        for file in files:
            # What comes before the last file is what several conditions share.
            made += self._file(source.lab, file, last=file == files[-1])
        return made

    def _file(self, lab: Lab, file: str, *, last: bool) -> list[nodes.Node]:
        path = lab.folder / file
        self.env.note_dependency(str(path))
        text = lab.text(file).rstrip()
        state = " open" if last and text.count("\n") < OPEN_LINES else ""
        language = "routeros" if path.suffix == ".rsc" else "text"
        shown = nodes.literal_block(text, text, language=language)
        opening = (
            f'<details class="ppslab-file"{state}><summary><code>{relative(path)}</code></summary>'
        )
        return [self.raw(opening), shown, self.raw("</details>")]


def _chip_words(chip: SwitchChip) -> str:
    said = f"Its tables hold what the chip of a {chip.device} would, longest prefixes first"
    said += ", IPv6 too" if chip.ipv6_hw else ""
    if not chip.icmp_reply_on_error:
        said += "; what may not be forwarded is dropped without ICMP"
    return f"{said}."


def _linux_words(words: LinuxWords) -> list[str]:
    said = []
    if words.bridge:
        said.append("All ports are in one bridge, br0, without spanning tree.")
    if words.bpf:
        program = paths.project_root() / "images/linux-router/bpf" / f"{words.bpf}.bpf.c"
        where = ", ".join(words.bpf_ports) or "every port"
        said.append(f"The BPF program {relative(program)} stands on {where}.")
    if words.switch_chip:
        said.append(_chip_words(words.switch_chip))
    for key, value in words.sysctls.items():
        said.append(f"sysctl {key} = {value}")
    said += [f"While it stands, this runs: {program.run}" for program in words.programs]
    said += [f"Before every trial: {command}" for command in words.each_trial]
    files = (*words.ip, *words.routes, *words.vlans, *words.nft, *words.tc)
    if files:
        said.append(f"Files: {', '.join(files)}.")
    if not said:
        said.append("Nothing beside the addresses of the topology file: no rule, no queue.")
    return said
