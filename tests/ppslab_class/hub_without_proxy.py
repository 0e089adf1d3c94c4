"""A hub that is asked at its own port: what the proxy would send where, nobody sends."""

from __future__ import annotations

from typing import Any

from jupyterhub.proxy import Proxy


class NoProxy(Proxy):
    should_start = False

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.routes: dict[str, dict[str, Any]] = {}

    async def add_route(self, routespec: str, target: str, data: dict[str, Any]) -> None:
        self.routes[routespec] = {"routespec": routespec, "target": target, "data": data}

    async def delete_route(self, routespec: str) -> None:
        self.routes.pop(routespec, None)

    async def get_all_routes(self) -> dict[str, dict[str, Any]]:
        return self.routes
