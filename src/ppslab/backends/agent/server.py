"""The part of an agent that answers requests.

Where the nodes are, as processes of this kernel or as containers, is decided by its subclasses.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from typing import Any

from ppslab.backends.agent.deploying import Step
from ppslab.backends.agent.endpoint import Endpoint
from ppslab.backends.agent.process import Outcome, Terminal
from ppslab.backends.agent.protocol import Channel, Message, describe
from ppslab.backends.agent.standing_nodes import Standing, StandingNode
from ppslab.backends.nodes.node_namespaces import NodeError
from ppslab.base.errors import BackendError, CannotHereError, PpslabError


class Server(Endpoint):
    """Answers the requests that are the same for every kind of node.

    `facts`: of the machine that the nodes run on, for records.
    """

    def __init__(self, cannot: CannotHereError | None = None) -> None:
        super().__init__()
        self._cannot = cannot
        self._runs: dict[str, Standing] = {}

    def before_leaving(self) -> None:
        """Remove what is deployed, and restore what was borrowed."""
        for standing in self._runs.values():
            with suppress(OSError):  # a file notes what is left, for the next sweep
                standing.give_back()

    def got(self, channel: Channel, request: Message) -> None:
        """Do what the request asks, and reply."""
        number = request.get("id")
        try:
            operation = self.OPERATIONS.get(str(request.get("op")))
            if operation is None:
                raise BackendError(f"the agent knows no operation {request.get('op')!r}")
            if self._cannot and request["op"] != "stop":
                raise self._cannot
            result = operation(self, channel, request)
        except (PpslabError, OSError, NodeError) as error:
            channel.send({"id": number, "error": describe(error)})
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            told = BackendError(f"the agent cannot read {request.get('op')}: {error!r}")
            channel.send({"id": number, "error": describe(told)})
        else:
            if result is not None:
                channel.send({"id": number, "result": result})

    @abstractmethod
    def make(self, run: str, plain: Mapping[str, Any]) -> Standing:
        """The deployment called `run`; nothing is made yet."""

    @abstractmethod
    def facts(self) -> Message:
        """The facts of the machine that the nodes run on, for records."""

    def _deployed(self, request: Message) -> Standing:
        run = request["run"]
        if run not in self._runs:
            raise BackendError(f'nothing is deployed as "{run}"')
        return self._runs[run]

    def _place(self, request: Message) -> StandingNode:
        """The node of a request, by name; BackendError names the nodes that exist."""
        standing, node = self._deployed(request), request["node"]
        if node not in standing.nodes:
            there = ", ".join(standing.nodes)
            raise BackendError(f'{standing.name}: no node "{node}" (there are: {there})')
        return standing.nodes[node]

    def _start(
        self,
        channel: Channel,
        number: Any,
        start: Callable[[Callable[[Any], None]], Any],
        done: Callable[[Any], None],
    ) -> None:
        """Start a command that ends with `done`, or with the client."""

        def ended(outcome: Any) -> None:
            self.busy.get(channel, {}).pop(number, None)
            done(outcome)

        self.busy[channel][number] = start(ended)

    # The operations: each returns the reply, or None if it replies later.

    def _deploy(self, channel: Channel, request: Message) -> None:
        run = str(request["run"])
        if run in self._runs:
            raise BackendError(f'"{run}" is deployed already')
        began = time.monotonic()
        deployed = self._runs[run] = self.make(run, request["topology"])
        steps = deployed.stand_up(self.loop)
        self._advance(channel, request, steps, None, began)

    def _advance(
        self,
        channel: Channel,
        request: Message,
        steps: Generator[Step, Outcome, None],
        outcome: Outcome | None,
        began: float,
    ) -> None:
        number = request.get("id")
        if channel.closed:  # its client has gone
            self._abandon(request)
            return
        try:
            start = steps.send(outcome)  # type: ignore[arg-type]
            self._start(
                channel,
                number,
                start,
                lambda outcome: self._advance(channel, request, steps, outcome, began),
            )
        except StopIteration:
            channel.send({"id": number, "result": {"seconds": time.monotonic() - began}})
        except Exception as error:
            self._abandon(request)
            channel.send({"id": number, "error": describe(error)})

    def _abandon(self, request: Message) -> None:
        deployed = self._runs.pop(str(request["run"]), None)
        if deployed:
            with suppress(OSError):  # another error is reported
                deployed.remove()

    def _run(self, channel: Channel, request: Message) -> None:
        number = request.get("id")
        node = self._place(request)
        argv = [str(word) for word in request["argv"]]
        if not argv:
            raise BackendError("an empty command")

        def done(outcome: Outcome) -> None:
            channel.send({"id": number, "result": vars(outcome)})

        self._start(
            channel, number, lambda ended: node.execution(self.loop, argv, ended, request), done
        )

    def _pty(self, channel: Channel, request: Message) -> None:
        number = request.get("id")
        node = self._place(request)
        argv = [str(word) for word in request["argv"]]

        def done(code: int) -> None:
            channel.send({"id": number, "pty-exit": code})
            channel.send({"id": number, "result": {"returncode": code}})

        def said(data: str) -> None:
            channel.send({"id": number, "pty": data})

        self._start(
            channel,
            number,
            lambda ended: node.terminal(self.loop, argv, said, ended, request),
            done,
        )

    def _terminal(self, channel: Channel, request: Message) -> Terminal | None:
        """The terminal of the request; None if it has ended meanwhile."""
        what = self.busy[channel].get(request["pty"])
        return what if isinstance(what, Terminal) else None

    # Keys and sizes get no reply, unless the request has a number.

    def _pty_in(self, channel: Channel, request: Message) -> Message | None:
        terminal = self._terminal(channel, request)
        if terminal:
            terminal.type(request["data"])
        return {} if "id" in request else None

    def _pty_resize(self, channel: Channel, request: Message) -> Message | None:
        terminal = self._terminal(channel, request)
        if terminal:
            terminal.resize(int(request["rows"]), int(request["cols"]))
        return {} if "id" in request else None

    def _cancel(self, channel: Channel, request: Message) -> Message:
        what = self.busy[channel].get(request["request"])
        if what:
            what.kill()
        return {"cancelled": what is not None}

    def _remove(self, _: Channel, request: Message) -> Message:
        self._deployed(request)
        self._runs.pop(request["run"]).remove()
        return {}

    def _list(self, _: Channel, request: Message) -> Message:
        return {
            "runs": {
                run: {"name": deployed.name, "nodes": list(deployed.nodes)}
                for run, deployed in self._runs.items()
            }
        }

    def _address(self, _: Channel, request: Message) -> Message:
        self._place(request)
        raise BackendError(
            f"node {request['node']} has no management address: only containerlab's routers have"
        )

    def _facts(self, _: Channel, request: Message) -> Message:
        return self.facts()

    def _stop(self, _: Channel, request: Message) -> Message:
        self.stop()
        return {}

    OPERATIONS: Mapping[str, Callable[[Any, Channel, Message], Message | None]] = {
        "deploy": _deploy,
        "run": _run,
        "remove": _remove,
        "list": _list,
        "facts": _facts,
        "address": _address,
        "pty": _pty,
        "pty-in": _pty_in,
        "pty-resize": _pty_resize,
        "cancel": _cancel,
        "stop": _stop,
    }
    """By name; a server adds those that depend on what its nodes are."""
