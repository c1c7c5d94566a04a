"""Keys: only their owner reads them, nothing is written over, and what is no key is refused in words."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from rackproof.errors import BadInputError
from rackproof.report.bundle.keys import fingerprint, load_private_key, load_public_key, make_keys

if TYPE_CHECKING:
    from pathlib import Path


def test_a_pair_belongs_together(tmp_path: Path) -> None:
    private = tmp_path / "folder" / "site.key"
    public = make_keys(private)

    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert public == tmp_path / "folder" / "site.key.pub"
    signature = load_private_key(private).sign(b"text")
    load_public_key(public).verify(signature, b"text")
    assert fingerprint(load_public_key(public)) == fingerprint(load_private_key(private).public_key())


def test_nothing_is_written_over(tmp_path: Path) -> None:
    private = tmp_path / "site.key"
    make_keys(private)
    before = private.read_bytes()

    with pytest.raises(BadInputError, match="is there already"):
        make_keys(private)
    private.rename(tmp_path / "kept")
    with pytest.raises(BadInputError, match=r"site\.key\.pub is there already"):
        make_keys(private)
    assert (tmp_path / "kept").read_bytes() == before


def test_a_passphrase_is_needed_and_right(tmp_path: Path) -> None:
    private = tmp_path / "site.key"
    make_keys(private, b"long enough")

    load_private_key(private, b"long enough")
    for wrong in (b"", b"short"):
        with pytest.raises(BadInputError, match="cannot be used as a private key"):
            load_private_key(private, wrong)


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    private = tmp_path / "site.key"
    make_keys(private)
    private.chmod(0o640)

    with pytest.raises(BadInputError, match="others can read") as error:
        load_private_key(private)
    assert error.value.hint == f"`chmod 600 {private}`"


def test_keys_of_openssh_and_openssl_are_taken(tmp_path: Path) -> None:
    key = Ed25519PrivateKey.generate()
    private, public = tmp_path / "id_ed25519", tmp_path / "public.pem"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    private.chmod(0o600)
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))

    load_public_key(public).verify(load_private_key(private).sign(b"text"), b"text")


def test_what_is_no_key_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.key"
    key = generate_private_key(SECP256R1())
    other.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    other.chmod(0o600)
    public = tmp_path / "other.pub"
    public.write_bytes(key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))

    with pytest.raises(BadInputError, match="no Ed25519 key"):
        load_private_key(other)
    with pytest.raises(BadInputError, match="no Ed25519 key"):
        load_public_key(public)
    with pytest.raises(BadInputError, match="is no public key"):
        load_public_key(other)
    with pytest.raises(BadInputError, match="cannot be read: No such file"):
        load_public_key(tmp_path / "nowhere")
