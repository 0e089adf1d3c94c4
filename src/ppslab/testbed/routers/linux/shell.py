"""Shell lines for a node, as one script: a process takes 80 ms under emulation."""

from __future__ import annotations

from collections.abc import Callable

from ppslab.core.errors import BackendError
from ppslab.testbed.backends import Node


def run(node: Node, script: str, what: str, named: Callable[[str], str] = str) -> str:
    """What the script prints; BackendError with the node's own words where a line fails.

    what: the condition or the step that the script is for, for the message.
    named: gives those words the places in files of what the node has read from a pipe.
    """
    answer = node.run(["sh", "-e"], input=script, check=False)
    if answer.returncode != 0:
        reason = answer.stderr.strip() or f"exit code {answer.returncode}"
        raise BackendError(f"router {node.name}: {what}: {named(reason)}")
    return answer.stdout
