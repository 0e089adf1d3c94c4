"""Whether a named file is really inside the folder that it is named in.

A lab comes from somebody else, and what its files say goes into a record that is published: a name
such as `../../../etc/shadow`, or a link to it, would publish that.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterable
from pathlib import Path


def outside(folder: Path, name: str | Path, also: Iterable[Path] = ()) -> bool:
    """Whether `name`, seen from `folder`, leads out of `folder` and of the folders in `also`.

    Every link on the way is followed, in the names of the folders too.  A name that no file can
    have (a NUL byte, a loop of links) leads out.
    """
    try:
        if _plainly_inside(folder, name):
            return False
        place = (folder / name).resolve()
        return not any(place.is_relative_to(each.resolve()) for each in (folder, *also))
    except (OSError, RuntimeError, ValueError):
        return True


def _plainly_inside(folder: Path, name: str | Path) -> bool:
    """Whether `name` is relative, goes down only, and has no link on its way: most names.

    To follow every link from the root down, as the answer for the others needs, takes ten times as
    long, and a lab names a hundred files.
    """
    text = os.fspath(name)
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if not parts or ".." in parts or "\0" in text or text.startswith("/"):
        return False
    place = os.fspath(folder)
    for part in parts:
        place += "/" + part
        if os.path.islink(place):  # noqa: PTH114 - a Path for each takes three times as long
            return False
    return True
