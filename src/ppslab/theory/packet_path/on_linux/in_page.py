"""The terminal of RouterOS in the page: a session as the page talks to it, text in, text out."""

from __future__ import annotations

import json

from ppslab.theory.packet_path.on_linux.session import Session


class Talk:
    """A session; `wired`: pairs of an interface and its device, in JSON."""

    def __init__(self, wired: str) -> None:
        self.session = Session([(each[0], each[1]) for each in json.loads(wired)])

    def prompt(self) -> str:
        """What stands in front of the next line; the model is named in it."""
        menu = "/".join(self.session.menu)
        return "[model, not RouterOS] " + ("/" + menu + "> " if menu else "> ")

    def take(self, text: str) -> str:
        """Take what was typed: {"refused", "notes", "printed", "script", "prompt"}."""
        taken = self.session.take(text)
        return json.dumps(
            {
                "refused": [[line, why] for line, why in taken.refused],
                "notes": [note for _, note in taken.notes],
                "printed": taken.printed,
                "script": taken.script,
                "prompt": self.prompt(),
            }
        )

    def back(self) -> None:
        """Linux did not do it: it is as if the last lines had not been typed."""
        self.session.back()
