"""The Ansible inventory: references and never secrets, groups that Ansible takes, all of it or nothing."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml
import yaml12
from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.errors import BadInputError
from rackproof.plan.from_file import host_sources, plan_site
from rackproof.plan.hosts.sources import HostSources
from rackproof.render.inventory import group_name, inventory_files, render_inventory
from rackproof.render.yaml_text import yaml_text
from rackproof.site.access import Access, CredentialReference, DeviceAccess
from rackproof.site.as_built import AsBuilt
from rackproof.site.load import find_site

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY: Final = CredentialReference(file="id_ed25519")
REACHED: Final = DeviceAccess(host="192.0.2.7", user="rackproof", host_key="ssh-ed25519 AAAA", private_key=KEY)


@cache
def sources() -> HostSources:
    return host_sources(plan_site(find_site("metrum-h200")), AsBuilt())


def files_for(access: DeviceAccess, start: str = "inventory/metrum-h200") -> dict[str, str]:
    return inventory_files(sources(), {"gpu-001": access}, Path(start), Path("build/metrum-h200/ansible"))


def connection(access: DeviceAccess, start: str = "inventory/metrum-h200") -> Any:  # noqa: ANN401 YAML
    document: Any = yaml12.parse_yaml(files_for(access, start)["hosts.yaml"])
    return document["servers"]["hosts"]["gpu-001"]


def changed(**values: object) -> DeviceAccess:
    return REACHED.model_copy(update=values)


@pytest.mark.parametrize(
    ("reference", "expression"),
    [
        ({"env": "LAB_PASSWORD"}, "{{ lookup('ansible.builtin.env', 'LAB_PASSWORD', default=undef()) }}"),
        (
            {"file": "secrets/password"},
            "{{ lookup('ansible.builtin.file', inventory_dir ~ '/../../../inventory/metrum-h200/secrets/password') }}",
        ),
        ({"file": "/etc/keys/password"}, "{{ lookup('ansible.builtin.file', '/etc/keys/password') }}"),
    ],
)
def test_passwords_are_looked_up(reference: dict[str, str], expression: str) -> None:
    access = changed(password=CredentialReference(**reference), private_key=None)

    assert connection(access)["ansible_password"] == expression
    assert "ansible_ssh_private_key_file" not in connection(access)


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("id_ed25519", "{{ inventory_dir ~ '/../../../inventory/metrum-h200/id_ed25519' }}"),
        ("/etc/keys/id", "/etc/keys/id"),
    ],
)
def test_keys_are_found_from_the_inventory(file: str, place: str) -> None:
    access = changed(private_key=CredentialReference(file=file))

    assert connection(access)["ansible_ssh_private_key_file"] == place


def test_hosts_are_known_by_the_names_of_the_plan() -> None:
    assert files_for(REACHED)["known_hosts"] == "gpu-001 ssh-ed25519 AAAA\n"
    assert "HostKeyAlias={{ inventory_hostname }}" in connection(REACHED)["ansible_ssh_common_args"]
    assert "StrictHostKeyChecking=yes" in connection(REACHED)["ansible_ssh_common_args"]


def test_management_controllers_have_an_entry_of_their_own() -> None:
    secret = CredentialReference(env="BMC")
    controller = DeviceAccess(host="127.0.0.1", user="root", password=secret, certificates="trust/bmc.pem")
    devices = {"gpu-001": REACHED, "gpu-002": REACHED, "gpu-001-bmc": controller}

    files = inventory_files(sources(), devices, Path("inventory"), Path("build"))

    reached: Any = yaml12.parse_yaml(files["host_vars/gpu-001.yaml"])
    planned: Any = yaml12.parse_yaml(files["host_vars/gpu-002.yaml"])
    assert {key: value for key, value in reached.items() if "_bmc_" in key} == {
        "server_settings_bmc_address": "127.0.0.1",
        "server_settings_bmc_port": 443,
        "server_settings_bmc_user": "root",
        "server_settings_bmc_password": "{{ lookup('ansible.builtin.env', 'BMC', default=undef()) }}",
        "server_settings_bmc_ca": "{{ inventory_dir ~ '/../inventory/trust/bmc.pem' }}",
    }
    assert {key: value for key, value in planned.items() if "_bmc_" in key} == {
        "server_settings_bmc_address": "10.30.128.17"
    }


def test_a_management_controller_without_a_password_is_refused() -> None:
    devices = {"gpu-001": REACHED, "gpu-001-bmc": changed(host_key=None)}

    with pytest.raises(BadInputError, match="gpu-001-bmc: a management controller takes a password"):
        inventory_files(sources(), devices, Path("inventory"), Path("build"))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"host_key": None}, "the host key of gpu-001 was never recorded"),
        ({"private_key": None}, "gpu-001: it has neither password nor private_key"),
        ({"private_key": CredentialReference(env="KEY")}, "its private_key is in an environment variable"),
        ({"private_key": CredentialReference(pulumi="key")}, r"its private_key is a Pulumi secret \(key\)"),
        ({"password": CredentialReference(pulumi="word")}, r"its password is a Pulumi secret \(word\)"),
    ],
)
def test_what_ansible_cannot_use_is_refused(values: dict[str, object], said: str, tmp_path: Path) -> None:
    access = Access(devices={"gpu-001": changed(**values)})

    with pytest.raises(BadInputError, match=said) as refused:
        render_inventory(sources(), access, tmp_path, tmp_path / "build")

    assert refused.value.hint
    assert not (tmp_path / "build").exists()


def test_servers_without_access_are_left_out(tmp_path: Path) -> None:
    made = render_inventory(
        sources(), Access(devices={"gpu-002": REACHED, "backend-leaf-01": REACHED}), tmp_path, tmp_path
    )

    assert (made.hosts, made.left_out, made.changed) == (("gpu-002",), ("gpu-001",), True)
    assert [path.name for path in (made.folder / "host_vars").iterdir()] == ["gpu-002.yaml"]


def test_what_is_no_longer_a_host_goes(tmp_path: Path) -> None:
    both = Access(devices={"gpu-001": REACHED, "gpu-002": REACHED})
    render_inventory(sources(), both, tmp_path, tmp_path)

    assert not render_inventory(sources(), both, tmp_path, tmp_path).changed
    assert render_inventory(sources(), Access(devices={"gpu-001": REACHED}), tmp_path, tmp_path).changed
    assert [path.name for path in (tmp_path / "ansible" / "host_vars").iterdir()] == ["gpu-001.yaml"]


@pytest.mark.parametrize(
    ("name", "group"), [("gpu", "gpu"), ("gpu-a", "gpu_a"), ("all", "all_group"), ("servers", "servers_group")]
)
def test_names_of_groups(name: str, group: str) -> None:
    assert group_name(name) == group


def values() -> st.SearchStrategy[Any]:
    awkward = [
        "on",
        "No",
        "y",
        "~",
        "10:20:30:40:50:59",
        "1_000",
        "2026-01-01",
        "0o17",
        "017",
        "1e3",
        "",
        "- a",
        "a: b",
    ]
    texts = st.sampled_from(awkward) | st.text(st.characters(codec="ascii", exclude_categories=["Cc"]))
    scalars = st.none() | st.booleans() | st.integers(-1000, 1 << 40) | texts
    return st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))


@settings(max_examples=50)
@given(st.dictionaries(st.text("abcd_-", min_size=1), values(), max_size=4))
def test_both_kinds_of_yaml_read_what_was_meant(document: dict[str, Any]) -> None:
    text = yaml_text(document)

    assert yaml.safe_load(text) == document or not document
    assert yaml12.parse_yaml(text) == document or not document


def every_value(document: object) -> Iterator[object]:
    if isinstance(document, dict):
        for below in document.values():
            yield from every_value(below)
    elif isinstance(document, list):
        for below in document:
            yield from every_value(below)
    else:
        yield document


def test_variables_are_what_json_can_hold() -> None:
    document: Any = yaml12.parse_yaml(files_for(REACHED)["host_vars/gpu-001.yaml"])

    assert json.loads(json.dumps(document)) == document
    assert all(value is None or isinstance(value, str | int | bool) for value in every_value(document))
