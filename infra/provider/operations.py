"""The operations of the provider: each request of the engine runs the deploy step of one device."""

from typing import Any

from pulumi.provider.experimental import provider as api
from typing_extensions import override

from infra.provider import configuration
from infra.provider.common.difference import detailed_difference, property_path
from infra.provider.common.kind import AnyKind, Settings
from infra.provider.common.properties import Properties, holds_unknown, plain_map, wrapped_map
from infra.provider.package import package_schema
from infra.provider.progress import EngineProgress, change_lines, outcome_lines
from infra.provider.shield import DevicesInProgress
from rackproof.deploy.protocol import Step
from rackproof.errors import BadInputError


class RackproofProvider(api.Provider):
    """Serves every kind of resource; the engine calls the operations of many devices at the same time.

    Parameters
    ----------
    version
        Version of Rackproof.
    kinds
        Resource types by token.
    progress
        Receives the progress lines.
    """

    def __init__(self, version: str, kinds: dict[str, AnyKind], progress: EngineProgress) -> None:
        self._version = version
        self._kinds = kinds
        self._progress = progress
        self._devices = DevicesInProgress()
        self._configuration: Properties = {}

    # --- the provider itself

    @override
    async def get_schema(self, request: api.GetSchemaRequest) -> api.GetSchemaResponse:
        """Return the schema of every type."""
        return api.GetSchemaResponse(package_schema(self._version, self._kinds.values()))

    @override
    async def check_config(self, request: api.CheckRequest) -> api.CheckResponse:
        """Check the stack's ``rackproof:`` keys."""
        failures = configuration.configuration_failures(request.new_inputs)
        return api.CheckResponse(request.new_inputs, list(failures))

    @override
    async def configure(self, request: api.ConfigureRequest) -> api.ConfigureResponse:
        """Take the stack's ``rackproof:`` keys."""
        configuration.refuse_open_secrets(request.args)
        self._configuration = request.args
        return api.ConfigureResponse(accept_secrets=True, supports_preview=True, accept_outputs=True)

    @override
    async def cancel(self) -> None:
        """Start no new work, and finish or roll back every device that is being changed."""
        await self._devices.cancel()

    # --- one resource

    @override
    async def check(self, request: api.CheckRequest) -> api.CheckResponse:
        """Check the inputs of one resource; each failure is tied to the property it is about."""
        inputs = plain_map(request.new_inputs)
        problems = () if holds_unknown(inputs) else self._kind(request.type).problems(inputs)
        failures = [api.CheckFailure(property_path(problem.path), problem.reason) for problem in problems]
        return api.CheckResponse(request.new_inputs, failures)

    @override
    async def diff(self, request: api.DiffRequest) -> api.DiffResponse:
        """Compare the inputs of the state with the new inputs; no device is contacted."""
        identity = self._kind(request.type).identity
        old, new = plain_map(request.old_state), plain_map(request.new_inputs)
        details = detailed_difference(old, new, frozenset({identity}))
        return api.DiffResponse(
            changes=bool(details),
            replaces=[identity] if old.get(identity) != new.get(identity) else [],
            delete_before_replace=True,
            diffs=sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key)),
            detailed_diff=details,
        )

    @override
    async def create(self, request: api.CreateRequest) -> api.CreateResponse:
        """Configure a device as the inputs say; a preview contacts no device."""
        kind, inputs = self._kind(request.type), plain_map(request.properties)
        name = str(inputs[kind.identity])
        if not request.preview:
            kind.claim(self._settings(request.urn))
            step = kind.to_deploy(inputs, self._settings(request.urn), self._progress.step_report(request.urn))
            await self._devices.finish(name, self._apply(request.urn, step))
        return api.CreateResponse(name, self._outputs(kind, name))

    @override
    async def read(self, request: api.ReadRequest) -> api.ReadResponse:
        """Read the live device back into inputs: for a refresh, or to import a device that is already there."""
        kind, inputs = self._kind(request.type), plain_map(request.inputs)
        step = kind.to_find(request.resource_id, inputs, self._settings(request.urn))
        found = kind.found(inputs, step, await self._devices.finish(request.resource_id, step.read()))
        return api.ReadResponse(request.resource_id, self._outputs(kind, request.resource_id), wrapped_map(found))

    @override
    async def update(self, request: api.UpdateRequest) -> api.UpdateResponse:
        """Change a device to the new inputs; a preview reports the changes and contacts no device."""
        kind, inputs = self._kind(request.type), plain_map(request.news)
        if request.preview:
            changes = kind.changes(plain_map(request.olds), inputs)
            await self._progress.report(request.urn, *change_lines(changes))
        else:
            kind.claim(self._settings(request.urn))
            step = kind.to_deploy(inputs, self._settings(request.urn), self._progress.step_report(request.urn))
            await self._devices.finish(request.resource_id, self._apply(request.urn, step))
        return api.UpdateResponse(self._outputs(kind, request.resource_id))

    @override
    async def delete(self, request: api.DeleteRequest) -> None:
        """Return a device to its base configuration."""
        kind, inputs = self._kind(request.type), plain_map(request.properties)
        kind.claim(self._settings(request.urn))
        step = kind.to_find(request.resource_id, inputs, self._settings(request.urn))
        applied = await self._devices.finish(request.resource_id, step.remove())
        await self._progress.report(request.urn, *outcome_lines(applied))

    # --- from a request to a step

    def _kind(self, qualified_type: str) -> AnyKind:
        """Return the kind of a resource; its parents' types stand before its own, with ``$`` between them."""
        token = qualified_type.rsplit("$", maxsplit=1)[-1]
        if token not in self._kinds:
            raise BadInputError(f"rackproof has no resource type {token}", f"it has {', '.join(sorted(self._kinds))}")
        return self._kinds[token]

    def _settings(self, urn: str) -> Settings:
        """Return the settings for a resource; its URN begins with the name of the stack."""
        stack = urn.removeprefix("urn:pulumi:").split("::", maxsplit=1)[0]
        return configuration.settings(self._configuration, stack)

    async def _apply(self, urn: str, step: Step[Any]) -> None:
        changes = step.diff(await step.read())
        await self._progress.report(urn, *change_lines(changes))
        if changes:
            applied = await step.apply(changes)
            await self._progress.report(urn, *outcome_lines(applied))

    @staticmethod
    def _outputs(kind: AnyKind, name: str) -> Properties:
        return wrapped_map({kind.identity: name})
