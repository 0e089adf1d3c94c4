"""A certificate for the hall, made here: browsers warn of it once; the card says what to compare.

A hall has no name in the world's DNS, so no authority vouches for it.

(trustme would save 20 lines, but is made for tests: its certificates say that they are for testing,
and it refuses a machine whose name has an underscore.)
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ppslab.core.documents import disk, write_atomic
from ppslab.core.errors import FileError

DAYS = 30
NAMES = ("certificate.pem", "key.pem")


def ensure(folder: Path, names: Sequence[str]) -> tuple[Path, Path]:
    """Certificate and key in the folder, for these host names and addresses; kept while valid."""
    certificate, key = (folder / name for name in NAMES)
    if not _fits(certificate, names) or not key.exists():
        _make(certificate, key, names)
    return certificate, key


def known(folder: Path) -> str:
    """The fingerprint of the one that was made in the folder; empty where none was."""
    path = folder / NAMES[0]
    return fingerprint(path) if path.exists() else ""


def fingerprint(certificate: Path) -> str:
    """The SHA-256 fingerprint as browsers show it; FileError for what is no certificate.

    `AB:CD:...`, 32 pairs.
    """
    return _load(certificate).fingerprint(hashes.SHA256()).hex(":").upper()


def _load(path: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(disk.read_bytes(path))
    except ValueError as error:
        raise FileError(path, None, f"is not a PEM certificate: {error}") from None


def _fits(path: Path, names: Sequence[str]) -> bool:
    if not path.exists():
        return False
    certificate = _load(path)
    named = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    enough = datetime.now(UTC) + timedelta(days=1)
    every = set(named) >= {_name(name) for name in names}
    return every and certificate.not_valid_after_utc > enough


def _make(certificate: Path, key: Path, names: Sequence[str]) -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ppslab workshop")])
    begins = datetime.now(UTC) - timedelta(hours=24)  # a learner's clock may be behind
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(begins + timedelta(days=DAYS))
        .add_extension(x509.SubjectAlternativeName([_name(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(private, hashes.SHA256())
    )
    text = private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    write_atomic(key, text, private=True)
    write_atomic(certificate, signed.public_bytes(serialization.Encoding.PEM))


def _name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        # As browsers ask for it: of `münchen.example`, xn--mnchen-3ya.example.
        return x509.DNSName(text if text.isascii() else text.encode("idna").decode())


def addresses() -> list[str]:
    """The addresses by which a hall's network reaches this machine, its name, then the loopback.

    Nothing is sent: connecting a UDP socket only asks the routing table.
    """
    own = []
    for family, far in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        try:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect((far, 9))
                own.append(str(probe.getsockname()[0]))
        except OSError:
            continue
    return [*own, socket.gethostname(), "localhost", "127.0.0.1"]
