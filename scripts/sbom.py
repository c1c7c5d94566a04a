"""Writes the software bill of materials from the lock files: CycloneDX 1.6, the same bytes for the same files.

usage: python scripts/sbom.py FILE

A package's scope says what it is for: `required` to run Rackproof, `optional` for Pulumi, `excluded` for tests only.
The hashes are those of the distributions that pip may install.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any, Final

from rackproof.paths import ROOT
from scripts.locked import SCOPES, Locked, locked_packages

_ENGINE: Final = re.compile(r'^readonly version="(?P<version>[^"]+)"', re.MULTILINE)


def document() -> dict[str, Any]:
    """Return the bill of materials."""
    packages = sorted(locked_packages(), key=lambda one: one.purl)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _project()},
        "components": [*map(_component, packages), _engine()],
        "dependencies": _dependencies(packages),
    }


def _project() -> dict[str, Any]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {
        "type": "application",
        "bom-ref": "rackproof",
        "name": project["name"],
        "version": project["version"],
        "licenses": [{"license": {"id": project["license"]}}],
    }


def _component(package: Locked) -> dict[str, Any]:
    properties = [{"name": "rackproof:lock-file", "value": package.file}]
    if package.marker:
        properties.append({"name": "rackproof:environment", "value": package.marker})
    hashes = [{"alg": "SHA-256", "content": one} for one in package.hashes]
    return {
        "type": "library",
        "bom-ref": package.purl,
        "name": package.name,
        "version": package.version,
        "scope": SCOPES[package.file],
        "purl": package.purl,
        "hashes": hashes,
        "properties": properties,
    }


def _engine() -> dict[str, Any]:
    """Return the Pulumi engine, whose version and checksum are pinned in its script."""
    found = _ENGINE.search((ROOT / "scripts" / "pulumi.sh").read_text(encoding="utf-8"))
    version = found["version"] if found else ""
    purl = f"pkg:github/pulumi/pulumi@v{version}"
    return {
        "type": "application",
        "bom-ref": purl,
        "name": "pulumi",
        "version": version,
        "scope": "optional",
        "purl": purl,
    }


def _dependencies(packages: list[Locked]) -> list[dict[str, Any]]:
    """Return for each package what it requires, and for the project what its requirements name."""
    refs: dict[str, list[str]] = {"rackproof": []}
    for package in packages:
        refs.setdefault(package.purl, [])
    versions: dict[str, list[str]] = {}
    for package in packages:
        versions.setdefault(package.name, []).append(package.purl)
    for package in packages:
        parents = [ref for name in package.required_by for ref in versions.get(name, ())]
        for parent in (*parents, *(("rackproof",) if package.requested else ())):
            refs[parent].append(package.purl)
    return [{"ref": ref, "dependsOn": sorted(set(wanted))} for ref, wanted in refs.items()]


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(document(), indent=2) + "\n", encoding="utf-8")
    print(f"{target} written")
