"""The provider's configuration: the ``rackproof:`` keys of the stack."""

from collections.abc import Iterator
from pathlib import Path

from pulumi.provider.experimental.provider import CheckFailure

from infra.provider.common.kind import Settings
from infra.provider.common.properties import Properties, plain
from rackproof.errors import BadInputError

SITE = "site"
ACCESS = "access"
ALLOW_DISRUPTION = "allowDisruption"

SETTING_TYPES = {
    SITE: {
        "type": "string",
        "description": "Name of the site in the inventory, or path of its site file (default: the stack's name).",
    },
    ACCESS: {
        "type": "string",
        "description": "Path of access.yaml (default: that of the site's lab if one is up, else the inventory's).",
    },
    ALLOW_DISRUPTION: {
        "type": "boolean",
        "description": "Whether changes that reset sessions, ports or whole switches may be made (default: false).",
    },
}
"""In Pulumi's schema language. Every other key is a credential that ``access.yaml`` refers to."""


def configuration_failures(properties: Properties) -> Iterator[CheckFailure]:
    """Yield every setting that cannot be used."""
    for key, value in properties.items():
        if not isinstance(value.value, str | bool):
            yield CheckFailure(key, f"{key} is text; this is {value.type.value.lower()}")
    allowed = properties.get(ALLOW_DISRUPTION)
    if allowed is not None and str(allowed.value).lower() not in {"true", "false"}:
        yield CheckFailure(ALLOW_DISRUPTION, "allowDisruption is true or false")


def refuse_open_secrets(properties: Properties) -> None:
    """Refuse a key that is neither a setting nor a secret: a typing error, or a password in plain text.

    Raises
    ------
    BadInputError
        There is such a key.
    """
    for key, value in properties.items():
        if key not in SETTING_TYPES and not value.is_secret:
            hint = f"settings are {', '.join(SETTING_TYPES)}; a credential: `pulumi config set --secret {key}`"
            raise BadInputError(f"rackproof:{key} is neither a setting nor a secret", hint)


def settings(properties: Properties, stack: str) -> Settings:
    """Return the configuration as the steps use it.

    Parameters
    ----------
    properties
        What the stack's configuration says.
    stack
        Name of the stack, which is that of its site unless the configuration names another.
    """
    texts = {key: str(plain(value)) for key, value in properties.items()}
    return Settings(
        site=texts.get(SITE, stack),
        access=Path(texts[ACCESS]) if ACCESS in texts else None,
        allow_disruption=texts.get(ALLOW_DISRUPTION, "false").lower() == "true",
        credentials={key: text for key, text in texts.items() if key not in SETTING_TYPES},
    )
