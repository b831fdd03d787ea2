"""Dataclasses to plain JSON, JSON read back, and the JSON Schemas of what leaves the program.

`python -m h3cold.schemas.export DIR` writes the schemas; a test checks that the committed ones are current.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import orjson


def to_json(value: Any) -> Any:
    """`value` as dicts, lists and scalars.

    Fields whose name starts with "_" are left out, and those marked `quiet` in their metadata that have their default.
    """
    if is_dataclass(value) and not isinstance(value, type):
        shown = ((f, getattr(value, f.name)) for f in fields(value) if not f.name.startswith("_"))
        return {f.name: to_json(v) for f, v in shown if not (f.metadata.get("quiet") and v == f.default)}
    if isinstance(value, Mapping):
        return {str(k): to_json(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_json(v) for v in value]
    return value.value if isinstance(value, Enum) else value


def from_json(text: bytes | str) -> Any:
    """As `json.loads`, of UTF-8, in a fifth of the time; half of a surrogate pair may stand in it, and whole numbers of
    more than 64 bits are floats.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # as it says of lone surrogates, too
        return json.loads(text if isinstance(text, str) else text.decode("utf-8", "surrogatepass"))


def json_schemas() -> dict[str, dict[str, Any]]:
    """Name to JSON Schema of every public output and of the configuration."""
    from pydantic import TypeAdapter

    from h3cold.schemas.config import Config
    from h3cold.schemas.hit import HitRecord
    from h3cold.schemas.manifest import Manifest
    from h3cold.schemas.summary import IndexSummary

    public = {"hit": HitRecord, "index_summary": IndexSummary, "manifest": Manifest, "config": Config}
    return {name: TypeAdapter(cls).json_schema() for name, cls in public.items()}


def dump(schema: dict[str, Any]) -> str:
    """One schema as the text that is committed."""
    return json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> None:
    """Write every schema to the folder named on the command line."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in json_schemas().items():
        (folder / f"{name}.schema.json").write_text(dump(schema), encoding="utf-8")


if __name__ == "__main__":
    main()
