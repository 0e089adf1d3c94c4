"""Codes that people type from a card, the tokens that their browsers get, and limits of tries.

Neither is kept in clear: the file of the board holds a digest of each.  A code is short, so its
digest is keyed with a secret of the board, and guessing is slowed: a bucket for each address or
seat fills slowly and empties with each try.  A token is 32 random bytes, which nobody guesses.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""No O, 0, I, 1 and L: people take them for one another."""

SEAT_LETTERS = 8
"""31^8 = 8.5e11 codes."""

STAFF_LETTERS = 16
"""31^16 = 7.3e23: who may act on all has a longer one."""

GROUP = 4


def new(letters: int) -> str:
    """A code of so many random letters, in groups: `K7PM-3XWD`."""
    drawn = "".join(secrets.choice(LETTERS) for _ in range(letters))
    return "-".join(drawn[start : start + GROUP] for start in range(0, letters, GROUP))


def plain(typed: str) -> str:
    """Return a code as it is compared: without case, dashes and spaces.

    >>> plain(" k7pm 3xwd ")
    'K7PM3XWD'
    """
    return "".join(letter for letter in typed.upper() if letter.isalnum())


def digest(code: str, secret: bytes) -> str:
    """Return the keyed digest of a code."""
    return hmac.new(secret, plain(code).encode(), hashlib.sha256).hexdigest()


def token() -> str:
    """Return a new token, which a browser or a command shows instead of its code."""
    return secrets.token_urlsafe(32)


def token_digest(text: str) -> str:
    """Return the digest of a token."""
    return hashlib.sha256(text.encode()).hexdigest()


MOST_KEYS = 4096
"""Buckets kept at once; a full one is the same as none, so those are dropped first."""


@dataclass
class _Bucket:
    left: float
    at: float


class Limit:
    """At most `size` at once, and `per_second` more with each second.

    `now` is a clock in seconds that never goes back.
    """

    def __init__(self, size: float, per_second: float) -> None:
        self.size = size
        self.per_second = per_second
        self._buckets: dict[str, _Bucket] = {}

    def take(self, key: str, now: float) -> bool:
        """Take one; False where there is none."""
        bucket = self._filled(key, now)
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True

    def give_back(self, key: str, now: float) -> None:
        """Take it back: what was tried did not count."""
        bucket = self._filled(key, now)
        bucket.left = min(self.size, bucket.left + 1)

    def _filled(self, key: str, now: float) -> _Bucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            self._make_room(now)
            bucket = self._buckets[key] = _Bucket(self.size, now)
        bucket.left = min(self.size, bucket.left + (now - bucket.at) * self.per_second)
        bucket.at = now
        return bucket

    def _make_room(self, now: float) -> None:
        if len(self._buckets) < MOST_KEYS:
            return
        until_full = self.size / self.per_second
        self._buckets = {
            key: bucket for key, bucket in self._buckets.items() if now - bucket.at < until_full
        }
        while len(self._buckets) >= MOST_KEYS:
            del self._buckets[next(iter(self._buckets))]


class Guesses:
    """Wrong codes: of one address, and of all.

    In 10 hours 144 300 of 8.5e11 codes: one chance in 197 000 to hit one of 30 seats.
    """

    def __init__(self) -> None:
        # A hall may be one address behind a router that translates: so many may mistype at once.
        self.of_one = Limit(30, 0.5)
        self.of_all = Limit(300, 4)

    def take(self, address: str, now: float) -> bool:
        """Take one; False where there is none, and then no code is looked at."""
        return self.of_one.take(address, now) and self.of_all.take("", now)

    def give_back(self, address: str, now: float) -> None:
        """The code was right."""
        self.of_one.give_back(address, now)
        self.of_all.give_back("", now)
