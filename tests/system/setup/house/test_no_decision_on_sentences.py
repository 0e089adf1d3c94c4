"""What is decided, is decided on types; a sentence is for its reader.

A module that takes one of our own sentences apart changes what it does when somebody rewords it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[4] / "src" / "ppslab"

SENTENCES = frozenset({
    "detail", "invalid_because", "sentence", "sentences", "said", "says",
    "told", "problem", "problems", "provenance", "reason", "reasons", "remark", "remarks", "why",
    "why_not",
})  # fmt: skip
"""Names under which our own sentences go; a few are also what routers and tools say."""

TAKES_APART = frozenset({
    "startswith", "endswith", "find", "index", "partition", "rpartition", "removeprefix",
    "removesuffix", "match", "search", "fullmatch", "findall", "finditer",
})  # fmt: skip

OWN = {}
"""Modules that read what we ourselves have written, each with its reason; none is to be added."""

OTHERS = {
    "testbed/backends/containerlab/agent.py": "Docker, and the name of an image",
    "testbed/backends/nodes/node_namespaces.py": "keys of JSON",
    "testbed/backends/vm/qemu.py": "a guest's console",
    "course/lab_template.py": "ip neighbour",
    "course/site/policy.py": "the attributes of an HTML tag",
    "testbed/routers/routeros/api.py": "RouterOS",
}
"""Modules that read what somebody else says, and who."""

ALLOWED = OWN | OTHERS


def decisions(text: str) -> Iterator[int]:
    """The lines on which a sentence is taken apart, or is looked into for some words."""
    for node in ast.walk(ast.parse(text)):
        looked: list[ast.expr] = []
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in TAKES_APART:
                looked = [node.func.value, *node.args]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn, ast.Eq)):
            words = node.left
            if isinstance(words, ast.Constant) and isinstance(words.value, str):
                looked = node.comparators
        if any(_is_sentence(each) for each in looked):
            yield node.lineno


def _is_sentence(node: ast.expr) -> bool:
    if isinstance(node, ast.Subscript):
        return _is_sentence(node.value)
    if isinstance(node, ast.Call):
        return _is_sentence(node.func)
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in SENTENCES


@pytest.mark.parametrize(
    "text",
    [
        "found = trial.invalid_because[0].startswith('only ')",
        "found = [p for p in problems if p.sentence.endswith('dropped')]",
        "found = re.search('backend', record.provenance())",
        "found = PATTERN.match(said)",
        "found = 'steal' in problem.sentence",
        "found = 'aborted' == reason",
    ],
)
def test_such_a_decision_is_seen(text: str) -> None:
    assert list(decisions(text)) == [1]


@pytest.mark.long
def test_no_module_decides_on_a_sentence() -> None:
    found = {
        f"{path.relative_to(SOURCE)}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line in decisions(path.read_text(encoding="utf-8"))
    }
    strays = {place for place in found if place.partition(":")[0] not in ALLOWED}
    assert not strays, f"decide on a type, as Cause is: {sorted(strays)}"
    used = {place.partition(":")[0] for place in found}
    assert set(ALLOWED) <= used, f"no longer needed: {sorted(set(ALLOWED) - used)}"
