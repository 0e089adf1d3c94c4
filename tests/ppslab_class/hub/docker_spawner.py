"""Starts a seat as KubeSpawner 7.1 does, by Docker: the command as arguments, the home a volume."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from jupyterhub.spawner import Spawner
from traitlets import Dict, Unicode


async def docker(*argv: str) -> str:
    process = await asyncio.create_subprocess_exec(
        "docker", *argv, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    said, _ = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"docker {argv[0]}: {said.decode()}")
    return said.decode().strip()


class DockerSpawner(Spawner):
    image = Unicode(config=True)
    user_and_group = Unicode(config=True)
    home = Unicode(config=True)
    label = Unicode(config=True)
    words = Dict(help="More options of docker run, by name.", config=True)

    container = ""

    def get_state(self) -> dict[str, Any]:
        return super().get_state() | {"container": self.container}

    def load_state(self, state: dict[str, Any]) -> None:
        super().load_state(state)
        self.container = state.get("container", "")

    async def start(self) -> tuple[str, int]:
        self.ip, self.port = "0.0.0.0", 8888
        user, _, group = self.user_and_group.partition(":")
        environment = [
            word for pair in self.get_env().items() for word in ("--env", "=".join(pair))
        ]
        options = [word for name, value in self.words.items() for word in (f"--{name}", value)]
        self.container = await docker(
            *("run", "--detach", "--user", self.user_and_group, "--label", self.label),
            # An empty volume hides what the image has in its home.
            *("--tmpfs", f"{self.home}:rw,exec,uid={user},gid={group}"),
            *("--security-opt", "no-new-privileges", *options, *environment),
            *(self.image, *self.cmd, *self.get_args()),
        )
        found = json.loads(await docker("inspect", self.container))[0]
        return found["NetworkSettings"]["IPAddress"], 8888

    async def poll(self) -> int | None:
        if not self.container:
            return 0
        state = json.loads(await docker("inspect", self.container))[0]["State"]
        if state["Running"]:
            return None
        self.log.error("the seat ended: %s", (await docker("logs", "--tail", "30", self.container)))
        return int(state["ExitCode"])

    async def stop(self, now: bool = False) -> None:
        if self.container:
            await docker("rm", "--force", self.container)
            self.container = ""
