"""Configurations and outputs: a condition's files, a machine's answers.

They are the lab's own files and the record's own words, never typed twice.
"""

from __future__ import annotations

import re
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx

from ppslab.core import documents, paths
from ppslab.core.errors import UsageError
from ppslab.course.site.directives.frame import folds
from ppslab.course.site.directives.sources import LabDirective, relative
from ppslab.judge import placement
from ppslab.model.lab.lab import Lab, LinuxSpec
from rosexplain import explain, report, sentences, text
from rosexplain.parse import parsed
from rosexplain.summary import summary

OPEN_LINES = 14
"""A longer file is shown folded."""
UNCONFIRMED = re.compile(r"^# (Not yet confirmed on a real .*)\n?", re.MULTILINE)
"""The line of a RouterOS file that no router has confirmed; a page says so once."""
UNCHECKED = "No real router has confirmed the RouterOS commands on this page yet."
CHECKED = f"{UNCHECKED[:-1]}; they are checked against RouterOS's own command tree."


class Configuration(LabDirective):
    """`{ppslab-config} LAB CONDITION routeros|linux`."""

    required_arguments = 3

    def make(self) -> list[nodes.Node]:
        """The files under their names, and in words what is in no file."""
        source = self.source()
        condition = source.lab.condition(self.arguments[1])
        kind = self.arguments[2]
        if kind not in ("routeros", "linux"):
            raise UsageError(f"no configuration {kind!r}: there are routeros and linux")
        files = condition.routeros if kind == "routeros" else condition.files
        title = nodes.paragraph("", "", nodes.strong(text=condition.title))
        title["classes"].append("ppslab-config-title")
        title += nodes.Text(f", {'RouterOS' if kind == 'routeros' else 'Linux'}")
        shown: list[nodes.Node] = [title]
        if kind == "linux":
            shown += _linux_words(condition.linux, named=bool(condition.nodes))
            for name, words in condition.nodes.items():
                shown += _linux_words(words, name, named=True)
        for file in files:
            # What comes before the last file is what several conditions share.
            shown += self._file(source.lab, file, last=file == files[-1])
        # A reader may leave out one of the two sides (sides.js).
        return [nodes.container("", *shown, classes=["ppslab-side", f"ppslab-side-{kind}"])]

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


class Shown(LabDirective):
    """`{ppslab-shown} LAB HEADING...`: what the machine of the newest run said, word for word.

    `:matching:` leaves only the lines in which a regular expression is found.
    """

    option_spec: ClassVar = {"matching": directives.unchanged_required}
    required_arguments = 2
    final_argument_whitespace = True

    def make(self) -> list[nodes.Node]:
        """The answer as it was printed, or a note."""
        heading = self.arguments[1]
        answers = placement.answers(self.source().newest)
        if heading not in answers:
            raise UsageError(f"no answer {heading!r}: there are {', '.join(answers)}")
        matching = self.options.get("matching", "")
        lines = [line for line in answers[heading].splitlines() if re.search(matching, line)]
        if not lines:
            raise UsageError(f"{heading}: no line matches {matching!r}")
        text = "\n".join(lines)
        return [nodes.literal_block(text, text, language="text")]


def _linux_words(words: LinuxSpec, node: str = "", *, named: bool = False) -> list[nodes.Node]:
    """Words that are in no file; `named`: nodes have files of their own, so each has its list."""
    there = f" on {node}" if node else ""
    sentences: list[str] = []
    if words.bridge:
        sentences.append("All ports are in one bridge, br0, without spanning tree.")
    if words.bpf:
        program = paths.project_root() / "images/linux-router/bpf" / f"{words.bpf}.bpf.c"
        where = ", ".join(words.bpf_ports) or "every port"
        sentences.append(f"The BPF program {relative(program)} runs on {where}.")
    if chip := words.switch_chip:
        kinds = "IPv4 and IPv6" if chip.ipv6_hw else "IPv4"
        silent = " It drops frames that it must not forward, and does not send ICMP errors."
        sentences.append(
            f"Its {kinds} tables are as large as those of the chip in a {chip.device}, and take "
            f"the longest prefixes first.{'' if chip.icmp_reply_on_error else silent}"
        )
    sentences += [f"sysctl {key} = {value}" for key, value in words.sysctls.items()]
    shown: list[nodes.Node] = [
        _paragraph(f"Node {node}: {text}" if node else text) for text in sentences
    ]
    for each in words.programs:
        shown += _shown(f"Runs as long as the condition{there}:", each.run)
    for command in words.each_trial:
        shown += _shown(f"Before every trial{there}:", command)
    files = (*words.ip, *words.routes, *words.vlans, *words.nft, *words.tc)
    # The files themselves follow; which node has which is in none of them.
    if files and named:
        shown.append(_paragraph(f"Files{there}: {', '.join(files)}."))
    if not shown and not files:
        text = f"No rules and no queues{there}, only the addresses of the topology file."
        shown.append(_paragraph(text))
    return shown


def _paragraph(text: str) -> nodes.paragraph:
    return nodes.paragraph(text=text, classes=["ppslab-config-words"])


def _shown(text: str, command: str) -> list[nodes.Node]:
    """A command below its sentence: in prose its quotes and dashes would become others."""
    return [_paragraph(text), nodes.literal_block(command, command, language="sh")]


class Explained(LabDirective):
    """`{ppslab-explained} EXPORT [COMMANDS...]`: the answer of `ppslab explain`, asked at build.

    The files are named from the project's root; commands that are typed behind an export are
    applied to it.  `:packet:` asks about one packet.
    """

    option_spec: ClassVar = {"packet": directives.unchanged_required}
    required_arguments = 1
    optional_arguments = 9

    def make(self) -> list[nodes.Node]:
        """The short answer, or the packet's, as a terminal shows it."""
        files = [paths.project_root() / name for name in self.arguments]
        for file in files:
            self.env.note_dependency(str(file))
        typed = "".join(documents.read_text(file).rstrip() + "\n" for file in files)
        asked = self.options.get("packet", "")
        explained = explain([parsed(typed, files[0].name)])
        answer = report.Answer(explained)
        plain = report.with_costs(answer.plain(), {})
        if asked:
            plain["packet"] = answer.traced(asked)
        short = summary(sentences.named(plain))
        shown = "\n".join(text.answered(plain, short))
        return [nodes.literal_block(shown, shown, language="text")]


def say_once_what_is_unconfirmed(_app: Sphinx, document: nodes.document) -> None:
    """Take the line out of each file shown, and put one sentence before the first of them."""
    first: nodes.Node | None = None
    marks: list[str] = []
    for block in list(document.findall(nodes.literal_block)):
        said = UNCONFIRMED.findall(block.astext())
        if not said:
            continue
        text = UNCONFIRMED.sub("", block.astext())
        block.rawsource, block[:] = text, [nodes.Text(text)]
        first = first or block
        marks += said
    if first is None:
        return
    # Not into a fold, where nobody would read it.
    closed = folds.marked(document)
    while first.parent in closed or not isinstance(first.parent, nodes.section | nodes.document):
        first = first.parent
    sentence = CHECKED if all("checked offline" in mark for mark in marks) else UNCHECKED
    mark = nodes.paragraph(text=sentence, classes=["ppslab-under"])
    first.parent.insert(first.parent.index(first), mark)
