"""The same class on a cluster: values for Zero to JupyterHub, a Helm chart.

The words are those of the chart's values.schema.yaml (jupyterhub/zero-to-jupyterhub-k8s), which a
test holds them against where a copy is at hand.  No cluster has run them yet.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Final

import yaml

from ppslab.backends.images import IMAGES
from ppslab.base.errors import UsageError
from ppslab_class.board import Board
from ppslab_class.hub.configuration import GROUP, roles
from ppslab_class.hub.description import Seats

IMAGE: Final = IMAGES["seat"].tagged()
"""A seat's image as `make images` builds it here; a cluster wants it in a registry of its own."""

UID: Final = 1000
GID: Final = 100
"""Of a seat, as its image has them, and of its volume."""

HOME: Final = "/home/jovyan"
SECRET: Final = "ppslab-codes"
"""The Kubernetes Secret that holds the board's secret and its codes' digests, in one file."""

CODES: Final = "codes.json"
CODES_PATH: Final = "/etc/ppslab"
MODULES: Final = "/usr/local/etc/jupyterhub/ppslab"
"""Where the hub finds the modules of the login."""


def values(seats: Seats, image: str = IMAGE, host: str = "") -> dict[str, Any]:
    """Values of the chart.

    `image`: of a seat, as NAME:TAG.
    `host`: the name in the certificate, empty without TLS.
    UsageError for an image without a tag.
    """
    name, _, tag = image.rpartition(":")
    if not name or "/" in tag:
        raise UsageError(f"--image {image}: write NAME:TAG, such as example.org/seat:1")
    limits, guaranteed = seats.limits, seats.guaranteed
    told: dict[str, Any] = {
        "hub": {
            "config": {
                "JupyterHub": {"template_vars": {"announcement": seats.title}},
                "CardCodes": {
                    "codes": f"{CODES_PATH}/{CODES}",
                    "allowed_users": list(seats.names),
                    "allow_all": False,
                    "admin_users": [],
                },
            },
            "extraFiles": {
                each.replace("_", "-").removesuffix(".py"): {
                    "mountPath": f"{MODULES}/{each}",
                    "stringData": source,
                }
                for each, source in login().items()
            },
            "extraConfig": {
                "10-card-codes": "import sys\n"
                f"sys.path.insert(0, {MODULES!r})\n"
                "from card_codes import CardCodes\n"
                "c.JupyterHub.authenticator_class = CardCodes\n"
                f"c.JupyterHub.load_groups = {{{GROUP!r}: {{'users': {list(seats.names)!r}}}}}\n"
            },
            "extraVolumes": [{"name": "codes", "secret": {"secretName": SECRET}}],
            "extraVolumeMounts": [{"name": "codes", "mountPath": CODES_PATH, "readOnly": True}],
            "loadRoles": {each["name"]: each for each in roles()},
            "activeServerLimit": len(seats.names),
            "concurrentSpawnLimit": 10,
            "allowNamedServers": False,
            "shutdownOnLogout": False,
        },
        "singleuser": {
            # What a node has it keeps: also an image that was never in a registry.
            "image": {"name": name, "tag": tag, "pullPolicy": "IfNotPresent"},
            "uid": UID,
            "fsGid": GID,
            "cmd": ["jupyterhub-singleuser", "--LabApp.extension_manager=readonly"],
            "defaultUrl": "/lab",
            "memory": {
                "limit": f"{limits.memory_mib}M",
                "guarantee": f"{min(guaranteed.memory_mib, limits.memory_mib)}M",
            },
            "cpu": {"limit": limits.cpus, "guarantee": min(guaranteed.cpus, limits.cpus)},
            "storage": {
                "type": "dynamic",
                "homeMountPath": HOME,
                "capacity": f"{limits.disk_mib}Mi",
            },
            "extraResource": {"limits": {"ephemeral-storage": f"{limits.disk_mib}Mi"}},
            # User namespaces give a lab its root; nothing of the node's.
            "allowPrivilegeEscalation": False,
            "cloudMetadata": {"blockWithIptables": False},
            # To the hub alone: a seat reaches no other, no cluster, no hall, no internet.
            "networkPolicy": {
                "enabled": True,
                "egress": [],
                "egressAllowRules": {
                    "cloudMetadataServer": False,
                    "dnsPortsCloudMetadataServer": False,
                    "dnsPortsKubeSystemNamespace": True,
                    "dnsPortsPrivateIPs": False,
                    "nonPrivateIPs": False,
                    "privateIPs": False,
                },
            },
        },
        # A pause of the class is no reason to end what somebody built.
        "cull": {"enabled": False},
        "prePuller": {"hook": {"enabled": True}, "continuous": {"enabled": True}},
        "scheduling": {"userScheduler": {"enabled": False}},
    }
    if host:
        secret = {"name": "ppslab-tls", "key": "tls.key", "crt": "tls.crt"}
        https = {"enabled": True, "type": "secret", "hosts": [host], "secret": secret}
        told["proxy"] = {"https": https}
    return told


def login() -> dict[str, str]:
    """The modules of the login by their names, for a hub whose image has no ppslab."""
    board = "ppslab_class.board"
    found = {
        "card_codes.py": (__package__, "card_codes.py"),
        "ppslab_codes.py": (board, "codes.py"),
        "ppslab_limits.py": (board, "limits.py"),
    }
    return {
        name: resources.files(package).joinpath(file).read_text(encoding="utf-8")
        for name, (package, file) in found.items()
    }


def codes(board: Board) -> str:
    """The Secret's file: the key of the digests, and the seat of each; no code is in it."""
    return json.dumps({"secret": board.secret.hex(), "seats": board.store.digests("learner")})


def text(told: dict[str, Any]) -> str:
    """As a file, with what to do with it at its head."""
    head = (
        "# Values for Zero to JupyterHub, made by `ppslab workshop values`.\n"
        f"# The codes: kubectl create secret generic {SECRET} --from-file={CODES}\n"
        "# helm upgrade --install ppslab jupyterhub/jupyterhub --values THIS\n"
    )
    return head + yaml.safe_dump(told, sort_keys=False, allow_unicode=True, width=100)
