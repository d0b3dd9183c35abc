"""`python -m milepost.schemas` says which committed schemas are out of date; with `--write` it writes them."""

from __future__ import annotations

import json
import sys

from milepost.schemas.generate import build_schemas, schema_folder


def main(arguments: list[str]) -> int:
    """Exit code 1 where a schema was out of date and not written."""
    stale = 0
    for name, schema in build_schemas().items():
        path = schema_folder() / name
        text = json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=False) + "\n"
        if path.exists() and path.read_text("utf-8") == text:
            continue
        if "--write" in arguments:
            path.write_text(text, "utf-8")
            print(f"wrote {name}")
        else:
            print(f"{name} is out of date: run python -m milepost.schemas --write", file=sys.stderr)
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
