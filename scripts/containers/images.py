#!/usr/bin/env python3
"""Build the images that containerlab's nodes run.

    .venv/bin/python scripts/containers/images.py [--base IMAGE] [--snapshot TIME|none] [NAME...]

`make images` is this.  Each image is tried after it was built, and its bill of materials lies
in _build/images/NAME.cdx.json and in the image.
Exit codes: 0 built; 1 a build failed; 2 wrong usage; 3 this machine cannot.
"""

from __future__ import annotations

import argparse
import sys

from ppslab.core.errors import PpslabError, UsageError
from ppslab.core.paths import project_root
from ppslab.testbed.backends.images import IMAGES, Docker, Wishes, build


def main() -> int:
    """Build what was named, or all."""
    told = arguments()
    wishes = Wishes(told.base, told.snapshot, told.network)
    try:
        unknown = set(told.names) - set(IMAGES)
        if unknown:
            raise UsageError(
                f"there is no image {', '.join(sorted(unknown))}: there are {', '.join(IMAGES)}, "
                "and make chr builds CHR's"
            )
        docker = Docker()
        root = project_root()
        built = [
            build(image, root, wishes, docker, lambda text: print(text, flush=True))
            for name, image in IMAGES.items()
            if name in (told.names or IMAGES)
        ]
    except PpslabError as error:
        print(f"images: {error}", file=sys.stderr)
        return error.exit_code
    for each in built:
        print(f"{each.tag:28} {each.size / 1e6:6.1f} MB  healthy\n  {each.id}")
    return 0


def arguments() -> argparse.Namespace:
    """The command line; an empty word, as make hands on, is as good as none."""
    parser = argparse.ArgumentParser(
        prog="scripts/containers/images.py", description="Build the images of the labs."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(IMAGES)}")
    for option, meaning in (
        ("base", "the base image, instead of Debian's by its digest"),
        ("snapshot", "a time of snapshot.debian.org such as 20261120T000000Z, or none"),
        ("network", "the build's network: host where Docker has no bridge"),
    ):
        parser.add_argument(f"--{option}", type=lambda word: word or None, help=meaning)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
