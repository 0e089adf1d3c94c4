"""The password of a router: out of the environment, or out of the keyring of this user.

It stands in no file of ours.  It is carried in a SecretStr, which no message, no representation
and no record shows; what is started here does not inherit it (`clean_environment`).
"""

from __future__ import annotations

import os

from pydantic import SecretStr

from ppslab.core.errors import CannotHereError

PASSWORD = "PPSLAB_DUT_PASSWORD"
USER = "PPSLAB_DUT_USER"
SERVICE = "ppslab"
"""Our name in the keyring: `keyring set ppslab USER@HOST`."""

_kept: str | None = None


def keep() -> None:
    """Take the password out of the environment, so that nothing that is started inherits it."""
    global _kept  # noqa: PLW0603
    _kept = os.environ.pop(PASSWORD, _kept)


def clean_environment() -> dict[str, str]:
    """The environment without the password: for what this program starts."""
    return {name: value for name, value in os.environ.items() if name != PASSWORD}


def password(user: str, host: str) -> SecretStr | None:
    """The password of a user on a router: the environment's, else the keyring's; None: neither has.

    CannotHereError where there is a keyring that does not open.
    """
    said = os.environ.get(PASSWORD, _kept)
    if said is not None:
        return SecretStr(said)
    account = f"{user}@{host}"
    import keyring  # noqa: PLC0415  (looks for every backend there is)
    from keyring.errors import InitError, KeyringError, NoKeyringError  # noqa: PLC0415

    try:
        found = keyring.get_password(SERVICE, account)
    except (NoKeyringError, InitError):
        return None  # a machine without a desktop has none
    except KeyringError as error:
        raise CannotHereError(
            f"the keyring has no readable password for {account}: {error}",
            f"unlock it, or set {PASSWORD}",
        ) from None
    return SecretStr(found) if found is not None else None


def remedy(user: str, host: str) -> str:
    """The advice for a router that refuses the login."""
    return f"set {PASSWORD}, or keep the password: keyring set {SERVICE} {user}@{host}"
