"""The terminal of RouterOS in the page: a session as the page talks to it, text in, text out."""

from __future__ import annotations

import json

from ppslab.model.packet_path.on_linux import menu_rows, printing
from ppslab.model.packet_path.on_linux.session import Session, Taken


class Talk:
    """A session; `wired`: pairs of an interface and its device, in JSON."""

    def __init__(self, wired: str) -> None:
        self.session = Session([(each[0], each[1]) for each in json.loads(wired)])
        self.last = Taken()

    def prompt(self) -> str:
        """What stands in front of the next line; the model is named in it."""
        menu = "/".join(self.session.menu)
        return "[model, not RouterOS] " + ("/" + menu + "> " if menu else "> ")

    def take(self, text: str) -> str:
        """Take what was typed: {"refused", "notes", "printed", "script", "asks", "prompt"}.

        Where Linux `asks` to be asked, `shown` has what is printed, from its output.
        """
        taken = self.last = self.session.take(text)
        return json.dumps(
            {
                "refused": [[line, why] for line, why in taken.refused],
                "notes": [note for _, note in taken.notes],
                "printed": [] if taken.asks else taken.printed,
                "script": taken.script,
                "asks": taken.asks,
                "prompt": self.prompt(),
            }
        )

    def shown(self, output: str) -> str:
        """What the last line prints, from what Linux answered to its `asks`."""
        taken = self.last
        if not taken.asked_of:
            return output.strip()
        session = self.session
        lines = taken.printed[:]
        if taken.stats:
            more = printing.counted(taken.asked_of, output, session.rows, session.ports())
            return "\n".join(lines + more)
        more = printing.live(taken.asked_of, output, session.items, session.ports())
        if more and taken.asked_of not in printing.WHOLE:
            lines[0] += printing.LINUX
        return "\n".join(lines + more)

    def asks(self, menu: str) -> str:
        """What Linux is asked before `rows` has the rows of a menu; empty: nothing."""
        return menu_rows.asks(menu, self.session.ports())

    def rows(self, menu: str, output: str) -> str:
        """The rows of a menu, in JSON, from what Linux answered to `asks`."""
        session = self.session
        return json.dumps(menu_rows.rows(menu, output, session.rows, session.ports()))

    def back(self) -> None:
        """Linux did not do it: it is as if the last lines had not been typed."""
        self.session.back()
