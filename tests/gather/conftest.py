"""The bench of the deployment's tests serves here too."""

from tests.deploy.conftest import _password, bench, pair, spectrum  # noqa: F401 fixtures
