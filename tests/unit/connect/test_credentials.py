"""Credentials are references, resolved when used, and never shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rackproof.connect.credentials import resolve_credential
from rackproof.connect.errors import CredentialError
from rackproof.site.access import CredentialReference, DeviceAccess

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "planted-7f3a"


def access(password: CredentialReference | None = None, private_key: CredentialReference | None = None) -> DeviceAccess:
    return DeviceAccess(host="192.0.2.1", user="admin", password=password, private_key=private_key)


def test_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LEAF_PASSWORD", SECRET)
    credential = resolve_credential("leaf-01", access(password=CredentialReference(env="LEAF_PASSWORD")), tmp_path)
    assert credential.password is not None
    assert credential.password.get_secret_value() == SECRET


def test_from_a_file_beside_access_yaml(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(f"{SECRET}\n")
    file.chmod(0o600)
    credential = resolve_credential("leaf-01", access(password=CredentialReference(file="password")), tmp_path)
    assert credential.password is not None
    assert credential.password.get_secret_value() == SECRET


def test_from_pulumi(tmp_path: Path) -> None:
    reference = access(password=CredentialReference(pulumi="leafPassword"))
    credential = resolve_credential("leaf-01", reference, tmp_path, {"leafPassword": SECRET})
    assert credential.password is not None
    assert credential.password.get_secret_value() == SECRET


def test_shows_as_stars(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LEAF_PASSWORD", SECRET)
    credential = resolve_credential("leaf-01", access(password=CredentialReference(env="LEAF_PASSWORD")), tmp_path)
    assert SECRET not in repr(credential)
    assert SECRET not in str(credential.password)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_refuses_a_file_that_others_can_read(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "password"
    file.write_text(SECRET)
    file.chmod(mode)
    with pytest.raises(CredentialError, match="others can read") as caught:
        resolve_credential("leaf-01", access(password=CredentialReference(file="password")), tmp_path)
    assert caught.value.hint == f"chmod 600 {file}"
    assert SECRET not in caught.value.message


def test_names_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LEAF_PASSWORD", raising=False)
    with pytest.raises(CredentialError, match=r"password of leaf-01 .* LEAF_PASSWORD, which is not set"):
        resolve_credential("leaf-01", access(password=CredentialReference(env="LEAF_PASSWORD")), tmp_path)
    with pytest.raises(CredentialError, match=r"private key of leaf-01 .* cannot be read: No such file"):
        resolve_credential("leaf-01", access(private_key=CredentialReference(file="key")), tmp_path)
    with pytest.raises(CredentialError, match="neither password nor private_key"):
        resolve_credential("leaf-01", access(), tmp_path)


def test_refuses_an_empty_file(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("\n")
    file.chmod(0o600)
    with pytest.raises(CredentialError, match="is empty"):
        resolve_credential("leaf-01", access(password=CredentialReference(file="password")), tmp_path)


def test_refuses_a_pulumi_secret_outside_pulumi(tmp_path: Path) -> None:
    with pytest.raises(CredentialError, match="this is not Pulumi"):
        resolve_credential("leaf-01", access(password=CredentialReference(pulumi="leafPassword")), tmp_path)
