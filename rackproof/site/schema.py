"""The JSON Schema of the site file: editors complete and check it, and the reference page is made from it."""

from typing import Any

from rackproof.site.models import Site

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema, with the meaning and the default of every field."""
    schema = Site.model_json_schema()
    return {"$schema": DIALECT, "title": "Rackproof site", **{key: schema[key] for key in schema if key != "title"}}
